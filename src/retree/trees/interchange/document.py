"""Write fitted models as documents of plain values, which fit into JSON, and read them."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

import retree
from retree.trees.declaring import Declared
from retree.trees.decreases import GINI
from retree.trees.interchange.tree_records import finite, record_of, tree_of
from retree.trees.interchange.values import (
    estimator_of,
    labels_of,
    labels_record,
    parameter_records,
    plain_classes,
    plain_levels,
)
from retree.trees.rows import input_names
from retree.trees.validation import declared_order

_FORMAT = "retree-model"
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
# What constructors and numpy raise of values that they do not expect.
_REFUSED = (ValueError, TypeError, KeyError, OverflowError, RecursionError, MemoryError)


def document_of(estimator: Any) -> dict[str, Any]:
    """Return a fitted tree or forest as a document; see `Interchange.to_dict`."""
    check_is_fitted(estimator)
    trees, of_forest = estimator._held()
    document = {
        "format": _FORMAT,
        "schema": VERSION,
        "retree": retree.__version__,
        "estimator": type(estimator).__name__,
        "params": parameter_records(estimator),
        "features": _features(estimator),
        "trees": [record_of(tree) for tree in trees],
        **of_forest,
    }
    if hasattr(estimator, "classes_"):
        classes = estimator.class_order_
        document["classes"] = labels_record(plain_classes(classes), classes.dtype)
    if getattr(estimator, "single_precision_", False):
        document["single_precision"] = True
    check_document(document)
    return document


def from_dict(document: dict[str, Any]) -> Declared:
    """Return the fitted tree or forest that `to_dict` wrote into a document.

    Reading executes no code from the document, which holds the name of a retree class, numbers and
    texts.

    Parameters
    ----------
    document : dict

    Returns
    -------
    estimator
        A fitted estimator with the class and the parameters of the one that was written. Its
        predictions are equal bit by bit.

    Raises
    ------
    ValueError
        If the document is damaged, or has a newer schema than this version of retree knows.

    Examples
    --------
    >>> import retree
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = retree.C45Classifier().fit(X, y)
    >>> again = retree.from_dict(model.to_dict())
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f"This is not a document of retree: its format must be {_FORMAT!r}.")
    schema = document.get("schema")
    if isinstance(schema, int) and schema > VERSION:
        raise ValueError(
            f"This document has schema {schema}, but this version of retree reads schema "
            f"{VERSION}: install retree {document.get('retree')!r} or later."
        )
    try:
        check_document(document)
        fitted: Declared = _estimator_of(document)
        return fitted
    except _REFUSED as error:
        _refuse(error)


def from_json(text: str) -> Declared:
    """Return the fitted tree or forest that `to_json` wrote as text; see `from_dict`.

    Parameters
    ----------
    text : str

    Returns
    -------
    estimator

    Raises
    ------
    ValueError
        If the text is not JSON or is damaged, or if it has a newer schema than this version of
        retree knows.
    """
    try:
        document = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        _refuse(error)
    return from_dict(document)


def _refuse(error: Exception) -> NoReturn:
    reason = f"{error}".rstrip(".") or type(error).__name__
    raise ValueError(f"The document is damaged, export the model again: {reason}.") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it has {name}, which JSON cannot hold")


def _features(estimator: Any) -> list[dict[str, Any]]:
    """Return a record for each input feature."""
    records: list[dict[str, Any]] = [{} for _ in range(estimator.n_features_in_)]
    if hasattr(estimator, "feature_names_in_"):
        for record, name in zip(records, estimator.feature_names_in_, strict=True):
            record["name"] = str(name)
    names = input_names(estimator)
    for j, value in enumerate(getattr(estimator, "fill_values_", [])):
        records[j]["fill"] = None if np.isnan(value) else float(value)
    for j, levels in enumerate(getattr(estimator, "categories_", [])):
        if levels is not None:
            values = plain_levels(names[j], levels)
            records[j]["levels"] = labels_record(values, getattr(levels, "dtype", object))
    return records


def _estimator_of(document: dict[str, Any]) -> Any:
    """Return the estimator of a document that fits the schema."""
    estimator = estimator_of(document["estimator"], document["params"])
    if not hasattr(estimator, "_hold"):
        raise ValueError(f"{document['estimator']} is neither a tree nor a forest")
    _set_features(estimator, document["features"])
    n_levels: list[int | None] = [None] * len(document["features"])
    if (classifies := is_classifier(estimator)) != ("classes" in document):
        raise ValueError("classifiers have classes, and regressors have none")
    if classifies:
        declared = _classes(document["classes"])
        estimator.classes_ = np.sort(declared)
        estimator._class_order = declared_order(estimator.classes_, declared.tolist())
    if "single_precision" in document:
        if not hasattr(estimator, "single_precision_"):
            raise ValueError(f"{document['estimator']} does not compare in single precision")
        estimator.single_precision_ = document["single_precision"]
    categories = getattr(estimator, "categories_", n_levels)
    of_features = [None if levels is None else len(levels) for levels in categories]
    n_levels = [of_features[j] if level is None else None for j, level in estimator._columns()]
    n_counts = len(estimator.classes_) if classifies else 1
    trees = [
        tree_of(tree, n_levels, n_counts, regression=not classifies) for tree in document["trees"]
    ]
    estimator._hold(trees, **_of_forest(document, len(trees)))
    return estimator


def _set_features(estimator: Any, records: list[dict[str, Any]]) -> None:
    estimator.n_features_in_ = len(records)
    names = [record["name"] for record in records if "name" in record]
    if len(set(names)) < len(names):
        raise ValueError("two features have the same name")
    if len(names) == len(records):
        estimator.feature_names_in_ = np.array(names, object)
    elif names:
        raise ValueError("some features have names, and some do not")
    levels = [_levels(record["levels"]) if "levels" in record else None for record in records]
    fill = [record["fill"] for record in records if "fill" in record]
    if (getattr(estimator, "fill_missing", None) is not None) != bool(fill) or (
        fill and len(fill) < len(records)
    ):
        raise ValueError("each feature has a value to fill in if fill_missing is set, else none")
    if fill:
        estimator.fill_values_ = _fill_values(estimator, fill)
    codes = getattr(estimator, "coding", None) is not None
    if codes or hasattr(type(estimator), "n_levels"):
        estimator.categories_ = levels
    elif any(each is not None for each in levels):
        raise ValueError(f"{type(estimator).__name__} takes numbers only, but there are levels")


def _fill_values(estimator: Any, fill: list[float | None]) -> NDArray[np.float64]:
    """Return the fill values, NaN for None: C4.5 and ID3 take columns without any values."""
    missing = [value is None for value in fill]
    if any(missing) and not hasattr(type(estimator), "n_levels"):
        raise ValueError(f"{type(estimator).__name__} needs a value to fill in for each feature")
    values = finite([value or 0.0 for value in fill])
    return np.where(missing, np.nan, values)


def _levels(record: dict[str, Any]) -> pd.Index:
    levels = pd.Index(labels_of(record), dtype=record["dtype"])
    if not levels.is_unique:
        raise ValueError("a level appears twice")
    return levels


def _classes(record: dict[str, Any]) -> NDArray[Any]:
    labels = labels_of(record)
    if not labels or len(set(labels)) < len(labels):
        raise ValueError("there is no class, or one appears twice")
    return np.array(labels, record["dtype"])


def _of_forest(document: dict[str, Any], n_trees: int) -> dict[str, Any]:
    """Return the arguments of ``_hold`` that only a forest has; none for a single tree."""
    if "vote_weight" not in document and "divide_missing" not in document and n_trees == 1:
        return {}
    weight = finite(document.get("vote_weight", []))
    if len(weight) != n_trees or "divide_missing" not in document:
        raise ValueError("a forest needs divide_missing, and a vote_weight for each tree")
    impurity = document.get("impurity", GINI)
    return {
        "vote_weight": weight,
        "divide_missing": document["divide_missing"],
        "impurity": impurity,
        "exact_votes": document.get("exact_votes", False),
        **({"odds": finite(document["odds"]).tolist()} if "odds" in document else {}),
    }


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the documents that `to_dict` and `to_json` write."""
    schema: dict[str, Any] = json.loads(files(__package__).joinpath("schema.json").read_text())
    return schema


def check_document(document: Any) -> None:
    """Raise a ValueError that says where a document violates the schema."""
    _check(document, schema(), "the document")


def _check(value: Any, rule: dict[str, Any], where: str) -> None:
    """Check the keywords that the schema uses; tests compare with a complete validator."""
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
    """Return whether a rule asks for numbers and all values are numbers; there may be millions."""
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
    properties, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    for key, item in value.items():
        _require(isinstance(key, str), where, f"has the key {key!r}, which is not a string")
        _require(key in properties or others is not False, where, f"has the unknown key {key!r}")
        if key in properties or others is not True:
            _check(item, properties.get(key, others), f"{where}/{key}")


def _is_one_of(value: Any, valid: list[Any]) -> bool:
    """Return whether `value` is among numbers and strings; True does not count as a number."""
    return not isinstance(value, bool) and any(value == each for each in valid)


def _require(holds: bool, where: str, message: str) -> None:
    if not holds:
        raise ValueError(f"{where} {message}.")
