# Needs Python >= 3.11, pip and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.installed-base
DEV := $(VENV)/.installed-dev
# Twice quiet: pip says what went wrong, and nothing else.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
SOURCES := src tests benchmarks docs/make_reference.py docs/make_gallery.py docs/fenced_examples.py docs/examples .ci
# One resolution for every Python and system from 3.11 on; names, versions and hashes, and no index address.
LOCK := $(BIN)/uv pip compile pyproject.toml --quiet --no-header --no-annotate --no-emit-index-url

# Hundreds of short processes are started here; none of them should compile the same sources again.
unexport PYTHONDONTWRITEBYTECODE
# COVERAGE=1, as CI sets it: which lines ran. It costs half of the time again.
TESTS_RUN := $(BIN)/$(if $(COVERAGE),coverage run,python) -m pytest -n 2 --dist worksteal -q

.PHONY: demo serve test test-slow processors lint fuzz faults bench bench-check arrays docs browser lock upgrade lowest sbom release clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("lexicloud needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

# uv installs in seconds what takes pip minutes; where it cannot (an index that only pip is told of), pip does it.
install = $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python $(1) || $(PIP) install $(1)

# The stamps depend on the files that name what is installed, so a second run installs nothing.
$(BASE): pyproject.toml | $(BIN)/uv
	$(call install,-e ".[demo]")
	@touch $@

$(DEV): pyproject.toml requirements-dev.txt | $(BIN)/uv
	$(call install,--require-hashes -r requirements-dev.txt)
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(BASE)

demo: $(BASE)  ## the main job on the built-in State of the Union addresses
	$(BIN)/lexicloud demo --out demo.html

serve: $(BASE)  ## the web app on the same texts
	$(BIN)/lexicloud serve

browser:  ## a Chromium for the tests of the report page, where it can be had
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } || \
	  echo "no Chromium here and none could be installed: the browser tests will be skipped"

test: $(DEV)  ## the quick tests, two processes
	@rm -f .coverage .coverage.*
	$(TESTS_RUN) -m "not slow and not browser"

# Coverage is measured over both: run `make test` before, or all of it would be missing.
test-slow: $(DEV) browser  ## browsers, kills, attacks, ratios, other processors, the lowest versions; with COVERAGE=1 the lines that ran
	$(MAKE) bench-check
	$(MAKE) fuzz PART=3 SEED=1 LIMIT=60
	$(MAKE) faults PART=40 LIMIT=120 GROUP=commands WITHOUT="malloc object"
	$(MAKE) lowest TESTS="tests/test_contract.py tests/test_public_names.py tests/text/test_formats.py tests/vectors/test_folder_format.py \
	  tests/divergences/test_pair.py tests/labelling/test_evidence.py"
	$(MAKE) processors TESTS="tests/zipf tests/divergences tests/labelling tests/neighbours tests/plane tests/report/test_small_inputs.py \
	  tests/search/methods/test_related.py tests/search/methods/test_setcover.py tests/search/methods/test_hybrid.py tests/search/test_whole.py"
	$(TESTS_RUN) -m "slow or browser"
ifdef COVERAGE
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
endif

processors: $(DEV)  ## the quick tests with the kernels of other x86 processors, with one thread and with two
	OPENBLAS_NUM_THREADS=2 $(BIN)/python -m tests.processors Haswell pytest -n 2 --dist worksteal -q -m "not slow and not browser" $(TESTS)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.processors Prescott pytest -n 2 --dist worksteal -q -m "not slow and not browser" $(TESTS)

lint: $(DEV)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/vulture
	@$(BIN)/python .ci/advisories.py

# Contenders live apart, so that nobody else needs them. All of lexicloud is with them, in the versions of the tests.
PEERS := .venv-peers/.installed
$(PEERS): pyproject.toml requirements-dev.txt benchmarks/peers.txt | $(BIN)/uv
	$(PYTHON) -m venv --clear .venv-peers
	$(BIN)/uv pip install --quiet --compile-bytecode --python .venv-peers/bin/python --constraint requirements-dev.txt -r benchmarks/peers.txt -e ".[all]" || \
	  .venv-peers/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/peers.txt -e ".[all]"
	@touch $@

bench: $(PEERS)  ## everything about speed and memory, and the page docs/benchmarks.md; ONLY="quick start" for some of it
	.venv-peers/bin/python -m benchmarks $(ONLY)

bench-check: $(PEERS)  ## a few ratios in a minute; fails where one has halved
	.venv-peers/bin/python -m benchmarks.speed.quick --check

# A plain torch from the package index brings gigabytes for graphics cards; TORCH="torch==2.13.0+cpu" where the index has it.
TORCH ?= torch
arrays: | $(BIN)/python  ## the tests of arrays that are not NumPy's, on torch too, in an environment of its own
	$(PYTHON) -m venv --clear .venv-arrays
	.venv-arrays/bin/python -m pip --disable-pip-version-check --quiet install -e ".[arrays]" array-api-strict hypothesis pytest "$(TORCH)"
	.venv-arrays/bin/python -m pytest -q tests/neighbours/test_any_array.py

fuzz: $(DEV)  ## every attack of docs/reliability.md, some minutes; SECONDS=60 for one, PART=4 for a quarter, SEED=1 to repeat it
	$(BIN)/python -m tests.fuzz $(if $(SECONDS),--seconds $(SECONDS)) $(if $(PART),--part $(PART)) $(if $(SEED),--seed $(SEED)) $(if $(LIMIT),--limit $(LIMIT))

# Without malloc where it must not fail: an allocation that fails inside NumPy itself may end the interpreter.
faults: $(DEV)  ## every call to the system fails in turn while each public operation runs; PART=4 for a quarter. Needs cc
	$(BIN)/python -m tests.faults $(if $(PART),--part $(PART)) $(if $(LIMIT),--limit $(LIMIT)) $(if $(GROUP),--group $(GROUP)) $(if $(WITHOUT),--without $(WITHOUT))

docs: $(DEV)  ## the documentation site, in site/; its reference is made from docstrings and commands
	$(BIN)/python docs/make_reference.py
	$(BIN)/zensical build --strict

$(BIN)/uv: | $(BIN)/python
	$(PIP) install uv

lock: | $(BIN)/uv  ## requirements-dev.txt after pyproject.toml changed; what is locked already keeps its version
	$(LOCK) --extra dev --universal --python-version 3.11 --generate-hashes --output-file requirements-dev.txt

upgrade: | $(BIN)/uv  ## the same, with the newest versions of everything
	$(LOCK) --extra dev --universal --python-version 3.11 --generate-hashes --upgrade --output-file requirements-dev.txt

# Old packages warn about the newer ones below them, and old test tools leave files open; that is theirs to repair.
lowest: | $(BIN)/uv  ## the quick tests (or TESTS=…) with the lowest versions that pyproject.toml allows, in an environment of its own
	$(LOCK) --extra test --resolution lowest-direct --output-file $(VENV)-lowest.txt
	$(PYTHON) -m venv --clear $(VENV)-lowest
	$(BIN)/uv pip install --quiet --python $(VENV)-lowest/bin/python -r $(VENV)-lowest.txt
	$(BIN)/uv pip install --quiet --python $(VENV)-lowest/bin/python --no-deps -e .
	$(VENV)-lowest/bin/python -m pytest -n 2 --dist worksteal -q -m "not slow and not browser" -W ignore::DeprecationWarning -W ignore::ResourceWarning -W "ignore:ARC4 has been moved" $(TESTS)

sbom: $(DEV)  ## dist/sbom.json: every package that comes with lexicloud
	$(BIN)/python .ci/sbom.py

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/lexicloud/version.py)
release: $(DEV)  ## dist/ with wheel, source and list of parts, and the tag v$(VERSION); nothing is pushed
	@git diff --quiet HEAD || { echo "commit first: a release is what is committed"; exit 2; }
	@case "$(VERSION)" in *dev*) echo "src/lexicloud/version.py: $(VERSION) is no release; write $(VERSION:.dev0=)"; exit 2;; esac
	@grep -q "^## $(VERSION) (20" CHANGELOG.md || { echo "CHANGELOG.md: give $(VERSION) its date, as in '## $(VERSION) (2026-11-18)'"; exit 2; }
	@grep -q "^version: $(VERSION)" CITATION.cff || { echo "CITATION.cff: the version is not $(VERSION)"; exit 2; }
	rm -rf dist
	$(BIN)/python -m build
	$(MAKE) sbom
	git tag -a "v$(VERSION)" -m "lexicloud $(VERSION)"

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-lowest.txt .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage* demo.html
