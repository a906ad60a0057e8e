"""Results -> tables: columns, cells, ranks, provenance, and what a table is as JSON. Knows no page and no chart."""
