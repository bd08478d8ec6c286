# The HTTP door: the official conformance suite, and the official clients over HTTP. Included by the Makefile.

.PHONY: conformance
conformance: $(if $(filter build/examples/everything,$(HOST)),examples) ## The official conformance suite against the C host over HTTP
	$(PYTHON) tests/conformance/run.py --host 'C=$(HOST)'
