"""Methods as they are configured, checked against their estimators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.config_values import check_integer, one_line
from retree.experiments.definition.limits import read_limits
from retree.experiments.definition.method import Method
from retree.study.making import make_estimator, signature_of
from retree.study.methods import method_content

RESERVED = (
    *("key", "file", "version", "name", "title", "estimator", "tune", "missing", "transductive"),
    *("about", "limits"),
)


def load_method(key: str, study: Path | None = None) -> Method:
    """Return a method of retree or of a study's folder, checked against its estimator."""
    return read_method(method_content(key, study))


def read_method(content: Mapping[str, Any]) -> Method:
    """Return the method that `content` describes, checked against its estimator."""
    known = {name: content[name] for name in RESERVED if content.get(name) is not None}
    known |= {"tune": tuple(known.get("tune", ())), "file": Path(known["file"])}
    known["limits"] = read_limits(known.get("limits", {}), f"limits of {known['key']}")
    known |= {key: one_line(known[key]) for key in ("name", "title") if key in known}
    check_integer(f"version of {known['key']}", known.get("version", 1), 1)
    params = {name: value for name, value in content.items() if name not in RESERVED}
    method = Method(params=params, **known)
    if method.missing is None:
        check_parameters(method, [*params, *method.tune])
    return method


def method_parameters(method: Method) -> list[str]:
    """Return the parameters that the estimator of `method` has; none if there is no estimator."""
    if method.estimator is None:
        return []
    target = method.registered.target
    own = signature_of(target)
    direct = {name: value for name, value in method.params.items() if name in own}
    try:
        return sorted({*own, *make_estimator(target, direct, method.home).get_params()})
    except (TypeError, ValueError, AttributeError) as error:
        raise RetreeError(
            f"{method.file}: {method.key} cannot be made by {target} ({error}); correct it."
        ) from error


def check_parameters(method: Method, names: Iterable[str]) -> None:
    """Raise a RetreeError unless the estimator of `method` has parameters called `names`."""
    if method.estimator is None:
        raise RetreeError(f"Method {method.key} names neither an estimator nor why it is missing.")
    valid = method_parameters(method)
    for name in names:
        if name not in valid:
            raise unknown_name(f"parameter of {method.name}", name, valid)
