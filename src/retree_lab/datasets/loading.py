"""Loading a named data set, or another draw of it, verified and prepared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from retree.errors import DataError, refuse_unknown
from retree_lab.datasets.acquire import acquire, check_shape, fetch_generated
from retree_lab.datasets.canonical import canonicalise, ordered_sha256
from retree_lab.datasets.own import find_own, load_own, take_groups
from retree_lab.datasets.own_tables import content_sha256
from retree_lab.datasets.prepare import prepare
from retree_lab.study import catalogue
from retree_lab.study.available import available, load_paper_set, paper_sets
from retree_lab.study.catalogue import dataset_keys


@dataclass(frozen=True)
class Dataset:
    """A data set as the experiments use it.

    Attributes
    ----------
    name : str
        Its name in the catalogue.
    X : DataFrame of shape (n_samples, n_features)
        float64 columns (NaN: missing) and category columns with all levels of the set, in the
        order that its file declares, or sorted.
    y : Series of shape (n_samples,)
        String labels, or numbers for a regression; a category type if their order is declared.
    source : str
        Where the content came from.
    sha256 : str
        Hash of feature names, types, levels, values, row order and labels.
    note : str
        What the catalogue says of the set.
    test_rows : int
        How many rows, the last ones, are those of a test file of its own; 0 without one.
    groups : ndarray of shape (n_samples,) or None
        Which group each row is of, for protocols that keep groups together; None without any.
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    source: str
    sha256: str
    note: str
    test_rows: int = 0
    groups: NDArray[Any] | None = None

    @property
    def is_regression(self) -> bool:
        """Whether the target is a number."""
        return self.y.dtype.kind == "f"


def load(
    name: str, *, raw: bool = False, sources: Sequence[str] | None = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and labels of a data set; parameters as for `load_dataset`.

    Returns
    -------
    X : DataFrame of shape (n_samples, n_features)
    y : Series of shape (n_samples,)
        String labels, named ``class``; a category type if the set declares the order of its
        classes, or classes without rows.

    Examples
    --------
    >>> from retree_lab.datasets import load
    >>> X, y = load("xor")
    >>> X.shape
    (800, 2)
    """
    dataset = load_dataset(name, raw=raw, sources=sources)
    return dataset.X, dataset.y


def load_dataset(name: str, *, raw: bool = False, sources: Sequence[str] | None = None) -> Dataset:
    """Return a data set with its source and the hash of its content.

    Parameters
    ----------
    name : str
        A name of ``retree data list --all``, another usual name of such a set, or the name of a
        data set of an opened study.
    raw : bool, default=False
        Return the source's content (categories as categories, all classes) without the
        transforms of the catalogue.
    sources : sequence of str, optional
        Where to look, in order: ``"bundled"``, ``"mirror"``, ``"openml"``, ``"uci"`` by default. Of
        a bundled set the others count only if they have its rows. ``"generator"`` gives a fresh
        draw from the definition instead of the published sample. A set that needs no download is
        the same whatever is named here.

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownNameError
        If there is no such set or source.
    DataError
        If no source can give the set, or the content is not what the catalogue says.
    """
    if (file := find_own(name)) is not None:
        X, y, about = load_own(file)
        groups = take_groups(about, file, X)
        return Dataset(name, X, y, "own", content_sha256(X, y), about.note, groups=groups)
    name = dataset_keys([name])[name]
    if name in paper_sets():
        dataset: Dataset = load_paper_set(name, sources)
        return dataset
    refuse_unknown("data set", available("dataset"), name)
    entry = catalogue.find(name)
    content = acquire(catalogue.root(entry), sources)
    X, y = content.X, content.y
    if not raw:
        X, y = prepare(X, y, entry)
        _check_prepared(entry, content.source, X, y)
    return Dataset(entry.name, X, y, content.source, ordered_sha256(X, y), entry.note)


def _check_prepared(
    entry: catalogue.CatalogueEntry, source: str, X: pd.DataFrame, y: pd.Series
) -> None:
    expect = entry.expect
    shape = (expect["n_instances"], expect["n_features"])
    counts = y.value_counts().to_dict()
    # A generator draws its class counts; which classes there are is fixed all the same.
    same_classes = set(counts) == set(expect["classes"])
    if source != "generator":
        same_classes = counts == expect["classes"]
    if X.shape != shape or not same_classes:
        raise DataError(
            f"Prepared data set {entry.name!r} has shape {X.shape} and classes {counts}, not"
            f" {shape} and {dict(expect['classes'])}; correct its entry in the catalogue."
        )


_SEED = "random_state"


@lru_cache(maxsize=256)
def load_draw(name: str, number: int) -> Dataset:
    """Return another draw of a data set, of the same distribution and as many rows.

    `number`: 0 is the draw that a generator gives as the catalogue says, the others have the seeds
    after that one's.
    """
    entry = catalogue.find(name)
    root = catalogue.root(entry)
    options = root.sources.get("generator", {})
    arguments = options.get("arguments", {})
    if _SEED not in arguments:
        raise DataError(
            f"{name!r} cannot be drawn again: it is not a random sample of a generator."
        )
    seeded = {**options, "arguments": {**arguments, _SEED: arguments[_SEED] + number}}
    assert root.raw is not None
    X, y = canonicalise(fetch_generated(root.name, seeded), root.raw, options)
    check_shape(root, "generator", y)
    X, y = prepare(X, y, entry)
    return Dataset(entry.name, X, y, "generator", ordered_sha256(X, y), entry.note)
