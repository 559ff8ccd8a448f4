"""The bundled rows and their order are what counts, wherever the content comes from."""

from __future__ import annotations

import csv
import re
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.errors import DataError
from retree_lab import paths
from retree_lab.datasets import acquire, load_dataset
from retree_lab.datasets.canonical import find_difference, relabelled
from retree_lab.datasets.sources import folder, openml, web
from retree_lab.study import catalogue

Fetch = Callable[[str, Mapping[str, Any]], pd.DataFrame]
CHECKED = ["zoo", "hepatitis", "diabetes", "vote"]


def _serve(monkeypatch: pytest.MonkeyPatch, source: str, fetch: Fetch) -> None:
    monkeypatch.setitem(acquire._FETCH, source, fetch)


def _as_served(name: str, source: str) -> pd.DataFrame:
    """Return a bundled set with the class column that the catalogue expects of a source."""
    entry = catalogue.find(name)
    table = folder.fetch_bundled(name, entry.sources["bundled"])
    return table.rename(columns={"class": entry.sources[source].get("target", "class")})


def _shuffled(table: pd.DataFrame, target: str, seed: int) -> pd.DataFrame:
    """Return the rows and columns of a table in another order, its labels spelled otherwise."""
    rng = np.random.default_rng(seed)
    table = table.iloc[rng.permutation(len(table)), rng.permutation(table.shape[1])]
    labels = {old: f"label {i}" for i, old in enumerate(rng.permutation(table[target].unique()))}
    return table.assign(**{target: table[target].map(labels)}).rename(columns=str.upper)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CHECKED)
def test_order_and_spelling_of_a_source_do_not_matter(
    name: str, seed: int, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = catalogue.find(name)
    target = str(entry.sources["openml"]["target"])
    table = _as_served(name, "openml")
    # The catalogue's own names, since columns are recognised by them.
    assert entry.raw is not None
    table.columns = pd.Index([*entry.raw.features, target])
    served = _shuffled(table, target, seed).rename(columns={target.upper(): target})
    _serve(monkeypatch, "openml", lambda name, options: served)
    fetched = load_dataset(name, sources=["openml"])
    assert fetched.source == "openml"
    assert fetched.sha256 == load_dataset(name).sha256


def _with_changed_cell(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    table = _as_served(name, "openml")
    table.iloc[16, 5] = "99.5"
    return table


def test_a_copy_with_other_content_does_not_count(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _serve(monkeypatch, "openml", _with_changed_cell)
    loaded = load_dataset("diabetes", sources=["openml", "bundled"])
    assert loaded.source == "bundled"
    assert loaded.sha256 == load_dataset("diabetes").sha256
    with pytest.raises(DataError, match=r"unavailable.*1 cell differs \(mass\)") as refused:
        load_dataset("diabetes", sources=["openml"])
    assert "retree data verify diabetes --source openml" in str(refused.value)


def test_content_of_another_form_is_no_hole(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _serve(monkeypatch, "uci", lambda name, options: _as_served(name, "uci").iloc[:, 1:])
    assert load_dataset("sonar", sources=["uci", "bundled"]).source == "bundled"
    with pytest.raises(DataError, match="it has 59 feature columns, not 60"):
        load_dataset("sonar", sources=["uci"])


def test_a_mirror_may_be_asked_for(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_MIRROR", str(paths.sets_dir()))
    assert load_dataset("zoo").source == "bundled"
    assert load_dataset("zoo", sources=["mirror", "bundled"]).source == "mirror"
    assert not cache_folder.exists()


def test_nobody_is_asked(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_answers", lambda address: pytest.fail("asked"))
    with monkeypatch.context() as online:
        online.delenv("RETREE_OFFLINE")
        assert load_dataset("zoo").source == "bundled"
    with pytest.raises(
        DataError, match="RETREE_OFFLINE is set, so openml is not contacted; unset it"
    ):
        load_dataset("zoo", sources=["openml"])


def test_a_silent_server_costs_one_wait_for_all_sets(
    cache_folder: Path,
    online: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("OPENML_SERVER", address)
        monkeypatch.setattr("retree_lab.datasets.sources.uci.INTERFACE", f"{address}/api/dataset")
        monkeypatch.setattr(web, "SECONDS", 0.5)
        started = time.monotonic()
        with pytest.raises(DataError, match="does not answer within"):
            openml.fetch_task(1)
        first = time.monotonic() - started
        assert 0.4 < first < 3
        for name in CHECKED:
            with pytest.raises(DataError, match="does not answer within"):
                load_dataset(name, sources=["openml", "uci"])
        assert time.monotonic() - started < first + 3
    assert caplog.text.count("No answer from") == 2


def test_every_file_is_indexed_and_has_a_licence() -> None:
    folder = paths.sets_dir()
    files = {path.name.removesuffix(".csv.gz") for path in folder.glob("*.csv.gz")}
    entries = [catalogue.find(name) for name in catalogue.names()]
    used = {e.sources["bundled"]["file"] for e in entries if "bundled" in e.sources}
    with (folder / "index.csv").open(encoding="utf-8") as file:
        assert {row["name"] for row in csv.DictReader(file)} == files == used
    licences = (folder / "LICENSES.md").read_text(encoding="utf-8")
    assert {line.split("`")[1] for line in licences.splitlines() if line.startswith("| `")} == files


TABLES = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.sampled_from("pq")), min_size=1
)


def _content(rows: list[tuple[str, int, str]]) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.DataFrame(rows, columns=["level", "number", "class"])
    X = frame[["level", "number"]].astype({"level": "category", "number": float})
    return X, frame["class"].astype(str)


@given(TABLES, st.randoms(use_true_random=False))
def test_contents_differ_if_and_only_if_their_sorted_rows_do(
    rows: list[tuple[str, int, str]], random: Any
) -> None:
    other = random.sample(rows, len(rows))
    assert find_difference(*_content(other), _content(rows)) == []
    other[0] = (other[0][0], other[0][1] + 10, other[0][2])
    found = find_difference(*_content(other), _content(rows))
    assert found[0] == "1 cell differs (number)"


@given(TABLES, TABLES)
def test_rows_that_differ_are_counted_on_both_sides(
    rows: list[tuple[str, int, str]], others: list[tuple[str, int, str]]
) -> None:
    found = find_difference(*_content(others), _content(rows))
    if sorted(rows) == sorted(others):
        assert found == []
        return
    counts = [re.search(rf"{words} (\d+)", found[0]) for words in ("it lacks", "it has")]
    missing, extra = (int(count[1]) if count else 0 for count in counts)
    assert len(rows) - missing == len(others) - extra
    assert 1 <= len(found[1:]) <= 10


def test_labels_that_mean_other_rows_are_left_as_they_are() -> None:
    X, y = _content([("a", 1, "p"), ("b", 2, "q")])
    other = _content([("a", 1, "yes"), ("c", 2, "no")])
    assert relabelled(*other, (X, y)).tolist() == ["yes", "no"]
    assert relabelled(X, y.map({"p": "q", "q": "r"}), (X, y)).tolist() == ["p", "q"]
