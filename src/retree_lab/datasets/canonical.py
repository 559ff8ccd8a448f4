"""One form for the content of all sources, its hashes, and how two contents differ.

Canonical content is a frame of float64 and category columns (levels: stripped strings, sorted)
and a series of string labels called ``class``. Rows keep the order of the source; for a bundled set
only that of the bundled file counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from retree.errors import DataError
from retree_lab.study.catalogue import Raw

_SEPARATOR = "\x1f"


def canonicalise(
    frame: pd.DataFrame, raw: Raw, options: Mapping[str, Any] | None = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Return features and labels of a source's table in canonical form.

    Shapes: `frame` (n_rows, n_columns), result (n_rows, n_features), result (n_rows,).
    `frame`: the table as the source gave it. Features are taken by name if the source has the same
    names, whatever case and punctuation, else by position.
    `options`: the source's options: ``target`` (name of the class column; default: the last one),
    ``drop`` (columns to leave out), ``rows`` (first, end), ``levels`` (per column, the source's
    spelling to the canonical one), ``labels`` (list of label maps; the first one that knows all the
    source's labels is applied).
    """
    options = options or {}
    frame, target = _select(frame, options)
    frame = _in_order(frame, raw.features)
    if frame.shape[1] != len(raw.features):
        raise DataError(f"it has {frame.shape[1]} feature columns, not {len(raw.features)}")
    columns: dict[str, Any] = {}
    for position, name in enumerate(raw.features):
        column = frame.iloc[:, position]
        if name in raw.categorical:
            levels = options.get("levels", {}).get(name, {})
            columns[name] = _categories(column, raw.missing, levels)
        else:
            columns[name] = _numbers(column, raw.missing, name)
    y = _labels(target, options.get("labels", ()))
    return pd.DataFrame(columns, index=y.index), y


def _select(frame: pd.DataFrame, options: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.Series]:
    target = options.get("target", frame.columns[-1])
    if target not in frame.columns:
        raise DataError(f"it has no column {target!r} for the class")
    frame = frame.drop(columns=[name for name in options.get("drop", ()) if name in frame.columns])
    first, end = options.get("rows", (0, len(frame)))
    frame = frame.iloc[first:end]
    return frame.drop(columns=[target]), frame[target]


def _in_order(frame: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """Return the columns in the order of `features` if they have these names, else as they are."""
    plain = [_plain(name) for name in frame.columns]
    wanted = [_plain(name) for name in features]
    if len(set(plain)) < len(plain) or set(plain) != set(wanted):
        return frame
    return frame.iloc[:, [plain.index(name) for name in wanted]]


def _plain(name: object) -> str:
    return "".join(c for c in str(name).casefold() if c.isalnum())


def _clean(value: object) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().strip("'\"").strip()


def _texts(column: pd.Series) -> tuple[npt.NDArray[np.intp], list[str]]:
    """Return a code per row (-1: missing) and the clean text of each code."""
    codes, values = pd.factorize(column.to_numpy(dtype=object), use_na_sentinel=True)
    return codes, [_clean(value) for value in values]


def _numbers(column: pd.Series, missing: Collection[str], name: str) -> npt.NDArray[np.float64]:
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=np.float64) + 0.0
    codes, texts = _texts(column)
    try:
        numbers = [np.nan if t == "" or t in missing else float(t) for t in texts]
    except ValueError as error:
        raise DataError(f"its column {name!r} holds a cell that is not a number: {error}") from None
    # Adding zero makes -0.0 and 0.0 one value; the last element serves the code -1.
    values: npt.NDArray[np.float64] = np.array([*numbers, np.nan])[codes] + 0.0
    return values


def _categories(
    column: pd.Series, missing: Collection[str], spelling: Mapping[str, str]
) -> pd.Categorical[str]:
    codes, texts = _texts(column)
    texts = [spelling.get(text, text) for text in texts]
    levels = sorted(set(texts).difference(missing, [""]))
    position = {level: i for i, level in enumerate(levels)}
    recoded = np.array([*(position.get(text, -1) for text in texts), -1])
    return pd.Categorical.from_codes(recoded[codes], categories=pd.Index(levels, dtype=str))


def _labels(column: pd.Series, maps: Collection[Mapping[str, str]]) -> pd.Series:
    codes, texts = _texts(column)
    if (codes < 0).any() or "" in texts:
        raise DataError("its class column has empty cells")
    for labels in maps:
        if set(texts) <= set(labels):
            texts = [labels[text] for text in texts]
            break
    return pd.Series(np.array(texts, dtype=object)[codes], name="class", dtype=str)


def cell_texts(X: pd.DataFrame, y: pd.Series) -> list[npt.NDArray[np.object_]]:
    """Return the columns of `X`, then `y`, as arrays of texts: floats by repr, missing empty."""
    return [*(_column_texts(X[name]) for name in X.columns), y.to_numpy(dtype=object)]


def _column_texts(column: pd.Series) -> npt.NDArray[np.object_]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [*(str(level) for level in column.cat.categories), ""]
        return np.array(levels, dtype=object)[column.cat.codes.to_numpy()]
    values, codes = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
    texts = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
    return np.array(texts, dtype=object)[codes]


def sorted_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the sha256 of the sorted rows: equal for copies that differ in row order or names."""
    rows = sorted(map(_SEPARATOR.join, zip(*cell_texts(X, y), strict=True)))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def ordered_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the sha256 of names, types, levels, values, row order and labels."""
    digest = hashlib.sha256(repr((list(X.columns), list(map(str, X.dtypes)), len(X))).encode())
    for name in X.columns:
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            # Levels that no row has are branches of a multiway split all the same.
            texts = [*X[name].cat.categories, *_column_texts(X[name])]
            digest.update(_SEPARATOR.join(texts).encode())
        else:
            digest.update(X[name].to_numpy(dtype="<f8").tobytes())
    declared = y.cat.categories if isinstance(y.dtype, pd.CategoricalDtype) else ()
    digest.update(_SEPARATOR.join([*declared, *y]).encode())
    return digest.hexdigest()


SHOWN = 10
# Beyond so many comparisons of rows the contents are different samples, not different cells.
_MOST_PAIRS = 1_000_000

Rows = npt.NDArray[np.object_]


def relabelled(
    X: pd.DataFrame, y: pd.Series, reference: tuple[pd.DataFrame, pd.Series]
) -> pd.Series:
    """Return `y` with the labels of the reference, where only their spelling differs.

    Two labels are one class if the rows of both are equal as multisets.
    """
    if set(y) <= set(reference[1]):
        return y
    ours, theirs = _classes(*reference), _classes(X, y)
    spelling = {label: ours[rows] for rows, label in theirs.items() if rows in ours}
    if len(spelling) < y.nunique():
        return y
    return y.map(spelling).astype(str)


def find_difference(
    X: pd.DataFrame, y: pd.Series, reference: tuple[pd.DataFrame, pd.Series]
) -> list[str]:
    """Return how canonical content differs from the reference, whose rows count as numbered from 1.

    First comes half a sentence, then up to `SHOWN` differences; nothing if both have the same rows.
    Shapes: `X` (n_rows, n_features), `y` (n_rows,).
    """
    theirs, ours = _rows(X, y), _rows(*reference)
    lacking, surplus = _left_over(ours, theirs), _left_over(theirs, ours)
    if not len(lacking) and not len(surplus):
        return []
    names = [*map(str, reference[0].columns), "class"]
    columns: list[int] = []
    first = []
    pairs = _nearest(ours[lacking], theirs[surplus])
    for i, j in pairs:
        row, other = ours[lacking[i]], theirs[surplus[j]]
        for k in np.flatnonzero(row != other):
            columns.append(int(k))
            first.append(f"row {lacking[i] + 1}, {names[k]}: {other[k]!r} instead of {row[k]!r}")
    unmatched = np.delete(lacking, [i for i, _ in pairs])
    foreign = np.delete(surplus, [j for _, j in pairs])
    first += [f"row {i + 1} is missing: {', '.join(ours[i])}" for i in unmatched[:SHOWN]]
    first += [f"extra row: {', '.join(theirs[j])}" for j in foreign[:SHOWN]]
    sentences = [f"it lacks {len(unmatched)} of {len(ours)} rows"] if len(unmatched) else []
    sentences += [f"it has {len(foreign)} other rows"] if len(foreign) else []
    if columns:
        what = "cell differs" if len(columns) == 1 else "cells differ"
        differing = ", ".join(names[k] for k in sorted(set(columns)))
        sentences.append(f"{len(columns)} {what} ({differing})")
    return [", ".join(sentences), *first[:SHOWN]]


def _classes(X: pd.DataFrame, y: pd.Series) -> dict[str, str]:
    """Return each label by the hash of its rows."""
    return {
        sorted_sha256(X[y == label], pd.Series("", index=y.index[y == label])): label
        for label in y.unique()
    }


def _rows(X: pd.DataFrame, y: pd.Series) -> Rows:
    return np.column_stack(cell_texts(X, y))


def _left_over(rows: Rows, others: Rows) -> npt.NDArray[np.intp]:
    """Return the positions of the rows that `others` does not have, or not as often."""
    available = Counter(map(tuple, others))
    left = []
    for i, row in enumerate(map(tuple, rows)):
        available[row] -= 1
        if available[row] < 0:
            left.append(i)
    return np.array(left, dtype=np.intp)


def _nearest(ours: Rows, theirs: Rows) -> Sequence[tuple[int, int]]:
    """Return pairs of rows that have most cells in common, each row in one pair at most."""
    if len(ours) * len(theirs) > _MOST_PAIRS:
        return []
    free = np.ones(len(theirs), dtype=bool)
    pairs = []
    for i, row in enumerate(ours):
        common = np.where(free, (theirs == row).sum(axis=1), -1)
        if len(common) and 2 * common.max() > ours.shape[1]:
            pairs.append((i, int(common.argmax())))
            free[common.argmax()] = False
    return pairs
