# The Python package: bindings/python. What its tests need is installed in build/python, from the index that pip is configured with.

PY_FOLDER := bindings/python
PY_PLACE := $(BUILD)/python
PY_WHEELS := $(PY_PLACE)/wheels
PY_TOOLS := $(PY_PLACE)/tools
PY_VENV := $(PY_PLACE)/venv
PY_BIN := $(CURDIR)/$(PY_VENV)/bin
PY_HOST := $(PY_BIN)/python $(CURDIR)/$(PY_FOLDER)/examples/everything.py
PY_PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: wheel python-installed test-python test-wheel types-python

$(PY_TOOLS)/ready:
	$(PYTHON) -m venv --clear $(PY_TOOLS)
	$(PY_TOOLS)/bin/python $(PY_PIP) 'maturin>=1.9,<2'
	@touch $@

wheel: $(PY_TOOLS)/ready ## The Python wheel (release), into build/python/wheels
	@rm -rf $(PY_WHEELS)
	cd $(PY_FOLDER) && $(CURDIR)/$(PY_TOOLS)/bin/maturin build --quiet --locked --release --out $(CURDIR)/$(PY_WHEELS)
	@stat -c '%n: %s bytes' $(PY_WHEELS)/*.whl

$(PY_VENV)/ready: $(PY_FOLDER)/tests/requirements.txt
	$(PYTHON) -m venv --clear $(PY_VENV)
	$(PY_VENV)/bin/python $(PY_PIP) -r $(PY_FOLDER)/tests/requirements.txt
	@touch $@

python-installed: wheel $(PY_VENV)/ready
	$(PY_VENV)/bin/python $(PY_PIP) --force-reinstall --no-deps $(PY_WHEELS)/*.whl

test-python: python-installed ## Tests of the Python package as it is installed, and the wire corpus and the official clients through it
	cd $(PY_FOLDER) && MCPCORE_WHEEL=$$(echo $(CURDIR)/$(PY_WHEELS)/*.whl) $(PY_BIN)/python -m pytest -q tests
	$(PYTHON) tests/wire/run.py --host '$(PY_HOST)'
	$(PYTHON) tests/wire/run.py --no-models --http --host '$(PY_HOST)'
	$(PYTHON) tests/wire/run.py --no-models --http --host '$(PY_HOST) --door asgi'
	$(PYTHON) tests/interop/run.py --host '$(PY_HOST)'
	@$(MAKE) --no-print-directory types-python

types-python: ## Type checkers on the Python package, its stubs, its examples and a sample program; linter and formatter
	cd $(PY_FOLDER) && $(PY_BIN)/ruff check --quiet . && $(PY_BIN)/ruff format --quiet --check .
	cd $(PY_FOLDER) && $(PY_BIN)/mypy
	cd $(PY_FOLDER) && $(PY_BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tests/stubtest.txt mcpcore
	cd $(PY_FOLDER) && $(PY_BIN)/pyright --pythonpath $(PY_BIN)/python
	@echo "types: 4 passed, 0 failed"

test-wheel: wheel ## Installs the wheel into an empty environment, without cargo, and runs the README's first program
	$(PYTHON) $(PY_FOLDER)/tests/installed.py $(PY_WHEELS)/*.whl

# The fixture host of this package, in the one table of `make conformance`.
CONFORMANCE_HOSTS += --host 'Python=$(PY_HOST)'
conformance: python-installed

# Part of what needs nothing beyond Rust, a C compiler, Python and Node.
test: test-python

.PHONY: bench-python
bench-python: wheel ## Measures the Python package beside the official Python SDK and FastMCP, over HTTP and stdio
	$(PYTHON) tests/bench/python.py

bench: bench-python
