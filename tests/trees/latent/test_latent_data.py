"""Latent trees on any data: order, scale, rank, weights, unlabelled rows and bad input."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import TREES
from latent_problems import assert_same_partition, assert_same_tree, blobs
from sklearn.base import clone
from sklearn.decomposition import PCA, FactorAnalysis
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from retree import (
    GlobalSVDTreeClassifier,
    LatentSpaceTreeClassifier,
    LocalSVDTreeClassifier,
    REPTreeClassifier,
    SPCEClassifier,
    StructurePurityClassifier,
)
from retree.trees.c45.c45_trees import C45Classifier, ID3Classifier
from retree.trees.cart import CartClassifier
from retree.trees.latent.transforms import SVDRotation
from retree.trees.tree import OBLIQUE

ALL = [
    LatentSpaceTreeClassifier(),
    LatentSpaceTreeClassifier(transformer="pca"),
    LatentSpaceTreeClassifier(transformer="ica", random_state=0),
    GlobalSVDTreeClassifier(),
    LocalSVDTreeClassifier(),
    LocalSVDTreeClassifier(levels=2),
    LocalSVDTreeClassifier(levels=2, below="original"),
    LocalSVDTreeClassifier(levels=None, estimator=CartClassifier()),
]
each = pytest.mark.parametrize("model", ALL, ids=str)


@each
def test_the_order_of_the_rows_does_not_matter(model):
    X, y = blobs(7, 60)
    X[:20] = X[20:40] = np.round(X[:20])
    others, rng = blobs(8, 30)[0], np.random.default_rng(0)
    tree = model.fit(X, y, X_unlabelled=others).tree_
    for _ in range(3):
        order = rng.permutation(60)
        shuffled = model.fit(X[order], y[order], X_unlabelled=rng.permutation(others))
        assert_same_tree(shuffled.tree_, tree)


@pytest.mark.parametrize("pruning", ["ebp", "reduced_error"])
def test_the_order_of_equal_rows_does_not_matter(pruning):
    rng = np.random.default_rng(3)
    X, y = (np.repeat(values, 4, axis=0) for values in blobs(3, 30))
    y, weight = np.where(rng.random(120) < 0.2, 0, y), rng.choice([0.3, 0.7, 1.9], 120)
    learner = C45Classifier(pruning=pruning, confidence=0.5, random_state=0)
    trees = []
    for order in (np.arange(120), *(rng.permutation(120) for _ in range(5))):
        model = LocalSVDTreeClassifier(levels=2, estimator=learner)
        trees.append(model.fit(X[order], y[order], weight[order]).tree_)
        assert_same_tree(trees[-1], trees[0])
    assert trees[0].node_count > 1


def test_negative_zero_is_zero():
    X, y = blobs(21, 60)
    X = np.round(X)
    tree = GlobalSVDTreeClassifier().fit(X, y).tree_
    assert_same_tree(GlobalSVDTreeClassifier().fit(np.where(X == 0, -0.0, X), y).tree_, tree)


@each
def test_the_order_does_not_matter_where_singular_values_are_equal(model):
    X = np.array([[a, b, c] for a in (-1.0, 1) for b in (-1.0, 1) for c in (-1.0, 1)] * 4)
    y = (X.sum(axis=1) > 0).astype(int)
    tree = model.fit(X, y).tree_
    order = np.random.default_rng(1).permutation(len(X))
    assert_same_tree(model.fit(X[order], y[order]).tree_, tree)


@each
def test_labels_may_have_any_names(model):
    X, y = blobs(9, 60)
    tree = model.fit(X, y).tree_
    renamed = model.fit(X, np.array(["b", "c", "a"])[y])
    np.testing.assert_array_equal(renamed.classes_, ["a", "b", "c"])
    np.testing.assert_array_equal(renamed.tree_.threshold, tree.threshold)
    np.testing.assert_array_equal(renamed.tree_.counts[:, [1, 2, 0]], tree.counts)


@each
@pytest.mark.parametrize("exponent", [10, 40])
def test_scale_does_not_matter(model, exponent):
    X, y = blobs(10, 60)
    scaled = np.ldexp(X, exponent)
    nodes = model.fit(X, y).apply(X)
    np.testing.assert_array_equal(model.fit(scaled, y).apply(scaled), nodes)


@each
def test_unlabelled_rows_take_part_in_the_transform_only(model):
    X, y = blobs(11)
    others = np.random.default_rng(11).normal(size=(200, 4)) * [50, 1, 1, 1]
    alone, together = model.fit(X, y).tree_, model.fit(X, y, X_unlabelled=others).tree_
    assert together.weight[0] == alone.weight[0] == len(X)
    assert not np.array_equal(together.normals[0], alone.normals[0])


def test_unlabelled_rows_are_further_columns():
    X, y = blobs(12)
    others = blobs(13)[0]
    model = GlobalSVDTreeClassifier().fit(X, y, X_unlabelled=others)
    expected = SVDRotation().fit(np.vstack((X, others)))
    np.testing.assert_allclose(model.transformer_.components_, expected.components_, atol=1e-12)


@each
def test_redundant_attributes_do_no_harm(model):
    X, y = blobs(14, 100, 3, noise=0.1)
    wide = np.column_stack((X, np.zeros(100), X[:, 0] + X[:, 1], np.zeros(100), X @ [3, 1, 2]))
    fitted = model.fit(wide, y)
    assert fitted.score(wide, y) > 0.8
    used = fitted.tree_.normals[(fitted.tree_.feature == OBLIQUE)]
    assert (used[:, [3, 5]] == 0).all()
    # Along every tested sum the rows differ by far more than rounding.
    assert (np.ptp(wide @ used.T, axis=0) > 0.1).all()


@each
@pytest.mark.parametrize("scale", [1.0, 1e12])
def test_more_attributes_than_rows(model, scale):
    rng = np.random.default_rng(15)
    X, y = scale * rng.normal(size=(12, 40)), np.arange(12) % 2
    fitted = model.fit(X, y)
    assert fitted.predict(X).shape == (12,)
    assert fitted.tree_.counts[0].tolist() == [6, 6]


@each
@pytest.mark.parametrize("value", [0.0, 0.1, 1e12])
def test_rows_that_are_all_equal_make_a_leaf(model, value):
    model.fit(np.full((10, 3), value), [0] * 4 + [1] * 6)
    assert model.tree_.node_count == 1
    assert model.predict([[5.0, 6.0, 7.0]]) == [1]


@each
def test_a_single_attribute_is_tested_itself(model):
    X, y = blobs(22, 60, 1)
    X = 100 * X + 1000
    learner = CartClassifier() if isinstance(model.estimator, CartClassifier) else C45Classifier()
    expected = learner.fit(X, y)
    assert_same_partition(model.fit(X, y), X, expected, X)
    assert model.tree_.has_thresholds_only


@each
def test_constant_attributes_are_attributes(model):
    X, y = blobs(16, 100, 2)
    assert (
        model.fit(np.column_stack((X, np.full(100, 7.0))), y).score(
            np.column_stack((X, np.full(100, 7.0))), y
        )
        > 0.8
    )


@each
def test_one_row_a_class(model):
    X = np.diag([1.0, 2.0, 3.0, 4.0])
    fitted = model.fit(X, ["a", "b", "c", "d"])
    assert set(fitted.predict(X)) <= set("abcd")


@each
def test_one_class_makes_a_leaf(model):
    X, _ = blobs(17, 20)
    assert model.fit(X, ["only"] * 20).predict(X).tolist() == ["only"] * 20


def test_a_learner_without_slack_does_not_split_on_rounding():
    """Shares add up to one and all have the same mean, so a latent attribute is constant."""
    rng = np.random.default_rng(18)
    half = rng.normal(size=(50, 3)) / 30
    half -= half.mean(axis=1, keepdims=True)
    X, y = np.vstack((half, -half)) + 1 / 3, rng.integers(0, 2, 100)
    model = GlobalSVDTreeClassifier(estimator=CartClassifier()).fit(X, y)
    normals = model.tree_.normals[model.tree_.feature == OBLIQUE]
    assert len(normals) > 10
    assert np.ptp(X @ normals.T, axis=0).min() > 0.01


def test_weights_count_as_rows():
    X, y = blobs(19, 80)
    weight = np.arange(80) % 3
    for model in (GlobalSVDTreeClassifier(), LocalSVDTreeClassifier(levels=2)):
        tree = model.fit(X, y, weight).tree_
        again = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).tree_
        np.testing.assert_array_equal(tree.counts, again.counts)
        np.testing.assert_allclose(tree.threshold, again.threshold)


@pytest.mark.parametrize("model", [model for model in ALL if "ica" not in str(model)], ids=str)
def test_weights_of_a_mean_below_1_are_scaled(model):
    X, y = blobs(21, 80)
    weight = 1.0 + np.arange(80) % 3
    tree = model.fit(X, y, weight / weight.mean()).tree_
    shares = model.fit(X, y, weight / weight.sum()).tree_
    assert shares.node_count == tree.node_count > 1
    np.testing.assert_allclose(shares.counts, tree.counts)


@pytest.mark.parametrize(
    "learner",
    [
        C45Classifier(min_cases=0.1),
        ID3Classifier(min_cases=0.1),
        CartClassifier(min_samples_leaf=0.1, min_samples_split=0.3),
        StructurePurityClassifier(min_samples_leaf=0.1),
        SPCEClassifier(min_samples_leaf=0.1),
        clone(TREES["AdaDTClassifier"]).set_params(min_samples_split=0.3),
    ],
    ids=str,
)
def test_fractions_as_least_rows_are_those_of_the_learner(learner):
    for seed in range(5):
        X, y = blobs(seed, 150)
        weight = np.random.default_rng(seed).random(150) * 6 + 0.5
        rotation = SVDRotation().fit(X, sample_weight=weight)
        tree = GlobalSVDTreeClassifier(estimator=learner).fit(X, y, weight).tree_
        alone = learner.fit(rotation.transform(X), y, weight).tree_
        np.testing.assert_array_equal(tree.children, alone.children)
        np.testing.assert_allclose(tree.counts, alone.counts, atol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        C45Classifier(pruning=None),
        ID3Classifier(),
        CartClassifier(),
        StructurePurityClassifier(),
        SPCEClassifier(),
        TREES["AdaDTClassifier"],
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("levels", [2, None])
def test_parts_of_a_tree_keep_the_weights_of_the_whole(learner, levels):
    X, y = blobs(22, 120)
    weight = np.where(X[:, 0] > np.median(X[:, 0]), 3.0, 0.2)
    tree = LocalSVDTreeClassifier(levels=levels, estimator=learner).fit(X, y, weight).tree_
    assert tree.node_count > 5
    for node in np.flatnonzero(~tree.is_leaf):
        inside = tree.counts[tree.children_of(node)].sum(axis=0)
        np.testing.assert_allclose(inside, tree.counts[node], atol=1e-9)


# --- Bad input ----------------------------------------------------------------------------------

X4, Y4 = blobs(20, 20)
NAN = np.where(np.eye(20, 4) > 0, np.nan, X4)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (
            LatentSpaceTreeClassifier(transformer="svm"),
            ValueError,
            "transformer 'svm'.*'svd', 'pca', 'ica'",
        ),
        (LatentSpaceTreeClassifier(transformer=PCA), TypeError, "transformer must be one of 'svd'"),
        (LatentSpaceTreeClassifier(transformer=3), TypeError, "transformer must be one of 'svd'"),
        (
            LatentSpaceTreeClassifier(transformer=PCA(whiten=True)),
            ValueError,
            r"PCA cannot.*PCA\(whiten=False",
        ),
        (
            LatentSpaceTreeClassifier(transformer=FactorAnalysis()),
            ValueError,
            "FactorAnalysis cannot be folded",
        ),
        (
            LatentSpaceTreeClassifier(transformer=StandardScaler()),
            ValueError,
            "StandardScaler cannot be folded",
        ),
        (
            LatentSpaceTreeClassifier(estimator=DecisionTreeClassifier()),
            TypeError,
            "of retree with",
        ),
        (GlobalSVDTreeClassifier(estimator=C45Classifier), TypeError, "of retree with"),
        (
            GlobalSVDTreeClassifier(estimator=GlobalSVDTreeClassifier()),
            TypeError,
            "with a max_depth",
        ),
        (
            LocalSVDTreeClassifier(estimator=REPTreeClassifier()),
            TypeError,
            "grows part by part, such as",
        ),
        (
            GlobalSVDTreeClassifier(estimator=C45Classifier(min_cases=0)),
            ValueError,
            "min_cases == 0",
        ),
        (
            GlobalSVDTreeClassifier(estimator=C45Classifier(max_depth=0)),
            ValueError,
            "max_depth == 0",
        ),
        (
            GlobalSVDTreeClassifier(estimator=CartClassifier(pruning="bonsai")),
            ValueError,
            "pruning 'bonsai'",
        ),
        (
            LocalSVDTreeClassifier(estimator=CartClassifier(max_depth=0)),
            ValueError,
            "max_depth == 0",
        ),
        (
            LocalSVDTreeClassifier(estimator=ID3Classifier(categorical_features=[0])),
            ValueError,
            "do not set categorical_features",
        ),
        (LocalSVDTreeClassifier(levels=0), ValueError, "levels == 0, must be >= 1"),
        (LocalSVDTreeClassifier(levels=1.5), TypeError, "levels must be an instance of int"),
        (LocalSVDTreeClassifier(below="above"), ValueError, "below 'above'.*'original', 'rotated'"),
    ],
)
def test_bad_parameters(model, error, message):
    with pytest.raises(error, match=message):
        model.fit(X4, Y4)


@each
def test_missing_values_and_nominal_columns_are_refused(model):
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(NAN, Y4)
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(X4, Y4).predict(NAN)
    frame = pd.DataFrame(X4, columns=list("abcd")).assign(b=pd.Categorical(["u", "v"] * 10))
    with pytest.raises(ValueError, match=r"Columns \['b'\] are not numeric; encode them"):
        model.fit(frame, Y4)
    with pytest.raises(ValueError, match=r"X_unlabelled: .*contains NaN"):
        model.fit(X4, Y4, X_unlabelled=NAN)
    with pytest.raises(ValueError, match="X_unlabelled: X has 3 features"):
        model.fit(X4, Y4, X_unlabelled=X4[:, :3])
    with pytest.raises(ValueError, match=r"X_unlabelled: Columns \['b'\]"):
        model.fit(pd.DataFrame(X4, columns=list("abcd")), Y4, X_unlabelled=frame)


def test_a_class_without_weight_stays_a_class():
    weight = np.where(Y4 == 2, 0.0, 1.0)
    for model in (GlobalSVDTreeClassifier(), LocalSVDTreeClassifier(levels=2)):
        assert model.fit(X4, Y4, weight).predict_proba(X4)[:, 2].tolist() == [0.0] * 20


def test_weights_need_a_transformer_and_a_learner_that_take_them():
    weight = np.arange(1, 21)
    with pytest.raises(ValueError, match=r"PCA takes no sample weights.*'svd' or 'pca'"):
        LatentSpaceTreeClassifier(transformer=PCA()).fit(X4, Y4, weight)
    with pytest.raises(ValueError, match="ISATClassifier takes no sample weights"):
        GlobalSVDTreeClassifier(estimator=TREES["ISATClassifier"]).fit(X4, Y4, weight)
