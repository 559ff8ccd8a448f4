"""Declaring estimators: their parameters, and their contract with forests and exports."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

from retree.trees.validation import Check, too_large


def _says(meaning: str, default: Any) -> Any:
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Contract:
    """Facts about a class of estimators, declared in its `declares` or inherited from its bases.

    ``docs/estimators.md`` explains the fields and lists the classes whose value is not the default.
    """

    classes: bool = _says("predicts classes, not numbers", True)
    categories: bool = _says("accepts categorical columns", True)
    missing: bool = _says("accepts missing values without imputing them", True)
    divides_missing: bool = _says(
        "sends a row whose tested value is missing down every branch, with a part of its weight; 2 "
        "if these parts are multiplied from the leaves up",
        False,
    )
    tests_levels: bool = _says("tests levels themselves, not numbers computed from them", True)
    weights: Literal["given", "scaled", "exact"] = _says(
        "given: uses weights as they are; scaled: scales them to a mean of 1 if it is lower; "
        "exact: also rounds them, so that all their sums are exact",
        "given",
    )
    knows_first_class: bool = _says("has the first declared class even if no row has it", False)
    draws: bool = _says("draws random numbers while growing", False)
    in_forests: bool = _says("can be a member of bagging and boosting, on weighted rows", False)
    exact_votes: bool = _says("votes by its highest share to the last bit, as in Weka", False)
    keeps_draws: bool = _says("grows in a bag on the drawn rows in order, not on weights", False)


MEANINGS: Mapping[str, str] = {each.name: each.metadata["meaning"] for each in fields(Contract)}


def changed(**values: Any) -> Mapping[str, Any]:
    """Return the fields of `Contract` that a class declares differently from its bases."""
    return MappingProxyType(values)


def combine(cls: type) -> Contract:
    """Return the contract of a class: for each field, the value that its nearest base declares."""
    values: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        values |= vars(base).get("declares", {})
    return Contract(**values)


if TYPE_CHECKING:
    # Where a base has no types, a type checker takes any parameters.
    class _Untyped:
        def __getattr__(self, name: str) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class BaseEstimator(_Untyped):
        """Parameters."""

        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def set_params(self, **params: Any) -> Self:
            """Set parameters."""
            ...

    class ClassifierMixin(_Untyped):
        """A classifier."""

    class RegressorMixin(_Untyped):
        """A regressor."""

    class TransformerMixin(_Untyped):
        """A transformer."""

    class SelectorMixin(_Untyped):
        """A selection of features."""

        def transform(self, X: Any) -> Any:
            """Return the columns that are kept."""
            ...
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "RegressorMixin",
    "TransformerMixin",
]


Class = TypeVar("Class", bound=type)

_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+) : (.*(?:\n .*|\n(?=\n ))*)", re.MULTILINE)
_COMPLETED = ("Parameters", "Attributes")


def parameter(*, default: Any, check: Check | None = None, neutral: bool = False) -> Any:
    """Return the dataclass field of a parameter.

    `check`: is called with name and value, and raises unless the value is valid.
    `neutral`: whether the parameter was added later than its estimator, with a default that changes
    nothing: the key of a cell leaves it out if it has this value.
    """
    metadata = {"check": check} | ({"neutral": default} if neutral else {})
    return field(default=default, metadata=metadata)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, field))
def parameters(cls: Class) -> Class:
    """Turn the annotated fields of a class into keyword-only parameters; complete its docstring.

    If a subclass changes the default of a field, the field keeps its check.
    """
    inherited = getattr(cls, "__dataclass_fields__", {})
    for name in vars(cls).get("__annotations__", ()):
        value = vars(cls).get(name)
        if name in inherited and not isinstance(value, Field):
            setattr(cls, name, field(default=value, metadata=inherited[name].metadata))
    dataclass(kw_only=True, eq=False, repr=False, match_args=False)(cls)
    cls.__doc__ = _completed(cls)
    return cls


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, field))
def declare(name: str | None = None, version: int = 1) -> Callable[[Class], Class]:
    """Declare a public estimator and its `parameters`.

    `name`: the name of the estimator in ``conf/method``.
    `version`: raise it when the results of the estimator change, so that its cells are computed
    again. `retree verify` finds out whether they do; say in ``results/CHANGELOG.md`` what moved.
    """

    def declared(cls: Class) -> Class:
        cls._declared = (name, version)  # type: ignore[attr-defined]
        return parameters(cls)

    return declared


def neutral_values(cls: type[Any]) -> dict[str, Any]:
    """Return the parameters that keys of cells leave out, each with the value at which they do."""
    all_fields = getattr(cls, "__dataclass_fields__", {})
    return {n: f.metadata["neutral"] for n, f in all_fields.items() if "neutral" in f.metadata}


def _completed(cls: type[Any]) -> str | None:
    """Return the docstring of a class, completed with inherited parameters and attributes."""
    if vars(cls).get("__doc__") is None:  # as with python -OO
        return None
    head, *sections = _SECTION.split(inspect.cleandoc(str(cls.__doc__)) + "\n")
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    entries = {name: _entries(cls, name) for name in _COMPLETED}
    defaults = {each.name: each.default for each in fields(cls)}
    nearest = [name for base in cls.__mro__ for name in vars(base).get("__annotations__", ())]
    described = [
        f"{name} : {_with_default(entries['Parameters'][name], defaults[name])}"
        for name in dict.fromkeys(nearest)
        if name in defaults and name in entries["Parameters"]
    ]
    kept = [f"{name} : {text}" for name, text in entries["Attributes"].items()]
    whole = {"Parameters": "\n".join(described), "Attributes": "\n".join(kept)}
    whole |= {name: text.strip("\n") for name, text in texts.items() if name not in _COMPLETED}
    written = [f"{name}\n{'-' * len(name)}\n{text}" for name, text in whole.items() if text]
    return "\n\n".join([head.strip("\n"), *written]) + "\n"


def _entries(cls: type[Any], section: str) -> dict[str, str]:
    """Return the descriptions of parameters or attributes by name, from a class or its bases."""
    entries: dict[str, str] = {}
    for base in cls.__mro__:
        for name, text in _own_entries(base, section):
            entries.setdefault(name, text)
    return entries


def _own_entries(cls: type[Any], section: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section of a class's own docstring, without defaults."""
    if not cls.__module__.startswith("sklearn."):
        _, *sections = _SECTION.split(inspect.cleandoc(vars(cls).get("__doc__") or "") + "\n")
        for name, text in zip(sections[::2], sections[1::2], strict=True):
            if name == section:
                yield from ((n, t.rstrip()) for n, t in _ENTRY.findall(text))


def _with_default(text: str, default: Any) -> str:
    """Append the default to the first line of an entry."""
    first, _, rest = text.partition("\n")
    default_text = f'"{default}"' if isinstance(default, str) else repr(default)
    return f"{re.sub(r', default=.*', '', first)}, default={default_text}\n{rest}"


@parameters
class Declared(BaseEstimator):
    """An estimator with declared parameters and a `Contract`."""

    declares: ClassVar[Mapping[str, Any]] = changed()
    contract: ClassVar[Contract] = Contract()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.contract = combine(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn reads the signature at each clone, which takes as long as a small fit.
        if "__dataclass_fields__" in vars(cls):
            return sorted(each.name for each in fields(cls))
        return list(super()._get_param_names())

    @property
    def depends_on_seed(self) -> bool:
        """Whether a fit depends on `random_state`."""
        return any(each.name == "random_state" for each in fields(self))

    def check_parameters(self, **others: Any) -> None:
        """Raise unless all parameters, or the `others` that replace them, pass their checks.

        Defaults are not checked: that took a twelfth of a small fit.
        """
        for each in fields(self):
            value = others.get(each.name, getattr(self, each.name))
            if value is not each.default and (check := each.metadata.get("check")):
                with too_large(each.name):
                    check(each.name, value)
