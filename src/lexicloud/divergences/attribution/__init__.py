"""Who wrote it: scoring texts against known ones, labels, and how good they are."""
