"""The transforms that turn raw content into what a paper used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from retree.errors import DataError, refuse_unknown
from retree_lab.study.catalogue import CatalogueEntry

Pair = tuple[pd.DataFrame, pd.Series]


def prepare(X: pd.DataFrame, y: pd.Series, entry: CatalogueEntry) -> Pair:
    """Apply the transforms of a catalogue entry, in order."""
    for step, parameters in (pair for each in entry.prepare for pair in each.items()):
        refuse_unknown("transform", TRANSFORMS, step)
        try:
            X, y = TRANSFORMS[step](X, y, **parameters)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise DataError(
                f"Transform {step!r} of data set {entry.name!r} does not fit the data ({error});"
                " correct its entry in the catalogue."
            ) from error
    return X, y


def drop(X: pd.DataFrame, y: pd.Series, columns: Sequence[str]) -> Pair:
    """Leave out `columns`."""
    return X.drop(columns=list(columns)), y


def one_hot(X: pd.DataFrame, y: pd.Series, missing_level: str | None = None) -> Pair:
    """Replace each category column by one 0/1 column per level, in the column's place.

    With `missing_level`, missing cells are a level of that name; otherwise they are 0 everywhere.
    """
    columns: dict[str, pd.Series] = {}
    for name in X.columns:
        column = X[name]
        if not _is_category(column):
            columns[name] = column
            continue
        levels = [*column.cat.categories]
        if missing_level is not None and column.isna().any():
            column = column.cat.add_categories([missing_level]).fillna(missing_level)
            levels = sorted([missing_level, *levels])
        columns |= {f"{name}={level}": (column == level).astype(np.float64) for level in levels}
    return pd.DataFrame(columns), y


def label_codes(X: pd.DataFrame, y: pd.Series) -> Pair:
    """Replace each category by the position of its level among the sorted levels, from 0."""
    return _map_categories(X, lambda column: column.cat.codes.where(column.notna())), y


def as_numbers(X: pd.DataFrame, y: pd.Series) -> Pair:
    """Read the levels of the category columns as numbers."""
    return _map_categories(X, lambda column: column), y


def as_categories(X: pd.DataFrame, y: pd.Series, columns: Sequence[str]) -> Pair:
    """Make number `columns` categories; the levels are the numbers as texts, sorted."""
    return X.assign(**{name: _as_category(X[name]) for name in columns}), y


def add_levels(X: pd.DataFrame, y: pd.Series, levels: Mapping[str, Sequence[str]]) -> Pair:
    """Declare more levels of category columns, which no row has; all levels stay sorted.

    A multiway split then has a branch for them too, as in Weka.
    """
    return X.assign(**{name: _with_levels(X[name], more) for name, more in levels.items()}), y


def order_levels(X: pd.DataFrame, y: pd.Series, levels: Mapping[str, Sequence[str]]) -> Pair:
    """Put all levels of category columns into the given order, as the header of an ARFF file does.

    C4.5 raises the last of its heaviest branches, so the order decides ties.
    """
    return X.assign(**{name: _in_order(X[name], order) for name, order in levels.items()}), y


def merge_classes(
    X: pd.DataFrame, y: pd.Series, groups: Mapping[str, Sequence[str]], rest: str
) -> Pair:
    """Give each group of classes the name of the group, and all other classes the name `rest`."""
    new = {old: group for group, members in groups.items() for old in members}
    if absent := sorted(set(new).difference(y)):
        raise ValueError(f"there is no class {', '.join(absent)}")
    return X, y.map(lambda label: new.get(label, rest)).astype(str)


def number_classes(X: pd.DataFrame, y: pd.Series, classes: Sequence[str]) -> Pair:
    """Put its place in `classes` before the name of each class, so that they sort in that order."""
    if absent := sorted(set(y).symmetric_difference(classes)):
        raise ValueError(f"either the data or the list lacks class {', '.join(absent)}")
    return X, y.map({label: f"{i} {label}" for i, label in enumerate(classes, 1)}).astype(str)


def add_classes(X: pd.DataFrame, y: pd.Series, classes: Sequence[str]) -> Pair:
    """Declare more classes, which no row has; all classes stay sorted.

    They enter the smallest side of a numeric test of C4.5, as in Weka.
    """
    if present := sorted(set(y).intersection(classes)):
        raise ValueError(f"rows have class {', '.join(present)}")
    declared = pd.Index(sorted([*y.unique(), *classes]), dtype=str)
    return X, y.astype(pd.CategoricalDtype(declared))


def order_rows(X: pd.DataFrame, y: pd.Series, rows: Sequence[int]) -> Pair:
    """Put the rows, numbered from 0, into the order of `rows`."""
    if sorted(rows) != list(range(len(X))):
        raise ValueError(f"rows must name each of {len(X)} rows once")
    return X.iloc[list(rows)].reset_index(drop=True), y.iloc[list(rows)].reset_index(drop=True)


def complete_rows(X: pd.DataFrame, y: pd.Series) -> Pair:
    """Leave out the rows with a missing value."""
    kept = X.notna().all(axis=1)
    return X[kept].reset_index(drop=True), y[kept].reset_index(drop=True)


TRANSFORMS: dict[str, Callable[..., Pair]] = {
    transform.__name__: transform
    for transform in (
        *(add_classes, add_levels, as_categories, as_numbers, complete_rows, drop, label_codes),
        *(merge_classes, number_classes, one_hot, order_levels, order_rows),
    )
}


def _is_category(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def _map_categories(X: pd.DataFrame, change: Callable[[pd.Series], pd.Series]) -> pd.DataFrame:
    return X.apply(lambda c: change(c).astype(np.float64) if _is_category(c) else c)


def _as_category(column: pd.Series) -> pd.Series:
    texts = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    levels = pd.Index(sorted(texts.dropna().unique()), dtype=str)
    return texts.astype(pd.CategoricalDtype(levels))


def _with_levels(column: pd.Series, more: Sequence[str]) -> pd.Series:
    levels = pd.Index(sorted([*column.cat.categories, *more]), dtype=str)
    return column.cat.set_categories(levels)


def _in_order(column: pd.Series, order: Sequence[str]) -> pd.Series:
    if sorted(order) != sorted(column.cat.categories):
        raise ValueError(f"{column.name} has levels {', '.join(column.cat.categories)}: name each")
    return column.cat.set_categories(pd.Index(order, dtype=str))
