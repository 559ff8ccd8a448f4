"""Write ``data/checksums.csv`` from the data sets that come with retree."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from retree import paths
from retree.datasets import catalogue
from retree.datasets.canonical import canonicalise, sorted_sha256
from retree.datasets.fetching import fetch_table

SOURCES = ("bundled", "scikit-learn", "generator")


def main() -> None:
    """Write a row for each set and each source of it that needs no server."""
    with paths.checksums_file().open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["dataset", "source", "n_instances", "n_features", "sha256"])
        writer.writerows(sorted(_rows()))


def _rows() -> Iterator[tuple[str, str, int, int, str]]:
    for entry in map(catalogue.find, catalogue.names()):
        for source in (source for source in SOURCES if source in entry.sources):
            assert entry.raw is not None
            table = fetch_table(entry, source)
            X, y = canonicalise(table, entry.raw, entry.sources[source])
            yield entry.name, source, len(X), X.shape[1], sorted_sha256(X, y)


if __name__ == "__main__":
    main()
