"""Labels, levels and parameters as plain values that other programs understand."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

import retree

_NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float32", "float64")  # fmt: skip
_HOW = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def plain(what: str, value: Any) -> Any:
    """Return a label as a Python bool, int, float or str."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(
        f"{what} {value!r} has type {type(value).__name__}: to export the model, fit it to "
        "strings, whole numbers, finite floats or booleans."
    )


def plain_levels(name: str, levels: Any) -> list[Any]:
    """Return the levels of a feature as plain values."""
    return [plain(f"The level of {name}", level) for level in levels]


def plain_classes(classes: Any) -> list[Any]:
    """Return the class labels as plain values."""
    return [plain("The class", label) for label in classes]


def labels_record(values: list[Any], dtype: Any) -> dict[str, Any]:
    """Return a record of plain labels and the dtype of the array or Index that holds them."""
    if getattr(dtype, "kind", "") == "U" or isinstance(dtype, pd.StringDtype):
        return {"dtype": "str", "values": values}
    is_plain = dtype == np.bool_ or str(dtype) in _NUMBERS
    return {"dtype": str(dtype) if is_plain else "object", "values": values}


def labels_of(record: dict[str, Any]) -> list[Any]:
    """Return the labels of a record; raise a ValueError if they do not have its dtype."""
    dtype, values = record["dtype"], record["values"]
    for value in values:
        plain("The label", value)
        fits = {"object": True, "str": isinstance(value, str), "bool": isinstance(value, bool)}
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits.get(dtype, is_number):
            raise ValueError(f"the label {value!r} is not of type {dtype}.")
    if dtype in _NUMBERS and np.array(values, dtype).tolist() != values:
        raise ValueError(f"a label is not a number of type {dtype}.")
    return values


def parameter_record(name: str, value: Any) -> Any:
    """Return a parameter of an estimator as a record that follows the schema."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list | tuple):
        items = [parameter_record(name, each) for each in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return {"array": labels_record(plain_levels(name, value), value.dtype)}
    if isinstance(value, dict):
        pairs = value.items()
        return {"dict": [[parameter_record(name, each) for each in pair] for pair in pairs]}
    if type(value).__name__ in retree.__all__ and isinstance(value, BaseEstimator):
        given = {"name": type(value).__name__, "params": parameter_records(value)}
        return {"estimator": given}
    raise ValueError(
        f"{name} is a {type(value).__name__}, which a document cannot hold: set it to plain values "
        "by set_params before you export; the fitted trees stay as they are."
    )


def parameter_records(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator by their names."""
    params = estimator.get_params(deep=False)
    return {name: parameter_record(name, value) for name, value in params.items()}


def parameter_of(record: Any) -> Any:
    """Return the parameter of a record that follows the schema."""
    if isinstance(record, list):
        return [parameter_of(each) for each in record]
    if not isinstance(record, dict):
        return record
    ((kind, content),) = record.items()
    if kind == "float":
        return _HOW[content]
    if kind == "tuple":
        return tuple(parameter_of(each) for each in content)
    if kind == "array":
        dtype = content["dtype"]
        return np.array(labels_of(content), dtype)
    if kind == "dict":
        pairs = [[parameter_of(each) for each in pair] for pair in content]
        if any(not isinstance(key, str | bool | int | float | None) for key, _ in pairs):
            raise ValueError("a key of a parameter is not a label.")
        return dict(pairs)
    return estimator_of(content["name"], content["params"])


def estimator_of(name: str, params: dict[str, Any]) -> Any:
    """Return an unfitted estimator of retree.

    Parameters that are newer than the document get their defaults.
    """
    cls = getattr(retree, name) if name in retree.__all__ else None
    if not (inspect.isclass(cls) and issubclass(cls, BaseEstimator)):
        raise ValueError(f"there is no estimator {name!r} in this version of retree.")
    if unknown := sorted(set(params) - set(inspect.signature(cls).parameters)):
        raise ValueError(f"{name} has no parameters {unknown}.")
    return cls(**{key: parameter_of(value) for key, value in params.items()})
