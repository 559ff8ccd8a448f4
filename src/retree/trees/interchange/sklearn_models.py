"""Models as fitted scikit-learn estimators, which many other programs read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree.trees.interchange.model import BinaryTree, Model, binary_tree
from retree.trees.interchange.values import plain_levels
from retree.trees.tree import Tree


def sklearn_model(model: Model, names: NDArray[Any] | None) -> Any:
    """Return a fitted scikit-learn estimator; see `Interchange.to_sklearn`.

    Shapes: `names` (n_features,).
    `names`: names of the features, if `fit` saw any.
    """
    if len(model.sums):
        raise ValueError(
            "scikit-learn's trees compare one feature with a threshold, but this tree tests "
            "weighted sums: save it with to_json, or use export_sql or retree.to_onnx."
        )
    n_columns = len(model.columns)
    coded = any(levels is not None for levels in model.levels)
    rows: Any = np.zeros((2, n_columns))
    if names is not None and not coded:
        rows = pd.DataFrame(rows, columns=names)
    fitted = _fitted(model, rows)
    if not coded:
        return fitted
    encoder = _encoder(model)
    encoder.fit(_first_levels(model, names))
    return Pipeline([("encoder", encoder), ("model", fitted)])


def _fitted(model: Model, rows: Any) -> Any:
    """Return a scikit-learn tree or forest over the columns of `rows`, fitted to equal rows."""
    if model.classes is None:
        regressor = DecisionTreeRegressor().fit(rows, np.zeros(len(rows)))
        return _put(regressor, model, 0)
    n_classes = len(model.classes)
    rows = rows.loc[[0] * n_classes] if isinstance(rows, pd.DataFrame) else rows[[0] * n_classes]
    if model.weights is None:
        return _put(DecisionTreeClassifier().fit(rows, model.classes), model, 0)
    n_trees = len(model.trees)
    forest: Any = RandomForestClassifier(n_trees, bootstrap=False)
    if (model.weights != model.weights[0]).any():
        members = [(f"tree{t}", DecisionTreeClassifier()) for t in range(n_trees)]
        forest = VotingClassifier(members, voting="soft", weights=model.weights.tolist())
    forest.fit(rows, model.classes)
    for number, member in enumerate(forest.estimators_):
        _put(member, model, number)
    return forest


def _put(member: Any, model: Model, number: int) -> Any:
    """Give a fitted scikit-learn tree the nodes of one of the model's trees."""
    tree, made = model.trees[number], binary_tree(model, number)
    value = model.values(tree)
    if model.classes is not None:
        value = value[:, np.argsort(model.classes)]
    values = _values(made, value)
    # Pickling is the public way to what a tree of scikit-learn consists of.
    cls, arguments, state = member.tree_.__reduce__()
    nodes = _nodes(made, tree, values, state["nodes"].dtype)
    member.tree_ = cls(*arguments)
    depth = {"max_depth": int(_depths(made).max()), "node_count": len(nodes)}
    member.tree_.__setstate__({**depth, "nodes": nodes, "values": values[:, None, :].copy()})
    return member


def _nodes(made: BinaryTree, tree: Tree, values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    nodes = np.zeros(len(made.left), dtype)
    inner = np.array(made.left) >= 0
    nodes["left_child"], nodes["right_child"] = made.left, made.right
    nodes["feature"] = np.where(inner, made.column, -2)
    nodes["threshold"] = np.where(inner, [_float32_below(t) for t in made.threshold], -2.0)
    nodes["weighted_n_node_samples"] = made.weight
    nodes["n_node_samples"] = np.maximum(np.rint(made.weight), 1)
    nodes["missing_go_to_left"] = made.missing_left
    nodes["impurity"] = 1.0 - np.square(values).sum(axis=1)
    if tree.moments is not None:
        nodes["impurity"] = tree.variance[np.maximum(made.source, 0)]
    return nodes


def _values(made: BinaryTree, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the prediction of each node; nodes added within a test get the mean of those below."""
    values, weights = value[np.maximum(made.source, 0)], np.array(made.weight)
    for i in reversed(range(len(values))):
        if made.source[i] < 0:
            below = [made.left[i], made.right[i]]
            weight = weights[below]
            weight = weight if weight.any() else np.ones(2)
            values[i] = (values[below] * weight[:, None]).sum(axis=0) / weight.sum()
    return values


def _depths(made: BinaryTree) -> NDArray[np.int64]:
    depths = np.zeros(len(made.left), np.int64)
    for i, (left, right) in enumerate(zip(made.left, made.right, strict=True)):
        if left >= 0:
            depths[[left, right]] = depths[i] + 1
    return depths


def _float32_below(threshold: float) -> float:
    """Return the largest float32 up to `threshold`: float32 values take the same branches."""
    with np.errstate(over="ignore"):
        single = np.float32(threshold)
    return float(np.nextafter(single, np.float32(-np.inf)) if float(single) > threshold else single)


def _encoder(model: Model) -> ColumnTransformer:
    """Return the transformer that turns levels into numbers, column by column."""
    one_hot = {j for j, level in model.columns if level is not None}
    tested = {j for j, _ in model.columns}
    columns: list[tuple[str, Any, list[int]]] = []
    for j, levels in enumerate(model.levels):
        transformer: Any = "passthrough"
        if levels is not None:
            name = model.feature_names[j]
            transformer = _of_levels(name, _levels(name, levels), j in one_hot)
        transformer = transformer if j in tested else "drop"  # of one-hot codes without a level
        columns.append((f"column{j}", transformer, [j]))
    return ColumnTransformer(columns, sparse_threshold=0.0)


def _levels(name: str, levels: Any) -> list[Any]:
    """Return levels as plain values, or a placeholder if `fit` saw no value of the feature."""
    return plain_levels(name, levels) or [""]


def _of_levels(name: str, levels: list[Any], one_hot: bool) -> Any:
    are_numbers = all(isinstance(level, int | float) for level in levels)
    if are_numbers and levels != sorted(levels):
        raise ValueError(
            f"Numeric levels must be in ascending order, and the levels of {name!r} are not."
        )
    categories = [np.array(levels, None if are_numbers else object)]
    if one_hot:
        return OneHotEncoder(categories=categories, handle_unknown="ignore", sparse_output=False)
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}
    return OrdinalEncoder(categories=categories, encoded_missing_value=np.nan, **unknown)


def _first_levels(model: Model, names: NDArray[Any] | None) -> Any:
    """Return a table of one row with a valid value for each column."""
    row = [
        0.0 if levels is None else _levels(name, levels)[0]
        for name, levels in zip(model.feature_names, model.levels, strict=True)
    ]
    columns = range(len(row)) if names is None else names
    table = pd.concat([pd.Series([v], name=c) for c, v in zip(columns, row, strict=True)], axis=1)
    return table if names is not None else table.astype(object).to_numpy()
