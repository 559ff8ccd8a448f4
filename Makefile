# make help lists the targets. Options: PAPER=, JOBS=, PYTHON=, DATASET= (of sweep), DATASETS= and
# DIFF= (of diff, the latter for more options).
PYTHON ?= python3
PAPER ?= structure_purity
DATASET ?= sonar
JOBS ?= -1

VENV := .venv
READY := $(VENV)/.ready
RETREE := $(VENV)/bin/retree
RUN := $(RETREE) run --report --jobs $(JOBS) paper=$(PAPER)
QUICK := $(RETREE) run --report --jobs $(JOBS) preset=quickstart

.DEFAULT_GOAL := help
# The store of computed cells outlives `make clean`: remove results/.store yourself.
.PHONY: FORCE help setup quickstart all data sweep report overview site test diff lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z%0-9 -]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## make the virtual environment .venv

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement requirements.lock
	$(VENV)/bin/python -m pip install --quiet --no-deps --editable .
	@touch $@

# Side by side, since kernels are compiled on one core at first use; the second one tells at the end.
quickstart: $(READY) ## tables of all papers from generated data, without network
	@mkdir -p results/quickstart
	@{ for preset in latent cmdt forests; do $(QUICK)_$$preset || exit 1; done; } \
	  >results/quickstart/others.log 2>&1 & others=$$!; \
	$(QUICK); failed=$$?; wait $$others || failed=1; \
	cat results/quickstart/others.log; exit $$failed

table% figure%: $(READY) FORCE ## one table or figure of PAPER: make table2 JOBS=2
	$(RUN) item=$@

all: $(READY) ## every table and figure of PAPER
	$(RUN) item=all

sweep: $(READY) ## accuracy of one data set over the grid: make sweep DATASET=banana
	$(RUN) item=sweep datasets=[$(DATASET)]

report: $(READY) ## render what is stored, compute nothing
	$(RETREE) report paper=$(PAPER) item=all

overview: $(READY) ## draw all numbers against the printed ones
	$(RETREE) overview

site: $(READY) ## build a static site of the results in site/
	$(RETREE) site

data: $(READY) ## fetch and verify all data sets
	$(RETREE) data fetch --all

test: $(READY) ## run the tests
	$(VENV)/bin/python -m pytest --numprocesses=auto --dist=loadfile

# A PAPER that nobody named is no wish: all papers are compared then.
diff: $(READY) ## small fits, then results, against the committed ones; DATASETS=iris,zoo computes these anew
	$(VENV)/bin/python scripts/golden.py
	$(RETREE) diff --jobs $(JOBS) $(if $(DATASETS),--recompute datasets=[$(DATASETS)]) \
	  $(if $(filter-out file,$(origin PAPER)),paper=$(PAPER)) $(DIFF)

lint: $(READY) ## check style and types
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy

clean: ## remove caches and the virtual environment
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
