"""Options of a configuration as dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree.errors import RetreeError, UnknownNameError
from retree_lab.yaml_files import read_options


@dataclass(frozen=True)
class Pair:
    left: str
    right: str | None = None


@dataclass(frozen=True, kw_only=True)
class Options:
    metrics: tuple[str, ...]
    baseline: str = ""
    rope: float | None = None
    test: Literal["corrected", "paired"] = "corrected"
    digits: Literal["rounded", "cut"] | None = None
    pairs: Mapping[str, Pair] | None = None
    shares: tuple[tuple[float, ...], ...] = ()
    means: bool = False
    folds: int = 1


def read(**content):
    return read_options(Options, content, "table2 (metric_table)")


def test_values_become_typed_and_immutable():
    options = read(
        metrics=["accuracy"], pairs={"a": {"left": "x"}}, shares=[[1, 0.5]], rope=1, test="paired"
    )
    assert options == Options(
        metrics=("accuracy",), pairs={"a": Pair("x")}, shares=((1, 0.5),), rope=1, test="paired"
    )


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"key of table2.*'baseine'.*'baseline'"):
        read(metrics=[], baseine="gini")


def test_an_unknown_choice_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"test of table2.*'pared'.*'paired'"):
        read(metrics=[], test="pared")


def test_a_choice_may_be_left_open():
    assert read(metrics=[], digits="cut").digits == "cut"
    assert read(metrics=[], digits=None).digits is None
    with pytest.raises(UnknownNameError, match=r"digits of table2.*'rouned'.*'rounded'"):
        read(metrics=[], digits="rouned")


def test_an_option_inside_is_checked_too():
    with pytest.raises(UnknownNameError, match=r"key of a of pairs of table2.*'lft'.*'left'"):
        read(metrics=[], pairs={"a": {"lft": "x"}})


def test_what_is_missing_is_named():
    with pytest.raises(RetreeError, match=r"^table2 \(metric_table\) lacks metrics; add it\.$"):
        read()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"metrics": "accuracy"}, "metrics of .* must be a list, not 'accuracy'"),
        ({"metrics": [1]}, "an entry of metrics of .* must be a text, not 1"),
        ({"metrics": [], "means": 1}, "means of .* must be true or false, not 1"),
        ({"metrics": [], "folds": True}, "folds of .* must be an integer, not True"),
        ({"metrics": [], "rope": "x"}, "rope of .* must be a number, not 'x'"),
        ({"metrics": [], "pairs": ["a"]}, r"pairs of .* must be a mapping, not \['a'\]"),
        ({"metrics": [], "pairs": {"a": "b"}}, "a of pairs of .* must be a mapping, not 'b'"),
        ({"metrics": [], "baseline": None}, "baseline of .* must be a text, not None"),
    ],
)
def test_a_wrong_type_is_one_sentence(content, words):
    with pytest.raises(RetreeError, match=words):
        read(**content)


@settings(deadline=None)
@given(st.lists(st.text()), st.floats(allow_nan=False) | st.none(), st.booleans(), st.integers())
def test_what_is_read_is_what_was_given(metrics, rope, means, folds):
    options = read(metrics=metrics, rope=rope, means=means, folds=folds)
    assert list(options.metrics) == metrics
    assert (options.rope, options.means, options.folds) == (rope, means, folds)
