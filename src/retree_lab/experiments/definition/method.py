"""A method of a paper, read from its YAML and checked against its estimator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from retree.errors import RetreeError, refuse_unknown
from retree_lab.study.methods import method_content
from retree_lab.study.registry import Registered, find_estimator, make_estimator, signature_of
from retree_lab.yaml_files import Bounds, Line, read_options

Seconds = Annotated[float, Bounds(0, above=True, unit=" of seconds")]
# Keys of a method; all others are parameters of its estimator.
KEYS = (
    *("key", "file", "version", "name", "title", "estimator", "tune", "missing", "transductive"),
    *("about", "limits"),
)
# A mapping of parameters whose names are among these, as the ``estimator`` of a bagging.
NAMED = "parameters"


@dataclass(frozen=True)
class Limits:
    """The limits of a cell; beyond them it fails, with the reason.

    No key depends on it: a cell that failed is tried again by the next run.
    """

    timeout: Seconds | None = None  # For fit and predictions

    def __bool__(self) -> bool:
        return self.timeout is not None

    def over(self, general: Limits) -> Limits:
        """Return these limits, or the `general` ones if these set none."""
        return self if self else general


@dataclass(frozen=True)
class Method:
    """A method of a paper: an estimator, its fixed parameters, and the parameters to tune."""

    key: str  # Its name in configuration files
    name: Line  # The name in the paper's tables, and what it does
    title: Line = ""
    estimator: str | None = None  # Name in the registry; None if the method is `missing`
    # Parameters of the estimator; those of `tune` give way to the paper's grid.
    params: Mapping[str, Any] = field(default_factory=dict)
    tune: tuple[str, ...] = ()  # Parameters that the paper's grid varies, the slowest first
    missing: str | None = None  # Why the method cannot be run, or None
    # Whether `fit` also gets the features of the test rows, as ``X_unlabelled``.
    transductive: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)  # Facts for tables that describe methods
    # What a cell of it may take; those of the execution count where it sets none.
    limits: Limits = field(default_factory=Limits)
    file: Path | None = None
    # Declared for an estimator in a study's own Python file; None: its sources count.
    version: Annotated[int, Bounds(1)] | None = None
    study: Path | None = None  # The folder of the study whose item has the method

    @property
    def registered(self) -> Registered:
        """The place of its estimator, and the estimator's version."""
        return find_estimator(str(self.estimator), self.home, self.version)

    @property
    def home(self) -> Path | None:
        """The folder of the code of a study's own estimators and metrics."""
        return self.study or (None if self.file is None else self.file.parent.parent)


def load_method(key: str, study: Path | None = None) -> Method:
    """Return a method of retree or of a study's folder, checked against its estimator."""
    return read_method(method_content(key, study))


def read_method(content: Mapping[str, Any]) -> Method:
    """Return the method that `content` describes, checked against its estimator."""
    described = {name: content[name] for name in KEYS if content.get(name) is not None}
    params = {name: value for name, value in content.items() if name not in (*KEYS, NAMED)}
    params |= content.get(NAMED) or {}
    file = None if content["file"] is None else Path(content["file"])
    key = str(content["key"])
    method = read_options(Method, {**described, "params": params, "file": file}, key, file, [key])
    if method.missing is None:
        check_parameters(method, [*params, *method.tune])
    return method


def method_parameters(method: Method) -> list[str]:
    """Return the parameters that the estimator of `method` has; none if there is no estimator."""
    if method.estimator is None:
        return []
    target = method.registered.target
    signature = signature_of(target)
    direct = {name: value for name, value in method.params.items() if name in signature}
    try:
        return sorted({*signature, *make_estimator(target, direct, method.home).get_params()})
    except (TypeError, ValueError, AttributeError) as error:
        raise RetreeError(
            f"{method.file}: {method.key} cannot be made from {target} ({error}); correct it. "
            "Put a parameter called estimator into a mapping called parameters."
        ) from error


def check_parameters(method: Method, names: Iterable[str]) -> None:
    """Raise a RetreeError unless the estimator of `method` has parameters called `names`."""
    if method.estimator is None:
        raise RetreeError(f"Method {method.key} needs an estimator, or missing with the reason.")
    refuse_unknown(f"parameter of {method.name}", method_parameters(method), *names)
