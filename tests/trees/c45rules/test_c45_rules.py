"""C4.5rules: each step against brute force, and what holds of any result."""

from itertools import product
from math import exp, lgamma, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from real_sets import read_set
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import C45RulesClassifier
from retree.trees.c45.rules.candidates import (
    Candidate,
    packed,
    prune_conditions,
    satisfied,
    unpacked,
)
from retree.trees.c45.rules.choosing import (
    ClassRules,
    bits_of_rules,
    default_class,
    drop_harmful,
    order_rules,
    two_first,
)
from retree.trees.export.conditions import Interval, LevelSet
from retree.trees.mixed import Sample


@parametrize_with_checks([C45RulesClassifier(), C45RulesClassifier(binary_splits=True)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def pruned(met, is_target, weight, error_of_none):
    rows = np.array([packed(each) for each in met])
    return prune_conditions(rows, packed(is_target), weight, 0.25, error_of_none)


def upper_rate(errors, n, z=0.6925, confidence=0.25):
    """Return the limit of one rule; 0.6925 lies between the quantiles of 0.2 and of 0.4."""

    def added(e):
        if e < 1:
            none = n * (1 - exp(log(confidence) / n))
            return none if e == 0 else none + e * (added(1) - none)
        if e + 0.5 >= n:
            return 0.67 * (n - e)
        share = e + 0.5 + z * z / 2 + (z * z * ((e + 0.5) * (1 - (e + 0.5) / n) + z * z / 4)) ** 0.5
        return n * share / (n + z * z) - e

    return (errors + added(errors)) / n


@pytest.mark.parametrize(("errors", "n"), [(0, 1), (0, 6), (1, 16), (0.5, 3), (2.6, 3), (7, 40)])
def test_limits_of_errors(errors, n):
    # Rows of another class, which do not meet the condition, keep it.
    met, is_target = np.array([[True, True, False]]), np.array([True, False, False])
    kept, limit = pruned(met, is_target, np.array([n - errors, errors, 99.0]), 1.0)
    assert kept == [0]
    np.testing.assert_allclose(limit, upper_rate(errors, n), rtol=1e-12)


@st.composite
def problems(draw):
    """Draw which rows meet each of some conditions, which are of the class, and weights."""
    n, n_conditions = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    bits = st.lists(st.booleans(), min_size=n, max_size=n)
    met = np.array([draw(bits) for _ in range(n_conditions)])
    weight = st.lists(st.integers(1, 3), min_size=n, max_size=n)
    return met, np.array(draw(bits)), np.array(draw(weight), float)


def slow_pruning(met, is_target, weight, error_of_none):
    """Return what `prune_conditions` shall, each rule counted anew."""

    def judged(kept):
        rows = met[kept].all(axis=0) if kept else np.ones(len(weight), bool)
        n, errors = weight[rows].sum(), weight[rows & ~is_target].sum()
        return (upper_rate(errors, n), errors / n) if n else (error_of_none, 0.0)

    kept = list(range(len(met)))
    while kept:
        limit, error = judged(kept)
        without = [judged([d for d in kept if d != gone]) for gone in kept]
        if all(w[0] > limit + 1e-12 and w[1] > error for w in without):
            return (kept, limit) if met[kept].all(axis=0).any() else ([], error_of_none)
        least = min(w[0] for w in without)
        kept.pop(max(k for k, w in enumerate(without) if w[0] <= least + 1e-12))
    return [], error_of_none


@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 3), st.integers(1, 200))))
def test_rows_are_packed_and_unpacked(masks):
    for mask in masks:
        np.testing.assert_array_equal(unpacked(packed(mask), len(mask)), mask)


@settings(max_examples=100)
@given(problems())
def test_conditions_are_dropped_as_by_brute_force(problem):
    met, is_target, weight = problem
    prior = 1 - (weight[is_target].sum() + 1) / (weight.sum() + 2)
    kept, error = pruned(met, is_target, weight, prior)
    expected, limit = slow_pruning(met, is_target, weight, prior)
    assert kept == expected
    np.testing.assert_allclose(error, limit, rtol=1e-12)


@given(problems())
def test_weights_count_as_rows(problem):
    met, is_target, weight = problem
    times = weight.astype(int)
    repeated = np.repeat(met, times, axis=1), np.repeat(is_target, times), np.ones(times.sum())
    assert pruned(*problem, 0.5) == pruned(*repeated, 0.5)
    bits = np.arange(1.0, len(met) + 1)
    sets = np.array(list(product([False, True], repeat=len(met))))
    np.testing.assert_allclose(
        ClassRules(*problem, bits).costs(sets), ClassRules(*repeated, bits).costs(sets)
    )


def slow_cost(chosen, met, is_target, weight, bits):
    """Return the bits of a set of rules, by the words of the book and of Quinlan (1995)."""
    covered, n = met[chosen].any(axis=0), weight.sum()
    fires = weight[covered].sum()
    wrong, missed = weight[covered & ~is_target].sum(), weight[~covered & is_target].sum()

    def places(size, errors, expected):
        if expected <= 1e-6 or expected >= size - 1e-6:
            return 0.0 if errors == (0 if expected <= 1e-6 else size) else 1e6
        p = expected / size
        return -errors * np.log2(p) - (size - errors) * np.log2(1 - p)

    half = (wrong + missed) / 2
    if fires > n / 2:
        exceptions = places(fires, wrong, half) + places(n - fires, missed, missed)
    else:
        exceptions = places(fires, wrong, wrong) + places(n - fires, missed, half)
    k = int(np.sum(chosen))
    return np.log2(n) + exceptions + 0.5 * (np.sum(bits[chosen]) - lgamma(k + 1) / log(2))


@given(problems())
def test_of_few_rules_the_cheapest_set_is_taken(problem):
    met = problem[0]
    bits = 1.5 + np.arange(len(met))
    rules = ClassRules(*problem, bits)
    sets = np.array(list(product([False, True], repeat=len(met))))
    costs = [slow_cost(chosen, *problem, bits) for chosen in sets]
    np.testing.assert_allclose(rules.costs(sets), costs, atol=1e-9)
    found = rules.cheapest(np.random.RandomState(0))
    assert slow_cost(found, *problem, bits) <= min(costs) + 1e-8


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_of_many_rules_no_neighbour_of_the_set_is_cheaper(seed):
    rng = np.random.RandomState(seed)
    met, is_target = rng.random_sample((14, 60)) < 0.15, rng.random_sample(60) < 0.4
    weight = rng.randint(1, 4, 60) if seed % 2 else rng.random_sample(60) * 4 + 0.01
    problem = met, is_target, weight.astype(float)
    bits = rng.random_sample(14) * 8
    found = ClassRules(*problem, bits).cheapest(rng)
    least = slow_cost(found, *problem, bits)
    for k in range(14):
        other = found.copy()
        other[k] = not other[k]
        assert slow_cost(other, *problem, bits) >= least - 1e-8


def test_bits_of_rules():
    X = np.array([[1.0, 0], [2, 1], [2, 1], [3, 1], [np.nan, np.nan]])
    sample = Sample(X, np.zeros(5, np.int32), np.ones(5))
    number = 1 + np.log2(4) / 2  # three values, and missing
    level = 0.2 * np.log2(5) + 0.6 * np.log2(5 / 3)
    share = np.array([number, level]) / (number + level)
    feature = -(share * np.log2(share)).sum()
    rules = [
        Candidate((Interval(0, high=2.0),), 0, 0.1),
        Candidate((Interval(0, high=2.0), LevelSet(1, frozenset([1]))), 0, 0.1),
        Candidate((LevelSet(1, frozenset([1]), excluded=True),), 0, 0.1),
    ]
    expected = [feature / 2 + number, feature + number + level + 1 - 1, feature / 2 + 2]
    found = bits_of_rules(rules, sample, np.array([-1, 2], np.int32), redundancy=2.0)
    np.testing.assert_allclose(found, expected)


def test_exceptions_without_errors_take_the_bits_of_their_number():
    is_target = np.arange(8) < 3
    rules = ClassRules(is_target[None, :], is_target, np.ones(8), np.array([4.0]))
    assert rules.costs(np.array([[True]]))[0] == 3.0 + 4.0 / 2


def test_order_default_and_harmful_rules():
    # Rows:            0  1  2  3  4  5
    matches = np.array([
        [1, 1, 1, 0, 0, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 1, 1, 0, 0, 0],
    ], bool)  # fmt: skip
    codes, errors = np.array([0, 1, 1]), np.array([0.3, 0.2, 0.1])
    y, weight = np.array([0, 0, 1, 1, 1, 0], np.int32), np.ones(6)
    # Class 0 covers row 2 wrongly and class 1 covers row 1; the first class of tied ones.
    assert order_rules(matches, codes, errors, y, weight, 2).tolist() == [0, 2, 1]
    # With more weight on row 2, class 1 comes first.
    heavy = np.array([1, 1, 2, 1, 1, 1.0])
    assert order_rules(matches, codes, errors, y, heavy, 2).tolist() == [2, 1, 0]
    assert default_class(matches.any(axis=0), y, weight, 2) == 0  # tied, also in all rows
    assert default_class(matches.any(axis=0), y, np.array([1, 1, 1, 1, 2, 1.0]), 2) == 1
    # Rule 0 is right of rows 0 and 1, and wrong of row 2, which the next rule would get right.
    assert drop_harmful(matches, codes, 0, y, weight) == [0, 1, 2]
    # Then rule 2 is the first to cover row 1, which the default class would get right.
    assert drop_harmful(matches, codes, 0, y, np.array([1, 1, 5, 1, 1, 1.0])) == [1]
    first, second = two_first(matches)
    assert first.tolist() == [0, 0, 0, 1, 3, 3]
    assert second.tolist() == [3, 2, 1, 3, 3, 3]


@pytest.mark.parametrize("name", ["heart_c", "vote", "horse_colic"])
@pytest.mark.parametrize("weighted", [False, True])
def test_records_are_those_of_the_training_rows(name, weighted):
    X, y = read_set(name)
    weight = np.random.RandomState(0).randint(1, 4, len(y)) if weighted else np.ones(len(y))
    model = C45RulesClassifier().fit(X, y, weight)
    rows = model.checked_rows(X)
    for rule in model.rules_:
        met = satisfied(list(rule.conditions), rows).all(axis=0)
        counts = [weight[met & (y == c)].sum() for c in model.classes_]
        assert rule.counts.tolist() == counts
        own, share = weight[met & (y == rule.prediction)].sum(), weight[y == rule.prediction].sum()
        assert rule.support == pytest.approx(sum(counts) / weight.sum())
        assert rule.confidence == pytest.approx(own / sum(counts))
        assert rule.lift == pytest.approx(own / sum(counts) / (share / weight.sum()))
    first = model.apply(X)
    predicted = [model.rules_[k].prediction if k >= 0 else model.default_class_ for k in first]
    assert model.predict(X).tolist() == predicted
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    fired = first >= 0
    confidences = [model.rules_[k].confidence for k in first[fired]]
    codes = np.searchsorted(model.classes_, model.predict(X))
    np.testing.assert_allclose(shares[fired, codes[fired]], confidences)


def test_a_condition_on_a_missing_value_is_not_met():
    X = np.array([[0.0], [1.0], [np.nan]])
    conditions = [Interval(0, high=0.5), Interval(0, low=0.5), LevelSet(0, frozenset([0]))]
    conditions += [LevelSet(0, frozenset([0]), excluded=True)]
    assert satisfied(conditions, X).T.tolist() == [
        [True, False, True, False],
        [False, True, False, True],
        [False] * 4,
    ]


def test_rules_in_words_with_categories():
    X = pd.DataFrame({
        "colour": pd.Categorical(["red", "green", "blue"] * 20),
        "size": np.tile([1.0, 2.0, 3.0, 4.0], 15),
    })  # fmt: skip
    y = np.where(X["colour"] == "red", "yes", np.where(X["size"] > 2, "perhaps", "no"))
    text = C45RulesClassifier().fit(X, y).export_rules()
    assert "IF colour = red THEN yes (20 rows, 100 %, lift 3)" in text.split("\n")
    assert text.split("\n")[-1].startswith("OTHERWISE ")


def test_without_a_useful_test_there_is_the_default_class_only():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = C45RulesClassifier().fit(X, ["a", "b", "a", "b"])
    assert model.rules_ == []
    assert model.predict(X).tolist() == ["a"] * 4
    assert model.export_rules() == "OTHERWISE a (4 rows)"
    np.testing.assert_array_equal(model.predict_proba(X), 0.5)


@pytest.mark.parametrize(
    ("params", "message"),
    [({"confidence": 0.6}, "confidence"), ({"redundancy": 0.0}, "redundancy")],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        C45RulesClassifier(**params).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", ["sonar", "zoo", "hepatitis"])
def test_a_row_is_explained_by_the_rules_that_cover_it(name):
    X, y = read_set(name)
    model = C45RulesClassifier().fit(X, y)
    rows = model.checked_rows(X)
    covers = np.array([satisfied(list(r.conditions), rows).all(axis=0) for r in model.rules_])
    texts = model.export_rules().splitlines()
    predicted, fired = model.predict(X), model.apply(X)
    for k in range(0, len(X), 3):
        found = model.explain(X.iloc[[k]])
        matching = np.flatnonzero(covers[:, k]).tolist()
        assert found.prediction == predicted[k]
        assert [*filter(None, [found.fired]), *found.also] == [model.rules_[m] for m in matching]
        assert (found.fired is None) == (fired[k] == -1)
        head, *lines = str(found).splitlines()
        assert head == f"Prediction: {predicted[k]}"
        expected = [texts[m] for m in matching or [-1]]
        assert [line[2:] for line in lines if line != "Also true of the row:"] == expected


def test_more_than_one_row_is_not_explained():
    X, y = read_set("iris")
    with pytest.raises(ValueError, match="Only one row can be explained"):
        C45RulesClassifier().fit(X, y).explain(X)
