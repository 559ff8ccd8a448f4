"""The real data sets of tests: those of ``data/sets``, and a few beside them."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import pandas as pd

from retree_lab import paths

MORE = Path(__file__).parent / "reference" / "sets"


def read_set(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the columns of a set (float64, or category with sorted levels) and its labels."""
    X, y = _read(name)
    return X.copy(), y.copy()


@cache
def _read(name: str) -> tuple[pd.DataFrame, pd.Series]:
    folder = next(f for f in (paths.sets_dir(), MORE) if (f / f"{name}.csv.gz").exists())
    kinds = pd.read_csv(folder / "index.csv", index_col="name").loc[name, "feature_types"]
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        table = pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""])
    X = table.drop(columns="class")
    for column, kind in zip(X, kinds, strict=True):
        levels = sorted(X[column].dropna().unique())
        X[column] = X[column].astype(float if kind == "N" else pd.CategoricalDtype(levels))
    return X, table["class"]
