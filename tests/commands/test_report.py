"""``retree report`` and ``run --report``: what is read for what is asked for."""

from __future__ import annotations

import pytest
from tiny_paper import ARGUMENTS as TINY

from retree_lab.cli import main
from retree_lab.experiments.definition import config
from retree_lab.experiments.storing import planned


@pytest.mark.parametrize("command", [["report"], ["run", "--report"]], ids=["report", "run"])
def test_a_report_of_one_item_reads_the_paper_once_and_plans_that_item_once(
    tiny_clone, monkeypatch, capsys, command
):
    plan_item, read_paper = planned.plan_item, config.read_paper
    items, papers = [], []

    def planning(experiment, item, *others):
        items.append(item.name)
        return plan_item(experiment, item, *others)

    def reading(content):
        papers.append(content["name"])
        return read_paper(content)

    monkeypatch.setattr(planned, "plan_item", planning)
    monkeypatch.setattr(config, "read_paper", reading)
    page = (tiny_clone / "results" / "tiny" / "README.md").stat().st_mtime_ns
    assert main([*command, *TINY, "item=table1"]) == 0
    assert items == ["table1"]
    assert papers == ["tiny"]
    # The pages on the paper are about its other items, too.
    assert (tiny_clone / "results" / "tiny" / "README.md").stat().st_mtime_ns == page
    out = capsys.readouterr().out
    assert "are unchanged. To render all: retree report paper=tiny item=all" in out


def test_files_are_those_of_the_item_with_the_longest_name(tmp_path):
    from retree_lab.reports.files import rendered_items

    for name in ("ranks_auc.csv", "ranks_auc_pairs.csv", "README.md", "table1.tex"):
        (tmp_path / name).touch()
    items = ["ranks", "ranks_auc", "table1", "table10"]
    assert rendered_items(tmp_path, items) == ["ranks_auc", "table1"]
