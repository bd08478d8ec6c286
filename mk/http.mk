# The HTTP door: what the README shows, the official conformance suite, a foreign web server. Included by the Makefile.
# HOST=command runs the suite against another fixture host.

.PHONY: test-curl
test-curl: examples ## The lines of the README that try the weather example with curl
	$(PYTHON) tests/http/curl.py $(BUILD)/examples/weather

.PHONY: conformance
conformance: $(if $(filter build/examples/everything,$(HOST)),examples) ## The official conformance suite against the C host and those of the packages, over HTTP
	$(PYTHON) tests/conformance/run.py --host 'C=$(HOST)' $(CONFORMANCE_HOSTS)

.PHONY: test-mounted
test-mounted: lib ## The endpoint inside libmicrohttpd (needs its development package)
	@mkdir -p $(BUILD)/examples
	$(CC) $(EXAMPLE_FLAGS) -I$(BUILD)/root/include ffi/examples/mounted.c -o $(BUILD)/examples/mounted \
	  -L$(BUILD)/root/lib -lmcpcore $$(pkg-config --cflags --libs libmicrohttpd) -Wl,-rpath,'$$ORIGIN/../root/lib'
	$(PYTHON) tests/http/mounted.py $(BUILD)/examples/mounted
