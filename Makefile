# Needs Python >= 3.11, pip and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.installed-base
DEV := $(VENV)/.installed-dev

.PHONY: demo test lint bench docs browser clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("lexicloud needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

# The stamps depend on pyproject.toml alone, so a second run installs nothing.
$(BASE): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(BASE)

demo: $(BASE)  ## the main job on the built-in State of the Union addresses
	$(BIN)/lexicloud demo --out demo.html

browser:  ## a Chromium for the tests of the report page, where it can be had
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } || \
	  echo "no Chromium here and none could be installed: the browser tests will be skipped"

test: $(DEV) browser  ## all tests, two processes
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

lint: $(DEV)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV)
	$(BIN)/python -m benchmarks

docs: $(DEV)  ## rebuild the reference page from the docstrings
	$(BIN)/python docs/make_reference.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache demo.html
