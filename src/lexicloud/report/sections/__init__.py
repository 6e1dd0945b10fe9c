"""From parts to sections of a page: results in, blocks of markup and plots out, nothing computed."""
