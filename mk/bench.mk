.PHONY: bench bench-instructions soak soak-quick

bench: ## Measures calls in process and over stdio and HTTP beside bare limits and the official SDKs; prints ratios and targets
	$(PYTHON) tests/bench/run.py

bench-instructions: ## Counts instructions (valgrind); fails on a rise of over 5 %; MCP_BLESS=1 keeps the counts of now
	$(PYTHON) tests/bench/instructions.py

soak: examples ## Hostile input of a GiB and more, 100 000 calls with a slow reader and random cancels, faults and sessions over HTTP (needs nginx)
	$(PYTHON) tests/soak/hostile.py $(BUILD)/examples/everything
	$(PYTHON) tests/soak/load.py $(BUILD)/examples/everything
	$(PYTHON) tests/soak/http.py --need-nginx $(BUILD)/examples/everything
	$(PYTHON) tests/soak/sessions.py $(BUILD)/examples/everything

soak-quick: examples ## The same in small
	$(PYTHON) tests/soak/hostile.py --quick $(BUILD)/examples/everything
	$(PYTHON) tests/soak/load.py --quick $(BUILD)/examples/everything
	$(PYTHON) tests/soak/http.py --quick $(BUILD)/examples/everything
	$(PYTHON) tests/soak/sessions.py --quick $(BUILD)/examples/everything
