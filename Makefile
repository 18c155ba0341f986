# Everything runs in a virtual environment of its own: many systems refuse pip outside of one.
# Needs Python 3.11 or later and make, nothing else.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

# Tests already run on every core: more threads inside each of them only get into each other's way.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint bench bench-one-release bench-republishing bench-knowledge experiments environment clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 26

demo: $(VENV)/installed ## what two releases of a hospital give away together, and why
	@$(BIN)/dbaudit demo

test: $(VENV)/installed-test ## the tests that take a moment
	$(BIN)/python -m pytest -n auto -m "not slow"

test-all: $(VENV)/installed-test ## all tests
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

environment: $(VENV)/installed-all ## everything that any other target needs, in one go

lint: $(VENV)/installed-all ## style, format, types, layers, SQL
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(if $(wildcard .sqlfluff),$(BIN)/sqlfluff lint --dialect duckdb sql)

bench: $(VENV)/installed-bench ## the solver side by side with others
	$(BIN)/python -m benchmarks.solver

bench-one-release: $(VENV)/installed-bench ## audits of one release, as they grow
	$(BIN)/python -m benchmarks.one_release

bench-republishing: $(VENV)/installed-bench ## audits of release after release, as they grow
	$(BIN)/python -m benchmarks.republishing

bench-knowledge: $(VENV)/installed-bench ## audits under mined rules, and mining, side by side with others
	$(BIN)/python -m benchmarks.knowledge

experiments: $(VENV)/installed-bench ## the papers' figures again
	$(BIN)/python -m experiments.republishing
	$(BIN)/python -m experiments.privacy_maxent

clean: ## remove the environment and what the tools left behind
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An empty file per set of packages says when it was installed; pyproject.toml decides whether that is still right.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-all: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test,lint,bench]'
	@touch $@ $(VENV)/installed $(VENV)/installed-test $(VENV)/installed-lint $(VENV)/installed-bench

$(VENV)/installed-%: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@
