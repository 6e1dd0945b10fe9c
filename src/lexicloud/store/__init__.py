"""Folders and files that cannot be half-written, and strings in one block of bytes."""
