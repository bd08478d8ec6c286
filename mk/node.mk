# The Node package: bindings/node. What its tests need is installed in build/node, from the registry that npm is configured with.

NODE ?= node
NPM ?= npm
NODE_FOLDER := bindings/node
NODE_PLACE := $(BUILD)/node
NODE_QUIET := --silent --no-audit --no-fund

.PHONY: node-build node-packages test-node node-types npm test-npm

node-build: ## Builds the Node package's native part (release) beside its loader
	@$(NODE) $(NODE_FOLDER)/scripts/build.mjs

node-packages:
	@mkdir -p $(NODE_PLACE)
	@if ! cmp -s $(NODE_FOLDER)/test/packages/package-lock.json $(NODE_PLACE)/package-lock.json || [ ! -d $(NODE_PLACE)/node_modules ]; then \
	  cp $(NODE_FOLDER)/test/packages/package*.json $(NODE_PLACE)/ && cd $(NODE_PLACE) && $(NPM) ci --ignore-scripts $(NODE_QUIET); fi
	@ln -sfn ../../$(NODE_PLACE)/node_modules $(NODE_FOLDER)/node_modules

test-node: node-build node-packages ## Tests of the Node package, its types, and the wire corpus through it
	$(NODE) $(NODE_FOLDER)/test/run.mjs
	$(PYTHON) tests/wire/run.py --host '$(NODE) $(NODE_FOLDER)/examples/everything.mjs'
	$(PYTHON) tests/wire/run.py --no-models --http --host '$(NODE) $(NODE_FOLDER)/examples/everything.mjs'
	$(PYTHON) tests/wire/run.py --no-models --http --host '$(NODE) $(NODE_FOLDER)/examples/everything.mjs --door handler'
	$(PYTHON) tests/interop/run.py --host '$(NODE) $(CURDIR)/$(NODE_FOLDER)/examples/everything.mjs'

node-types: ## Writes the Node package's index.d.ts from the Rust docs
	$(NODE) $(NODE_FOLDER)/scripts/types.mjs

npm: node-build ## The npm package with the native library inside, into build/npm
	@$(NODE) $(NODE_FOLDER)/scripts/pack.mjs $(BUILD)/npm

test-npm: npm ## Installs that package into an empty folder, without cargo, and runs the README's program
	$(NODE) $(NODE_FOLDER)/test/installed.mjs $(BUILD)/npm/mcpcore-$$($(NODE) -p "require('./$(NODE_FOLDER)/package.json').version").tgz

.PHONY: bench-node
bench-node: node-build ## Measures the Node package beside the TypeScript SDK, over HTTP and stdio
	$(PYTHON) tests/bench/node.py

bench: bench-node

# The fixture host of this package, in the one table of `make conformance`.
CONFORMANCE_HOSTS += --host 'Node=$(NODE) $(CURDIR)/$(NODE_FOLDER)/examples/everything.mjs'
conformance: node-build

# Part of what needs nothing beyond Rust, a C compiler, Python and Node.
test: test-node
