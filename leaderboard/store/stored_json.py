"""JSON of stored files -> frozen records, checked by pydantic; each fault is one sentence that names the field."""

from __future__ import annotations

from functools import cache
from reprlib import repr as quoted
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from typing_extensions import Self


class Stored:
    """A dataclass that is read from stored JSON; a field that is not known is a fault."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read the stored form; anything malformed is a ValueError naming the first field that is wrong."""
        try:
            return cast("Self", _adapter(cls).validate_python(data))  # type: ignore[arg-type]  # classes are hashable
        except ValidationError as fault:
            error = fault.errors()[0]
        if error["type"] == "value_error":  # a sentence of the record's own
            raise ValueError(str(error["ctx"]["error"]))
        where = ".".join(map(str, error["loc"])) or cls.__name__.lower()
        raise ValueError(f"{where}: {error['msg']}, found {quoted(error['input'])}")


@cache
def _adapter(made: Any) -> TypeAdapter[Any]:
    return TypeAdapter(made)
