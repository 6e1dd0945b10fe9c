"""An answer in words: blocks that results return, and what draws them in a terminal, on a page, in a notebook."""
