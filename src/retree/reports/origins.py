"""Where the data behind a report came from."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from retree.datasets import Dataset, catalogue
from retree.errors import DataError
from retree.reports.context import Context


@dataclass(frozen=True)
class Origin:
    """Facts on a data set as it was used."""

    name: str  # Its name, where its content came from, and the hash of the content
    source: str
    sha256: str
    n_samples: int  # Its shape, and how many classes occur, 0 if the target is a number
    n_features: int
    n_classes: int
    n_nominal: int  # Attributes of each kind, and cells without a value
    n_numeric: int
    n_missing: int
    generated: bool  # Whether it is a fresh draw although a published sample exists
    note: str  # What the catalogue says of it


def origin(dataset: Dataset) -> Origin:
    """Return the origin of a data set."""
    n_nominal = dataset.X.select_dtypes(exclude="number").shape[1]
    drawn = dataset.source == "generator"
    published = drawn and set(catalogue.root(catalogue.find(dataset.name)).sources) - {"generator"}
    return Origin(
        name=dataset.name,
        source=dataset.source,
        sha256=dataset.sha256,
        n_samples=dataset.X.shape[0],
        n_features=dataset.X.shape[1],
        n_classes=0 if dataset.is_regression else dataset.y.nunique(),
        n_nominal=n_nominal,
        n_numeric=dataset.X.shape[1] - n_nominal,
        n_missing=int(dataset.X.isna().to_numpy().sum()),
        generated=bool(published),
        note=dataset.note,
    )


def origins(names: Iterable[str], context: Context) -> dict[str, Origin]:
    """Return the origins of those data sets that are available here."""
    found = {}
    for name in names:
        with suppress(DataError):
            found[name] = origin(context.dataset(name))
    return found
