"""Other programs read what `to_sklearn` makes: ONNX, treelite, SHAP, dtreeviz; skops reads us.

They are the extra `interop`; tests of those that are not installed are skipped.
"""

import warnings

import numpy as np
import pytest
from exported_models import NAMES, assert_same_bits, mixed_data, rows
from sklearn.datasets import load_iris

from retree import (
    BaggingTreesClassifier,
    C45Classifier,
    C45RulesClassifier,
    CartClassifier,
    CartRegressor,
    CMDTClassifier,
    OC1Classifier,
)

X, Y = load_iris(return_X_y=True)
X32 = X.astype(np.float32)
pytestmark = pytest.mark.filterwarnings("default")  # theirs


def needed(name):
    return pytest.importorskip(name, reason=f"{name} is of the extra interop")


@pytest.fixture(scope="module", params=["tree", "forest"])
def model(request):
    if request.param == "tree":
        return C45Classifier().fit(X, Y)
    return BaggingTreesClassifier(n_estimators=5, random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(),
        C45RulesClassifier(),
        CartClassifier(),
        CMDTClassifier(),
        BaggingTreesClassifier(n_estimators=3),
    ],
    ids=repr,
)
def test_skops_keeps_models_with_categories(estimator):
    needed("skops")
    from skops import io

    fitted = estimator.fit(*mixed_data())
    written = io.dumps(fitted)
    trusted = io.get_untrusted_types(data=written)
    own = ("retree.", "pandas.", "builtins.frozenset")
    assert all(name.startswith(own) for name in trusted), trusted
    found = io.loads(written, trusted=trusted)
    table = rows(seed=1)
    assert_same_bits(found.predict_proba(table), fitted.predict_proba(table))
    with pytest.raises(Exception, match=r"[Uu]ntrusted"):
        io.loads(written)


def test_skops_keeps_models_without_categories():
    needed("skops")
    from skops import io

    for fitted in (OC1Classifier(random_state=0).fit(X, Y), CartRegressor().fit(X, Y)):
        written = io.dumps(fitted)
        found = io.loads(written, trusted=io.get_untrusted_types(data=written))
        assert (found.predict(X) == fitted.predict(X)).all()


def test_onnx(model):
    needed("skl2onnx")
    runtime = needed("onnxruntime")
    from skl2onnx import to_onnx

    options = {"zipmap": False}
    graph = to_onnx(model.to_sklearn(), X32[:1], options=options)
    session = runtime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    labels, shares = session.run(None, {"X": X32})
    np.testing.assert_allclose(shares, model.predict_proba(X32), rtol=0, atol=1e-6)
    assert (labels == model.predict(X32)).all()


def test_treelite():
    treelite = needed("treelite")

    # It reads scikit-learn's forests, but no single trees.
    model = BaggingTreesClassifier(n_estimators=5, random_state=0).fit(X, Y)
    found = treelite.sklearn.import_model(model.to_sklearn())
    shares = np.squeeze(treelite.gtil.predict(found, X32))
    np.testing.assert_allclose(shares, model.predict_proba(X32), rtol=0, atol=1e-6)


def test_shap_adds_up_to_the_class_shares(model):
    shap = needed("shap")

    explainer = shap.TreeExplainer(model.to_sklearn())
    found = explainer(X32)
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, model.predict_proba(X32), rtol=0, atol=1e-6)


def test_shap_of_a_tree_with_categories():
    shap = needed("shap")

    fitted = C45Classifier().fit(*mixed_data(missing=0))
    pipeline = fitted.to_sklearn()
    coded = pipeline[0].transform(mixed_data(missing=0)[0]).astype(np.float32)
    found = shap.TreeExplainer(pipeline[-1])(coded)
    total = found.values.sum(axis=1) + found.base_values
    expected = pipeline[-1].predict_proba(coded)
    np.testing.assert_allclose(total, expected, rtol=0, atol=1e-6)
    assert found.values.shape == (len(coded), len(NAMES), 3)


def test_dtreeviz_draws_the_tree():
    dtreeviz = needed("dtreeviz")

    found = CartClassifier(max_depth=2).fit(X, Y)
    names = load_iris().feature_names
    shadow = dtreeviz.model(found.to_sklearn(), X_train=X, y_train=Y, feature_names=names,
                            target_name="species", class_names=["a", "b", "c"])  # fmt: skip
    leaves = shadow.shadow_tree.leaves
    assert len(leaves) == found.get_n_leaves()
    assert sorted(leaf.nsamples() for leaf in leaves) == sorted(
        found.tree_.weight[found.tree_.is_leaf].astype(int).tolist()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = shadow.explain_prediction_path(X[0])
    assert "petal" in text
