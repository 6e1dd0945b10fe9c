"""The paper's experiments, one file each; `registry` lists them."""
