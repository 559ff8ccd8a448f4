"""A data set for the checkout: the table, its description, and its rows in the lists of all."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.datasets.canonical import canonicalise, sorted_sha256
from retree_lab.datasets.own_tables import MISSING, read_table, typed_feature
from retree_lab.plain_files import write_atomically
from retree_lab.study import catalogue
from retree_lab.study.catalogue import Raw
from retree_lab.study.folders import check_name

_CATALOGUE = """\
name: {name}
title: {title}
sources:
  bundled: {{file: {name}}}
raw:
  features: {features}
  categorical: {categorical}
  classes: {classes}
prepare: []
expect:
  n_instances: {n_instances}
  n_features: {n_features}
  classes: {classes}
"""


def add_dataset(name: str, file: Path, target: str | None, words: Sequence[str]) -> list[Path]:
    """Write all that a bundled data set needs, and return the files.

    Nothing is written before all of it is known.

    `target`: the column of the class, by default the last one.
    `words`: title, origin, licence and citation.
    """
    _check_free(name)
    texts = _features_then_class(file, target)
    X, y = texts.iloc[:, :-1], texts["class"]
    content = texts.to_csv(index=False, lineterminator="\n").encode()
    typed = [typed_feature(column) for _, column in _features_then_class(file, target, ()).items()]
    numeric = [column.dtype != "category" for column in typed[:-1]]
    features = list(map(str, X))
    classes = {str(label): n for label, n in y.value_counts().sort_index().items()}
    categorical = [each for each, is_number in zip(features, numeric, strict=True) if not is_number]
    canonical = canonicalise(texts.fillna(""), Raw(tuple(features), classes, tuple(categorical)))
    lists = {"features": features, "categorical": categorical, "classes": classes}
    n_rows, n_features = X.shape
    described = _CATALOGUE.format(
        name=name, title=json.dumps(words[0]), n_instances=n_rows, n_features=n_features,
        **{key: json.dumps(value, ensure_ascii=False) for key, value in lists.items()},
    )  # fmt: skip
    sizes = [n_rows, n_features, sum(numeric), len(categorical), len(classes)]
    kinds = "".join("N" if is_number else "C" for is_number in numeric)
    sha256 = hashlib.sha256(content).hexdigest()
    index = [
        name,
        *sizes,
        X.isna().sum().sum(),
        kinds,
        sha256,
        "",
        file.name,
        "",
        "Added by retree data add.",
    ]
    sets = paths.sets_dir()
    made = {
        sets / f"{name}.csv.gz": gzip.compress(content, mtime=0),
        paths.conf_dir() / "dataset" / f"{name}.yaml": described.encode(),
        sets / "index.csv": _with_row(sets / "index.csv", index),
        sets / "LICENSES.md": _with_licence(sets / "LICENSES.md", [f"`{name}`", *words[1:]]),
        paths.checksums_file(): _with_row(
            paths.checksums_file(),
            [name, "bundled", n_rows, n_features, sorted_sha256(*canonical)],
        ),
    }
    for path, text in made.items():
        write_atomically(path, text)
    return list(made)


def _check_free(name: str) -> None:
    check_name(name)
    if not (paths.project_dir() / "CONTRIBUTING.md").is_file():
        raise RetreeError(
            "A data set is added to a checkout of retree; in a study write datasets/NAME.yaml."
        )
    if name in catalogue.names() or (paths.sets_dir() / f"{name}.csv.gz").exists():
        raise RetreeError(f"A data set called {name} already exists: choose another name.")


def _features_then_class(
    file: Path, target: str | None, as_texts: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the table of a file with the class last, texts of a csv as they are written."""
    how: dict[str, Any] = {"missing": MISSING, "separator": ",", "row_names": False}
    if as_texts is None:
        as_texts = list(read_table(file, texts=(), **how).columns)
    table = read_table(file, texts=as_texts, **how)
    target = table.columns[-1] if target is None else target
    if target not in table.columns or table.shape[1] < 2:
        columns = ", ".join(map(str, table.columns))
        raise RetreeError(f"{file} has no column {target} beside others; it has {columns}.")
    labels = table.pop(target)
    if labels.isna().any():
        raise RetreeError(f"{file} has rows without a class in {target}: leave them out.")
    return table.assign(**{"class": labels.astype(str)})


def _with_row(path: Path, row: Sequence[Any]) -> bytes:
    """Return the content of a csv with one more row, in the order of names."""
    head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([head, *sorted([*rows, [*map(str, row)]])])
    return text.getvalue().encode()


def _with_licence(path: Path, cells: Sequence[str]) -> bytes:
    """Return the page of licences with one more row, in the order of names."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| `"))
    end = next((i for i in range(first, len(lines)) if not lines[i].startswith("| `")), len(lines))
    rows = [*lines[first:end], f"| {' | '.join(cells)} |"]
    rows.sort(key=lambda line: line.split("`")[1])
    return "\n".join([*lines[:first], *rows, *lines[end:], ""]).encode()
