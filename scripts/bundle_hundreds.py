"""Bundle the small files of the archive of Fernández-Delgado et al. (2014).

    python scripts/bundle_hundreds.py MIRROR

MIRROR has ``sets/NAME/FILE.gz`` and ``published.csv``, the authors' table: the whole of it becomes
``accuracies.csv.gz`` of the paper, the columns that are computed here its ``published.csv``. The
columns set, file and uci of ``data/hundreds/index.csv`` are given; the others are written, and so
is ``sets.zip``, the same for the same files. A set is bundled if it is of the UCI repository, whose
licence permits it, and takes less than 100 kB.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import lzma
import sys
import zipfile
from pathlib import Path

from retree import paths
from retree.datasets.archive import read_arff
from retree.papers.hundreds.accuracies import ACCURACIES, COMPUTED, published_accuracies
from retree.study.archive_index import PREFIX, archive_dir, archived_sets

LIMIT = 100_000
COLUMNS = ("set", "file", "uci", "rows", "features", "classes", "sha256", "bundled")


def main(mirror: Path) -> None:
    """Write the index, the bundled files and the published numbers."""
    _publish(mirror / "published.csv")
    index = archive_dir() / "index.csv"
    with index.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    contents = {row["file"]: _read(mirror / "sets" / row["set"], row["file"]) for row in rows}
    sizes: dict[str, int] = {}
    for row in rows:
        size = len(lzma.compress(contents[row["file"]]))
        sizes[row["set"]] = sizes.get(row["set"], 0) + size
    for row in rows:
        row.update(_described(contents[row["file"]], row["file"]))
        small = sizes[row["set"]] < LIMIT and row["uci"] and row["sha256"]
        row["bundled"] = "yes" if small else ""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    index.write_text(text.getvalue(), encoding="utf-8")
    with zipfile.ZipFile(index.with_name("sets.zip"), "w", zipfile.ZIP_LZMA) as sets:
        for row in rows:
            if row["bundled"]:
                # Without a date of its own the archive is the same whenever it is made.
                sets.writestr(zipfile.ZipInfo(row["file"]), contents[row["file"]], zipfile.ZIP_LZMA)


def _publish(authors: Path) -> None:
    """Write the authors' table, compressed, and the columns that are computed here."""
    paper = paths.conf_dir() / "paper" / "hundreds"
    (paper / ACCURACIES).write_bytes(gzip.compress(authors.read_bytes(), mtime=0))
    columns = published_accuracies(paper)[list(COMPUTED)]
    with (paper / "published.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "dataset", "method", "metric", "value", "std", "marker"])
        for dataset, values in columns.iterrows():
            two = len(archived_sets()[f"{PREFIX}{dataset}"]) > 1
            table = "test_files" if two else "folds"
            for column, value in values.dropna().items():
                name = str(column).removesuffix("_weka")
                writer.writerow([table, dataset, name, "correct_pct", f"{value:.1f}", "", ""])


def _read(folder: Path, file: str) -> bytes:
    """Return the content of a file of the mirror, nothing if it is not there."""
    path = folder / f"{file}.gz"
    return gzip.decompress(path.read_bytes()) if path.exists() else b""


def _described(content: bytes, file: str) -> dict[str, str]:
    if not content:
        return {"rows": "", "features": "", "classes": "", "sha256": ""}
    X, y = read_arff(content, file)
    counts = {"rows": len(X), "features": X.shape[1], "classes": y.nunique()}
    digest = hashlib.sha256(content).hexdigest()
    return {**{name: str(count) for name, count in counts.items()}, "sha256": digest}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
