PYTHON ?= python3
PAPER ?= structure_purity
DATASET ?= sonar
# Any parameters of any method: GRID="method=j48 method.min_cases=2,5,10".
GRID ?= method.k=2,3,5,7,10,15,20,30 \
  method.omega2=.0025,.005,.0075,.01,.015,.02,.025,.03,.04,.05,.075,.1
JOBS ?= -1
SEED ?= $(shell git rev-parse HEAD)
KILLS ?= 50

VENV := .venv
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
RETREE := $(VENV)/bin/retree
ENGINE := $(wildcard src/engine/*/* src/engine/include/retree/*)
# A process that crashes ends the run: with another in its place, xdist waits forever in the end.
TESTS := $(VENV)/bin/python -m pytest --numprocesses=auto --dist=loadfile --max-worker-restart=0
RUN := $(RETREE) run --report --jobs $(JOBS) paper=$(PAPER)

# Without compiled modules every command would spend seconds on compiling them again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
# The store of computed cells outlives `make clean`: remove results/.store yourself.
.PHONY: FORCE help setup engine engine-check quickstart all data index sweep report overview examples generated site test test-slow test-site wheel-check diff spot-check same stress ci lint clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z%0-9 -]+:.*## / {sub(/table% figure%/, "table2, figure1 …"); printf "  make %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo 'Variables, as in make all PAPER=latent_space JOBS=2: PYTHON= for setup,'
	@echo 'DATASET= and GRID= for sweep, DATASETS=iris,zoo and DIFF= for diff,'
	@echo 'SEED= for spot-check, KILLS= for stress'

setup: $(READY) ## make the virtual environment .venv that runs need

# Built again, file by file, when a source of the engine has changed.
$(READY): requirements.lock requirements-build.lock pyproject.toml CMakeLists.txt $(ENGINE)
	@$(if $(filter %.lock,$?),$(PYTHON) scripts/set_up.py $(VENV),$(VENV)/bin/python scripts/set_up.py $(VENV) --engine)
	@touch $@

# Sources are not made, by whatever pattern below their names might fit.
$(ENGINE): ;

engine: $(READY) ## rebuild the engine if its sources have changed

# The kernels' tests with the sanitizers of addresses and of undefined behaviour.
engine-check: $(READY_DEV) ## run the engine's tests under sanitizers
	@scripts/check_engine.sh $(VENV)

$(READY_DEV): $(READY) requirements-dev.lock
	@$(VENV)/bin/python scripts/set_up.py $(VENV) --dev
	@touch $@

quickstart: $(READY) ## compute parts of all papers on real data, offline
	@$(RETREE) quickstart --jobs $(JOBS)

table% figure%: $(READY) FORCE ## one table or figure of PAPER: make table2 JOBS=2
	$(RUN) item=$@

all: $(READY) ## every table and figure of PAPER; first says how long
	$(RUN) item=all

sweep: $(READY) ## accuracy over the grid: make sweep DATASET=banana
	$(RUN) -m dataset=$(DATASET) $(GRID)

report: $(READY) ## render stored results, compute nothing
	$(RETREE) report paper=$(PAPER) item=all

overview: $(READY) ## draw our numbers against the published ones
	$(RETREE) overview

examples: $(READY) ## check the studies in examples/ and render parts
	$(RETREE) check examples/regression
	$(RETREE) run --report --jobs $(JOBS) --study examples/regression item=all
	$(RETREE) check examples/classifiers
	$(RETREE) run --report --jobs $(JOBS) --study examples/classifiers item=all \
	  'datasets=[iris,wine,sonar,ionosphere]' paper.items.scores.protocol=cv5 \
	  paper.items.ranks.protocol=cv5 paper.items.ranks_auc.protocol=cv5

site: $(READY_DEV) examples ## build the site of results and examples, in site/
	$(RETREE) site --study examples/classifiers --study examples/regression

generated: $(READY_DEV) ## write the files that are made from the sources
	$(VENV)/bin/python scripts/generated.py

index: $(READY) ## compute the index that retree identify uses
	$(VENV)/bin/python scripts/index.py

data: $(READY) ## compare OpenML and UCI with the bundled data sets
	$(RETREE) data verify

test: $(READY_DEV) ## run the fast tests
	$(TESTS) -m "not slow and not whole_site"

test-slow: $(READY_DEV) ## run the slow tests, such as those that kill runs
	$(TESTS) -m slow $$(grep --recursive --files-with-matches mark.slow tests)

test-site: $(READY_DEV) ## run the tests of the whole site
	$(TESTS) -m whole_site tests/site

# All papers are compared unless PAPER was given by hand.
wheel-check: $(READY_DEV) ## build the wheels and try them on their own
	@$(VENV)/bin/python scripts/check_wheel.py

diff: $(READY) ## compare small fits and results with the committed ones
	$(VENV)/bin/python scripts/golden.py
	$(RETREE) diff --jobs $(JOBS) $(if $(DATASETS),--recompute datasets=[$(DATASETS)]) \
	  $(if $(filter-out file,$(origin PAPER)),paper=$(PAPER)) $(DIFF)

spot-check: $(READY) ## recompute random cells, drawn by SEED or the commit
	$(RETREE) verify --jobs $(JOBS) --random $(SEED)

same: $(READY_DEV) ## small fits with other kernels, compilers, processors
	@$(VENV)/bin/python scripts/same.py

stress: $(READY_DEV) ## stress test: kill runs, fill disks, damage stores
	$(VENV)/bin/python scripts/stress.py --kills $(KILLS)

# What people read.
READ := README.md CONTRIBUTING.md data/README.md docs examples benchmarks conf src/retree src/retree_lab

# The one list of checks, of .ci/run and of the workflow. Style and types are one process most of the
# time, and slow tests wait for processes, so that each has something beside it.
ci: $(READY_DEV) ## run everything that a change must pass
	@$(MAKE) lint & lint=$$!; $(MAKE) quickstart && $(MAKE) test && wait $$lint
	@($(MAKE) diff DATASETS=xor,iris,zoo PAPER=pruning && $(MAKE) spot-check JOBS=1) & numbers=$$!; \
	  $(MAKE) test-slow && wait $$numbers

lint: $(READY_DEV) ## check style, types, words and layers
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/python scripts/check_words.py $(READ)
	$(VENV)/bin/python scripts/check_layers.py
	$(VENV)/bin/clang-format --dry-run --Werror $(filter %.cpp %.hpp %.h,$(ENGINE)) scripts/replay.cpp

clean: ## remove caches and the virtual environments
	rm -rf $(VENV) build src/retree/_engine* .pytest_cache .mypy_cache .ruff_cache
