"""Saving: folders and files that are never half-written, and strings in one block of bytes."""
