"""JSON of stored files -> frozen records, checked by pydantic; each fault is one sentence that names the field."""

from __future__ import annotations

import json
from functools import cache
from reprlib import repr as quoted
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from typing_extensions import Self

StoredT = TypeVar("StoredT")


class Stored:
    """A dataclass that is read from stored JSON; a field that is not known is a fault."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read the stored form; see `read_stored`."""
        return read_stored(cls, data)


def read_stored(made: type[StoredT], data: object, *, exact: bool = False) -> StoredT:
    """A record of what JSON held; anything malformed is a ValueError naming the first field that is wrong.

    Where it is exact, texts, numbers and yes or no are what they must be as they stand, and none is made of another.
    """
    from pydantic import ValidationError

    adapter = _adapter(made)  # type: ignore[arg-type]  # classes are hashable
    try:
        read = adapter.validate_json(json.dumps(data), strict=True) if exact else adapter.validate_python(data)
        return cast("StoredT", read)
    except ValidationError as fault:
        error = fault.errors()[0]
    except (TypeError, RecursionError) as fault:
        raise ValueError(f"{made.__name__.lower()} cannot be written as JSON ({fault})") from None
    if error["type"] == "value_error":  # a sentence of the record's own
        raise ValueError(str(error["ctx"]["error"]))
    where = ".".join(map(str, error["loc"])) or made.__name__.lower()
    raise ValueError(f"{where}: {error['msg']}, found {quoted(error['input'])}")


@cache
def _adapter(made: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(made)
