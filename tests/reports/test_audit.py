"""The audit of prints with known errors, and of the papers' own."""

from __future__ import annotations

import csv
from dataclasses import replace

import pandas as pd
import pytest
from paper_code import PAPERS
from toy_paper import cells, context_of, frame_of, toy_item, toy_plan

from retree_lab.experiments.definition.claim_config import Claim, CountCheck
from retree_lab.experiments.definition.definitions import AuditPlan, OddSizes
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.audit import audit_published, recount
from retree_lab.reports.audit.published_cells import published_cells
from retree_lab.reports.paper_pages import write_page
from retree_lab.study.available import available

RESULTS = PAPERS.parents[1] / "results"

PLAN = AuditPlan(folds=5)
HEADER = "table,dataset,method,metric,value,std,marker\n"
SETS = ("waveform0_R", "waveform1_R", "waveform2_R", "german", "banana", "sonar")


def paper_of(experiment, rows, plan=PLAN, **changes):
    """The toy paper with these printed rows, `table dataset method metric value std marker`."""
    text = HEADER + "".join(f"{','.join(row.split(' '))}\n" for row in rows)
    experiment.paper.published.write_text(text)
    return replace(experiment.paper, audit=plan, **changes)


def found(paper):
    """The findings by rule: (cells as `dataset method`, numbers)."""
    rulings = audit_published(paper)
    return {
        ruling.rule: [([f"{c.dataset} {c.method}" for c in f.cells], f) for f in ruling.findings]
        for ruling in rulings
        if ruling.findings
    }


def test_a_sound_print_has_no_findings(experiment):
    rows = [
        f"table2 {d} {m} accuracy 0.{i}{j}26  "
        for i, d in enumerate(SETS[:3], 3)
        for j, m in enumerate(("A", "B"), 4)
    ]
    assert found(paper_of(experiment, rows)) == {}


def test_means_of_other_rows_are_named(experiment):
    values = (0.5012, 0.6034, 0.7055, 0.9011)
    rows = [f"table2 {d} A accuracy {v}  " for d, v in zip(SETS, values, strict=False)]
    rows += [f"table2 {d} B accuracy {v - 0.1:.4f}  " for d, v in zip(SETS, values, strict=False)]
    rows += ["table4 MEAN A accuracy 0.8033  ", "table4 MEAN B accuracy 0.7033  "]
    plan = AuditPlan(5, means={"table4": {"accuracy": "table2"}})
    [(cells_, finding)] = found(paper_of(experiment, rows, plan))["mean"]
    assert cells_ == ["MEAN A", "MEAN B"]
    assert "A 0.8033 for 0.6778, B 0.7033 for 0.5778" in finding.numbers
    assert "the means of 2 of its 4 rows, waveform2_R to german" in finding.numbers


def test_a_mean_within_rounding_is_right(experiment):
    rows = [f"table2 {d} A accuracy {v}  " for d, v in zip(SETS, (0.12, 0.13, 0.13), strict=False)]
    plan = AuditPlan(5, means={"table4": {"accuracy": "table2"}})
    assert "mean" not in found(paper_of(experiment, [*rows, "table4 MEAN A accuracy 0.13  "], plan))
    wrong = found(paper_of(experiment, [*rows, "table4 MEAN A accuracy 0.15  "], plan))
    assert "They are the means" not in wrong["mean"][0][1].numbers


@pytest.mark.parametrize(("told", "right"), [(0, False), (1, True), (2, True), (3, False)])
def test_sentences_are_counted_with_ties_and_without(experiment, told, right):
    names = {"item": "table2", "metric": "accuracy", "of": ("A",), "than": ("B",)}
    check = CountCheck(**names, relation=">=", at_least=told, at_most=told, datasets=SETS[:3])
    values = [(0.6, 0.5), (0.5, 0.5), (0.4, 0.5)]
    rows = [
        f"table2 {d} {m} accuracy {v}  "
        for d, pair in zip(SETS, values, strict=False)
        for m, v in zip("AB", pair, strict=True)
    ]
    claim = Claim("best", "section 1", "A is best on some sets.", check)
    paper = paper_of(experiment, rows, AuditPlan(5, recount=("best",)), claims=(claim,))
    findings = found(paper).get("count", [])
    assert (findings == []) is right
    if not right:
        assert findings[0][1].numbers.endswith(f"The table gives 1, 2 with ties, not {told}.")


def test_shares_that_no_number_of_rows_gives(experiment):
    # german has 1000 rows, sonar 208, whose folds of 41 and 42 rows leave no gaps to speak of.
    rows = ["table2 german A accuracy 0.7345  ", "table2 german B accuracy 0.7340  "]
    rows += ["table3 german A depth 4.3  ", "table3 german B depth 4.4  "]
    findings = found(paper_of(experiment, rows))["granularity"]
    assert [cells_ for cells_, _ in findings] == [["german A"], ["german A"]]
    assert [finding.cells[0].metric for _, finding in findings] == ["accuracy", "depth"]


def test_totals_of_binary_trees_have_a_parity(experiment):
    rows = ["table2 iris A nodes 201.24 9.11 ", "table2 iris B nodes 150.33 7.22 "]
    odd = (OddSizes("nodes", ("iris",), 30),)
    paper = paper_of(experiment, rows, AuditPlan(10, 10, odd=odd))
    [(cells_, finding)] = found(paper)["parity"]
    assert cells_ == ["iris B"]
    assert "not every forest has 30" in finding.numbers
    assert "parity" not in found(
        replace(paper, audit=AuditPlan(10, 10, odd=(OddSizes("nodes", ("x",)),)))
    )


def test_deviations_that_no_odd_numbers_have(experiment):
    # Ten odd numbers of mean 9.2 deviate by 0.6 (nine 9, one 11) or by 1.1 and more.
    rows = ["table2 iris A tree_size 9.2 0.6 ", "table2 iris B tree_size 9.2 0.9 "]
    plan = AuditPlan(10, odd=(OddSizes("tree_size"),))
    [(cells_, _)] = found(paper_of(experiment, rows, plan))["integers"]
    assert cells_ == ["iris B"]


def test_a_tree_has_more_leaves_than_levels(experiment):
    rows = ["table2 iris A depth 4.0  ", "table2 iris A leaves 4.6  "]
    rows += ["table2 iris B depth 4.0  ", "table2 iris B leaves 5.0  "]
    assert [c for c, _ in found(paper_of(experiment, rows))["leaves"]] == [["iris A"]]


@pytest.mark.parametrize(
    ("better", "marked", "wrong"),
    [
        ("80.01 3.02 ", "79.01 3.02 *", False),
        ("79.01 3.02 ", "80.01 3.02 *", True),
        ("90.01 3.02 ", "79.01 3.02 ", True),
        ("80.01 3.02 ", "79.01 3.02 ", False),
        ("80.01 3.02 ", "79.01 9.04 *", True),
    ],
)
def test_stars_that_no_correlation_allows(experiment, better, marked, wrong):
    rows = [f"table2 iris A accuracy_pct {better}", f"table2 iris B accuracy_pct {marked}"]
    paper = paper_of(experiment, rows, AuditPlan(10, 10, marks={"A": "B"}))
    assert ("mark" in found(paper)) is wrong


def test_a_cell_copied_along_its_row_is_found(experiment):
    sets = ("spectf", "bupa", "pima", "vehicle", "vowel", "satellite", "waveform", "twonorm")
    errors = (25.1, 36.2, 26.1, 27.2, 20.5, 13.9, 22.8, 15.4)
    stds = (7.2, 8.2, 4.4, 5.8, 4.8, 1.7, 1.8, 1.3)
    rows = []
    for shift, method in enumerate("ABCD"):
        for dataset, error, std in zip(sets, errors, stds, strict=True):
            rows.append(
                f"table2 {dataset} {method} error_pct {error + shift:.1f} {std + 0.1 * shift:.1f} "
            )
    clean = found(paper_of(experiment, rows, AuditPlan(10)))
    assert clean == {}
    at = rows.index("table2 waveform A error_pct 22.8 1.8 ")
    rows[at] = "table2 waveform A error_pct 25.1 7.2 "
    wrong = {"table": "table2", "dataset": "waveform", "reason": "A slip of the pen."}
    findings = found(paper_of(experiment, rows, AuditPlan(10), errata=(wrong,)))
    assert [c for c, _ in findings["deviation"]] == [["waveform A"]]
    assert [c for c, _ in findings["repeat"]] == [["spectf A", "waveform A"]]
    assert findings["repeat"][0][1].errata == ("A slip of the pen.",)


def test_nothing_is_audited_without_a_plan(experiment):
    assert audit_published(experiment.paper) == []


def test_best_numbers_are_counted_again(experiment):
    values = {"waveform0_R": (3.0, 2.0), "german": (4.0, 4.0), "sonar": (2.0, 5.0)}
    rows = [
        f"table3 {d} {m} depth {v}  *".replace("  *", " 1.0 *" if m == "B" else "  ")
        for d, pair in values.items()
        for m, v in zip("AB", pair, strict=True)
    ]
    tallies = recount(published_cells(paper_of(experiment, rows), PLAN))
    assert tallies.to_numpy().tolist() == [
        ["table3", "depth", "A", 3, 1, 2, 0],
        ["table3", "depth", "B", 3, 1, 2, 3],
    ]


def test_the_page_and_the_files_tell_the_findings(experiment):
    rows = ["table2 german New+Base accuracy 0.7345  ", "table4 MEAN Base accuracy 0.9  "]
    experiment = replace(experiment, paper=paper_of(experiment, rows))
    item = toy_item("table2")
    frame = frame_of(cells("waveform1_R", "base", [0.8, 0.9]))
    paths = write_page(experiment, [context_of(experiment, toy_plan(item), frame)])
    files = {path.name: path for path in paths}
    page = files["README.md"].read_text()
    assert "## Audit of the published tables" in page
    assert "finds one error or oddity" in page
    assert "Table 2: german, New+Base" not in page
    audit = files["audit.md"].read_text()
    assert "Table 2: german, New+Base" in audit
    assert "GRIM" in audit
    with files["audit.csv"].open() as handle:
        [row] = csv.DictReader(handle)
    assert (row["rule"], row["cells"], row["chance"]) == ("granularity", "german New+Base", "0")


def test_the_errors_of_the_papers_come_out_and_nothing_else():
    """The known errors are found from the print; all else that is found is listed here."""
    named = {
        name: {
            (ruling.rule, " ".join(dict.fromkeys(f"{c.table} {c.dataset}" for c in finding.cells)))
            for ruling in audit_published(load_paper(name))
            for finding in ruling.findings
        }
        for name in ("structure_purity", "latent_space", "forest_thinning", "cmdt")
    }
    assert named["structure_purity"] == {
        ("mean", "table4 MEAN"),
        ("count", "table2 "),
        ("count", "table3 "),
    }
    assert named["latent_space"] == {
        ("count", "table3 "),
        ("deviation", "table2 waveform"),
        ("repeat", "table2 spectf table2 waveform"),
        ("repeat", "table3 spectf"),
        ("repeat", "table4 threenorm"),
    }
    spread = {("spread", f"table2 {d} table3 {d}") for d in ("iris", "vote", "pima", "page-blocks")}
    parity = {("parity", f"table2 {d} table3 {d}") for d in ("ionosphere", "pima", "page-blocks")}
    copied = {("repeat", f"table2 {d} table3 {d}") for d in ("breast-cancer", "german-credit")}
    copied |= {("repeat", f"table1 {d} table3 {d}") for d in ("hayes-roth", "vote")}
    assert named["forest_thinning"] == spread | parity | copied
    assert named["cmdt"] == set()


def test_the_means_of_table_4_are_those_of_its_last_fifteen_rows():
    [ruling] = [r for r in audit_published(load_paper("structure_purity")) if r.rule == "mean"]
    [finding] = ruling.findings
    assert "15 of its 21 rows, Raisin_Dataset to Occupancy_estimation" in finding.numbers
    assert finding.errata


@pytest.mark.parametrize("name", sorted(available("paper")))
def test_the_audit_finds_no_error_where_the_claims_find_none(name):
    """A sentence that the paper's own tables bear out is not one that they contradict."""
    paper = load_paper(name)
    wrong = {
        finding.numbers.split("”")[0].removeprefix("“")
        for ruling in audit_published(paper)
        for finding in ruling.findings
        if finding.rule == "count"
    }
    claims = pd.read_csv(RESULTS / name / "claims.csv") if wrong else pd.DataFrame()
    assert not wrong or set(claims.set_index("text").loc[list(wrong), "published"]) == {"no"}
