# `make help` lists the targets. Nothing is asked, and nothing is done twice.

JAX_NEWEST := 0.12.0.1
JAX_OLDEST := 0.11.1

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60

export PIP_DEFAULT_TIMEOUT := 30
export PIP_RETRIES := 8
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# pytest and ctest run $(JOBS) processes; each keeps to one thread.
export OMP_NUM_THREADS := 1

newest := .venv/bin/python -m
oldest := .venv-oldest/bin/python -m
# An environment is made again when what it holds is stated differently, not when a file is touched.
lists := $(shell cat tools/requirements.txt tools/constraints.txt | sha1sum | head -c 12)
newest_ready := .venv/.jax-$(JAX_NEWEST)-$(lists)
oldest_ready := .venv-oldest/.jax-$(JAX_OLDEST)-$(lists)
# What depends on the version of JAX: kernels as it traces them, and how they are lowered.
tests_of_oldest := tests/kernels tests/lower tests/properties/types_test.py
# Asked when a recipe runs: `make setup` may just have installed it.
with_ccache = $(if $(shell command -v ccache),CMAKE_CXX_COMPILER_LAUNCHER=ccache)

##@ Use

.PHONY: help
help:  ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: .venv/.pallasite  ## packages, a Python, and .venv with pallasite in it

.PHONY: demo
demo: setup  ## run the example kernels
	.venv/bin/python examples/demo.py

##@ Check

.PHONY: test
test: setup .venv-oldest/.pallasite lint build build-asan  ## all that CI runs
	ctest --preset release -j $(JOBS)
	ctest --preset asan -j $(JOBS)
	$(oldest) pytest -n $(JOBS) $(tests_of_oldest)
	$(newest) pytest -n $(JOBS) python tests

.PHONY: docs
docs: setup  ## the reference of ops, diagnostics and options: docs/gen/, docs/options.md
	.venv/bin/python tools/docs.py

.PHONY: lint
lint: $(newest_ready)  ## format, layers of includes, private JAX imports, sizes
	.venv/bin/python tools/lint.py

.PHONY: asan
asan: build-asan  ## the C++ tests under address and undefined-behaviour sanitizers
	ctest --preset asan -j $(JOBS)

.PHONY: fuzz
fuzz: build-fuzz  ## each fuzz target for FUZZ_SECONDS (60), seeded from fuzz/NAME
	for name in $(basename $(basename $(notdir $(shell find src -name '*.fuzz.cc')))); do \
	  corpus=build/fuzz/corpus/$$name; mkdir -p $$corpus; \
	  if [ -d fuzz/$$name ]; then seeds=fuzz/$$name; else seeds=; fi; \
	  dict=$$([ ! -f fuzz/$$name.dict ] || echo -dict=fuzz/$$name.dict); \
	  build/fuzz/fuzz/$$name $$dict -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	    -artifact_prefix=build/fuzz/$$name- $$corpus $$seeds; \
	done

.PHONY: coverage
coverage: build-coverage  ## line coverage of the C++ tests
	rm -rf build/coverage/profiles
	LLVM_PROFILE_FILE=$(CURDIR)/build/coverage/profiles/%p.profraw \
	  ctest --preset coverage -j $(JOBS)
	llvm-profdata-14 merge -sparse build/coverage/profiles -o build/coverage/all.profdata
	llvm-cov-14 report build/coverage/pallasite_test -instr-profile=build/coverage/all.profdata \
	  -ignore-filename-regex='\.test\.cc$$|^/usr/'

.PHONY: bench
bench: setup build-bench  ## ratios to a bare loop, JAX's interpreter and XLA; then single functions
	.venv/bin/python bench/bench.py build/bench/pallasite_bench_matmul --json build/bench/bench.json
	.venv/bin/python bench/elementwise.py --json build/bench/elementwise.json
	build/bench/pallasite_perf --benchmark_min_time=0.1

.PHONY: peer
peer: setup  ## JAX's own kernels and suites; PEER=dir of the harness, JAX_TESTS=dir of the suites
	@if [ -z "$${PEER:-}" ] || [ -z "$${JAX_TESTS:-}" ]; then \
	  echo 'usage: make peer PEER=dir JAX_TESTS=dir' >&2; exit 2; fi
	PEER_ENGINE=pallasite.peer:install .venv/bin/python $(PEER)/run_ops.py \
	  --tsv build/peer-ops.tsv
	PEER_ENGINE=pallasite.peer:install .venv/bin/python $(PEER)/run_suites.py \
	  --tests-dir $(JAX_TESTS) --out build/peer

.PHONY: wheel
wheel: build/wheel/.built build/wheel/tools/.ready  ## a wheel and an sdist; the wheel tried out in clean environments
	n=$$(tools/find_python.sh 3.13); o=$$(tools/find_python.sh 3.12); \
	build/wheel/tools/bin/python tools/wheel.py build/wheel/*.whl build/wheel \
	  $$o=$(JAX_OLDEST) $$n=$(JAX_NEWEST) $$o=$(JAX_NEWEST) $$n=$(JAX_OLDEST)
	.venv-oldest/bin/python -c 'from scikit_build_core.build import build_sdist; build_sdist("build/wheel")'

##@ Develop

.PHONY: build
build: build-release  ## the native library, program and tests

build-%: | packages
	$(with_ccache) cmake --preset $*
	cmake --build --preset $* -j $(JOBS)

.PHONY: format
format: | packages  ## clang-format
	find src bench -name '*.h' -o -name '*.cc' | xargs clang-format-14 -i

# A failing test that is not about expected output must not keep the others from being written.
.PHONY: bless
bless: setup .venv-oldest/.pallasite build  ## write expected outputs anew; review with git diff
	-PALLASITE_BLESS=1 ctest --preset release -j $(JOBS)
	-PALLASITE_BLESS=1 $(oldest) pytest -n $(JOBS) $(tests_of_oldest)
	-PALLASITE_BLESS=1 $(newest) pytest -n $(JOBS) python tests
	git status --short

.PHONY: clean
clean:  ## remove what was built, keep the environments
	rm -rf build

# Debian packages and Python environments.

.PHONY: packages
packages:
	@tools/install_packages.sh

define make_environment  # 1: folder, 2: JAX version, 3: Python versions, best first
	python=$$(tools/find_python.sh $(3)); rm -rf $(1); "$$python" -m venv $(1)
	$(1)/bin/python -m pip install -q --no-input jax==$(2) jaxlib==$(2) \
	  -r tools/requirements.txt -c tools/constraints.txt
	touch $@
endef

$(newest_ready): | packages
	$(call make_environment,.venv,$(JAX_NEWEST),3.13 3.12)

$(oldest_ready): | packages
	$(call make_environment,.venv-oldest,$(JAX_OLDEST),3.12 3.13)

# One wheel for both environments, built in the older: the module must have the older FFI headers.
# Without isolation, which would download jaxlib each time.

wheel_sources := pyproject.toml CMakeLists.txt README.md \
  $(shell find src python -type f -not -name '*.so' -not -path '*/__pycache__/*' | sort)

# Changes when a source is added or removed.
build/wheel/sources: force
	@mkdir -p build/wheel
	@printf '%s\n' $(wheel_sources) | cmp -s - $@ || printf '%s\n' $(wheel_sources) >$@

.PHONY: force
force:

build/wheel/.built: $(wheel_sources) build/wheel/sources $(oldest_ready)
	rm -f build/wheel/*.whl
	$(with_ccache) $(oldest) pip wheel -q --no-deps --no-build-isolation -w build/wheel .
	touch $@

# What repairs it, apart from the environments: auditwheel is no part of building or testing.
build/wheel/tools/.ready: tools/wheel-requirements.txt
	python=$$(tools/find_python.sh 3.13 3.12); rm -rf $(@D); "$$python" -m venv $(@D)
	$(@D)/bin/python -m pip install -q --no-input -r $<
	touch $@

.venv/.pallasite: build/wheel/.built $(newest_ready)
	$(newest) pip install -q --no-index --no-deps --force-reinstall build/wheel/*.whl
	touch $@

.venv-oldest/.pallasite: build/wheel/.built $(oldest_ready)
	$(oldest) pip install -q --no-index --no-deps --force-reinstall build/wheel/*.whl
	touch $@
