"""Models as ONNX graphs, which compute with doubles in the order of the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import sum_of
from retree.errors import needs_extra
from retree.trees.interchange.model import BinaryTree, Model, binary_tree, model_of
from retree.trees.interchange.values import plain_classes, plain_levels

_INNER = "retree/"  # how names inside of a graph begin
_OUTPUTS = {"label", "probabilities", "variable"}
_ML = "ai.onnx.ml"


def to_onnx(estimator: Any) -> Any:
    """Return a fitted tree or forest as an ONNX model that makes the same predictions.

    Parameters
    ----------
    estimator : tree or forest of retree
        A fitted estimator.

    Returns
    -------
    onnx.ModelProto
        Without categorical features the model takes one input, ``X``, of doubles. With them it
        takes an input of shape (n_rows, 1) for each feature, with the feature's name. NaN is a
        missing value, as are levels that `fit` has not seen, such as ``""``. Classifiers return
        ``label``, and ``probabilities`` in the order of ``classes_``; regressors return
        ``variable``. All are equal bit by bit to retree's predictions, except for rows that a tree
        divides because a tested value is missing, as C4.5 does: in ONNX these take the heaviest
        branch.

    Raises
    ------
    MissingExtraError
        If onnx is not installed.
    ValueError
        If a tree tests for the nearest centre or has a separate branch for missing values, if
        values are filled in, if trees add up log odds, or if a tree would need more than 100,000
        nodes. Tests of weighted sums, of levels and of sets of levels can be converted.

    Examples
    --------
    >>> import retree
    >>> from sklearn.datasets import load_iris
    >>> model = retree.C45Classifier().fit(*load_iris(return_X_y=True))
    >>> [each.name for each in retree.to_onnx(model).graph.output]  # doctest: +SKIP
    ['label', 'probabilities']
    """
    with needs_extra("retree.to_onnx"):
        import onnx  # noqa: F401
    return _Graph(model_of(estimator)).to_onnx()


class _Graph:
    """Builds a graph node by node; its methods take and return names of tensors."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def to_onnx(self) -> Any:
        """Return the ONNX model."""
        from onnx import helper

        model, names = self._model, self._model.feature_names
        inputs = [("X", np.dtype(float), [None, len(names)])]
        if coded := any(levels is not None for levels in model.levels):
            if len({*names} | _OUTPUTS) < len(names) + len(_OUTPUTS):
                raise ValueError(
                    "Two features have the same name, or one has the name of an output, such as "
                    "label: rename it."
                )
            types = [np.dtype(float) if levels is None else _labels(name, levels).dtype
                     for name, levels in zip(names, model.levels, strict=True)]  # fmt: skip
            inputs = [(name, dtype, [None, 1]) for name, dtype in zip(names, types, strict=True)]
        outputs = self._outputs(self._sums(self._columns(coded)))
        graph = helper.make_graph(
            self._nodes,
            "retree",
            [helper.make_tensor_value_info(n, _type(t), shape) for n, t, shape in inputs],
            [helper.make_tensor_value_info(n, _type(t), shape) for n, t, shape in outputs],
            self._constants,
        )
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(_ML, 5)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)

    def _columns(self, coded: bool) -> str:
        """Return the columns that the trees test, shape (n_rows, n_columns)."""
        model, columns = self._model, "X"
        if coded:
            columns = self._add("Concat", *map(self._column, range(len(model.columns))), axis=1)
        if not len(model.sums):
            return columns
        total, zero = self._constant(np.zeros((1, len(model.sums)))), self._constant(np.zeros(1))
        for j in np.flatnonzero(model.sums.any(axis=0)).tolist() or [0]:
            column = self._add("Gather", columns, self._constant(np.array([j])), axis=1)
            product = self._add("Mul", column, self._constant(model.sums[None, :, j]))
            # A missing value does not matter where its coefficient is zero.
            is_zero = self._constant(model.sums[None, :, j] == 0)
            total = self._add("Add", total, self._add("Where", is_zero, zero, product))
        return self._add("Concat", columns, total, axis=1)

    def _column(self, number: int) -> str:
        """Return a column of numbers, level codes, or indicators of one level."""
        j, level = self._model.columns[number]
        name, levels = self._model.feature_names[j], self._model.levels[j]
        if levels is None:
            return name
        labels, other = _labels(name, levels), np.nan
        codes = np.arange(float(len(labels)))
        if level is not None:
            labels, codes, other = labels[[level]], np.ones(1), 0.0
        if labels.dtype == bool:  # which no encoder takes
            name, labels = self._add("Cast", name, to=_type(np.dtype(int))), labels.astype(int)
        tensors = {"keys": labels, "values": codes, "default": np.array([other])}
        coder = {f"{key}_tensor": _tensor(array, key) for key, array in tensors.items()}
        return self._add("LabelEncoder", name, domain=_ML, **coder)

    def _sums(self, columns: str) -> str:
        """Return the predictions of the trees, added up in order."""
        model = self._model
        trees = [binary_tree(model, number) for number in range(len(model.trees))]
        leaves = self._add("TreeEnsemble", columns, domain=_ML, **_ensemble(trees))
        leaves = self._add("Cast", leaves, to=_type(np.dtype(int)))
        weights = np.ones(1) if model.weights is None else model.weights
        total = ""
        for t, (tree, weight) in enumerate(zip(model.trees, weights.tolist(), strict=True)):
            node = self._add("Gather", leaves, self._constant(np.array(t)), axis=1)
            term = self._add("Gather", self._constant(weight * model.values(tree)), node, axis=0)
            total = self._add("Add", total, term) if total else term
        return total

    def _outputs(self, sums: str) -> list[tuple[str, np.dtype[Any], list[Any]]]:
        """Add the outputs, and return their names, types and shapes."""
        model, shares = self._model, sums
        if model.classes is None:
            return [(self._add("Identity", sums, name="variable"), np.dtype(float), [None, 1])]
        if model.weights is not None:
            shares = self._add("Div", sums, self._constant(np.array(sum_of(model.weights))))
            shares = self._add("Min", shares, self._constant(np.array(1.0)))
        highest = sums
        if model.tie:
            highest = self._add("ReduceMax", shares, self._constant(np.array([1])))
            highest = self._add("Sub", highest, self._constant(np.array(model.tie)))
            highest = self._add("Greater", shares, highest)
            highest = self._add("Cast", highest, to=_type(np.dtype(int)))
        code = self._add("ArgMax", highest, axis=1, keepdims=0)  # the first of several
        labels = _array(plain_classes(model.classes))
        order = self._constant(np.argsort(model.classes))
        label = self._add("Gather", self._constant(labels), code, name="label")
        shares = self._add("Gather", shares, order, axis=1, name="probabilities")
        return [(label, labels.dtype, [None]), (shares, np.dtype(float), [None, len(labels)])]

    def _add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        from onnx import helper

        name = name or f"{_INNER}{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def _constant(self, array: NDArray[Any]) -> str:
        name = f"{_INNER}constant/{len(self._constants)}"
        self._constants.append(_tensor(array, name))
        return name


def _ensemble(trees: list[BinaryTree]) -> dict[str, Any]:
    """Return the attributes of an ensemble that outputs the node each tree sends a row to."""
    roots, targets, sources, tables = [0], list[int](), list[float](), []
    for t, tree in enumerate(trees):
        left, right, is_leaf = np.array(tree.left), np.array(tree.right), np.array(tree.left) < 0
        # The places among the leaves of all trees, and among their other nodes.
        first = np.where(is_leaf, len(targets), roots[-1])
        place = first + np.where(is_leaf, is_leaf.cumsum(), (~is_leaf).cumsum()) - 1
        # A tree of one leaf has a test of which both branches lead there.
        inner = np.flatnonzero(~is_leaf) if len(left) > 1 else np.array([0])
        on = np.maximum([left[inner], right[inner]], 0)
        of_node = (np.maximum(tree.column, 0), np.nan_to_num(tree.threshold), tree.missing_left)
        tables.append(np.array([*(np.array(each)[inner] for each in of_node), *place[on],
                                *is_leaf[on]], np.float64))  # fmt: skip
        roots.append(roots[-1] + len(inner))
        targets += [t] * int(is_leaf.sum())
        sources += np.array(tree.source)[is_leaf].tolist()
    columns, splits, *others = np.concatenate(tables, axis=1)
    names = ("missing_value_tracks_true", "truenodeids", "falsenodeids", "trueleafs", "falseleafs")
    numbers = dict(zip(("featureids", *names), (columns, *others), strict=True))
    return {
        **{f"nodes_{name}": row.astype(int).tolist() for name, row in numbers.items()},
        "nodes_splits": _tensor(splits, "splits"),
        "nodes_modes": _tensor(np.zeros(len(splits), np.uint8), "modes"),  # at most
        "tree_roots": roots[:-1],
        "leaf_targetids": targets,
        "leaf_weights": _tensor(np.array(sources, np.float64), "weights"),
        "n_targets": len(trees),
    }


def _labels(name: str, levels: Any) -> NDArray[Any]:
    """Return levels, or a placeholder if `fit` saw no value of the feature."""
    return _array(plain_levels(name, levels) or [""])


def _array(labels: list[Any]) -> NDArray[Any]:
    """Return labels as an array of texts (with dtype object), numbers or booleans."""
    array = np.array(labels)
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError("Labels that mix strings and numbers have no common type in ONNX.")
    return array.astype(object) if array.dtype.kind == "U" else array


def _tensor(array: NDArray[Any], name: str) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(array, name)


def _type(dtype: np.dtype[Any]) -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(dtype))
