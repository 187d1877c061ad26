# Every target sets up what it needs; nothing has to be installed beforehand but Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

## The main job on the invented sample: build, check, count, and read three dialogues.
demo: $(READY)
	$(BIN)/python -c 'import dialogue_builders; dialogue_builders.write_sample("topical_chat", "demo/raw")'
	$(BIN)/dialogue-builders build topical_chat --data-dir demo/raw --out demo/topical_chat --overwrite
	$(BIN)/dialogue-builders check demo/topical_chat
	$(BIN)/dialogue-builders stats demo/topical_chat
	$(BIN)/dialogue-builders head demo/topical_chat conversations test_rare -n 3

test: $(READY)
	$(BIN)/python -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) demo dist build .pytest_cache .mypy_cache .ruff_cache
