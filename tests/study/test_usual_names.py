"""Data sets by the names that papers call them."""

from __future__ import annotations

import csv

import pytest

from retree_lab import paths
from retree_lab.outside.index import read_index
from retree_lab.reports.audit.published_cells import rows_of
from retree_lab.study import catalogue
from retree_lab.study.catalogue import find_known, plain_name

FILE = paths.conf_dir() / "usual_names.csv"
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))


def test_every_set_of_the_index_is_known_with_its_rows():
    index = read_index()
    for name in (*index.datasets, *index.aliases):
        known = find_known(name)
        assert known is not None, name
        assert known.rows == index.rows[index.place(name)], name


def test_rows_are_those_of_the_data_that_are_here():
    for row in ROWS:
        if row["key"]:
            assert float(row["rows"]) == rows_of(row["key"]), row


def test_a_name_stands_once():
    names = [plain_name(row["name"]) for row in ROWS]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        *(("Glass", 214), ("wine", 178), ("Segment", 2310), ("breast_w", 699), ("Pima", 768)),
        *(("Heart", 270), ("Cleve", 303), ("Iono", 351), ("Letter", 20000), ("labor", 57)),
        *(("Anneal", 898), ("audiology", 226), ("breast cancer wisconsin", 699)),
    ],
)
def test_usual_names_are_known_to_audit_and_identify(name, rows):
    known = find_known(name)
    assert known is not None
    assert known.rows == rows
    index = read_index()
    if known.key and name != "wine":
        assert index.rows[index.place(name)] == rows


def test_the_catalogue_comes_first_and_others_are_not_known():
    assert all(find_known(name).key == name for name in catalogue.names())
    assert find_known("no such set") is None
