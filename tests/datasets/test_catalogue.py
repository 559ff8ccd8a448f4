"""The catalogue, `retree_lab.study.catalogue`, and what `load` makes of its entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from retree.errors import DataError, RetreeError, UnknownNameError, unknown_name
from retree_lab import paths
from retree_lab.datasets import load, names
from retree_lab.datasets.acquire import DEFAULT_SOURCES
from retree_lab.datasets.prepare import TRANSFORMS
from retree_lab.study import catalogue


@pytest.mark.parametrize("name", names())
def test_entry_is_consistent(name: str) -> None:
    entry = catalogue.find(name)
    root = catalogue.root(entry)
    assert entry.name == name
    assert root.raw is not None
    assert set(root.raw.categorical) <= set(root.raw.features)
    assert len(set(root.raw.features)) == len(root.raw.features)
    assert set(root.sources) <= set(catalogue.SOURCES)
    assert sum(entry.expect["classes"].values()) == entry.expect["n_instances"]
    steps = {step for each in entry.prepare for step in each}
    assert steps <= set(TRANSFORMS)
    n_rows = sum(root.raw.classes.values())
    assert entry.expect["n_instances"] == n_rows or "complete_rows" in steps


def test_names_and_aliases_are_unambiguous() -> None:
    every = [n for name in names() for n in (name, *catalogue.find(name).aliases)]
    assert len(every) == len(set(every))


def test_all_sets_have_a_checksum_and_a_source() -> None:
    tracked = paths.checksums_file().read_text()
    for entry in map(catalogue.find, names()):
        if entry.base is None:
            published = set(entry.sources) & set(DEFAULT_SOURCES)
            assert published or set(entry.sources) in ({"generator"}, {"scikit-learn"})
            assert f"\n{entry.name}," in tracked


def test_alias_is_accepted(toy_mirror: Path) -> None:
    assert load("plaything")[0].shape == (5, 4)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("pima-indian-diabetes", "pima"),
        ("credit-approval", "credit-rating"),
        ("credit-g", "german-credit"),
    ],
)
def test_other_spellings(alias: str, name: str) -> None:
    assert catalogue.find(alias).name == name


def test_unknown_name_lists_near_matches(toy: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown data set 'toi'. Did you mean 'toy'"):
        load("toi")


def test_unknown_source_lists_the_valid_ones(toy: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown source 'miror'. Did you mean 'mirror'"):
        load("toy", sources=["miror"])


def test_source_that_a_set_does_not_have(toy: Path) -> None:
    with pytest.raises(DataError, match=r"has no source generator \(only mirror, openml, uci\)"):
        load("toy", sources=["generator"])


@pytest.mark.parametrize(
    "text",
    ["- a\n", "name: bad\n", "name: bad\nbase: toy\nraw: {}\n", "name: bad\nraw: {size: 1}\n"],
)
def test_bad_entry_names_the_file(toy: Path, text: str) -> None:
    (toy / "conf" / "dataset" / "bad.yaml").write_text(text)
    with pytest.raises(RetreeError, match=r"bad\.yaml"):
        load("bad")


def test_an_unknown_name_among_many_is_told_the_nearest_alone() -> None:
    many = [f"set{number}" for number in range(100)]
    assert str(unknown_name("data set", "sett7", many)) == (
        "Unknown data set 'sett7'. Did you mean 'set7' or 'set97' or 'set87'? retree data list "
        "--all shows all."
    )
    assert str(unknown_name("data set", "q", many)).startswith(
        "Unknown data set 'q'. The nearest of 100 are 'set"
    )
