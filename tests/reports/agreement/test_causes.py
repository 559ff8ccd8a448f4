"""The list of causes against counts by brute force, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from paper_code import PAPERS
from toy_paper import context_of, results, toy_experiment, toy_item, toy_paper, toy_plan

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Cause, CauseEntry, Numbers
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import read_folder
from retree_lab.reports.agreement.headlines import (
    UNNAMED,
    causes_by_paper,
    causes_section,
    count_causes,
)
from retree_lab.reports.comparison import CSV_COLUMNS, comparison_table
from retree_lab.reports.document import text_of
from retree_lab.reports.markup import to_markdown
from retree_lab.study.available import available
from retree_lab.yaml_files import read_options

RESULTS = PAPERS.parents[1] / "results"
VERDICTS = ["agrees", "weak", "edge", "differs", "explained", "missing", ""]
ENTRIES = [
    {"cause": "other data", "numbers": [{"datasets": ["xor"]}], "evidence": "Other rows."},
    {
        "cause": "protocol",
        "numbers": [
            {"methods": ["Base"], "datasets": ["waveform1_R", "xor"]},
            {"items": ["table2"], "methods": ["New+Base"], "metrics": ["accuracy"]},
        ],
        "evidence": "Other folds.",
    },
    {"cause": "open", "numbers": [{"methods": ["Base"]}], "evidence": "Other seeds were tried."},
]


def entries(*contents):
    return tuple(read_options(CauseEntry, content, "an entry") for content in contents)


@pytest.fixture
def paper(tmp_path):
    return replace(toy_paper(tmp_path), causes=entries(*ENTRIES))


def random_numbers(seed, n=300):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(columns=["item", *CSV_COLUMNS], index=range(n))
    rows["item"] = rng.choice(["table2", "table4"], n)
    rows["dataset"] = rng.choice(["waveform1_R", "waveform0_R", "xor"], n)
    rows["method"] = rng.choice(["Base", "New+Base", "Other"], n)
    rows["metric"] = rng.choice(["accuracy", "depth"], n)
    rows["verdict"] = rng.choice(VERDICTS, n)
    rows["published"] = rng.choice([0.5, np.nan], n, p=[0.9, 0.1])
    rows["reproduced"] = rng.choice([0.5, 0.6, np.nan], n)
    rows["low"] = rng.choice([0.4, np.nan], n)
    return rows


def causes_one_by_one(rows):
    """Return how many numbers have the erratum, each entry, and no cause."""
    found = [0] * (len(ENTRIES) + 2)
    for row in rows.to_dict("records"):
        is_wrong = row["verdict"] in ("edge", "differs", "explained")
        aside = row["verdict"] == "missing" and row["reproduced"] == 0.6
        if np.isnan(row["published"]) or not (is_wrong or aside):
            continue
        base, new = row["method"] == "Base", row["method"] == "New+Base"
        if row["item"] == "table2" and row["dataset"] == "xor":
            found[0] += 1
        elif row["dataset"] == "xor":
            found[1] += 1
        elif (base and row["dataset"] == "waveform1_R") or (
            new and row["item"] == "table2" and row["metric"] == "accuracy"
        ):
            found[2] += 1
        else:
            found[3 if base else 4] += 1
    return found


@pytest.mark.parametrize("seed", range(5))
def test_each_number_is_counted_once_by_the_first_entry(paper, seed):
    rows = random_numbers(seed)
    counts = count_causes(paper, rows)
    assert counts["together"].tolist() == causes_one_by_one(rows)
    assert counts["cause"].tolist() == ["misprint", "other data", "protocol", "open", "open"]
    parts = counts[["differs", "edge", "explained", "missing"]].sum(axis=1)
    assert parts.tolist() == counts["together"].tolist()


def test_causes_of_all_papers_add_up(paper):
    rows = random_numbers(7).assign(paper="toy")
    table = causes_by_paper({"toy": paper}, rows)
    expected = causes_one_by_one(rows)
    own = table.loc["toy"]
    assert own["numbers"] == sum(expected)
    assert own["misprint"] == expected[0]
    assert own["open"] == expected[3] + expected[4]
    judged = rows["verdict"].isin(["agrees", "weak", "edge", "differs"])
    inside = judged & rows["low"].notna() & rows["published"].notna()
    assert own["expected"] == pytest.approx(0.05 * inside.sum())


def numbers_frame(context):
    return comparison_table(context.comparisons, ("item", *CSV_COLUMNS))


def test_the_page_shows_the_list(tmp_path, paper):
    experiment = toy_experiment(tmp_path, paper, toy_item("table2"))
    context = context_of(experiment, toy_plan(toy_item("table2")), results())
    blocks = causes_section(paper, numbers_frame(context))
    table = blocks[1]
    rows = [[text_of(getattr(e, "text", e)) for e in row] for row in table.rows]
    # New+Base differs on waveform0_R; the misprint of xor has no number here.
    assert rows == [
        ["other data", "xor", "Other rows.", *"00000"],
        [
            "protocol",
            "waveform1_R, xor: Base; Table 2: New+Base: accuracy",
            "Other folds.",
            *"10001",
        ],
        ["open", "Base", "Other seeds were tried.", *"00000"],
        ["open", "all others", UNNAMED, *"00000"],
        ["all", "", "", *"10001"],
    ]
    assert "2 entries name no number that disagrees" in to_markdown_text(blocks)


def to_markdown_text(blocks):
    from retree_lab.reports.document import Document

    return to_markdown(Document([], blocks, "A page"))


def test_no_list_no_section(tmp_path, paper):
    experiment = toy_experiment(tmp_path, paper, toy_item("table2"))
    context = context_of(experiment, toy_plan(toy_item("table2")), results())
    assert causes_section(replace(paper, causes=()), numbers_frame(context)) == []
    assert causes_section(paper, numbers_frame(context).iloc[:0]) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"cause": "bad luck"}, "Unknown cause of an entry: 'bad luck'"),
        ({"numbers": []}, "numbers are empty"),
        ({"numbers": [{}]}, "named by items, datasets, methods or metrics"),
        ({"numbers": [{"metrics": ["acuracy"]}]}, "Unknown metric"),
        ({"numbers": [{"method": ["Base"]}]}, "Unknown key"),
        ({"cause": "other program"}, "only where `program` names which one"),
        ({"program": "Weka"}, "only where `program` names which one"),
        ({"evidence": 3}, "evidence of an entry must be a text"),
    ],
)
def test_an_entry_is_read_with_care(content, message):
    with pytest.raises(RetreeError, match=message):
        entries({**ENTRIES[0], **content})


def test_what_is_not_published_cannot_be_named(tmp_path, paper):
    (tmp_path / "paper.yaml").write_text("title: A\ncauses:\n  - cause: open\n    numbers: []\n")
    wrong = CauseEntry(
        cause=Cause.OPEN, numbers=(Numbers(datasets=("waveform9",)),), evidence="None."
    )
    with pytest.raises(RetreeError, match=r"line 4: Unknown data set of published numbers: 'wave"):
        count_causes(replace(paper, causes=(wrong,)), random_numbers(0))


@pytest.mark.parametrize("name", sorted(available("paper")))
def test_each_entry_names_numbers_that_do_not_agree(name):
    paper = load_paper(name)
    counts = count_causes(paper, read_folder(RESULTS / name))
    own = counts[counts["evidence"].isin([entry.evidence for entry in paper.causes])]
    assert len(own) == len(paper.causes)
    assert (own["together"] > 0).all()


def test_the_search_of_the_program_explains_what_is_said():
    searches = pd.read_csv(RESULTS / "latent_space" / "searches.csv")
    own = searches.set_index(["metric", "method", "dataset"])["verdict"]
    named = [
        (numbers.items, method, dataset)
        for entry in load_paper("latent_space").causes
        if "(searches)" in entry.evidence and entry.cause == Cause.PROGRAM
        for numbers in entry.numbers
        for method in numbers.methods
        for dataset in numbers.datasets
    ]
    assert named
    for items, method, dataset in named:
        metric = {("table2",): "error_pct", ("table3",): "tree_size"}[items]
        assert own[metric, method, dataset] == "differs"
        assert own[metric, f"{method} (program)", dataset] == "agrees"
