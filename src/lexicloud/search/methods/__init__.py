"""The search methods, one file each; `lexicloud.search.find` lists them by name."""
