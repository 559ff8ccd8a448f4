"""``retree diff`` on results of two methods on a real data set that needs no download."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pandas as pd
import pytest
from toy_results import edit

from retree_lab import paths
from retree_lab.cli import main
from retree_lab.diffing import sentences

PART = [
    "paper=pruning",
    "item=table1",
    "datasets=[iris]",
    "methods=[cart,cart_pep]",
    "committed=null",
]
COMMITTED = Path("results") / "pruning"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a store and what is rendered from it."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("RETREE_DATA", str(folder / "data"))
        assert main(["run", "--report", "-j", "1", *PART]) == 0
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    return tmp_path / "work"


@pytest.fixture
def row(folder):
    """The row of CART's accuracy as text."""
    lines = (folder / COMMITTED / "table1.csv").read_text().splitlines()
    return next(line for line in lines if line.startswith("iris,CART,accuracy"))


def change(folder, row, column, value):
    """Replace an entry of the committed row."""
    fields = row.split(",")
    fields[column] = value
    edit(folder / COMMITTED / "table1.csv", row, ",".join(fields))


def test_what_was_rendered_is_as_committed(folder, capsys):
    # SQLite's own files come and go with connections.
    before = sorted(folder.rglob("*[!lm]"))
    assert main(["diff", *PART]) == 0
    out = capsys.readouterr().out
    assert "Unchanged: 24 rows of pruning." in out
    assert "exactly, since both come from one platform" in out
    assert sorted(folder.rglob("*[!lm]")) == before


def test_a_changed_number_is_named(folder, row, capsys):
    value = row.split(",")[3]
    change(folder, row, 3, "0.5")
    assert main(["diff", *PART]) == 1
    assert f"table1: iris, CART, accuracy: reproduced 0.5 → {value}" in capsys.readouterr().out


def test_a_changed_verdict_is_named(folder, row, capsys):
    change(folder, row, 8, "agrees")
    assert main(["diff", *PART]) == 1
    assert "iris, CART, accuracy: verdict agrees → missing" in capsys.readouterr().out


def test_a_cell_that_is_not_stored_any_more_is_a_hole_with_its_fix(folder, capsys):
    assert main(["diff", *PART, "store=elsewhere.sqlite"]) == 1
    out = capsys.readouterr().out
    assert "table1: 4 committed rows of iris have no number now" in out
    assert "retree run paper=pruning item=table1 datasets=[iris]" in out


def test_a_row_that_is_not_committed_is_named(folder, row, capsys):
    edit(folder / COMMITTED / "table1.csv", row + "\n", "")
    assert main(["diff", *PART]) == 1
    assert "iris, CART, accuracy: reproduced no such row → 0.9" in capsys.readouterr().out


def test_data_of_another_checksum_are_refused(folder, monkeypatch, tmp_path, capsys):
    table = pd.read_csv(paths.checksums_file())
    table.loc[table["dataset"] == "iris", "sha256"] = "0" * 64
    table.to_csv(tmp_path / "checksums.csv", index=False)
    monkeypatch.setattr("retree_lab.paths.checksums_file", lambda: tmp_path / "checksums.csv")
    assert main(["diff", *PART]) == 1
    out = capsys.readouterr().out
    assert "Content of 'iris' from scikit-learn is refused" in out
    assert "data sets other than the committed ones: 1" in out


def test_a_changed_byte_of_a_real_data_set_is_refused(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "mirror"
    folder.mkdir()
    shutil.copy(paths.sets_dir() / "index.csv", folder)
    text = gzip.decompress((paths.sets_dir() / "zoo.csv.gz").read_bytes())
    changed = text.replace(b"4", b"5", 1)
    assert len(changed) == len(text)
    assert changed != text
    (folder / "zoo.csv.gz").write_bytes(gzip.compress(changed))
    monkeypatch.setenv("RETREE_MIRROR", str(folder))
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    of_zoo = ["paper=pruning", "item=table1", "datasets=[zoo]", "data.sources=[mirror]"]
    results = f"results={paths.project_dir() / 'results'}"
    store = f"store={tmp_path / 'cells.sqlite'}"
    assert main(["diff", *of_zoo, results, store, "committed=null"]) == 1
    out = capsys.readouterr().out
    assert "Data set 'zoo' is unavailable." in out
    assert "sha256" in out


def test_the_committed_results_are_reproduced(folder, capsys):
    """Computes real committed numbers again: they depend on nothing that is not in the tree."""
    shutil.rmtree("results")
    shutil.copytree(paths.project_dir() / COMMITTED, COMMITTED)
    command = ["diff", "--recompute", "-j", "1", *PART]
    assert main(command) == 0
    assert "Unchanged: 24 rows of pruning." in capsys.readouterr().out
    lines = (COMMITTED / "table1.csv").read_text().splitlines()
    row = next(line for line in lines if line.startswith("iris,CART,leaves"))
    digit = str((int(row.split(",")[3][-1]) + 1) % 10)
    moved = row.split(",")[3][:-1] + digit
    change(folder, row, 3, moved)
    assert main(command) == 1
    assert f"reproduced {moved} → {row.split(',')[3]}" in capsys.readouterr().out


def test_moves_on_purpose_are_logged(folder, row, capsys):
    change(folder, row, 3, "0.5")
    assert main(["diff", *PART, "--log", "CART was wrong."]) == 0
    log = Path("results") / sentences.CHANGELOG
    first = log.read_text()
    assert first.startswith(sentences.HEAD)
    assert "CART was wrong.\n\n- **pruning**: table1 1 numbers moved.\n" in first
    assert f"  - table1, iris, CART, accuracy: reproduced 0.5 → {row.split(',')[3]}\n" in first
    assert main(["diff", *PART, "--log", "And again."]) == 0
    assert log.read_text().startswith(first)
    assert log.read_text().endswith(first[first.index("- **pruning") :])


def test_nothing_is_logged_where_nothing_moved_or_cells_lack(folder, capfd):
    log = Path("results") / sentences.CHANGELOG
    assert main(["diff", *PART, "--log", "No reason."]) == 0
    assert not log.exists()
    assert main(["diff", *PART, "--log", "No reason.", "store=elsewhere.sqlite"]) == 1
    assert "are not computed" in capfd.readouterr().err
    assert not log.exists()


def test_all_changes_are_written_as_csv(folder, row):
    change(folder, row, 3, "0.5")
    assert main(["diff", *PART, "--csv", "all.csv"]) == 1
    table = pd.read_csv("all.csv", dtype=str)
    names = ["pruning", "table1", "moved", "iris, CART, accuracy", "reproduced", "0.5"]
    assert table.iloc[:, :-1].to_numpy().tolist() == [names]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["paper=pruned"], "Unknown paper 'pruned'"),
        (["item=table1"], "item=NAME needs paper=NAME"),
        (["method=cart"], "Unknown override of retree diff: 'method'"),
        (["protocol.folds=3"], "Unknown override of retree diff: 'protocol.folds'"),
        (["datasets=iris,zoo"], "takes a list, not a sweep: say datasets=[NAME,NAME]"),
        (["--recomputed"], "Unknown option '--recomputed'. Did you mean '--recompute'"),
        (["--log", " "], "--log needs a reason"),
        (["paper=pruning", "datasets=[irs]"], "Unknown data set 'irs'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(folder, words, message, capfd):
    assert main(["diff", *words]) == 2
    err = capfd.readouterr().err
    assert message in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["results=nowhere"], "There is nothing to compare with: nowhere has no folder"),
        (["paper=cmdt"], "There is nothing to compare with: results has no folder cmdt"),
        (["datasets=[xor]"], "No paper with committed results has these"),
    ],
)
def test_nothing_to_compare_is_one_sentence_and_code_1(folder, words, message, capfd):
    assert main(["diff", *words]) == 1
    err = capfd.readouterr().err
    assert message in err
    assert len(err.strip().splitlines()) == 1
