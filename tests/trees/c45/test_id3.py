"""ID3 against its definition, and on data that it finds hard."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_c45 import EPS, gain_and_ratio
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import ID3Classifier

# Quinlan (1986), Table 1: outlook, temperature, humidity, windy; class.
SATURDAYS = """
sunny hot high false N
sunny hot high true N
overcast hot high false P
rain mild high false P
rain cool normal false P
rain cool normal true N
overcast cool normal true P
sunny mild high false N
sunny cool normal false P
rain mild normal false P
sunny mild normal true P
overcast mild high true P
overcast hot normal false P
rain mild high true N
"""


@parametrize_with_checks([ID3Classifier(), ID3Classifier(pruning="pessimistic")])
def test_conventions(estimator, check):
    check(estimator)


def saturdays():
    rows = [line.split() for line in SATURDAYS.strip().splitlines()]
    table = pd.DataFrame(rows, columns=["outlook", "temperature", "humidity", "windy", "class"])
    return table.drop(columns="class").astype("category"), table["class"]


def test_the_tree_is_that_of_the_paper():
    X, y = saturdays()
    model = ID3Classifier().fit(X, y)
    assert model.export_text().split("\n") == [
        "outlook = overcast: P (P: 4)",
        "outlook = rain",
        "|   windy = false: P (P: 3)",
        "|   windy = true: N (N: 2)",
        "outlook = sunny",
        "|   humidity = high: N (N: 3)",
        "|   humidity = normal: P (P: 2)",
    ]


def test_the_gains_are_those_of_the_paper():
    X, y = saturdays()
    gains = {
        name: gain_and_ratio(column.cat.codes.to_numpy(), (y == "P").to_numpy(int), np.ones(14), 2)
        for name, column in X.items()
    }
    printed = {"outlook": 0.246, "temperature": 0.029, "humidity": 0.151, "windy": 0.048}
    assert {name: gain for name, (gain, _) in gains.items()} == pytest.approx(printed, abs=1e-3)


def best_test(X, y, n_levels, n_classes, min_cases):
    """Return (gain, attribute, threshold) of the root by brute force, None if there is none."""
    best = None
    weight = np.ones(len(y))
    for j, levels in enumerate(n_levels):
        x = X[:, j]
        values = np.unique(x[~np.isnan(x)])
        for threshold in values[:-1] if levels < 0 else [np.nan]:
            branch = (x > threshold).astype(int) if levels < 0 else np.nan_to_num(x).astype(int)
            branch = np.where(np.isnan(x), -1, branch)
            sizes = np.bincount(branch[branch >= 0])
            if (sizes >= min_cases).sum() < 2 or (levels < 0 and sizes.min() < min_cases):
                continue
            gain, _ = gain_and_ratio(branch, y, weight, n_classes)
            if gain > EPS and (best is None or gain > best[0] + EPS):
                best = (gain, j, threshold)
    return best


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 25),
    n_classes=st.integers(2, 4),
    missing=st.sampled_from([0.0, 0.2]),
    min_cases=st.integers(1, 3),
)
def test_the_root_is_the_test_of_greatest_gain(seed, n, n_classes, missing, min_cases):
    rng = np.random.default_rng(seed)
    n_levels = [-1, 3, -1, 4]
    X = np.column_stack([rng.integers(5 if k < 0 else k, size=n) for k in n_levels]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.integers(n_classes, size=n)
    table = pd.DataFrame(X)
    for j in (1, 3):
        table[j] = pd.Categorical(table[j], range(n_levels[j]))
    model = ID3Classifier(min_cases=min_cases, max_depth=1).fit(table, y)
    expected = best_test(X, y, n_levels, n_classes, min_cases)
    if len(np.unique(y)) < 2 or n < 2 * min_cases or expected is None:
        assert model.tree_.node_count == 1
        return
    gain, attribute, threshold = expected
    # A tie of gains within rounding may fall to either.
    assert model.tree_.feature[0] == attribute
    np.testing.assert_equal(model.tree_.threshold[0], threshold)
    assert gain > 0


def test_leaves_are_pure_where_rows_can_be_told_apart():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.permutation(80), "b": pd.Categorical(rng.integers(4, size=80))})
    y = rng.integers(3, size=80)
    assert ID3Classifier().fit(X, y).score(X, y) == 1.0


def test_a_missing_or_unknown_value_takes_all_branches():
    X, y = saturdays()
    model = ID3Classifier().fit(X, y)
    asked = pd.DataFrame([["fog", "hot", "high", "true"]], columns=X.columns)
    shares = model.predict_proba(asked)
    # overcast 4/14 P, rain and windy 5/14 N, sunny and humid 5/14 N
    np.testing.assert_allclose(shares, [[10 / 14, 4 / 14]])


@pytest.mark.parametrize("pruning", ["cost_complexity", "ebp", "pessimistic", "reduced_error"])
def test_pruning_makes_smaller_trees(pruning):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": pd.Categorical(rng.integers(5, size=200))})
    y = (X["a"] + rng.normal(size=200) > 0).to_numpy()
    full = ID3Classifier().fit(X, y)
    pruned = ID3Classifier(pruning=pruning, random_state=0).fit(X, y)
    assert 1 < pruned.get_n_leaves() < full.get_n_leaves()


@pytest.mark.parametrize("options", [{"min_cases": 0}, {"max_depth": 0}, {"pruning": "hard"}])
def test_wrong_parameters_are_rejected(options):
    X, y = saturdays()
    with pytest.raises(ValueError, match=next(iter(options))):
        ID3Classifier(**options).fit(X, y)
