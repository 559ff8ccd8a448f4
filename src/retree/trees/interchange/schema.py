"""The schema of documents, and whether a document is as it says."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any

VERSION = 1
_TYPES: dict[str, Any] = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: _TYPES["number"](v) and math.isfinite(v) and v == int(v),
}


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the documents that `to_dict` and `to_json` write."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath("schema.json").read_text())
    return found


def check_document(document: Any) -> None:
    """Raise a ValueError that says where a document is not as the schema says."""
    _check(document, schema(), "the document")


def _check(value: Any, rule: dict[str, Any], where: str) -> None:
    """Check the keywords that the schema uses; tests compare with a validator that knows all."""
    if "$ref" in rule:
        _check(value, schema()["$defs"][rule["$ref"].rpartition("/")[2]], where)
    if "const" in rule:
        _require(_is_one_of(value, [rule["const"]]), where, f"must be {rule['const']!r}")
    if "enum" in rule:
        _require(_is_one_of(value, rule["enum"]), where, f"must be one of {rule['enum']}")
    if "type" in rule:
        types = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
        _require(any(_TYPES[t](value) for t in types), where, f"must be of type {types}")
    if "minimum" in rule:
        _require(value >= rule["minimum"], where, f"must be at least {rule['minimum']}")
    if isinstance(value, list):
        _check_array(value, rule, where)
    elif isinstance(value, dict):
        _check_object(value, rule, where)


def _check_array(value: list[Any], rule: dict[str, Any], where: str) -> None:
    least, most = rule.get("minItems", 0), rule.get("maxItems", math.inf)
    _require(least <= len(value) <= most, where, "has too few or too many entries")
    if "items" in rule and not _are_numbers(value, rule["items"]):
        for number, item in enumerate(value):
            _check(item, rule["items"], f"{where}/{number}")


def _are_numbers(values: list[Any], rule: dict[str, Any]) -> bool:
    """Whether a rule asks for numbers only and all are: a tree may have millions of levels."""
    if rule.keys() - {"type", "minimum"} or rule.get("type") not in ("integer", "number"):
        return False
    types = {int} if rule["type"] == "integer" else {int, float}
    if not types.issuperset(map(type, values)):
        return False
    return "minimum" not in rule or all(value >= rule["minimum"] for value in values)


def _check_object(value: dict[Any, Any], rule: dict[str, Any], where: str) -> None:
    least, most = rule.get("minProperties", 0), rule.get("maxProperties", math.inf)
    _require(least <= len(value) <= most, where, "has too few or too many keys")
    missing = [key for key in rule.get("required", ()) if key not in value]
    _require(not missing, where, f"lacks {missing}")
    known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    for key, item in value.items():
        _require(isinstance(key, str), where, f"has the key {key!r}, which is no string")
        _require(key in known or others is not False, where, f"has the unknown key {key!r}")
        if key in known or others is not True:
            _check(item, known.get(key, others), f"{where}/{key}")


def _is_one_of(value: Any, valid: list[Any]) -> bool:
    """Return whether `value` is among numbers and strings; True is no number."""
    return not isinstance(value, bool) and any(value == each for each in valid)


def _require(holds: bool, where: str, message: str) -> None:
    if not holds:
        raise ValueError(f"{where} {message}.")
