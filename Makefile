# What to run before a commit; needs the environment that the README's test command makes.
PYTHON ?= .venv/bin/python

.PHONY: check test test-all lint app
check: lint test                ## what must hold before a commit

lint:                           ## style, format and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

test:                           ## everything that guards the figures, some minutes
	$(PYTHON) -m pytest -n auto

test-all: test                  ## and real browsers, trainings and what is slow for a reason
	$(PYTHON) -m pytest -n auto --dist loadfile -m "browser or training or slow"

app:                            ## the app at http://127.0.0.1:7860
	$(PYTHON) app.py
