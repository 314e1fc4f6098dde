# Everything that a developer does with Didymos. `make` alone says what there is.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
OUT := out
SIDE_BY_SIDE := -n 3 --dist loadfile --no-loadscope-reorder  # files in the order of tests/long_files.py

unexport PYTHONDONTWRITEBYTECODE  # tests start a thousand processes: without byte code each would compile numba anew

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick lint bench docs clean

help:  ## say what there is
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY)  ## create .venv with the package, its extras and tools, a browser and a compiler for the tests

$(CORE): pyproject.toml constraints.txt tools/setup
	PYTHON="$(PYTHON)" tools/setup $(VENV) core
	@touch $@

$(READY): $(CORE)
	PYTHON="$(PYTHON)" tools/setup $(VENV) all
	@touch $@

demo: $(CORE)  ## fly the quadcopter: a log, a plot and a picture
	$(BIN)/didymos run quadcopter --scenario climb --record $(OUT)/demo.mcap --plot $(OUT)/demo.png --picture $(OUT)/demo_robot.png --clip $(OUT)/demo.gif
	@echo "The flight is in $(OUT)/: demo.mcap (log), demo.png (signals), demo_robot.png and demo.gif (the robot)."

lint: setup  ## style and types
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint  ## style, types and all tests, the cockpit in a real browser among them
	$(BIN)/pytest $(SIDE_BY_SIDE)

quick: setup  ## the tests that one runs while working
	$(BIN)/pytest $(SIDE_BY_SIDE) -m quick

bench: $(CORE)  ## speed beside the bare engine's
	$(BIN)/didymos bench

docs: setup  ## the site of the documentation, strictly: out/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in $(OUT)/site; $(BIN)/mkdocs serve shows it on http://127.0.0.1:8000 while you write."

clean:  ## remove everything that can be made again
	rm -rf $(VENV) $(OUT) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
