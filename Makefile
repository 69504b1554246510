# Every verb sets itself up: .venv is made once, and again only when pyproject.toml or constraints.txt change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
THREADS ?= 2
export OMP_NUM_THREADS ?= $(THREADS)

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint format bench docs browser wheel clean

help: ## show the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# pip reads constraints.txt so that torch and everything else have the tested versions.
$(STAMP)base: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(STAMP)dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $(STAMP)base $@

$(STAMP)docs: pyproject.toml constraints.txt | $(STAMP)base
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	@touch $@

demo: $(STAMP)base ## diagnose the embedded Cora graph and write allpass-report.html
	$(BIN)/allpass diagnose cora --html allpass-report.html
	@echo "To ask your own graph: source $(BIN)/activate, then allpass diagnose --help"

test: $(STAMP)dev ## the default test suite
	$(BIN)/python -m pytest --numprocesses $(THREADS) --dist worksteal

test-slow: $(STAMP)dev ## every test that needs neither a GPU nor the network
	$(BIN)/python -m pytest --numprocesses $(THREADS) --dist worksteal -m "not gpu and not network"

lint: $(STAMP)dev ## ruff, mypy and the import order
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)dev ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)dev ## speed as ratios against named peers
	$(BIN)/python -m benchmarks.run

docs: $(STAMP)docs ## the documentation site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

browser: $(STAMP)dev ## the HTML page in a real browser; installs Debian's chromium where apt is at hand
	@command -v chromium >/dev/null || { command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq chromium; }
	$(BIN)/python -m pytest -m browser tests/report

wheel: ## build the wheel, install it in a clean environment and diagnose karate from it
	@rm -rf dist; clean=$$(mktemp -d) && trap 'rm -rf "$$clean"' EXIT && $(PYTHON) -m venv "$$clean/venv" && \
	pip() { "$$clean/venv/bin/python" -m pip --disable-pip-version-check --quiet "$$@"; } && \
	pip wheel --no-deps --wheel-dir dist . && pip install --constraint constraints.txt dist/*.whl && \
	cd "$$clean" && venv/bin/allpass diagnose karate --html report.html

clean: ## remove .venv and every cache
	rm -rf $(VENV) dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache
