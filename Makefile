# `make demo` and `make test` do everything on a machine with Python, a C++ compiler and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := CMakeLists.txt $(shell find cpp -name '*.h' -o -name '*.cpp')
SANITIZED := build/sanitize
THREAD_SANITIZED := build/thread_sanitize
SANITIZE := -DSANDTABLE_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1"

.PHONY: demo test ci lint types core-tests python-tests sanitized-tests thread-tests torture stubs goldens settings-tables format clean

demo: $(VENV)/.installed
	$(BIN)/sandtable demo

test: lint types core-tests sanitized-tests python-tests

# Set-up: each step leaves a stamp and is done again only when what it stands on has changed.
$(VENV)/.tools: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt "scikit-build-core>=0.10" "nanobind>=2.4" "numpy>=2.0" cmake ninja
	touch $@

$(VENV)/.installed: $(VENV)/.tools pyproject.toml $(NATIVE)
	$(PIP) install -c constraints.txt --no-build-isolation --editable ".[play]"
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(PIP) install -c constraints.txt --no-build-isolation --editable ".[dev]"
	touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

# A file of tests to a worker: what is slow to make, such as a smoke run of a paper, serves all tests of its file.
python-tests: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile

# The core and the extension once more, with AddressSanitizer and UndefinedBehaviorSanitizer.
$(SANITIZED)/.built: $(VENV)/.dev $(NATIVE)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(SANITIZED) -G Ninja $(SANITIZE) -DSANDTABLE_CORE_TESTS=ON -DSANDTABLE_PYTHON=ON \
	  -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" > /dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(SANITIZED) --parallel 2
	touch $@

core-tests: $(SANITIZED)/.built
	$(SANITIZED)/core_tests

# The sanitized extension in a package of its own. -S keeps the installed one out of the way.
$(SANITIZED)/package/.copied: $(SANITIZED)/.built $(shell find src/sandtable -type f -not -name '*.pyc')
	rm -rf $(SANITIZED)/package && mkdir -p $(SANITIZED)/package
	cp -r src/sandtable $(SANITIZED)/package/ && cp $(SANITIZED)/_core*.so $(SANITIZED)/package/sandtable/
	touch $@

SANITIZED_PYTEST = LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
  PYTHONPATH="$(SANITIZED)/package:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
  $(BIN)/python -S -m pytest -p no:cacheprovider

# All parsers and the API, fed with anything. tests/support/examples.py says how often on this build.
sanitized-tests: $(SANITIZED)/package/.copied
	$(SANITIZED_PYTEST) -m "not statistics" tests/test_fuzz.py tests/test_tubstap_formats.py tests/test_tubstap_state.py \
	  tests/test_conquest.py tests/test_conquest_encoders.py tests/test_conquest_maps.py tests/test_encoders.py tests/test_policy_encoders.py \
	  tests/test_territory_encoder.py

# What threads share, with ThreadSanitizer.
$(THREAD_SANITIZED)/.built: $(VENV)/.tools $(NATIVE)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(THREAD_SANITIZED) -G Ninja -DSANDTABLE_THREAD_SANITIZE=ON \
	  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DSANDTABLE_CORE_TESTS=ON -DSANDTABLE_PYTHON=OFF > /dev/null
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build $(THREAD_SANITIZED) --parallel 2 --target thread_tests
	touch $@

thread-tests: $(THREAD_SANITIZED)/.built
	$(THREAD_SANITIZED)/thread_tests

# The long robustness tests, about an hour on two cores: see docs/engine.md. SANDTABLE_TORTURE=0.1 makes them a tenth.
TORTURE ?= tests/torture
torture: thread-tests $(VENV)/.dev $(SANITIZED)/package/.copied
	$(BIN)/python -m pytest -n 2 --dist loadfile -rP $(TORTURE)
	$(SANITIZED_PYTEST) -s tests/torture/test_api_machine.py

# What a contributor need not wait for: the wheel, built and used in an environment of its own.
ci: $(VENV)/.dev
	rm -rf build/wheel build/clean
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(PYTHON) -m venv build/clean
	build/clean/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt build/wheel/sandtable-*.whl
	cd build/clean && bin/sandtable maps show italy > /dev/null && \
	  bin/sandtable match "uct(simulations=20)" greedy --map ford --games 2

stubs: $(VENV)/.dev
	$(BIN)/python -m nanobind.stubgen -q -m sandtable._core -r -O src/sandtable

goldens: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m support.goldens --write

# The tables of settings in docs/, from the declarations.
settings-tables: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m support.settings_tables --write

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build dist
