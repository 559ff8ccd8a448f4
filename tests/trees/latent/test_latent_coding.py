"""Latent trees on categorical columns that become numbers."""

import numpy as np
import pandas as pd
import pytest
from latent_problems import assert_same_tree
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from retree import GlobalSVDTreeClassifier, LatentSpaceTreeClassifier, LocalSVDTreeClassifier

ENCODERS = {"one_hot": OneHotEncoder(sparse_output=False), "ordinal": OrdinalEncoder()}


def mixed(seed=0, n=150):
    """Return rows of two numbers and two categorical columns, and three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"d": pd.Categorical(rng.choice(list("uvwx"), n)), "a": rng.normal(size=n)})
    X["e"] = pd.Categorical(rng.choice(["p", "q"], n))
    X["b"] = rng.normal(size=n)
    y = (X["a"] + X["d"].isin(["v", "x"]) + X["b"] > 0.5).astype(int) + (X["b"] > 1)
    return X, y.to_numpy()


def encoded(X, coding):
    """Return what scikit-learn's encoder makes of `X`, column by column."""
    is_nominal = [c in ("d", "e") for c in X]
    return np.hstack(
        [
            ENCODERS[coding].fit_transform(X[[c]]) if nominal else X[[c]].to_numpy()
            for c, nominal in zip(X, is_nominal, strict=True)
        ]
    )


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize(
    "model",
    [
        LatentSpaceTreeClassifier(transformer="pca"),
        GlobalSVDTreeClassifier(),
        LocalSVDTreeClassifier(levels=2),
    ],
    ids=str,
)
def test_trees_are_those_of_encoded_data(model, coding):
    X, y = mixed()
    weight = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0], len(y))
    new, unlabelled = mixed(1)[0], mixed(2)[0]
    coded = model.set_params(coding=coding).fit(X, y, weight, X_unlabelled=unlabelled)
    probabilities, tree = coded.predict_proba(new), coded.tree_
    assert coded.n_features_in_ == 4
    assert len(coded.feature_names()) == tree.n_features == (8 if coding == "one_hot" else 4)
    plain = model.set_params(coding=None).fit(
        encoded(X, coding), y, weight, X_unlabelled=encoded(unlabelled, coding)
    )
    assert_same_tree(tree, plain.tree_)
    np.testing.assert_array_equal(probabilities, plain.predict_proba(encoded(new, coding)))


def test_missing_and_unknown_levels_have_no_column():
    X, y = mixed()
    model = GlobalSVDTreeClassifier(coding="one_hot").fit(X, y)
    assert model.feature_names()[:5] == ["d = u", "d = v", "d = w", "d = x", "a"]
    other = X.iloc[:2].assign(d=pd.Categorical(["new", None]))
    assert (model.checked_rows(other)[:, :4] == 0).all()
    assert "d = " in model.export_text()


def test_without_coding_categories_are_refused():
    X, y = mixed()
    with pytest.raises(ValueError, match=r"Columns \['d', 'e'\] are not numeric"):
        GlobalSVDTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="Invalid coding 'binary'"):
        GlobalSVDTreeClassifier(coding="binary").fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        GlobalSVDTreeClassifier(coding="one_hot").fit(X.assign(a=np.nan), y)
