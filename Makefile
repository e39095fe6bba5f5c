# Every target sets up what it needs in .venv; nothing else has to be installed.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# Tests share two cores; BLAS threads on top of that only get in the way.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
# Without it scikit-learn does not check estimators with other array libraries.
test test-engines: export SCIPY_ARRAY_API = 1

.PHONY: docs demo test test-slow test-engines test-browser test-data test-oldest lint build bench bench-quick bench-large bench-compare evidence clean

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/test: pyproject.toml | $(VENV)/pip
	$(RUN) -m pip install --quiet --editable . --group test
	touch $@

$(VENV)/lint: pyproject.toml | $(VENV)/test
	$(RUN) -m pip install --quiet --group lint --group build
	touch $@

$(VENV)/package: pyproject.toml | $(VENV)/pip
	$(RUN) -m pip install --quiet --editable ".[cli]" pandas
	touch $@

# The main job: zerone beside its rivals, a report of it, a model and its predictions.
demo: $(VENV)/package
	$(RUN) examples/demo.py

# The core tests.
test: $(VENV)/test
	$(RUN) -m pytest -n 2 -m "not slow and not data and not chromium and not engines"

# The heavier tests; a skipped test is an error here.
test-slow: $(VENV)/test
	$(RUN) -m pytest -n 2 -m slow --no-skips

# Clusters of Dask and Spark, PostgreSQL, torch; needs Java 17 and PostgreSQL's programs. A skipped
# test is an error here.
test-engines: $(VENV)/test
	$(RUN) -m pip install --quiet --group engines
	$(RUN) -m pytest -n 2 --dist loadfile -m engines --no-skips

# Pages in a real browser; a skipped test is an error here.
test-browser: $(VENV)/test
	$(RUN) -m pip install --quiet --group browser
	$(RUN) -m pytest -m chromium --no-skips

# Tests on the benchmark data sets; they skip, with a reason, where the data is missing.
test-data: $(VENV)/test
	$(RUN) -m pytest -n 2 -m data

# The core tests against the oldest supported numpy, scipy and scikit-learn; clusters, other array
# libraries, the paper's experiments and the code of the guides have what is newest.
test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-oldest/bin/python -m pip install --quiet --editable . --group test --group oldest
	$(VENV)-oldest/bin/python -m pytest -n 2 --ignore=tests/engines \
		--ignore=tests/project --ignore=tests/paper -m "not slow and not data and not chromium and not engines"

# Style, types, and the order of the layers.
lint: $(VENV)/lint
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports

# The wheel, imported where nothing but its dependencies is installed.
build: $(VENV)/lint
	rm -rf dist $(VENV)-wheel
	$(RUN) -m build --wheel --outdir dist
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet dist/*.whl
	cd dist && ../$(VENV)-wheel/bin/zerone --version

# Time, memory and accuracy beside scikit-learn: a page, tables and pictures under build/.
bench: $(VENV)/test
	$(RUN) -m benchmarks

# The same on small sizes, in a minute.
bench-quick: $(VENV)/test
	$(RUN) -m benchmarks --quick

# A table of 8 GB, written, read and deleted: rate, peak memory, precision.
bench-large: $(VENV)/test
	$(RUN) -m benchmarks.large_table

# The site, with every example run; a warning is an error.
docs: $(VENV)/test
	$(RUN) -m pip install --quiet --group docs
	$(RUN) -m sphinx -W --keep-going -q docs build/site
	@echo build/site/index.html

# What changed between two commits: make bench-compare BASE=main~1 [HEAD=main]
HEAD ?= HEAD
bench-compare: $(VENV)/test
	$(RUN) -m benchmarks.compare $(BASE) $(HEAD)

# The long runs behind the claims in the documentation.
evidence: $(VENV)/test
	$(RUN) -m evidence.optimality
	$(RUN) -m evidence.ranking
	$(RUN) -m evidence.metrics
	$(RUN) -m evidence.metric_frontier
	$(RUN) -m evidence.wide
	$(RUN) -m evidence.krylov_steps
	$(RUN) -m evidence.krylov_solver
	$(RUN) -m evidence.paper_accuracy
	$(RUN) -m evidence.multiclass
	$(RUN) -m evidence.refinement
	$(RUN) -m evidence.refinement --rows 100 --repeats 4
	$(RUN) -m evidence.normal_model
	$(RUN) -m evidence.normal_model --paper
	$(RUN) -m evidence.rare_classes
	$(RUN) -m evidence.probabilities
	$(RUN) -m evidence.invariance
	$(RUN) -m evidence.polish_rows
	$(RUN) -m evidence.random_state
	$(RUN) -m evidence.killed_scans
	$(RUN) -m evidence.sampled_tables
	$(RUN) -m evidence.subsets
	$(RUN) -m evidence.sql_exports

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-wheel dist .pytest_cache .mypy_cache .ruff_cache
