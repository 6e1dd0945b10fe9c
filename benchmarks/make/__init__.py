"""What makes files of the package and pages of the docs from measurements; each is run on purpose only."""
