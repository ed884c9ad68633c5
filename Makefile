# `make` prints what there is. Everything runs in .venv and needs no network but the package registry.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
PY := $(BIN)/python
STAMP := .venv/.installed
# -qq: errors only.
PIP := $(PY) -m pip -qq --disable-pip-version-check --no-input
COMPANION := packages/cortex-model-minilm
# How long `make soak` may take, roughly.
MINUTES ?= 10
# MCP clients that nobody here wrote, at the versions of $(CLIENT_PINS); they want other packages than the project.
CLIENTS := .clients
CLIENT_PINS := tests/e2e/clients
CLIENT_PIP := env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT
CLIENT_NPM := npm install --no-audit --no-fund --no-update-notifier --ignore-scripts --omit=dev --loglevel=error

# Relative, since pip splits these at spaces; the second is the name that newer versions of pip read.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_ROOT_USER_ACTION := ignore

.PHONY: help setup demo check lint clients test soak live bench peers format clean

help: ## print this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## create .venv and install the project with its development tools

$(STAMP): pyproject.toml constraints.txt $(COMPANION)/pyproject.toml
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "Cortex needs Python 3.11 or newer; there is no $(PYTHON), name one: make setup PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Cortex needs Python 3.11 or newer; $(PYTHON) is $$("$(PYTHON)" --version 2>&1)," \
	         "name another: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo "setting up .venv"
	@"$(PYTHON)" -m venv .venv
	@$(PIP) install -e $(COMPANION) -e '.[dev]'
	@touch $@

demo: setup ## show in a minute what Cortex does
	@$(BIN)/cortex demo

lint: setup
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(BIN)/lint-imports --no-logo

check: lint ## style, types, import contracts and the other rules that machines keep
	@$(PY) -m pytest -q tests/architecture

clients: $(CLIENTS)/.installed ## install the other MCP clients that the tests drive, under .clients

$(CLIENTS)/.installed: $(wildcard $(CLIENT_PINS)/*.txt $(CLIENT_PINS)/*.json)
	@echo "setting up $(CLIENTS)"
	@rm -rf $(CLIENTS) && mkdir -p $(CLIENTS)/inspector
	@for name in mcp-1 fastmcp node; do \
	    "$(PYTHON)" -m venv $(CLIENTS)/$$name; \
	    $(CLIENT_PIP) $(CLIENTS)/$$name/bin/python -m pip -qq --disable-pip-version-check --no-input install \
	        -r $(CLIENT_PINS)/$$name.txt; \
	done
	@cp $(CLIENT_PINS)/*.json $(CLIENTS)/inspector/
	@cd $(CLIENTS)/inspector && PATH="$(CURDIR)/$(CLIENTS)/node/bin:$$PATH" $(CLIENT_NPM) >/dev/null
	@touch $@

# The rules of tests/architecture are among the tests, so they run once, here. pytest's summary comes last.
test: lint ## everything: the checks, then every test; tells what was skipped and why
	@$(MAKE) --no-print-directory clients || echo "the other MCP clients could not be installed" >&2
	@$(PY) -m pytest -rs

soak: setup ## bear much more of what tests/durability does: make soak MINUTES=10
	@$(PY) -m pytest -q tests/durability --soak $(MINUTES)

live: setup ## make a few calls to the real services whose keys are set; docs/models.md says which
	@$(PY) -m tests.live

bench: setup ## measure recall quality and latency
	@$(PY) -m cortex_bench.bench

# Their environments are made under .peers, an hour is spent, and the table of docs/comparison.md is renewed.
peers: setup ## measure other memory systems beside Cortex: make peers CORTEX_EVAL_DATA=folder
	@$(PY) -m cortex_bench.peers.run --data "$(CORTEX_EVAL_DATA)"

format: setup ## let ruff format the code and fix what it can
	@$(PY) -m ruff check --fix --quiet . ; $(PY) -m ruff format --quiet .

clean: ## remove .venv, caches and build outputs
	@rm -rf .venv $(CLIENTS) .peers .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	@rm -rf $(COMPANION)/build $(COMPANION)/dist
	@find src tests packages -type d \( -name __pycache__ -o -name '*.egg-info' \) -prune -exec rm -rf {} +
