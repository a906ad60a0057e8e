# What to run before a commit; needs the environment that the README's test command makes.
PYTHON ?= .venv/bin/python

.PHONY: check test test-all lint app lock audit
check: lint test                ## what must hold before a commit

lint:                           ## style, format and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

test:                           ## everything that guards the figures, some minutes
	$(PYTHON) -m pytest -n auto

test-all: test                  ## and real browsers, trainings and what is slow for a reason
	$(PYTHON) -m pytest -n auto -m "browser or training or slow"

app:                            ## the app at http://127.0.0.1:7860
	$(PYTHON) app.py

lock:                           ## requirements.lock anew: exact versions with hashes (pip install uv)
	uv pip compile --universal --python-version 3.10 --generate-hashes \
		--custom-compile-command "make lock" requirements.txt -o requirements.lock

audit:                          ## the lock, a bill of materials (sbom.json), known faults of what is locked
	$(PYTHON) -m tools.audit --strict
