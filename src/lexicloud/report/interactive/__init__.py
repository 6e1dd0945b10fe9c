"""Interactive plots as plain values for plotly: results in, dictionaries out, nothing computed."""
