"""Audits of transcribed tables and of records from released answers: `python -m pytest -m slow tools/published`.

Figures cannot change unseen (`tests/test_published.py` has their digest), so these are asked when a table is changed.
"""
