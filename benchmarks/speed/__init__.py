"""How fast, how much memory: ratios against a named peer in the same run."""
