"""Index the data sets of ROCKFlows, bundle a few small ones, and write the published counts.

    python scripts/bundle_rockflows.py MIRROR FOLDS

MIRROR has the repository ROCKFlows/experiments-public in its folder ``rockflows``. FOLDS is a csv
of its 782 workbooks with the columns dataset, preprocessing, algorithm, cv, fold and accuracy. An
accuracy is written as the count of right rows that gives it to the last bit; of a set where no
counts do, the file is not the one that was run, and it is left out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree_lab import paths
from retree_lab.datasets.arff import read_arff
from retree_lab.papers.rockflows import loading as files

PAPER = paths.conf_dir() / "paper" / "rockflows"

# Small sets of the UCI repository, sorted by class or not.
BUNDLED = ("balance-scale", "breast-cancer-wisc", "ecoli", "glass", "hayes-roth", "iris", "lenses")
BUNDLED += ("libras", "monks-1", "seeds", "teaching", "tic-tac-toe", "wine", "zoo")
BLOCKS = 10
TABLES = {"cv4": "splits", "cv10": "blocks"}
ONE_R = "_one_r"
# The published blocks of these sets predict another column than the splits: see notes.md.
OTHER_COLUMN = {"breast-cancer-wisc": ("a10", 8), "monks-1": ("attr6", 6)}
NO_COPY = "no copy of its table is known"
OTHER_FILE = "the published accuracies are not those of a file of {rows} rows, which its table has"


def main(mirror: Path, published: Path) -> None:
    """Write the index, the bundled files and the published counts."""
    folds = pd.read_csv(published)
    folds = folds[folds["preprocessing"] == "p0"]
    names = sorted(folds["dataset"].unique())
    root = mirror / "rockflows" / "datasets"
    with zipfile.ZipFile(files.datasets.index_dir() / "sets.zip", "w", zipfile.ZIP_LZMA) as sets:
        for name in BUNDLED:
            for file in (files.TABLE, files.FOLDS):
                # Without a date of its own the archive is the same whenever it is made.
                info = zipfile.ZipInfo(f"{name}/{file}")
                sets.writestr(info, (root / name / file).read_bytes(), zipfile.ZIP_LZMA)
    sizes = {name: {cv: _sizes(root / name, cv) for cv in TABLES} for name in names}
    rows = [_published(place, part, sizes[place[0]][place[2]]) for place, part in _places(folds)]
    others = {str(row["dataset"]) for _, row in rows if row["correct"] is None}
    described = [_described(root / name, name in others) for name in names]
    described += [_by_other_column(root / name, *column) for name, column in OTHER_COLUMN.items()]
    _write(files.datasets.index_dir() / "index.csv", described)
    _write(PAPER / "published.csv", [row for row, _ in rows])
    counts = [row for _, row in rows if row["dataset"] not in others]
    _write(PAPER / "published_counts.csv", counts)


def _places(folds: pd.DataFrame):  # type: ignore[no-untyped-def]
    return folds.groupby(["dataset", "algorithm", "cv"], sort=True)


def _by_other_column(folder: Path, name: str, column: int) -> dict[str, object]:
    return _described(folder, False, column) | {"set": f"{folder.name}{files.datasets.BY}{name}"}


def _described(folder: Path, other_file: bool, column: int | None = None) -> dict[str, object]:
    table, splits = folder / files.TABLE, (folder / files.FOLDS).read_bytes()
    if column is None:
        class_file = folder / "class"
        column = int(class_file.read_text()) if class_file.exists() else -1
    fields: dict[str, object] = {
        "set": folder.name,
        "rows": "",
        "classes": "",
        "class_column": column,
        "arff": "",
        "folds": hashlib.sha256(splits).hexdigest(),
        "sorted": "",
        "bundled": "yes" if folder.name in BUNDLED else "",
        "left_out": NO_COPY,
    }
    if table.exists():
        content = table.read_bytes()
        read = read_arff(content, folder.name)
        rows = len(read)
        classes = read.iloc[:, column].cat.codes.to_numpy()
        fields["classes"] = len(np.unique(classes[classes >= 0]))
        fields["sorted"] = f"{sortedness(classes):.4f}"
        left_out = OTHER_FILE.format(rows=f"{rows:,}") if other_file else ""
        fields |= {"rows": rows, "arff": hashlib.sha256(content).hexdigest(), "left_out": left_out}
    return fields


def sortedness(classes: NDArray[np.integer]) -> float:
    """Return how sorted rows are by their class: 1 if wholly, 0 on average in random order.

    It is the share of neighbouring rows that have the same class, minus its mean over all orders,
    divided by what that is where the classes follow one another.
    """
    n, counts = len(classes), np.unique(classes, return_counts=True)[1]
    same = np.mean(classes[1:] == classes[:-1])
    expected = (counts * (counts - 1)).sum() / (n * (n - 1))
    return float((same - expected) / ((n - len(counts)) / (n - 1) - expected))


def _published(
    place: tuple[str, str, str], part: pd.DataFrame, sizes: list[int]
) -> tuple[dict[str, object], dict[str, object]]:
    dataset, method, cv = place
    accuracies = part.sort_values("fold")["accuracy"].tolist()
    counts = [round(value * size) for value, size in zip(accuracies, sizes, strict=True)]
    are_counts = [count / size for count, size in zip(counts, sizes, strict=True)] == accuracies
    table = TABLES[cv] + (ONE_R if "OneR" in method else "")
    if cv == "cv10" and dataset in OTHER_COLUMN:
        table = "other_column"
    where = {"table": table, "dataset": dataset, "method": method}
    return (
        {**where, "metric": "accuracy", "value": repr(sum(accuracies) / len(accuracies))},
        {**where, "correct": " ".join(map(str, counts)) if are_counts else None},
    )


def _sizes(folder: Path, cv: str) -> list[int]:
    lines = [line for line in (folder / files.FOLDS).read_text().splitlines() if line.strip()]
    if cv == "cv4":
        return [len(line.split()) for line in lines[1::2]]
    table = folder / files.TABLE
    if table.exists():
        n_rows = len(read_arff(table.read_bytes(), folder.name))
    else:
        n_rows = 1 + max(int(number) for line in lines for number in line.split())
    return [n_rows // BLOCKS + (block < n_rows % BLOCKS) for block in range(BLOCKS)]


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
