"""Every place that says how many numbers agree says the same."""

from __future__ import annotations

import pandas as pd
import pytest

from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import count_headlines, headline_words, read_comparisons
from retree_lab.reports.comparison import CSV_COLUMNS, Comparison, Judgement
from retree_lab.reports.overview import write_overview_page
from retree_lab.reports.page_template import fill
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.register import read_register
from retree_lab.reports.summary import PaperSummary, Rendered, summary_lines
from retree_lab.site.explorer import explorer_data
from retree_lab.statistics import JUDGED, Verdict

# Of ten published numbers six are judged, and four of these agree. Three of the judged accuracies
# are within 1 point of ours.
NUMBERS = [
    ("accuracy", 0.81, 0.80, "agrees"),
    ("accuracy", 0.70, 0.70, "equal"),
    ("error_pct", 20.0, 20.5, "weak"),
    ("accuracy", 0.70, 0.90, "differs"),
    ("accuracy", 0.70, 0.75, "edge"),
    ("tree_size", 9.0, 8.0, "agrees"),
    ("tree_size", 9.0, 30.0, "explained"),
    ("accuracy", 0.70, 0.75, "missing"),
    ("accuracy", 0.70, None, "missing"),
    ("train_ms_10_trees", 5.0, 5.0, ""),
]
JUDGED_PAPER, OTHER_PAPER = "latent_space", "cmdt"


def comparison(place, metric, ours, published, verdict):
    nan = float("nan")
    theirs = PublishedValue(nan if published is None else published, nan, 0.01)
    names = f"set {place}", "C4.5", metric
    return Comparison(*names, ours, nan, theirs, 5, "{}", judgement=Judgement(verdict))


@pytest.fixture
def cells():
    return [comparison(place, *row) for place, row in enumerate(NUMBERS)]


@pytest.fixture
def results(tmp_path, cells):
    rows = [[getattr(c, name) for name in CSV_COLUMNS] for c in cells]
    for paper in (JUDGED_PAPER, OTHER_PAPER):
        (tmp_path / paper).mkdir()
        table = pd.DataFrame(rows, columns=list(CSV_COLUMNS))
        if paper == OTHER_PAPER:
            table["verdict"] = table["verdict"].where(table["verdict"] == "", "missing")
        table.to_csv(tmp_path / paper / "table2.csv", index=False)
    return tmp_path


def test_what_is_at_the_edge_is_judged_and_what_is_a_misprint_is_not(results):
    counts = count_headlines(read_comparisons(results), ["paper"]).set_index("paper")
    own = counts.loc[JUDGED_PAPER]
    assert own[["published", "judged", "agree", "accuracies", "near"]].tolist() == [8, 6, 4, 5, 3]
    assert own["strict"] == 3
    assert own["share"] == pytest.approx(4 / 6)
    assert counts.loc[OTHER_PAPER, ["judged", "agree", "near"]].tolist() == [0, 0, 0]


def test_no_numbers_are_a_row_of_zeros(cells):
    nothing = count_headlines(pd.DataFrame(columns=list(CSV_COLUMNS)), [])
    assert nothing["published"].tolist() == [0]
    assert headline_words(nothing.to_dict("records")[0]) == "no published numbers"


def test_all_places_say_the_same(results, cells):
    comparisons = read_comparisons(results)
    why = load_paper(OTHER_PAPER).not_judged
    assert why
    counts = count_headlines(comparisons, ["paper"]).set_index("paper").to_dict("index")
    said = headline_words(counts[JUDGED_PAPER])
    not_said = headline_words(counts[OTHER_PAPER], why)
    assert (said, not_said) == ("4 of 6 match", f"not checkable: {why}")

    page = write_overview_page(results).read_text()
    assert f"| [He et al. 2009]({JUDGED_PAPER}/README.md) | 5 of 6 | 3 (60 %) |" in page
    assert f"| [He et al. 2009]({JUDGED_PAPER}/README.md) | {said} | 8 |" in page
    assert f"| [Liu & Song 2020]({OTHER_PAPER}/README.md) | {not_said} | 8 |" in page

    items = [Rendered("table2", "", cells, "", [])]
    for reason, expected in (("", said), (why, f"{said}; 2 more are {not_said}")):
        summary = PaperSummary("He et al. 2009", "", items, 1, results, reason)
        assert summary.said == expected
        assert expected in " ".join(" ".join(summary_lines([summary])).split())

    # README and the pages in words are filled by templates.
    template = "{% set own = counts() %}{{ own.agree }} of {{ own.judged }} match"
    assert fill(template, results, JUDGED_PAPER) == said
    assert (
        fill("{{ counts().near }} of {{ counts().accuracies }}", results, JUDGED_PAPER) == "3 of 5"
    )


def test_the_explorer_is_told_what_counts_as_judged(results):
    verdicts = explorer_data([], read_register(read_comparisons(results), []))["verdicts"]
    assert {v for v, about in verdicts.items() if about["judged"]} == {str(v) for v in JUDGED}
    assert set(verdicts) == {str(v) for v in Verdict}
