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
CC ?= cc
CXX ?= c++
CFLAGS_EXAMPLES := -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -D_POSIX_C_SOURCE=200809L -pthread
LIBDIR := $(CARGO_TARGET_DIR)/release

include mk/*.mk

.PHONY: help build run test test-rust ci lint fmt clean requirements

help: ## Lists the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

build: lib examples ## The library (release) and the examples, into build/

run: build ## Plays a scripted conversation with the weather server and prints both sides
	@$(PYTHON) tests/converse.py $(BUILD)/examples/weather

test: test-rust test-c wire interop requirements soak-quick ## Everything that needs nothing beyond Rust, a C compiler, Python and Node

test-rust: ## Unit, property and integration tests in Rust
	cargo test --workspace --quiet

requirements: ## Checks that every requirement row has its test
	$(PYTHON) tests/requirements.py

lint: ## Clippy without a warning, formatting
	cargo clippy --workspace --all-targets -- -D warnings
	cargo fmt --all --check

fmt: ## Formats the Rust sources
	cargo fmt --all

ci: ## What CI runs: lint, all tests, sanitizers, valgrind, the header, the ABI, instruction counts
	$(PYTHON) tests/ci.py

clean: ## Removes what was built
	rm -rf $(BUILD) target
