SHELL := /bin/bash
VENV ?= .venv
# An existing environment keeps its interpreter; otherwise the first one that is new enough.
PYTHON ?= $(shell tools/find_python.sh $(VENV))
RUN := $(VENV)/bin/python
INSTRUCTION ?= stack 3 red blocks on the green target area
SEED ?= 0
# Through the environment and unexpanded: quotes and dollars in an instruction are nobody's syntax.
override INSTRUCTION := $(value INSTRUCTION)
export INSTRUCTION SEED

define CHECK_PYTHON
if [ -z "$(PYTHON)" ]; then echo "No Python 3.11, 3.12 or 3.13 found: \
sudo apt-get install python3, or name one with PYTHON=…"; exit 1; fi
endef

.DEFAULT_GOAL := help
.PHONY: help install install-extras demo sim test test-all lint format bench docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

install: ## set up .venv and build the interfaces; quick when nothing changed (PYTHON=…)
	@$(CHECK_PYTHON)
	@"$(PYTHON)" tools/install.py --venv "$(VENV)"

install-extras: ## the optional packages, too; what cannot be installed is named and left out
	@$(CHECK_PYTHON)
	@"$(PYTHON)" tools/install.py --venv "$(VENV)" --extras

demo: install ## a sentence to stacked blocks, through ROS nodes (INSTRUCTION="…" SEED=…)
	@"$(RUN)" -m malmm_ros.demo --instruction "$$INSTRUCTION" --seed "$$SEED"

sim: install ## start the simulator and all nodes
	@"$(VENV)/bin/malmm" up sim

test: install ## the tests, but for the slow ones
	@"$(RUN)" -m pytest -n 2 --dist loadfile -m "not slow and not gpu and not network"

test-all: install-extras ## every test that can run on this machine, the slow ones too
	@"$(RUN)" -m pytest -n 2 --dist loadfile -m "not gpu and not network"

lint: install ## ruff, mypy and the import rules between the floors
	@"$(RUN)" -m ruff check .
	@"$(RUN)" -m ruff format --check .
	@"$(RUN)" -m mypy
	@"$(RUN)" -c 'from importlinter.cli import lint_imports_command as main; main()'

format: install ## let ruff format and fix what it can
	@"$(RUN)" -m ruff format .
	@"$(RUN)" -m ruff check --fix .

bench: install ## measure; figures go to build/bench.json
	@mkdir -p build
	@"$(VENV)/bin/malmm" bench --json build/bench.json

docs: install ## the API reference, into build/docs
	@"$(RUN)" -m pdoc --docformat google --output-directory build/docs malmm_ros
	@echo "build/docs/index.html"

clean: ## remove what was built, but for the environment
	rm -rf build dist install log *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find malmm_ros test tools -name __pycache__ -type d -prune -exec rm -rf {} +
