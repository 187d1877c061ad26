# Every target sets up what it needs; nothing has to be installed beforehand but Python 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# The extras are large, so their tests have environments of their own. Torch is installed first and
# in exactly this version, because CI has a build for CPUs of it at hand; a range would let pip take
# a newer one with several gigabytes of GPU libraries. `make test-train TORCH=torch` takes any.
TORCH ?= torch==2.13.0
TRAIN := .venv-train
ENGINES := .venv-engines
BROWSER := .venv-browser
AXE := $(BROWSER)/node_modules/axe-core/axe.min.js

.PHONY: demo test test-train test-engines test-engines-all test-browser faults lint documents clean

$(READY): pyproject.toml
	@echo 'Setting up $(VENV): once, for a minute or so.'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

## The main job on the invented samples of both datasets: build, check, count, and read dialogues.
demo: $(READY)
	@echo 'Writing invented raw files to demo/raw and demo/raw_diamante, and building both datasets.'
	@$(BIN)/python -c 'from dialogue_builders import write_sample as write; \
	  write("topical_chat", "demo/raw"); write("diamante", "demo/raw_diamante")'
	$(BIN)/dialogue-builders build topical_chat --data-dir demo/raw --out demo/topical_chat --overwrite
	$(BIN)/dialogue-builders build diamante --data-dir demo/raw_diamante --out demo/diamante --overwrite
	$(BIN)/dialogue-builders check demo/topical_chat
	$(BIN)/dialogue-builders check demo/diamante
	$(BIN)/dialogue-builders stats demo/topical_chat
	$(BIN)/dialogue-builders head demo/topical_chat conversations test_rare -n 2
	$(BIN)/dialogue-builders head demo/diamante conversations test -n 1
	@echo
	@echo 'Both datasets are in demo/. Try next:'
	@echo '  $(BIN)/dialogue-builders info topical_chat messages'
	@echo '  $(BIN)/dialogue-builders head demo/diamante preference train -n 2'
	@echo '  $(BIN)/dialogue-builders stats demo/diamante'

test: $(READY)
	$(BIN)/python -m pytest -n auto

## The long form of tests/faults: damaged raw files, kills, crowds; `make test` runs a short one. Run
## it before a release, and whenever a reader or the way something is written changes. It prints its
## seeds; `FAULT_SEED=N make faults` draws the same cases and moments.
FAULT_CASES ?= 20000
faults: $(READY)
	FAULT_CASES=$(FAULT_CASES) $(BIN)/python -m pytest -n auto tests/faults -rP

## The recipes of docs/recipes with real trainers and engines; `make test` skips them.
test-train: $(TRAIN)/.ready
	REQUIRE_TRAIN=1 $(TRAIN)/bin/python -m pytest -n 2 -m train

test-engines: $(ENGINES)/.ready
	REQUIRE_ENGINES=1 $(ENGINES)/bin/python -m pytest -n 2 -m engines

## All engines, the large ones too; CI does not run it. Run it before a release, and whenever the
## layout of a folder, the way Parquet is written, or docs/recipes/read_with_engines.md changes.
test-engines-all: $(ENGINES)/.ready-all
	REQUIRE_ENGINES=1 REQUIRE_MORE_ENGINES=1 $(ENGINES)/bin/python -m pytest -n 2 -m 'engines or more_engines'

## Pages in a real browser: needs Debian's packages chromium, chromium-driver and npm.
test-browser: $(BROWSER)/.ready
	REQUIRE_BROWSER=1 AXE_CORE=$(AXE) $(BROWSER)/bin/python -m pytest -m browser

$(TRAIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,train]'
	touch $@

$(ENGINES)/.ready: pyproject.toml
	$(PYTHON) -m venv $(ENGINES)
	$(ENGINES)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,engines]'
	if command -v npm; then npm install --silent --prefix $(ENGINES)/node 'hyparquet@^1.33' 'hyparquet-compressors@^1.1'; fi
	touch $@

$(ENGINES)/.ready-all: $(ENGINES)/.ready
	$(ENGINES)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,engines,more_engines]'
	touch $@

$(BROWSER)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BROWSER)
	$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,browser]'
	npm install --silent --no-audit --no-fund --no-save --prefix $(BROWSER) axe-core@4
	touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy scripts
	$(BIN)/lint-imports --no-cache

## Fails where a card, the reference or the README's table is not what the code computes.
documents: $(READY)
	$(BIN)/python scripts/render_cards.py --check

clean:
	rm -rf $(VENV) $(TRAIN) $(ENGINES) $(BROWSER) demo dist build .pytest_cache .mypy_cache .ruff_cache
