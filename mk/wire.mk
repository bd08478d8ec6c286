# The wire corpus and the official clients, against the C fixture host. Included by the Makefile.
# HOST=command runs them against another host of the same behaviour.

.PHONY: wire
wire: $(if $(filter build/examples/everything,$(HOST)),examples) ## The wire corpus against the C host, in each dispatch mode, and over HTTP
	$(PYTHON) tests/wire/run.py --host '$(HOST)'
	$(PYTHON) tests/wire/run.py --host '$(HOST)' --dispatch inline --no-models
	$(PYTHON) tests/wire/run.py --host '$(HOST)' --dispatch pump --no-models
	$(PYTHON) tests/wire/run.py --host '$(HOST)' --http --no-models

.PHONY: wire-bless
wire-bless: ## Fills what the corpus leaves open from what the C host says; read the diff
	MCP_BLESS=1 $(PYTHON) tests/wire/run.py --host '$(HOST)'

.PHONY: interop
interop: $(if $(filter build/examples/everything,$(HOST)),examples) ## The official Python and TypeScript clients against the C host
	$(PYTHON) tests/interop/run.py --host '$(HOST)'

.PHONY: schema-suite
schema-suite: ## The official JSON Schema test suite against our validator
	$(PYTHON) tests/schema_suite.py
