"""Tests of one method against another over the same folds or data sets, each in one module.

A module of this folder that decorates a function with `paired_test` adds a test. By its name every
kind of pairs offers it (``test: NAME``), and `TESTS` lists it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from numpy.typing import ArrayLike

from retree.errors import unknown_name
from retree_lab.statistics.paired import PairedTest


class Compare(Protocol):
    """Tests ``a - b`` over pairs, two-sided; see `NamedTest`."""

    def __call__(self, a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
        """Return the result; pairs with a NaN are left out and counted."""


@dataclass(frozen=True)
class NamedTest:
    """A paired test as tables and options name it."""

    name: str
    words: str  # As in "by the paired t-test"
    # Takes the two values of each pair, shape (n_pairs,), and the share of the rows that is tested
    # on where training sets overlap, 0 where pairs are independent.
    compare: Compare


TESTS: dict[str, NamedTest] = {}


def paired_test(name: str, words: str) -> Callable[[Compare], Compare]:
    """Make the decorated function the test called `name`."""

    def registered(compare: Compare) -> Compare:
        TESTS[name] = NamedTest(name, words, compare)
        return compare

    return registered


def find_test(name: str) -> NamedTest:
    """Return the test called `name`, or raise an `UnknownNameError` that lists all."""
    if name not in TESTS:
        raise unknown_name("test", name, TESTS)
    return TESTS[name]


for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
