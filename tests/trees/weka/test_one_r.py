"""OneR against its definition."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_decision_stump import problems

from retree import OneRClassifier


@parametrize_with_checks([OneRClassifier(), OneRClassifier(min_bucket_size=1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def most(counts):
    """Return the first of the most frequent classes."""
    return min(counts, key=lambda label: (-counts[label], label))


def rule_of(column, y, weight, least):
    """Return the weight that the rules of a column are right about, and what predicts by them."""
    counts = {}
    for value, label, w in zip(column, y, weight, strict=True):
        counts.setdefault(None if pd.isna(value) else value, Counter())[label] += w
    missing = counts.pop(None, Counter({0: 0.0}))
    right = missing[most(missing)]
    if isinstance(column.dtype, pd.CategoricalDtype):
        right += sum(own[most(own)] for own in counts.values())
        classes = {value: most(own) for value, own in counts.items()}
        return right, lambda v: most(missing) if pd.isna(v) else classes.get(v, 0)
    if not counts:
        return None
    intervals = []  # values, and the weights of classes
    for value in sorted(counts):
        new = Counter(counts[value])
        if intervals:
            values, old = intervals[-1]
            if old[most(old)] < least or most(old) == most(new):
                intervals[-1] = [*values, value], old + new
                continue
        intervals.append(([value], new))
    right += sum(own[most(own)] for _, own in intervals)
    known = sorted(counts)

    def predicted(v):
        if pd.isna(v):
            return most(missing)
        for (_, own), (values, _) in itertools.pairwise(intervals):
            below = max(k for k in known if k < values[0])
            if v < (below + values[0]) / 2:
                return most(own)
        return most(intervals[-1][1])

    return right, predicted


@given(problems(), st.integers(1, 4))
def test_rules_are_as_defined(problem, least):
    X, y, weight = problem
    _, y = np.unique(y, return_inverse=True)
    model = OneRClassifier(min_bucket_size=least).fit(X, y, weight)
    found = [rule_of(X[column], y, weight, least) for column in X]
    right = [-1.0 if own is None else own[0] for own in found]
    chosen = int(np.argmax(right))
    assert model.tree_.feature[0] == chosen
    column = X.columns[chosen]
    rows = X.iloc[np.zeros(9, int)].copy()
    if column.startswith("n"):
        rows[column] = [-1, 0.1, 0.25, 0.5, 0.75, 1, 1.3, 9, np.nan]
    else:
        rows[column] = pd.Categorical([*"abcdabcd", None], list("abcd"))
    assert model.predict(rows).tolist() == [found[chosen][1](v) for v in rows[column]]
    assert model.score(X, y, weight) * weight.sum() == pytest.approx(max(right))


def test_whole_weights_are_rows():
    rng = np.random.default_rng(1)
    X, y, weight = rng.integers(0, 9, (40, 3)), rng.integers(0, 3, 40), rng.integers(1, 4, 40)
    one = OneRClassifier().fit(X, y, weight).tree_
    other = OneRClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).tree_
    np.testing.assert_array_equal(one.threshold, other.threshold)
    np.testing.assert_array_equal(one.counts, other.counts)


def test_what_no_row_has_is_the_first_class():
    X = pd.DataFrame({"c": pd.Categorical(["a", "b", "b", "c"], list("abcd"))})
    model = OneRClassifier().fit(X, ["y", "x", "x", "y"])
    rows = pd.DataFrame({"c": pd.Categorical(["d", None, "a"], list("abcd"))})
    assert model.predict(rows).tolist() == ["x", "x", "y"]
    assert "c = d: x (no rows)" in model.export_text()


def test_without_any_value_it_is_the_most_frequent_class():
    model = OneRClassifier().fit(np.full((3, 2), np.nan), [0, 1, 1])
    assert model.predict([[1.0, np.nan]]) == [1]
