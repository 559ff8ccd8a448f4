"""What the site is made of: the files of each paper, and its pages."""

import io
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from linked_pages import check_links
from pages import on_few_too
from rich.console import Console

from retree.errors import RetreeError
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.reports.agreement import count_headlines, read_comparison, read_comparisons
from retree_lab.reports.comparison import COUNTED, Word
from retree_lab.reports.paper_pages import PaperPages
from retree_lab.reports.site_pages import INSIDE, PUBLISHED, printed_text
from retree_lab.screen import print_table
from retree_lab.site.links import source_file
from retree_lab.site.rendered_papers import PaperFiles


def test_the_distances_belong_to_the_page_with_their_picture(papers):
    with_distances = [paper for paper in papers if (paper.folder / "distances.csv").exists()]
    assert with_distances
    for paper in with_distances:
        assert paper.item("distances") is None
        chance = paper.item("chance")
        assert {"distances.csv", "chance.svg", "chance.md"} <= {path.name for path in chance.files}
        assert "chance" in paper.rendered.pages
        assert chance.caption


@on_few_too
def test_every_page_says_what_it_shows(papers):
    for paper in papers:
        assert all(item.caption for item in paper.items), paper.name


@on_few_too
def test_pages_have_the_committed_numbers_with_or_without_the_data(papers):
    shown = 0
    for paper in papers:
        for name, page in paper.rendered.pages.items():
            path = paper.folder / f"{name}.csv"
            table = read_comparison(path) if path.exists() else None
            if table is None:
                continue
            committed = {
                (row["dataset"], row["method"], row["metric"]): row["reproduced"]
                for row in table.to_dict("records")
            }
            for one in filter(None, (cell.comparison for cell in page.cells)):
                value = committed.get((one.dataset, one.method, one.metric))
                if value is None and one.dataset == MEAN:
                    # A page of means alone, whose table has what they are made of.
                    of = (one.method, one.metric)
                    value = np.mean([v for place, v in committed.items() if place[1:] == of])
                assert one.reproduced == pytest.approx(value, rel=1e-9, nan_ok=True), (name, one)
                shown += 1
    assert shown > 100 * len(papers)


def test_printed_tables_count_what_is_committed(papers, results):
    """Each switch of a paper's page counts as the headlines do of the committed csv."""
    every, shown = read_comparisons(results), {}
    for paper in papers:
        for table in paper.rendered.tables:
            of = {"paper": paper.name, "item": table.item, "metric": table.metric}
            rows = every[(every[list(of)] == pd.Series(of)).all(axis=1)]
            (counts,) = count_headlines(rows, []).to_dict("records")
            for view in table.views():
                if view.choice == PUBLISHED:
                    assert {w: n for w in Word if (n := counts[w])} == view.counts, of
                shown[paper.name, table.item, view.choice] = view.counts
    counts = shown["structure_purity", "table2", PUBLISHED]
    assert (counts[Word.MATCH], counts.total()) == (128, 168)
    assert sum(shown["structure_purity", "table2", INSIDE][w] for w in COUNTED) == 168
    assert len({paper for paper, *_ in shown}) >= 6


@on_few_too
def test_committed_numbers_lead_to_their_folds(papers):
    found = {paper.name: check_links(paper.rendered) for paper in papers}
    assert all(found.get(name, True) for name in ("cmdt", "hundreds", "latent_space", "murthy1994"))
    assert sum(counts["folds"] for counts in found.values()) > 100 * len(papers)


def test_tables_of_the_papers_are_whole_on_80_columns(papers):
    """`report --show`, `plan`, `compare` and `diff` print tables with the same function."""
    checked = 0
    for paper in papers:
        for table in paper.rendered.tables[:2]:
            numbers, columns = table.numbers[PUBLISHED], table.columns
            texts = {place: printed_text(c) for place, c in numbers.items()}
            rows = [[d, *(texts.get((d, m), "") for m in columns)] for d in table.rows[:30]]
            console = Console(width=80, file=io.StringIO())
            print_table(["data set", *columns], rows, console)
            shown = console.file.getvalue()
            assert "…" not in shown, (paper.name, table.item)
            assert max(map(len, shown.splitlines())) <= 80
            wanted = Counter(text for row in rows for text in row[1:] if text)
            assert wanted - Counter(shown.split()) == Counter(), (paper.name, table.item)
            checked += wanted.total()
    assert checked > 1500


def test_claims_without_a_column_are_said(tmp_path):
    (tmp_path / "claims.csv").write_text("claim,text,place,check,ours\na,b,c,d,\n")
    with pytest.raises(RetreeError, match=r"claims\.csv lacks the column published"):
        PaperFiles(None, tmp_path, (), PaperPages()).claims  # noqa: B018


def test_no_source_of_installed_packages_is_shown(tmp_path, monkeypatch):
    code = tmp_path / ".venv" / "lib" / "site-packages" / "other.py"
    code.parent.mkdir(parents=True)
    code.write_text("class Other:\n    pass\n")
    monkeypatch.setattr("retree_lab.paths.project_dir", lambda: tmp_path)
    monkeypatch.setattr("inspect.getfile", lambda _: str(code))
    assert source_file(PaperFiles) is None
