# The only task runner: `make help` lists every target. CI runs `make ci`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

PREFIX ?= /usr/local
DESTDIR ?=
BUILD := build
export CARGO_TARGET_DIR ?= $(CURDIR)/target
PYTHON ?= python3
CARGO ?= cargo
CC ?= cc
CXX ?= c++
# The fixture host that tests talk to; another command runs them against another host.
HOST ?= build/examples/everything

include mk/*.mk

.PHONY: help build lib examples run test test-rust ci lint fmt clean requirements

help: ## Lists the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

build: examples ## The library (release) and the examples, into build/

EXAMPLES := first weather everything
EXAMPLE_FLAGS := -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -D_POSIX_C_SOURCE=200809L -pthread

lib:
	$(CARGO) build -q -p mcpcore-ffi --release
	@FROM=$(CARGO_TARGET_DIR)/release PREFIX=$(CURDIR)/$(BUILD)/root LIBDIR=lib DESTDIR= sh ffi/install.sh >/dev/null

examples: lib
	@mkdir -p $(BUILD)/examples
	@set -e; for name in $(EXAMPLES); do \
	  $(CC) $(EXAMPLE_FLAGS) -I$(BUILD)/root/include ffi/examples/$$name.c -o $(BUILD)/examples/$$name \
	    -L$(BUILD)/root/lib -lmcpcore -Wl,-rpath,'$$ORIGIN/../root/lib'; \
	done

run: build ## Serves the weather example over HTTP, and prints three lines that try it
	@printf 'Try it from another shell:\n\n'; sed -n 's/^curl .*/&\n/p' README.md
	@exec $(BUILD)/examples/weather

test: test-rust test-c wire test-curl interop conformance requirements soak-quick ## Everything that needs nothing beyond Rust, a C compiler, Python and Node

test-rust: ## Unit, property and integration tests in Rust
	$(CARGO) test --workspace --quiet

requirements: ## Checks that every requirement row has its test
	$(PYTHON) tests/requirements.py

lint: ## Clippy without a warning, formatting
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) fmt --all --check

fmt: ## Formats the Rust sources
	$(CARGO) fmt --all

ci: ## What CI runs: lint, all tests, sanitizers, valgrind, the header, the ABI, instruction counts
	$(PYTHON) tests/ci.py

clean: ## Removes what was built
	rm -rf $(BUILD) target
