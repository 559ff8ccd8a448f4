"""SHAP values: the contributions of features to a prediction, by the package shap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree.arithmetic import sum_of
from retree.errors import needs_extra
from retree.trees.interchange.model import BinaryTree, Model, binary_tree, model_of

_NO_ROWS = 1e-9  # share of the training rows that a branch without any counts for


def shap_values(estimator: Any, X: ArrayLike) -> Any:
    """Return the SHAP values of the features for the predictions of a tree or forest.

    Parameters
    ----------
    estimator : tree or forest of retree
        A fitted estimator.
    X : array-like of shape (n_samples, n_features)
        Rows to explain, as for `predict`.

    Returns
    -------
    shap.Explanation
        Computed by ``shap.TreeExplainer`` with ``feature_perturbation="tree_path_dependent"``. The
        values and ``base_values`` of a row add up to its class shares, in the order of
        ``classes_``, or to the prediction of a regression. The plots of shap can draw it.

    Raises
    ------
    MissingExtraError
        If shap is not installed.
    ValueError
        As for `retree.to_onnx`; also if a tree tests weighted sums, which involve several features
        at once, or if it divides a row because a tested value is missing.
    """
    with needs_extra("retree.shap_values"):
        import shap
    model, rows = model_of(estimator), estimator.checked_rows(X)
    if len(model.sums):
        raise ValueError(
            "SHAP values need tests of single features, but this tree tests weighted sums: use "
            "explain, or scikit-learn's permutation_importance."
        )
    if model.divide_missing and np.isnan(rows).any():
        raise ValueError(
            "Rows with missing values are divided over branches, which SHAP does not support: "
            "fill them in first, or leave them out."
        )
    weights = np.ones(1) if model.weights is None else model.weights / sum_of(model.weights)
    trees = [_tree(model, number, weight) for number, weight in enumerate(weights.tolist())]
    document = {"trees": trees, "input_dtype": np.float64, "internal_dtype": np.float64}
    explanation = shap.TreeExplainer(document)(rows)
    # A feature has the sum of the values of its one-hot columns.
    features = np.array([j for j, _ in model.columns])
    of_feature = features[:, None] == np.arange(len(model.feature_names))
    values = np.einsum("rc...,cf->rf...", explanation.values, of_feature)
    return shap.Explanation(
        values,
        explanation.base_values,
        np.asarray(X, object),
        feature_names=model.feature_names,
        output_names=None if model.classes is None else np.sort(model.classes).tolist(),
    )


def _tree(model: Model, number: int, factor: float) -> dict[str, NDArray[Any]]:
    """Return a tree in the form that shap reads."""
    made = binary_tree(model, number)
    values = factor * model.values(model.trees[number])
    if model.classes is not None:
        values = values[:, np.argsort(model.classes)]
    left, right = np.array(made.left, np.int32), np.array(made.right, np.int32)
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(made.missing_left, left, right).astype(np.int32),
        "features": np.array(made.column, np.int32),
        "thresholds": np.array(made.threshold),
        "values": values[made.source],
        "node_sample_weight": _weights(made),
    }


def _weights(made: BinaryTree) -> NDArray[np.float64]:
    """Return the weight of each node: the sum over its branches, never zero."""
    weights = np.maximum(made.weight, _NO_ROWS * (made.weight[0] or 1.0))
    for i in reversed(range(len(weights))):
        if made.left[i] >= 0:
            weights[i] = weights[made.left[i]] + weights[made.right[i]]
    return weights
