# Fuzzing with libFuzzer, on the stable toolchain. A short run with a fixed seed is part of `make test-rust`.

FUZZ_SECONDS ?= 60
FUZZ_TARGETS := message cursor template state handle session headers events exchange requests

.PHONY: fuzz
fuzz: ## Runs each fuzz target for FUZZ_SECONDS (60)
	@command -v cargo-fuzz >/dev/null || $(CARGO) install --locked cargo-fuzz
	@set -e; cd core; for target in $(FUZZ_TARGETS); do \
	  RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/fuzz \
	    $(CARGO) fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096; \
	done; echo "$(words $(FUZZ_TARGETS)) passed, 0 failed"
