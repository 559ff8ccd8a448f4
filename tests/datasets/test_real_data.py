"""The published sets, as they are bundled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from openml_server import Hosted, serve

from retree_lab.cli import main
from retree_lab.datasets import acquire, load, load_dataset, names
from retree_lab.study import catalogue

# Rows, columns and rows of the class that is named, of the printed table 2 where not noted.
TABLE2 = {
    "diabetes": (768, 8, "1", 268),
    "yeast_balance": (1484, 8, "CYT_MIT", 707),
    "Diabetic": (1151, 19, "1", 611),  # printed: 1762 rows
    "Algerian_Forest_Fires": (244, 10, "fire", 138),
    "data_banknote_authentication": (1372, 4, "1", 610),
    "adult": (32561, 108, ">50K", 7841),
    "Raisin_Dataset": (900, 7, "Besni", 450),
    "KnuggetChase3": (194, 39, "Y", 36),
    "sonar": (208, 60, "M", 111),
    "waveform1_R": (5000, 21, "1", 1647),
    "waveform0_R": (5000, 21, "0", 1657),
    "waveform2_R": (5000, 21, "2", 1696),
    "appendicitis": (106, 7, "1", 21),
    "australian": (690, 14, "1", 307),
    "german": (1000, 20, "2", 300),
    "bupa": (345, 6, "1", 145),
    "banana": (5300, 2, "1.0", 2376),
    "ecoil2": (336, 7, "pp", 52),
    "ecoil3": (336, 7, "imU", 35),
    "divorce": (170, 54, "1", 84),
    "Occupancy_estimation": (10129, 16, "occupied", 1901),
}


@pytest.mark.parametrize("name", TABLE2)
def test_prepared_sets_are_numeric_and_binary(name: str, cache_folder: Path) -> None:
    X, y = load(name, sources=["bundled"])
    rows, columns, label, count = TABLE2[name]
    assert X.shape == (rows, columns)
    assert set(X.dtypes) == {np.dtype("float64")}
    assert np.isfinite(X.to_numpy()).all()
    assert y.nunique() == 2
    assert (y == label).sum() == count
    assert y.name == "class"


@pytest.mark.slow
def test_all_checksums_are_those_of_the_sets_that_come_with_retree(cache_folder: Path) -> None:
    fetched = 0
    for entry in map(catalogue.find, names()):
        for source in ("bundled", "scikit-learn", "generator"):
            if source in entry.sources:
                # It refuses what has another checksum.
                fetched += len(acquire.fetch(entry, source).X) > 0
    assert fetched > 50


def test_adult_keeps_the_question_mark_as_a_level(cache_folder: Path) -> None:
    X, _ = load("adult", sources=["bundled"])
    assert X["workclass=?"].sum() == 1836
    assert X["age"].tolist()[:2] == [39.0, 50.0]


def test_german_has_codes_of_sorted_levels(cache_folder: Path) -> None:
    X, _ = load("german", sources=["bundled"])
    raw, _ = load("german", raw=True, sources=["bundled"])
    assert X["purpose"].max() == 9
    assert list(raw["purpose"].cat.categories)[:4] == ["A40", "A41", "A410", "A42"]
    assert X["checking_status"].tolist()[:3] == [0.0, 1.0, 3.0]


def _as_arff(name: str) -> tuple[int, Hosted]:
    """Return a set as OpenML has it, in its spelling as far as the catalogue knows it."""
    options = catalogue.find(name).sources["openml"]
    X, y = load(name, raw=True, sources=["bundled"])
    lines = [f"@relation {name}"]
    for column in X:
        if isinstance(X[column].dtype, pd.CategoricalDtype):
            spelling = {v: k for k, v in options.get("levels", {}).get(column, {}).items()}
            quoted = [f"'{spelling.get(v, v)}'" for v in X[column].cat.categories]
            X[column] = X[column].cat.rename_categories(quoted)
            levels = ",".join(X[column].cat.categories)
            lines.append(f"@attribute '{column}' {{{levels}}}")
        else:
            lines.append(f"@attribute '{column}' numeric")
    labels = {v: k for k, v in (options.get("labels") or [{}])[0].items()}
    y = y.map(lambda label: labels.get(label, label))
    lines += [f"@attribute {options['target']} {{{','.join(sorted(set(y)))}}}", "@data"]
    rows = X.assign(**{"class": y}).to_csv(
        header=False, index=False, na_rep="?", quotechar='"', lineterminator="\n"
    )
    before = options.get("rows", [0])[0]
    filler = rows.splitlines()[0] + "\n"
    return options["id"], Hosted("\n".join(lines) + "\n" + filler * before + rows)


@pytest.mark.parametrize(
    "name",
    ["german", "sonar", "banana", "breast-cancer", "credit-rating", "horse-colic",
     pytest.param("adult", marks=pytest.mark.slow)],
)  # fmt: skip
def test_openml_spelling_gives_the_tracked_content(
    name: str, cache_folder: Path, online: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, hosted = _as_arff(name)
    with serve() as state:
        state.sets[number] = hosted
        monkeypatch.setenv("OPENML_SERVER", state.openml)
        fetched = load_dataset(name, sources=["openml"])
        assert state.requests
    assert fetched.source == "openml"
    assert fetched.sha256 == load_dataset(name, sources=["bundled"]).sha256


def test_a_run_takes_a_set_from_openml_if_told_to(
    tmp_path: Path,
    online: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    number, hosted = _as_arff("sonar")
    run = ["run", "-j", "1", "dataset=sonar", "method=gini"]
    with serve() as state:
        state.sets[number] = hosted
        monkeypatch.setenv("OPENML_SERVER", state.openml)
        assert main(run) == 0
        assert state.requests == []
        first = capsys.readouterr().out
        # The same rows in the same order: the same cells, which are stored already.
        assert main([*run, "data.sources=[openml]"]) == 0
        assert state.requests != []
    assert capsys.readouterr().out.splitlines()[-1] == first.splitlines()[-1]
