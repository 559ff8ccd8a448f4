"""A computed cell: what it yields, how that is packed for the store, and its digests."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import itertools
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.trees.node_tests import Centres
from retree.trees.tree import Tree

# No compressed text begins like this.
_NUMBERS = b"f8"
# What the outputs of a cell may have when they are unpacked.
MOST_BYTES = 2**26
NO_SCORES: Mapping[str, float] = {}


@dataclass(frozen=True)
class Outcome:
    """The result of one cell, or why there is none."""

    key: str
    error: str | None = None  # Traceback of a failed cell; all below is then None
    # Share of the test rows whose class is predicted; None for a regression.
    accuracy: float | None = None
    depth: float | None = None  # Size of the tree; None for an estimator that has no such size
    leaves: float | None = None
    nodes: float | None = None
    fit_seconds: float | None = None  # Wall and CPU time of the fit
    cpu_seconds: float | None = None
    shared: bool = False  # Whether the times are an equal share of a fit of several points at once
    n_train: int | None = None
    n_features: int | None = None
    n_test: int | None = None
    # What the cell's trees and predictions come down to, see `cell_digest`.
    digest: str | None = None
    predictions: bytes | None = None  # Class codes of the test rows, packed
    tree: bytes | None = None  # The tree, packed; kept only where the protocol does not split
    # The metrics that were asked for besides; NaN where one is not defined.
    scores: Mapping[str, float] = field(default_factory=dict)
    # What the estimator answered besides its predictions, packed; only if a metric needed it.
    probabilities: bytes | None = None
    # What the process that computed it says of itself; None if that process died.
    by: Mapping[str, Any] | None = None


class StoredCell(NamedTuple):
    """The stored values of a cell, its outputs apart; names mean the same as in `Outcome`.

    A failed cell has only its error, and the run.
    """

    error: str | None
    accuracy: float | None
    depth: float | None
    leaves: float | None
    nodes: float | None
    fit_seconds: float | None
    cpu_seconds: float | None
    shared: bool | None
    n_train: int | None
    n_features: int | None
    n_test: int | None
    digest: str | None
    run: int  # The number of the run that computed it
    outputs: str | None  # The hash of its predictions and tree, None where none are kept
    scores: Mapping[str, float]


def pack_predictions(predicted: NDArray[Any]) -> bytes:
    """Return predictions, shape (n_test,), compressed.

    Class codes are little-endian 16-bit integers, numbers are 64-bit floats behind a mark.
    """
    if predicted.dtype.kind == "f":
        return _NUMBERS + zlib.compress(predicted.astype("<f8").tobytes())
    return zlib.compress(predicted.astype("<u2").tobytes())


def unpack_predictions(blob: bytes) -> NDArray[Any]:
    """Return the class codes, or numbers, that `pack_predictions` packed."""
    if blob.startswith(_NUMBERS):
        return np.frombuffer(_unpack(blob[len(_NUMBERS) :]), "<f8")
    return np.frombuffer(_unpack(blob), "<u2").astype(np.intp)


def _unpack(blob: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(blob, MOST_BYTES)
    if not unpacker.eof:
        raise ValueError(f"predictions are cut off, or larger than {MOST_BYTES:,} bytes")
    return content


def pack_tree(tree: Tree) -> bytes:
    """Return the fields of `tree`, and each field of its centres, as a compressed npz file."""
    fields = {f.name: getattr(tree, f.name) for f in dataclasses.fields(tree)}
    if (centres := fields.pop("centres")) is not None:
        fields |= {f"centres.{name}": v for name, v in centres._asdict().items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: v for name, v in fields.items() if v is not None})
    return buffer.getvalue()


def unpack_tree(blob: bytes) -> Tree:
    """Return the tree that `pack_tree` packed."""
    with zipfile.ZipFile(io.BytesIO(blob)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"a tree is larger than {MOST_BYTES:,} bytes")
    with np.load(io.BytesIO(blob), allow_pickle=False) as file:
        fields = {k: v.item() if v.ndim == 0 else v for k, v in file.items()}
    of_centres = {
        k: fields.pop(f"centres.{k}") for k in Centres._fields if f"centres.{k}" in fields
    }
    return Tree(**fields, centres=Centres(**of_centres) if of_centres else None)


TREE_DIGITS, CELL_DIGITS, SEAL_DIGITS = 32, 16, 16


def seal(values: Sequence[Any]) -> str:
    """Return the checksum over the values of a row of the store, in the order of the columns."""
    texts = [repr(float(v)) if isinstance(v, (int, float)) else repr(v) for v in values]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:SEAL_DIGITS]


def outputs_hash(predictions: bytes | None, tree: bytes | None) -> str:
    """Return the checksum of a cell's packed predictions and tree, "" of what are none."""
    if not all(isinstance(blob, bytes | None) for blob in (predictions, tree)):
        return ""
    hashes = (hashlib.sha256(blob or b"").digest() for blob in (predictions, tree))
    return hashlib.sha256(b"".join(hashes)).hexdigest()[:SEAL_DIGITS]


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
    for part in filter(attrgetter("compare"), dataclasses.fields(tree)):
        value = getattr(tree, part.name)
        if isinstance(value, Centres):
            yield from ((f"centres.{name}", each) for name, each in value._asdict().items())
        elif value is not None:
            yield part.name, value


def _update(digest: Any, name: str, value: Any) -> None:
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array) + 0.0
    array = array.astype("<f8" if array.dtype.kind == "f" else "<i8")
    digest.update(f"{name}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).tobytes())
