"""The columns of a study's data set in words, a line for each, with what looks like a slip."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

import pandas as pd

from retree_lab.datasets.own import OwnData

# Numbers with a comma, a unit or a currency, dates, and numbers in hexadecimal.
_DISGUISED = re.compile(
    r"[-+]?[$€£]?\s?\.?\d[\d.,' ]*(e[-+]?\d+)?\s?[%$€£]?|0x[\da-f]+"
    r"|\d{4}-\d\d?-\d\d?.*|\d\d?/\d\d?/\d+.*",
    re.IGNORECASE,
)
_MOST_COLUMNS, _MOST_CLASSES = 30, 10


def column_lines(X: pd.DataFrame, y: pd.Series, about: OwnData) -> Iterator[str]:
    """Yield what the target and each of the first features are, and what to look at."""
    target = about.target or "target"
    yield f"{target}: {_describe_target(y)}"
    yield from _twins(target, pd.Categorical(y).categories if y.dtype.kind != "f" else ())
    for name in X.columns[:_MOST_COLUMNS]:
        yield f"{name}: {describe_column(X[name])}"
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            yield from _twins(name, X[name].cat.categories)
            if about.is_csv and name not in (*about.categorical, *about.levels):
                yield from _disguised(name, list(X[name].cat.categories))
    if X.shape[1] > _MOST_COLUMNS:
        yield f"and {X.shape[1] - _MOST_COLUMNS:,} more columns"


def _describe_target(y: pd.Series) -> str:
    """Return the number of rows of each class, as "2 classes (no 5, yes 3)"."""
    if y.dtype.kind == "f":
        return f"numeric, from {y.min():g} to {y.max():g}"
    counts = y.value_counts().sort_index()
    some = ", ".join(
        f"{_cut(str(label))} {n:,}" for label, n in counts.iloc[:_MOST_CLASSES].items()
    )
    return f"{len(counts)} classes ({some}{', …' if len(counts) > _MOST_CLASSES else ''})"


def describe_column(column: pd.Series) -> str:
    """Return type, levels and missing values of a feature, as "numeric, 3 missing"."""
    absent = int(column.isna().sum())
    kind = "numeric"
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = list(column.cat.categories)
        some = ", ".join(_cut(level) for level in levels[:5])
        kind = f"categorical, {len(levels)} level{'' if len(levels) == 1 else 's'}"
        kind += f" ({some}{', …' if len(levels) > 5 else ''})" if levels else ""
    return f"{kind}, {absent} missing" if absent else kind


def _cut(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:19]}…"


def _twins(name: str, levels: Iterable[str]) -> Iterator[str]:
    """Yield the levels that are one but for blanks and case."""
    seen: dict[str, str] = {}
    for level in levels:
        other = seen.setdefault("".join(level.split()).casefold(), level)
        if other != level:
            yield f"{name}: {other!r} and {level!r} differ only in spaces or case: one level?"


def _disguised(name: str, levels: Collection[str]) -> Iterator[str]:
    """Yield a line if most levels look like numbers, so that another one made them levels."""
    alike = sum(bool(_DISGUISED.fullmatch(level)) for level in levels)
    if alike > len(levels) / 2:
        yield (
            f"{name}: {alike} of {len(levels)} levels look like numbers or dates; "
            f"numeric: [{name}] reads them so, or names the first that is neither; "
            f"categorical: [{name}] keeps them as levels"
        )
