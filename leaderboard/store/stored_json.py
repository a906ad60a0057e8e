"""JSON of stored files -> frozen records, checked by pydantic; each fault is one sentence that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from reprlib import repr as quoted
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

if TYPE_CHECKING:
    from typing_extensions import Self

CLOSED = ConfigDict(extra="forbid")
"""For a dataclass's `__pydantic_config__`: a field that is not known is a fault."""
RecordT = TypeVar("RecordT")
_EXPECTED = {
    "string_type": "text",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "missing": "a value",
}


def read_stored(made: type[RecordT], data: object) -> RecordT:
    """The record in a piece of JSON.

    Args:
        made: A dataclass whose `__pydantic_config__` is CLOSED.
        data: What a JSON reader gives.

    Raises:
        ValueError: The first field that is wrong, with what was expected.
    """
    try:
        record: RecordT = _adapter(made).validate_python(data)  # type: ignore[arg-type]  # classes are hashable
    except ValidationError as fault:
        raise ValueError(_explain(fault.errors()[0], made)) from None
    return record


class Stored:
    """A dataclass that is read from stored JSON."""

    __pydantic_config__: ClassVar = CLOSED

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read the stored form; anything malformed is a ValueError naming the field."""
        return read_stored(cls, data)


@cache
def _adapter(made: Any) -> TypeAdapter[Any]:
    return TypeAdapter(made)


def _explain(error: ErrorDetails, made: type[Any]) -> str:
    kind, place, given = error["type"], error["loc"], error["input"]
    where = str(place[-1] if place else made.__name__.lower())
    if kind == "value_error":  # a sentence of the record's own
        return str(error["ctx"]["error"])
    if kind == "unexpected_keyword_argument":
        names = ", ".join(sorted(field.name for field in fields(made)))
        inside = f" of {place[-2]}" if len(place) > 1 else f"; known are {names}"
        return f"{made.__name__.lower()} has the unknown field {quoted(where)}{inside}"
    if kind == "dataclass_type":
        return f"{where} is {type(given).__name__}; expected an object"
    if place and isinstance(place[-1], int):
        return f"{place[-2]} holds {quoted(given)}, which is no text"
    if kind == "missing" and isinstance(given, Mapping):
        given = given.get(where)
    expected = error["ctx"]["expected"] if kind == "literal_error" else _EXPECTED.get(kind, error["msg"])
    return f"{where} is {quoted(given)}; expected {expected}"
