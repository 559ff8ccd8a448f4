"""Commands in a clone that has committed results but no store."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tiny_paper import ARGUMENTS as TINY

from retree.errors import DataError
from retree_lab import paths
from retree_lab.cli import main
from retree_lab.reports import paper_sections


def files(folder):
    found = sorted(path for path in (folder / "results").rglob("*") if ".store" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "item=all"],
        ["run", "--report", "item=table1"],
        ["report", "item=figure1"],
        ["plan", "item=all"],
        ["diff"],
    ],
    ids=" ".join,
)
def test_nothing_committed_changes(tiny_clone, capsys, arguments):
    before = files(tiny_clone)
    command, *rest = arguments
    assert main([command, *TINY, *rest]) == 0
    out = capsys.readouterr().out
    assert " cells restored from results/tiny: computed on " in out
    assert files(tiny_clone) == before


def test_a_run_writes_them_once(tiny_clone, capsys):
    assert main(["plan", *TINY, "item=all"]) == 0
    said = capsys.readouterr().out
    assert "32 cells restored from results/tiny" in said
    assert "32 cells, 0 to compute" in said
    assert main(["run", *TINY, "item=all"]) == 0
    assert "restored" not in capsys.readouterr().out
    assert main(["run", *TINY, "item=all"]) == 0
    assert capsys.readouterr().out == "0 cells computed, 32 planned\n"


@pytest.mark.parametrize(
    "override",
    ["datasets=[iris]", "methods=[gini]", "protocol=cv10", "paper.grid.k=[2]"],
)
def test_what_is_not_the_paper_as_configured_has_a_folder_of_its_own(tiny_clone, capsys, override):
    before = files(tiny_clone)
    assert main(["run", "--report", *TINY, "item=table1", override]) == 0
    assert "results/tiny is left unchanged, since" in capsys.readouterr().out
    after = files(tiny_clone)
    assert {name: after[name] for name in before} == before
    assert {"results/local/tiny/table1.csv", "results/local/tiny/README.md"} <= after.keys()


def test_another_folder_is_written_as_told(tiny_clone, capsys):
    before = files(tiny_clone)
    assert main(["report", *TINY, "item=table1", "datasets=[iris]", "results=mine"]) == 0
    assert files(tiny_clone) == before
    assert (tiny_clone / "mine" / "tiny" / "table1.csv").exists()


def test_a_page_that_would_lack_a_data_set_is_rendered_elsewhere(tiny_clone, capsys, monkeypatch):
    from retree_lab import datasets

    load = datasets.load_dataset

    def lose_iris(name, sources=None):
        if name == "iris":
            raise DataError("iris is unavailable.")
        return load(name, sources=sources)

    before = files(tiny_clone)
    monkeypatch.setattr(datasets, "load_dataset", lose_iris)
    assert main(["report", *TINY, "item=all"]) == 0
    out = capsys.readouterr().out
    assert (
        "15 cells of table1 are committed but not stored. The results are in results/local/tiny"
        in out
    )
    after = files(tiny_clone)
    assert {name: after[name] for name in before} == before
    assert "results/local/tiny/figure1.svg" in after


def test_a_changed_configuration_is_no_loss(tiny_clone, tiny_conf, capsys, monkeypatch):
    changed = tiny_clone / "conf"
    shutil.copytree(tiny_conf, changed)
    paper = changed / "paper" / "tiny" / "paper.yaml"
    paper.write_text(paper.read_text().replace("k: [2, 3]", "k: [3]"))
    monkeypatch.setattr(paths, "conf_dir", lambda: changed)
    assert main(["report", *TINY, "item=all"]) == 0
    assert "left unchanged" not in capsys.readouterr().out
    assert not (tiny_clone / "results" / "local").exists()


def test_only_the_cells_of_a_new_method_are_computed(tiny_clone, tiny_conf, capsys, monkeypatch):
    changed = tiny_clone / "conf"
    shutil.copytree(tiny_conf, changed)
    paper = changed / "paper" / "tiny" / "paper.yaml"
    paper.write_text(
        paper.read_text().replace("[gini, bnm_csn_gini]", "[gini, bnm_csn_gini, cart]")
    )
    monkeypatch.setattr(paths, "conf_dir", lambda: changed)
    assert main(["run", "--report", *TINY, "item=table1"]) == 0
    assert "10 cells computed, 40 planned" in capsys.readouterr().out
    assert "CART" in Path("results/tiny/table1.md").read_text()


def test_the_page_says_what_is_unverified(tiny_clone, capsys, monkeypatch):
    sentence = "structure_purity: unverified since 2026-01-01 (sources changed)"

    def unverified(estimators, committed):
        assert set(estimators) == {"structure_purity"}
        return [sentence]

    monkeypatch.setattr(paper_sections, "unverified", unverified)
    assert main(["report", *TINY, "item=all"]) == 0
    text = Path("results/tiny/README.md").read_text()
    assert text.endswith(f"## Unverified\n\n- {sentence}\n")
