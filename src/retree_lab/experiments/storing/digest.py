"""Trees, predictions and rows as digests, equal exactly if every bit of them is."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.centres import Centres
from retree.trees.tree import Tree

TREE_DIGITS, CELL_DIGITS, SEAL_DIGITS = 32, 16, 16


def seal(values: Sequence[Any]) -> str:
    """Return the checksum over the values of a row of the store, in the order of the columns."""
    texts = [repr(float(v)) if isinstance(v, (int, float)) else repr(v) for v in values]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:SEAL_DIGITS]


def outputs_hash(predictions: bytes | None, tree: bytes | None) -> str:
    """Return the checksum of a cell's packed predictions and tree, "" of what are none."""
    if not all(isinstance(blob, bytes | None) for blob in (predictions, tree)):
        return ""
    parts = (hashlib.sha256(blob or b"").digest() for blob in (predictions, tree))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:SEAL_DIGITS]


def cell_digest(estimator: Any, predicted: NDArray[Any]) -> str:
    """Return the digest of a cell, 16 hex digits.

    Shapes: `predicted` (n_test,).
    `predicted`: class codes of the test rows, or numbers.
    """
    return outputs_digest(tree_digest(estimator), predicted)


def outputs_digest(tree: str | None, predicted: NDArray[Any]) -> str:
    """Return the digest of a cell from the digest of its trees, None without any."""
    kind = "<f8" if predicted.dtype.kind == "f" else "<u2"
    text = (tree or "").encode() + predicted.astype(kind).tobytes()
    return hashlib.sha256(text).hexdigest()[:CELL_DIGITS]


def tree_digest(estimator: Any) -> str | None:
    """Return the digest of a fitted estimator's trees, 32 hex digits.

    It covers every field that predictions depend on, of the tree or of all trees of a forest, and
    the weights of their votes. Negative zeros count as zeros and all NaN as one. None is that of an
    estimator without a `Tree`.
    """
    forest = getattr(estimator, "forest_", None)
    trees = forest.trees if forest is not None else [getattr(estimator, "tree_", None)]
    if not all(isinstance(tree, Tree) for tree in trees):
        return None
    digest = hashlib.sha256()
    for name, value in itertools.chain.from_iterable(map(_fields_of, trees)):
        _update(digest, name, value)
    if forest is not None:
        _update(digest, "vote_weight", forest.vote_weight)
    return digest.hexdigest()[:TREE_DIGITS]


def _fields_of(tree: Tree) -> Iterator[tuple[str, Any]]:
    for field in filter(attrgetter("compare"), dataclasses.fields(tree)):
        value = getattr(tree, field.name)
        if isinstance(value, Centres):
            yield from ((f"centres.{name}", part) for name, part in value._asdict().items())
        elif value is not None:
            yield field.name, value


def _update(digest: Any, name: str, value: Any) -> None:
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array) + 0.0
    array = array.astype("<f8" if array.dtype.kind == "f" else "<i8")
    digest.update(f"{name}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).tobytes())
