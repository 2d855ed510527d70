# SPDX-License-Identifier: MIT
# One word for each thing to do. Every word does its own set-up, on a Debian with nothing but make; run `make help`.

JOBS ?= $(shell nproc)
BUILD := build/release
BENCH := $(BUILD)/benchmarks/trn-bench
CONFIGURE := cmake --preset release $(CMAKE_FLAGS)

.DEFAULT_GOAL := build
.PHONY: help deps configure build demo test bench format clean

help: ## lists the words
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r word what; do \
	    printf '  %-12s %s\n' "$$word" "$$what"; done

deps: ## installs what Terrane builds with (apt; sudo when not root)
	@sh cmake/deps.sh

configure: deps
	@$(CONFIGURE)

build: configure ## builds everything into build/release
	@cmake --build $(BUILD) -j $(JOBS)

demo: configure ## builds, cooks real meshes, flies through a world; pictures and report in build/demo
	@cmake --build $(BUILD) -j $(JOBS) --target tools/terrane/all examples/all
	@sh examples/demo/run.sh $(BUILD)

test: build ## builds and runs every test
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

bench: configure ## builds and runs every benchmark suite; BENCH_FLAGS=--json or --quick
	@cmake --build $(BUILD) -j $(JOBS) --target trn-bench
	@for suite in $$($(BENCH) 2>&1 | sed -n 's/^suites://p'); do $(BENCH) $$suite $(BENCH_FLAGS) || exit; done

format: deps ## formats the C sources with clang-format
	@find include src tools examples benchmarks tests \( -name '*.c' -o -name '*.h' \) -exec clang-format -i {} +

clean: ## removes what was built; keeps what `make deps` unpacked
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +; fi
