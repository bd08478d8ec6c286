# The Python package: wheel, tests, types. Included by the Makefile. What it needs is installed under build/python.

PY_BUILD := build/python
PY_WHEELS := $(PY_BUILD)/wheels
PY_VENV := $(PY_BUILD)/venv
PY_BIN := $(abspath $(PY_VENV))/bin
PY_PROFILE ?= release
PY_NEEDS := bindings/python/tests/requirements.txt

.PHONY: wheel
wheel: $(PY_BUILD)/tools/ready ## The Python wheel, into build/python/wheels
	@rm -rf $(PY_WHEELS)
	cd bindings/python && $(abspath $(PY_BUILD))/tools/bin/maturin build --quiet --locked --profile $(PY_PROFILE) --out $(abspath $(PY_WHEELS))
	@ls -l $(PY_WHEELS) | awk 'NR > 1 {print $$NF, $$5, "bytes"}'

$(PY_BUILD)/tools/ready:
	@mkdir -p $(PY_BUILD)
	$(PYTHON) -m venv $(PY_BUILD)/tools
	$(PY_BUILD)/tools/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
	@touch $@

$(PY_VENV)/ready: $(PY_NEEDS)
	@mkdir -p $(PY_BUILD)
	$(PYTHON) -m venv --clear $(PY_VENV)
	$(PY_BIN)/pip install --quiet --disable-pip-version-check -r $(PY_NEEDS)
	@touch $@

.PHONY: python-installed
python-installed: wheel $(PY_VENV)/ready
	@$(PY_BIN)/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(PY_WHEELS)/*.whl

.PHONY: test-python
test-python: python-installed ## The Python package as it is installed: tests, wire corpus, official client, types, format
	cd bindings/python && MCPCORE_WHEEL=$$(ls $(abspath $(PY_WHEELS))/*.whl) $(PY_BIN)/python -m pytest -q tests
	$(PYTHON) tests/wire/run.py --host '$(PY_BIN)/python bindings/python/examples/everything.py'
	$(PYTHON) tests/interop/run.py --host '$(PY_BIN)/python $(CURDIR)/bindings/python/examples/everything.py'
	$(MAKE) --no-print-directory types-python

.PHONY: types-python
types-python: ## Type checkers on the package, its stubs, the examples and a sample program; formatter and linter
	cd bindings/python && $(PY_BIN)/ruff check --quiet . && $(PY_BIN)/ruff format --quiet --check .
	cd bindings/python && $(PY_BIN)/mypy
	cd bindings/python && $(PY_BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml mcpcore._mcpcore
	cd bindings/python && $(PY_BIN)/pyright
	@echo "types: 4 passed, 0 failed"
