"""``data/checksums.csv``: a row for each set that comes with retree, and each source of it."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from retree_lab import paths
from retree_lab.datasets.acquire import fetch_table
from retree_lab.datasets.canonical import canonicalise, sorted_sha256
from retree_lab.study import catalogue

SOURCES = ("bundled", "scikit-learn", "generator")


def files() -> Iterator[tuple[Path, str]]:
    """Yield the table with the sources that need no server."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "source", "n_instances", "n_features", "sha256"])
    writer.writerows(sorted(_rows()))
    yield paths.checksums_file(), text.getvalue()


def _rows() -> Iterator[tuple[str, str, int, int, str]]:
    for entry in map(catalogue.find, catalogue.names()):
        for source in (source for source in SOURCES if source in entry.sources):
            assert entry.raw is not None
            table = fetch_table(entry, source)
            X, y = canonicalise(table, entry.raw, entry.sources[source])
            yield entry.name, source, len(X), X.shape[1], sorted_sha256(X, y)


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "checksums"]))
