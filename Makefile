# Everything that a developer does with Didymos. `make` alone says what there is.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
OUT := out
SIDE_BY_SIDE := -n 2 --dist loadfile --no-loadscope-reorder  # files in the order of tests/long_files.py

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick lint bench clean

help:  ## say what there is
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## create .venv with the package, its tools and the libraries for pictures

$(STAMP): pyproject.toml constraints.txt tools/setup
	PYTHON="$(PYTHON)" tools/setup $(VENV)
	@touch $@

demo: setup  ## fly the quadcopter: a log, a plot and a picture
	$(BIN)/didymos run quadcopter --scenario climb --record $(OUT)/demo.mcap --plot $(OUT)/demo.png --picture $(OUT)/demo_robot.png --clip $(OUT)/demo.gif
	@echo "The flight is in $(OUT)/: demo.mcap (log), demo.png (signals), demo_robot.png and demo.gif (the robot)."

lint: setup  ## style and types
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint  ## style, types and all tests, the cockpit in a real browser among them
	$(BIN)/pytest $(SIDE_BY_SIDE)

quick: setup  ## the tests that one runs while working
	$(BIN)/pytest $(SIDE_BY_SIDE) -m quick

bench: setup  ## speed beside the bare engine's
	$(BIN)/didymos bench

clean:  ## remove everything that can be made again
	rm -rf $(VENV) $(OUT) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
