# `make demo` and `make test` are all that a newcomer needs; both make their own virtual environment in .venv.
PYTHON ?= python3
BIN := .venv/bin
# meson and ninja are looked up on the path.
export PATH := $(CURDIR)/$(BIN):$(PATH)
SOURCES := $(shell find src -type f -not -path '*/__pycache__/*') meson.build pyproject.toml README.md
BUILD_TOOLS := "meson-python>=0.17" "Cython>=3.1" "scipy>=1.12" "meson>=1.4" ninja

# The build directory is kept, so that a changed kernel is all that is compiled again.
INSTALL := $(BIN)/python -m pip install --quiet --no-build-isolation -Cbuild-dir=build/install

# Kernels that watch every access to memory and every operation that C leaves undefined.
SANITIZED := build/sanitized
SANITIZE_TESTS ?= tests/kernels tests/algorithms tests/selectors

.PHONY: help demo test test-long test-all test-models test-engines test-random sanitize lint docs package coverage bench bench-preprocessing figures results clean

help:
	@echo "make demo   see what fruler does, on bundled data"
	@echo "make test   run the quick tests"
	@echo "make test-all   run all tests: the quick ones, then those with a browser, a cluster, or processes that are killed"
	@echo "make test-engines   install Spark, MLflow and JPMML, and run the tests that need them"
	@echo "make test-random   run the tests that draw examples with many new ones"
	@echo "make test-models   compare 2,000 models of random tables with their exports (an hour)"
	@echo "make sanitize   run the tests of kernels and algorithms with AddressSanitizer and UBSan (gcc, Linux)"
	@echo "make lint   check style, types, docstrings and wording"
	@echo "make docs   build the documentation's site in build/site"
	@echo "make package   build the sdist and the wheel, and try each in an empty environment"
	@echo "make coverage  which lines and branches the tests run, Python and Cython"
	@echo "make figures   write the results that README and docs quote from benchmarks/results"
	@echo "make results   write the tables and pictures of benchmarks/results"
	@echo "make bench DATA=folder   the paper's experiment: tables and pictures in results/"
	@echo "make bench-preprocessing DATA=folder   the paper's Tables 2 and 3, and the speed of both stages"
	@echo "make clean  remove the virtual environment and everything built"

demo: .venv/installed
	@$(BIN)/fruler demo

# The tests of every processor have one; more threads for linear algebra would wait for each other.
test test-long test-models test-engines test-random sanitize coverage: export OPENBLAS_NUM_THREADS = 1

# The quick tier, for every change. The other one has all that takes seconds, a browser, a cluster, or processes that are
# killed, and draws as many examples as the tests say.
LONG := slow or browser or cluster or engines or process or fuzz or peers
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --dist=loadfile
test: .venv/installed-for-tests
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not ($(LONG))"

test-long: .venv/installed-for-tests
	$(PYTEST) -m "hypothesis or $(LONG)"

test-all: test test-long

# Models of random tables against their exports, files and repetitions: make test-models FIRST=2000 goes on where it ended.
N ?= 2000
FIRST ?= 0
test-models: .venv/installed-for-tests
	$(BIN)/python tests/fuzz/fuzz_models.py $(N) --first $(FIRST)

# Spark takes 400 MB, and needs Java 17: where they are not installed, the tests of the long tier are skipped.
test-engines: .venv/installed-for-tests
	@$(INSTALL) ".[test,spark,mlflow]" jpmml-evaluator JPype1 lxml
	$(BIN)/python -m pytest -m engines

test-random: .venv/installed-for-tests
	HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest --numprocesses=auto -m hypothesis

# Python itself leaks by design, and is not built with the sanitizer: its library has to be loaded first. What it says of
# an error is lost if pytest captures more than Python's own output.
sanitize: .venv/installed-for-tests
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --upgrade --target $(SANITIZED)/site \
		-Cbuild-dir=$(SANITIZED)/build -Csetup-args=-Dbuildtype=custom -Csetup-args=-Doptimization=1 -Csetup-args=-Ddebug=true \
		-Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false .
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" PYTHONPATH=$(SANITIZED)/site \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONMALLOC=malloc \
		$(BIN)/python -m pytest -p no:cacheprovider --capture=sys $(SANITIZE_TESTS)

# First Python, by all tests; then the kernels, by the tests that hold them against other computations.
KERNEL_TESTS := tests/kernels tests/rules tests/algorithms/fruler/test_evaluation.py tests/learning/test_sampled_table.py
coverage: .venv/installed-for-development
	$(BIN)/python release/traced_kernels.py
	mkdir -p build/coverage/data && $(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest --numprocesses=auto --dist=loadfile
	PYTHONPATH=build/coverage $(BIN)/python -m coverage run -m pytest $(KERNEL_TESTS)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --directory build/coverage/html
	$(BIN)/python -m coverage report

lint: .venv/installed-for-development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python release/docstring_validation.py
	$(BIN)/python release/wording.py

# Sphinx notices by itself which pages have changed. Warnings, such as a link that leads nowhere, are errors.
docs: export OPENBLAS_NUM_THREADS = 1
docs: .venv/installed-for-docs
	$(BIN)/python -m sphinx -b html -W --keep-going --quiet docs build/site
	@echo "Open build/site/index.html in a browser."

package: .venv/build-tools
	$(BIN)/python -m pip install --quiet "build>=1.2"
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python release/trial.py dist

bench: .venv/installed-for-tests
	@test -n "$(DATA)" || { echo "Name the folder of the KEEL data sets: make bench DATA=folder"; exit 1; }
	$(BIN)/fruler bench --data "$(DATA)" $(BENCH)

results: .venv/installed-for-tests
	$(BIN)/fruler bench --tables-only --out benchmarks/results

figures: .venv/installed
	$(BIN)/python release/quoted_results.py

bench-preprocessing: .venv/installed
	@test -n "$(DATA)" || { echo "Name the folder of the KEEL data sets: make bench-preprocessing DATA=folder"; exit 1; }
	$(BIN)/python benchmarks/fidelity/preprocessing_tables.py --data "$(DATA)"
	$(BIN)/python benchmarks/speed/preprocessing_speed.py --data "$(DATA)"

clean:
	rm -rf .venv build docs/api docs/examples

.venv/build-tools: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON); name a Python 3.11 or later: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fruler needs Python 3.11 or later: make PYTHON=python3.12")'
	@echo "Preparing a virtual environment in .venv (once; a minute or two) ..."
	@$(PYTHON) -m venv .venv || { echo "No virtual environment could be made; on Debian: apt-get install python3-venv python3-dev gcc"; rm -rf .venv; exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet $(BUILD_TOOLS)
	@touch $@

.venv/installed: .venv/build-tools $(SOURCES)
	@$(INSTALL) .
	@touch $@

.venv/installed-for-tests: .venv/build-tools $(SOURCES)
	@$(INSTALL) ".[test]"
	@touch $@ .venv/installed

.venv/installed-for-development: .venv/build-tools $(SOURCES)
	@$(INSTALL) ".[dev]"
	@touch $@ .venv/installed .venv/installed-for-tests

.venv/installed-for-docs: .venv/build-tools $(SOURCES)
	@$(INSTALL) ".[docs]"
	@touch $@ .venv/installed
