"""The JSON schema of stored records, from the classes that read them: `python -m tools.record_schema` writes
`docs/record.schema.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from qbench.records import SCHEMA, Result, Stored

PATH = Path(__file__).parents[1] / "docs" / "record.schema.json"


def record_schema() -> dict[str, Any]:
    """What one file of a record may hold."""
    # Here alone: pydantic parses the source for that, which in two threads at once fails (SystemError, Python 3.11).
    Stored.__pydantic_config__ = {**Stored.__pydantic_config__, "use_attribute_docstrings": True}
    made = TypeAdapter(Result).json_schema()
    fields, parts = made["properties"], made["$defs"]
    del fields["items"], parts["Items"]  # kept beside the record
    fields["schema"] = {"const": SCHEMA}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "Record",
        "description": "Everything the board knows about one model on one dataset.",
        "required": ["schema", *made["required"]],
    }


def as_text() -> str:
    """The schema as the file holds it."""
    return json.dumps(record_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
