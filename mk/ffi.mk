# The C library: header, binary interface, installation, contract tests. Included by the Makefile.
# Set FFI_PROFILE=release to test what is shipped.

CARGO ?= cargo
CC ?= cc
CXX ?= c++
PREFIX ?= /usr/local
INSTALL_LIBDIR ?= lib
DESTDIR ?=

FFI_PROFILE ?= debug
FFI_CARGO_FLAGS := $(if $(filter release,$(FFI_PROFILE)),--release)
FFI_TARGET := $(or $(CARGO_TARGET_DIR),target)
FFI_FROM := $(FFI_TARGET)/$(FFI_PROFILE)
FFI_BUILD := build/ffi
FFI_STAGE := $(FFI_BUILD)/stage
FFI_WARN := -Wall -Wextra -Wpedantic -Werror
FFI_CFLAGS := -std=c11 -O1 -g $(FFI_WARN) -D_POSIX_C_SOURCE=200809L
FFI_TESTS := $(basename $(notdir $(wildcard tests/c/test_*.c)))
# mounted.c needs a web server's library: see mk/http.mk.
FFI_EXAMPLES := $(filter-out mounted,$(basename $(notdir $(wildcard ffi/examples/*.c))))
FFI_LIB := -L$(FFI_STAGE)/lib -lmcpcore -Wl,-rpath,$(abspath $(FFI_STAGE))/lib -pthread

.PHONY: header
header: ## Writes include/mcpcore.h from the Rust source, and the list of constants
	MCP_BLESS=1 $(CARGO) test -q -p mcpcore-ffi --test header -- the_header_is_fresh
	MCP_BLESS=1 $(CARGO) test -q -p mcpcore-ffi --test header -- the_numbers_of_constants_are_frozen

.PHONY: header-check
header-check: ## Checks that the header is fresh and complete, and compiles as C and C++, alone and twice
	$(CARGO) test -q -p mcpcore-ffi --test header
	@mkdir -p $(FFI_BUILD)
	printf '#include "mcpcore.h"\n#include "mcpcore.h"\n' >$(FFI_BUILD)/twice.c
	$(CC) -std=c11 $(FFI_WARN) -Iinclude -fsyntax-only -x c include/mcpcore.h $(FFI_BUILD)/twice.c
	$(CXX) -std=c++17 $(FFI_WARN) -Iinclude -fsyntax-only -x c++ include/mcpcore.h
	$(CXX) -std=c++17 $(FFI_WARN) -Iinclude -fsyntax-only tests/cxx/include.cc

.PHONY: ffi-library
ffi-library:
	$(CARGO) build -p mcpcore-ffi $(FFI_CARGO_FLAGS)

# As the header declares them; the library's own list has to be the same.
FFI_DECLARED = sed -n 's/^[a-z].*[ *]\(mcp_[a-z0-9_]*\)(.*/\1/p' include/mcpcore.h | grep -v '_fn$$' | LC_ALL=C sort
FFI_EXPORTED = nm -D --defined-only $(FFI_FROM)/libmcpcore.so | awk '{print $$3}' | LC_ALL=C sort

.PHONY: abi-check
abi-check: ffi-library size-check ## Compares the exported symbols with tests/abi/symbols.txt and the header, the SONAME, and the size
	@mkdir -p $(FFI_BUILD)
	$(FFI_EXPORTED) >$(FFI_BUILD)/exported.txt
	$(FFI_DECLARED) >$(FFI_BUILD)/declared.txt
	diff -u $(FFI_BUILD)/declared.txt $(FFI_BUILD)/exported.txt
	diff -u tests/abi/symbols.txt $(FFI_BUILD)/exported.txt || { echo 'To add: make abi-bless. To remove or change: a new SONAME first.'; exit 1; }
	readelf -d $(FFI_FROM)/libmcpcore.so | grep "SONAME.*\[libmcpcore.so.$$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\([0-9]*\.[0-9]*\).*/\1/p' Cargo.toml)\]" >/dev/null

# Bytes of the stripped library.
FFI_MOST := 4194304

.PHONY: size-check
size-check: ## Checks that the stripped release library is under 4 MiB
	@mkdir -p $(FFI_BUILD)
	$(CARGO) build -q -p mcpcore-ffi --release
	strip -o $(FFI_BUILD)/stripped.so $(FFI_TARGET)/release/libmcpcore.so
	@size=$$(wc -c <$(FFI_BUILD)/stripped.so); echo "stripped library: $$size bytes, limit $(FFI_MOST)"; [ $$size -lt $(FFI_MOST) ]

.PHONY: abi-bless
abi-bless: ffi-library ## Writes tests/abi/symbols.txt anew
	$(FFI_EXPORTED) >tests/abi/symbols.txt

.PHONY: install
install: ## Lays library, header, pkg-config and CMake packages under DESTDIR and PREFIX (builds for release)
	$(CARGO) build -p mcpcore-ffi --release
	FROM=$(FFI_TARGET)/release PREFIX='$(PREFIX)' LIBDIR='$(INSTALL_LIBDIR)' DESTDIR='$(DESTDIR)' sh ffi/install.sh

# The tests link against an installed tree, as a user's program does.
.PHONY: ffi-stage
ffi-stage: ffi-library
	FROM=$(FFI_FROM) PREFIX=$(abspath $(FFI_STAGE)) LIBDIR=lib DESTDIR= sh ffi/install.sh

# A program that takes the address of every function.
$(FFI_BUILD)/linkall.inc: tests/abi/symbols.txt
	@mkdir -p $(FFI_BUILD)
	sed 's/.*/  USE(&)/' $< >$@

FFI_COMPILE = $(CC) $(FFI_CFLAGS) -I$(FFI_STAGE)/include -Itests/c -I$(FFI_BUILD)

.PHONY: test-c-build
test-c-build: ffi-stage $(FFI_BUILD)/linkall.inc
	@mkdir -p $(FFI_BUILD)/bin
	@set -e; for test in $(FFI_TESTS); do echo "cc $$test"; $(FFI_COMPILE) tests/c/$$test.c -o $(FFI_BUILD)/bin/$$test $(FFI_LIB); done
	@set -e; for example in $(FFI_EXAMPLES); do echo "cc $$example"; $(FFI_COMPILE) ffi/examples/$$example.c -o $(FFI_BUILD)/bin/$$example $(FFI_LIB); done
	$(FFI_COMPILE) tests/c/test_linkall.c -o $(FFI_BUILD)/bin/test_linkall_static $(FFI_STAGE)/lib/libmcpcore.a $$(sed -n 's/^Libs.private: *//p' $(FFI_STAGE)/lib/pkgconfig/mcpcore.pc) -pthread
	$(CXX) -std=c++17 $(FFI_WARN) -I$(FFI_STAGE)/include tests/cxx/include.cc -o $(FFI_BUILD)/bin/test_cxx $(FFI_LIB)

FFI_RUN = set -e; for test in $(FFI_TESTS) test_linkall_static test_cxx; do echo "run $$test"; $(FFI_UNDER) $(FFI_BUILD)/bin/$$test; done

.PHONY: test-c
test-c: test-c-build ## Runs the C contract tests
	@$(FFI_RUN)
	sh tests/c/examples.sh $(FFI_BUILD)/bin

.PHONY: install-check
install-check: ffi-library ## Installs into a folder, moves it, builds programs from it with pkg-config and CMake (needs both)
	FROM=$(FFI_FROM) sh tests/c/install.sh

.PHONY: test-valgrind
test-valgrind: FFI_UNDER = valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=$(FFI_LEAKS) --show-leak-kinds=$(FFI_LEAKS)
# Rust's record of the main thread shows as possibly lost.
test-valgrind: FFI_LEAKS = definite,indirect
test-valgrind: test-c-build ## Runs the C contract tests under valgrind (definite and indirect leaks)
	@export MCP_TEST_QUICK=1; $(FFI_RUN)

FFI_ASAN := $(FFI_BUILD)/asan
FFI_HOST := $(shell rustc -vV | sed -n 's/^host: //p')

.PHONY: test-asan
test-asan: $(FFI_BUILD)/linkall.inc ## Runs the C contract tests with address and undefined-behaviour checks on both sides
	@mkdir -p $(FFI_ASAN)
	RUSTC_BOOTSTRAP=1 RUSTFLAGS='-Zsanitizer=address' $(CARGO) rustc -p mcpcore-ffi --crate-type staticlib --target $(FFI_HOST) --target-dir $(FFI_TARGET)/asan
	@set -e; for test in $(FFI_TESTS); do echo "cc $$test"; \
	  $(CC) $(FFI_CFLAGS) -fsanitize=address,undefined -fno-sanitize-recover=undefined -Iinclude -Itests/c -I$(FFI_BUILD) tests/c/$$test.c -o $(FFI_ASAN)/$$test \
	    $(FFI_TARGET)/asan/$(FFI_HOST)/debug/libmcpcore.a -lpthread -lm -ldl; done
	@nm $(FFI_ASAN)/test_version | grep __asan_init >/dev/null
	@set -e; for test in $(FFI_TESTS); do echo "run $$test"; MCP_TEST_QUICK=1 $(FFI_ASAN)/$$test; done
