"""Benchmarks: every number is a ratio against a named peer in the same run."""
