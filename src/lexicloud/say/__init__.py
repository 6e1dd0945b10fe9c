"""Answers in words: the blocks that results return, and their renderers for terminal, page and notebook."""
