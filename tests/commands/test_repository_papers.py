"""What a paper of the repository needs beside its tables."""

import pytest

from retree_lab import paths
from retree_lab.cli import main
from retree_lab.commands.check import lacking_parts
from retree_lab.study.folders import study_names


@pytest.mark.parametrize("paper", study_names())
def test_every_paper_has_all_its_parts(paper, capsys):
    assert main(["check", "--repo", paper]) == 0, capsys.readouterr().out


def test_what_lacks_is_listed_with_what_to_do(tmp_path, monkeypatch):
    paper = tmp_path / "conf" / "paper" / "mine"
    paper.mkdir(parents=True)
    (paper / "paper.yaml").write_text("title: Mine\n")
    (paper / "published.csv").touch()
    monkeypatch.setattr(paths, "project_dir", lambda: tmp_path)
    lacking = lacking_parts("mine")
    assert [line.partition(" lacks")[0].rpartition("/")[2] for line in lacking] == [
        *("quickstart.yaml", "page.md", "README.md", "cells.csv.gz", "paper.yaml")
    ]
    assert "retree run --report paper=mine item=all" in lacking[2]
    (paper / "paper.yaml").write_text("title: Mine\naudit: null\n")
    assert len(lacking_parts("mine")) == 4


def test_a_study_or_a_paper_is_checked(capsys):
    with pytest.raises(SystemExit):
        main(["check"])
    assert main(["check", "--repo", "cmdtt"]) == 2
    assert "Unknown paper 'cmdtt'. Did you mean 'cmdt'" in capsys.readouterr().err
