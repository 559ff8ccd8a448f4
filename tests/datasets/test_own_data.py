"""Data sets of a study from files of three formats and from OpenML."""

import sys

import pandas as pd
import pytest
from openml_server import FakeServer

from retree.errors import DataError, RetreeError
from retree_lab.datasets.own import load_own

ARFF = """\
@RELATION mine
@ATTRIBUTE size NUMERIC
@ATTRIBUTE colour {red, blue}
@ATTRIBUTE kind {good, bad}
@DATA
1.5,red,good
2,blue,bad
?,red,good
3,?,bad
"""
ROWS = {"size": [1.5, 2, None, 3], "colour": ["red", "blue", "red", None]}
KINDS = ["good", "bad", "good", "bad"]


@pytest.fixture
def study(tmp_path):
    """A study's folder with one table in three formats."""
    folder = tmp_path / "mine"
    (folder / "datasets").mkdir(parents=True)
    table = pd.DataFrame({**ROWS, "kind": KINDS})
    table.to_csv(folder / "mine.csv", index=False)
    table.to_parquet(folder / "mine.parquet")
    (folder / "mine.arff").write_text(ARFF)
    return folder


def describe(study, text):
    file = study / "datasets" / "mine.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
def test_a_table_is_the_same_in_every_format(study, ending):
    X, y, _ = load_own(describe(study, f"file: mine.{ending}\ntarget: kind\n"))
    assert X["size"].dtype == "float64"
    assert X["size"].fillna(-1).tolist() == [1.5, 2, -1, 3]
    # The header of the arff file declares an order.
    declared = ["red", "blue"] if ending == "arff" else ["blue", "red"]
    assert X["colour"].cat.categories.tolist() == declared
    assert X["colour"].isna().tolist() == [False, False, False, True]
    assert y.tolist() == KINDS


def test_another_format_is_the_same_content_to_the_lock(study):
    order = "classes: [good, bad]\nlevels: {colour: [red, blue]}\n"
    load_own(describe(study, f"file: mine.csv\ntarget: kind\n{order}"))
    locked = (study / "data.lock").read_text()
    # Another content would be refused.
    load_own(describe(study, f"file: mine.parquet\ntarget: kind\n{order}"))
    load_own(describe(study, "file: mine.arff\ntarget: kind\n"))
    assert "sha256" in locked
    assert (study / "data.lock").read_text() == locked


@pytest.mark.parametrize(
    ("ending", "why"),
    [("csv", "mine.csv, line 1 is not"), ("parquet", "the data cannot"), ("arff", "mine.arff, l")],
)
def test_a_damaged_file_is_one_sentence(study, ending, why):
    (study / f"mine.{ending}").write_bytes(b"\xff no table")
    with pytest.raises(DataError, match=f"mine.yaml: {why}") as refused:
        load_own(describe(study, f"file: mine.{ending}\ntarget: kind\n"))
    assert "\n" not in str(refused.value)


def test_parquet_without_its_engine_names_what_to_install(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "pyarrow.parquet", raising=False)
    with pytest.raises(DataError) as refused:
        load_own(describe(study, "file: mine.parquet\ntarget: kind\n"))
    text = "mine.parquet is read by pyarrow, which is missing: pip install pyarrow."
    assert str(refused.value) == f"{study / 'datasets' / 'mine.yaml'}: {text}"


def test_a_set_of_openml_is_fetched_once(study, server: FakeServer):
    file = describe(study, "openml: 7\ntarget: kind\ndrop: [the colour]\n")
    X, y, _ = load_own(file)
    assert list(X) == ["size"]
    assert y.tolist() == ["good", "bad", "good", "bad", "good"]
    asked = len(server.requests)
    again, _, _ = load_own(file)
    assert again.equals(X)
    assert len(server.requests) == asked > 0


def test_without_a_network_a_set_of_openml_is_one_sentence(study, cache_folder, monkeypatch):
    monkeypatch.setenv("RETREE_OFFLINE", "1")
    with pytest.raises(DataError, match=r"mine\.yaml: RETREE_OFFLINE is set, so openml is not"):
        load_own(describe(study, "openml: 7\ntarget: kind\n"))


def test_a_set_that_openml_does_not_have_is_one_sentence(study, server: FakeServer):
    with pytest.raises(DataError, match=r"mine\.yaml: OpenML set 99 \(mine\)") as refused:
        load_own(describe(study, "openml: 99\ntarget: kind\n"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("place", ["outside", "absolute", "link"])
def test_a_file_outside_of_the_study_is_refused(study, tmp_path, place):
    private = tmp_path / "private.csv"
    (study / "mine.csv").rename(private)
    (study / "link.csv").symlink_to(private)
    path = {"outside": "../private.csv", "absolute": str(private), "link": "link.csv"}[place]
    with pytest.raises(RetreeError, match=f"{path} is outside of the study's folder"):
        load_own(describe(study, f"file: {path}\ntarget: kind\n"))
    assert not (study / "data.lock").exists()


def test_a_level_that_an_arff_does_not_declare(study):
    text = "@RELATION a\n@ATTRIBUTE x NUMERIC\n@ATTRIBUTE kind {good}\n@DATA\n2,%1\n"
    (study / "mine.arff").write_text(text)
    with pytest.raises(DataError, match=r"mine.arff, line 5 has 1 values"):
        load_own(describe(study, "file: mine.arff\ntarget: kind\n"))


KEEL = """\
@relation mine
@attribute size real[1.0,3.0]
@attribute colour{red, blue}
@attribute kind {good, bad}
@inputs size, colour
@outputs kind
@data
1.5, red, good
<null>, <null>, bad
"""


def test_a_file_of_keel_names_its_target(study):
    (study / "mine.dat").write_text(KEEL)
    X, y, _ = load_own(describe(study, "file: mine.dat\n"))
    assert X["size"].isna().tolist() == X["colour"].isna().tolist() == [False, True]
    assert y.cat.categories.tolist() == ["good", "bad"]
    X, _, _ = load_own(describe(study, "file: mine.dat\ntarget: kind\n"))
    assert list(X) == ["size", "colour"]


def test_a_file_without_outputs_needs_a_target(study):
    (study / "mine.dat").write_text(KEEL.replace("@outputs kind\n", ""))
    with pytest.raises(RetreeError, match="the file has no @outputs: add target"):
        load_own(describe(study, "file: mine.dat\n"))
