"""Findings and tables -> sentences and small tables in HTML. Computes no figure."""
