# The front door. A fresh clone needs python3 (3.11 or newer, with venv) and make; nothing else.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())')
STAMP  := $(VENV)/.installed-$(VERSION)
ARGS   ?=
STUDIES := hero regret_and_bounds worst_case_slopes bounds_at_work hub_and_labs one_sigma tied_optima

.PHONY: all run serve test check docs campaign mutants bench suite figures lock format clean system

all: check test

run: $(STAMP)                ## analyse a problem, race policies on it and others, report in out/
	$(BIN)/sidelight analyze examples/dosing.toml
	$(BIN)/sidelight race examples/study.toml --out out/study
	$(BIN)/sidelight report out/study -o out/report.html --figures out/figures --force

serve: $(STAMP)              ## decisions over HTTP on an example, with three calls to try it
	$(BIN)/python examples/serve.py out/serve

test: $(STAMP) system        ## every test but the campaigns
	$(if $(ARGS),,$(BIN)/sidelight warm all)  # else every process of the tests would compile
	$(BIN)/python -m pytest -n auto -m "not campaign" $(ARGS)

campaign: $(STAMP)           ## the long versions and the mutants; figures go to docs/trust.md
	HYPOTHESIS_PROFILE=default $(BIN)/python -m pytest -n auto -m campaign $(ARGS)
	$(if $(ARGS),,$(MAKE) mutants)

mutants: $(STAMP)            ## small changes of the code that some test should notice
	$(BIN)/python scripts/mutants.py --survivors-only --at-least 0.9 $(ARGS)

check: $(STAMP)              ## format, lint, types, and the rules of the house
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_house.py

docs: $(STAMP)               ## the site, in out/site: opens offline; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs out/site
	@echo "open out/site/index.html"

bench: $(STAMP)              ## speed, as ratios inside one run
	$(BIN)/python benchmarks/structure.py
	$(BIN)/python benchmarks/bounds.py
	$(BIN)/python benchmarks/first_use.py
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/own.py
	$(BIN)/python benchmarks/study.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/live.py
	$(BIN)/python benchmarks/serve.py

suite: $(STAMP)              ## every policy on every problem: the page and the figures of the site
	$(BIN)/sidelight suite --worst-cases --out out/suite
	cp out/suite/suite.md benchmarks/suite.md
	cp out/suite/suite.svg out/suite/worst_cases.svg docs/figures/

figures: $(STAMP)            ## the figures in docs/figures
	mkdir -p docs/figures
	$(BIN)/python examples/paper_comparisons.py docs/figures/comparisons.svg
	for study in $(STUDIES); do $(BIN)/python studies/$$study.py || exit 1; done

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

system:                      ## Chromium, PostgreSQL and strace, where this user may install them
	@sh scripts/system_packages.sh

lock: $(STAMP)               ## newest versions that fit, with hashes and without hosts
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-emit-index-url --custom-compile-command 'make lock' --all-extras --group dev pyproject.toml \
	  -o requirements/dev.lock
	echo uv | $(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --no-emit-index-url --custom-compile-command 'make lock' - -o requirements/uv.txt

clean:
	rm -rf $(VENV) out build dist docs/gallery docs/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): requirements/dev.lock requirements/uv.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sidelight needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	@echo "creating $(VENV) with Python $(VERSION) ..."
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "python3 needs its venv module; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "installing the locked packages ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@$(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python --require-hashes -r requirements/dev.lock
	@$(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@
