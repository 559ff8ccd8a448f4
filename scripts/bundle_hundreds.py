"""Bundle the small files of the archive of Fernández-Delgado et al. (2014).

    python scripts/bundle_hundreds.py MIRROR

MIRROR has ``sets/NAME/FILE.gz`` and ``published.csv``, the authors' table: the whole of it becomes
``accuracies.csv.gz`` of the paper, the columns that are computed here its ``published.csv``. The
columns set, file and uci of ``data/hundreds/index.csv`` are given; the others are written, and so
is ``sets.zip``, the same for the same files. Sets of the UCI repository, whose licence permits it,
are bundled, the smallest first, as many as fit into 5 MB.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import lzma
import sys
import zipfile
from itertools import accumulate
from pathlib import Path

from retree_lab import paths
from retree_lab.papers.hundreds import accuracies, datasets
from retree_lab.papers.hundreds import loading as archive

PAPER = paths.conf_dir() / "paper" / "hundreds"

LIMIT = 5_000_000
# What an entry of the archive takes beside its content, at most.
OVERHEAD = 250
COLUMNS = ("set", "file", "uci", "rows", "fold_rows", "features", "classes", "sha256", "bundled")


def main(mirror: Path) -> None:
    """Write the index, the bundled files and the published numbers."""
    _publish(mirror / "published.csv")
    index = datasets.archive_dir() / "index.csv"
    with index.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    contents = {row["file"]: _read(mirror / "sets" / row["set"], row["file"]) for row in rows}
    for row in rows:
        row.update(_described(contents[row["file"]], row["file"]))
        row["fold_rows"] = _fold_rows(mirror / "sets" / row["set"], row["file"])
    small = _that_fit(rows, contents)
    for row in rows:
        row["bundled"] = "yes" if row["set"] in small else ""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    index.write_text(text.getvalue(), encoding="utf-8")
    with zipfile.ZipFile(index.with_name("sets.zip"), "w") as sets:
        for row in rows:
            if row["bundled"]:
                content = contents[row["file"]]
                # Without a date of its own the archive is the same whenever it is made.
                sets.writestr(zipfile.ZipInfo(row["file"]), content, _compressed(content)[1])


def _that_fit(rows: list[dict[str, str]], contents: dict[str, bytes]) -> set[str]:
    """Return the sets whose files are all known and that fit into the archive."""
    sizes: dict[str, int] = {}
    for row in rows:
        size = _compressed(contents[row["file"]])[0] + OVERHEAD if row["sha256"] else LIMIT
        if row["uci"]:
            sizes[row["set"]] = sizes.get(row["set"], 0) + size
    ordered = sorted(sizes, key=sizes.__getitem__)
    sums = accumulate(sizes[name] for name in ordered)
    return {name for name, total in zip(ordered, sums, strict=True) if total <= LIMIT}


def _compressed(content: bytes) -> tuple[int, int]:
    """Return the size of a compressed file, and how it is compressed best."""
    return min(
        (len(lzma.compress(content)), zipfile.ZIP_LZMA),
        (len(bz2.compress(content)), zipfile.ZIP_BZIP2),
    )


def _publish(authors: Path) -> None:
    """Write the authors' table, compressed, and the columns that are computed here."""
    paper = PAPER
    (paper / accuracies.ACCURACIES).write_bytes(gzip.compress(authors.read_bytes(), mtime=0))
    columns = accuracies.published_accuracies(paper)[list(accuracies.COMPUTED)]
    with (paper / "published.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "dataset", "method", "metric", "value", "std", "marker"])
        for dataset, values in columns.iterrows():
            two = len(datasets.archived_sets()[f"{datasets.PREFIX}{dataset}"]) > 1
            table = "test_files" if two else "folds"
            for column, value in values.dropna().items():
                name = str(column).removesuffix("_weka")
                writer.writerow([table, dataset, name, "correct_pct", f"{value:.1f}", "", ""])


def _read(folder: Path, file: str) -> bytes:
    """Return the content of a file of the mirror, nothing if it is not there."""
    path = folder / f"{file}.gz"
    return gzip.decompress(path.read_bytes()) if path.exists() else b""


def _fold_rows(folder: Path, file: str) -> str:
    """Return how many test rows the four published folds have; "" for a set with a test file."""
    lines = _read(folder, "conxuntos_kfold.dat").decode().split("\n")
    folds = [line.split() for line in lines if line.strip()]
    return str(sum(map(len, folds[1::2]))) if folds and f"{folder.name}.arff" == file else ""


def _described(content: bytes, file: str) -> dict[str, str]:
    if not content:
        return {"rows": "", "features": "", "classes": "", "sha256": ""}
    X, y = archive.read_arff(content, file)
    counts = {"rows": len(X), "features": X.shape[1], "classes": y.nunique()}
    digest = hashlib.sha256(content).hexdigest()
    return {**{name: str(count) for name, count in counts.items()}, "sha256": digest}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
