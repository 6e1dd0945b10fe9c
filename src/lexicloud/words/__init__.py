"""Words: the lexicon with its numbers, masks and vectors; counting, kinds, key words and contexts."""
