"""Clustering against Lloyd's rounds by definition, and the paper's examples."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle_cmdt import Lloyd
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from retree.relief import ReliefF
from retree_lab.papers.cmdt import clustering

k_means, k_modes, k_prototypes = clustering.k_means, clustering.k_modes, clustering.cluster
k_distributions = partial(clustering.cluster, modes=False)


def table_3():
    """Return the two clusters of table 3 as level codes, the less frequent levels chosen freely."""
    first = [[0] * 9 + [1], [0] * 4 + [1] * 4 + [2] * 2]
    second = [[0] * 4 + [1] * 3 + [2] * 3, [0] * 4 + [2] * 4 + [1] * 2]
    X = np.hstack([np.array(first), np.array(second)]).T
    return X.astype(float), np.repeat([0, 1], 10)


def test_worked_example():
    X, labels = table_3()
    centres = k_distributions(X, labels, [3, 3], max_rounds=0).centres
    np.testing.assert_allclose(centres[0], [0.9, 0.1, 0, 0.4, 0.4, 0.2])
    q = [[0.0, 0.0]]
    for centre, expected in zip(centres, (0.7, 1.2), strict=True):
        result = k_distributions(q, [centre], [3, 3], max_rounds=0)
        assert result.cost == pytest.approx(expected, rel=1e-15)
    # Modes say nothing or the opposite: of column A they are the same, of B it is open which.
    near, far = ([[0, 0], [0, 2]], [[0, 1], [0, 0]])
    assert k_modes(q, near, max_rounds=0).centres.tolist() == [[0, 0]]
    assert k_modes(q, far, max_rounds=0).centres.tolist() == [[0, 0]]
    assert [k_modes(q, [c], max_rounds=0).cost for c in near + far] == [0, 1, 1, 0]


def errors_on_iris(weights, max_rounds):
    """Return how many rows are not in the cluster of their class, and the clusters' classes."""
    X, y = load_iris(return_X_y=True)
    labels = k_means(minmax_scale(X), y, weights=weights, max_rounds=max_rounds).labels
    clusters = [np.bincount(y[labels == c], minlength=3) for c in range(3)]
    return np.sum(labels != y), np.array(clusters)


def test_table_1_iris_without_weights():
    errors, clusters = errors_on_iris(None, 0)
    assert errors == 10
    np.testing.assert_array_equal(clusters, [[50, 0, 0], [0, 44, 4], [0, 6, 46]])
    assert errors_on_iris(None, 100)[0] == 17


@pytest.mark.parametrize("max_rounds", [0, 100])
@pytest.mark.parametrize("weights", ["computed", "printed"])
def test_table_2_iris_with_weights(weights, max_rounds):
    X, y = load_iris(return_X_y=True)
    computed = ReliefF().fit(X, y).feature_weights_
    chosen = computed if weights == "computed" else [0.09, 0.14, 0.34, 0.39]
    assert errors_on_iris(chosen, max_rounds)[0] == 6


def test_means_of_two_groups():
    found = k_means([[0.0], [1.0], [5.0], [6.0]], init=[[0.0], [1.0]])
    assert found.centres.ravel().tolist() == [0.5, 5.5]


def test_k_means_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + 3 * rng.integers(3, size=(300, 1))
    ours = k_means(X, X[:4])
    theirs = KMeans(4, init=X[:4], n_init=1, tol=0, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_allclose(ours.centres, theirs.cluster_centers_)
    assert ours.cost == pytest.approx(theirs.inertia_)


# Of each function: what the columns are, and what the oracle is told.
FUNCTIONS = {
    "k_means": ((-1, -1, -1), "sqeuclidean", True),
    "k_modes": ((3, 2, 4), "sqeuclidean", True),
    "k_prototypes": ((-1, 3, -1, 2), "sqeuclidean", True),
    "k_prototypes euclidean": ((-1, 3, -1, 2), "euclidean", True),
    "k_distributions": ((-1, 3, -1, 4), "sqeuclidean", False),
    "k_distributions nominal": ((3, 2, 4), "sqeuclidean", False),
}


def run(name, X, init, n_levels, metric, **options):
    """Call a function by its name, with what it knows of the options."""
    function = name.split()[0]
    if function in ("k_means", "k_modes"):
        options.pop("gamma")
        return {"k_means": k_means, "k_modes": k_modes}[function](X, init, **options)
    options["metric"] = metric
    functions = {"k_prototypes": k_prototypes, "k_distributions": k_distributions}
    return functions[function](X, init, n_levels, **options)


def draw_rows(seed, n_levels, n, missing):
    """Return rows on a grid of 1/8 and labels."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(k if k > 0 else 9, size=n) / (1 if k > 0 else 8) for k in n_levels]
    X = np.array(columns).T
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.integers(3, size=n)


@given(
    st.sampled_from(sorted(FUNCTIONS)),
    st.integers(0, 10_000),
    st.integers(2, 40),
    st.sampled_from([0, 0.2]),
    st.sampled_from([0.25, 0.5]),
)
def test_rounds_are_those_of_the_definition(name, seed, n, missing, gamma):
    n_levels, metric, modes = FUNCTIONS[name]
    X, init = draw_rows(seed, n_levels, n, missing)
    assume(not np.isnan(X).all(axis=0).any())
    weights = np.random.default_rng(seed).integers(4, size=len(n_levels)) / 4
    only = {"k_means": 1.0, "k_modes": 0.0, "k_distributions nominal": 0.0}
    gamma = only.get(name, gamma)
    lloyd = Lloyd(X, init, n_levels, weights, gamma, metric, modes)
    costs, states = [lloyd.cost], [(lloyd.labels, len(lloyd.centres))]
    moves = True
    while moves:
        moves = lloyd.step()
        if lloyd.cost >= costs[-1] * (1 - 1e-12):
            break
        costs.append(lloyd.cost)
        states.append((lloyd.labels, len(lloyd.centres)))
    assume(lloyd.gap > 1e-9)
    for max_rounds in range(len(costs) + 1):
        ours = run(
            name, X, init, n_levels, metric, weights=weights, gamma=gamma, max_rounds=max_rounds
        )
        kept = min(max_rounds, len(costs) - 1)
        np.testing.assert_array_equal(ours.labels, states[kept][0])
        assert (ours.n_rounds, len(ours.centres)) == (kept, states[kept][1])
        assert ours.cost == pytest.approx(costs[kept], abs=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_costs_never_rise(name):
    n_levels, metric, _ = FUNCTIONS[name]
    n_falls = 0
    for seed in range(40):
        X, init = draw_rows(seed, n_levels, 120, 0)
        costs = [
            run(name, X, init, n_levels, metric, gamma=0.4, max_rounds=r).cost for r in range(12)
        ]
        assert (np.diff(costs) <= 0).all()
        n_falls += np.sum(np.diff(costs) < 0)
    assert n_falls > 20


def huang(X, labels, modes):
    """Return the labels after Huang's moves: a mode moves with each row that changes cluster."""
    labels, modes = labels.copy(), modes.copy()
    has_moved = True
    while has_moved:
        has_moved = False
        for i, row in enumerate(X):
            nearest = int(np.argmin((modes != row).sum(axis=1)))
            if nearest != labels[i]:
                has_moved, changed = True, (labels[i], nearest)
                labels[i] = nearest
                for c in changed:
                    if (labels == c).any():
                        members = X[labels == c].astype(int)
                        modes[c] = [np.bincount(column).argmax() for column in members.T]
    return labels


@pytest.mark.parametrize("seed", range(30))
def test_k_modes_ends_where_huangs_moves_do(seed):
    X, init = draw_rows(seed, (3, 2, 4, 3, 2), 80, 0)
    ours = k_modes(X, init)
    np.testing.assert_array_equal(huang(X, ours.labels, ours.centres), ours.labels)
    modes = k_modes(X, ours.labels, max_rounds=0)
    assert modes.cost == ours.cost


def test_labels_without_rows_and_clusters_that_lose_all():
    X = np.array([[0.0], [0.1], [1.0], [1.1]])
    result = k_means(X, [0, 0, 5, 5])
    np.testing.assert_array_equal(result.labels, [0, 0, 1, 1])
    np.testing.assert_allclose(result.centres, [[0.05], [1.05]])
    result = k_means(X, [[0.0], [9.0], [1.0]], max_rounds=0)
    np.testing.assert_array_equal(result.labels, [0, 0, 1, 1])
    np.testing.assert_array_equal(result.centres, [[0], [1]])


def test_ties_fall_to_the_first_cluster_and_the_first_level():
    assert k_means([[0.0], [1], [2]], [[0.0], [2]], max_rounds=0).labels.tolist() == [0, 0, 1]
    assert k_modes([[1], [2], [2], [1]], [0, 0, 0, 0]).centres.tolist() == [[1]]


def test_missing_values_add_nothing():
    X = np.array([[0, np.nan], [np.nan, np.nan], [1, 0], [np.nan, 1]])
    result = k_prototypes(X, [[0, 1], [1, 0]], [-1, 2], max_rounds=0)
    assert result.labels.tolist() == [0, -1, 1, 0]
    assert result.cost == 0
    # The second column has no value in the first cluster, so there it has the mode of all rows.
    assert k_prototypes(X[:3], [0, 0, 1], [-1, 2], max_rounds=0).centres.tolist() == [
        [0, 0],
        [1, 0],
    ]


def test_columns_without_weight_do_not_count():
    X = np.array([[0, 5], [0, 7], [1, 5], [1, 7.0]])
    assert k_means(X, [[0, 7], [1, 5.0]], weights=[1, 0]).labels.tolist() == [0, 0, 1, 1]
    assert k_means(X, [[0, 7], [1, 5.0]], weights=[0, 1]).labels.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: k_means(X, [0, 1]), "init must be 3 labels"),
        (lambda X: k_means(X, [0.0, 1, 1]), "whole numbers from 0"),
        (lambda X: k_means(X, [[0.0]]), "init has 1 columns; a centre has 2"),
        (lambda X: k_means(X, [0, 1, 1], weights=[1, -1]), "not negative"),
        (lambda X: k_means(X, [0, 1, 1], max_rounds=-1), "max_rounds"),
        (lambda X: k_prototypes(X, [0, 1, 1], [-1, 2]), "column 1 of X .* from 0 to 1"),
        (lambda X: k_prototypes(X, [[0, 9]], [-1, 3]), "column 1 of init"),
        (lambda X: k_prototypes(X, [0, 1, 1], [-1]), "n_levels must be 2 numbers"),
        (lambda X: k_distributions(X, [[0, 1]], [-1, 3]), "a centre has 4"),
        (lambda X: k_distributions(X, [0, 1, 1], [-1, 3], metric="cosine"), "Invalid metric"),
        (lambda X: k_distributions(X, [0, 1, 1], [-1, 3], gamma=2), "gamma"),
        (lambda X: k_modes(X / 2, [0, 1, 1]), "column 0 of X must hold whole numbers"),
    ],
)
def test_wrong_input_is_rejected(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.array([[0, 0], [1, 1], [1, 2.0]]))
