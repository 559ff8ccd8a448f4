"""Methods in pairs with marks, columns against candidates, steps of a change, interpretations."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from toy_paper import cells, context_of, frame_of, make_item, toy_plan

from retree_lab import reports
from retree_lab.experiments.definition.method import Method
from retree_lab.papers.forest_thinning.curves import point_means

PRINTED = """\
table,dataset,method,metric,value,std,marker
table7,south,Old,accuracy_pct,80.00,1.00,*
table7,south,New,accuracy_pct,90.00,1.00,
table7,iris,Old,accuracy_pct,60.00,1.00,
table7,iris,New,accuracy_pct,61.00,1.00,
table8,south,Old,nodes,100.0,1.0,*
table8,south,New,nodes,50.0,1.0,
table8,iris,Old,nodes,20.0,1.0,
table8,iris,New,nodes,18.0,1.0,
"""
FOLDER = "forest_thinning"
DISTANCE = {
    **{"rows": f"{FOLDER}/kinds.py:distances", "metrics": ["accuracy_pct", "nodes"], "left": 2},
    "options": {"tables_of": ["table7", "table8"]},
    **{"tables_by": "metric", "title": "{metric:label}"},
    "columns": {
        "as": "{method}",
        "ratio": "{ratio:.2f}",
        "near": "{within_10_percent:.0f} of {n_datasets}",
        "difference": "{mean_difference:+{metric}}",
    },
}
OLD, NEW = Method("old", "Old"), Method("new", "New")
TWIN = Method("twin", "Twin", about={"stands_for": "New", "interpretation": "as twin"})
ERRATUM = {"table": "table8", "dataset": "south", "reason": "A slip."}
# By hand: differences of 10, 12, 8, 10, 10 points and of 2, -2, 1, 0, 0.
SOUTH = [0.80, 0.81, 0.79, 0.80, 0.80], [0.90, 0.93, 0.87, 0.90, 0.90]
IRIS = [0.60] * 5, [0.62, 0.58, 0.61, 0.60, 0.60]


def paired_item(kind, methods=(OLD, NEW, TWIN), **options):
    labels = {"xor": "south"}
    return make_item("table7", kind, ("xor", "iris"), methods, options, labels=labels)


@pytest.fixture
def paper_experiment(experiment, tmp_path):
    (tmp_path / "pairs.csv").write_text(PRINTED)
    configured = {"datasets": ["xor", "iris"], "methods": ["old", "new", "twin"]}
    paper = replace(
        experiment.paper,
        published=tmp_path / "pairs.csv",
        errata=(ERRATUM,),
        items={"table7": configured},
    )
    return replace(experiment, paper=paper)


def results():
    sizes = {"old": (100.0, 20.0), "new": (60.0, 19.0), "twin": (52.0, 17.0)}
    return frame_of(
        *(
            cells(name, method, folds[0] if method == "old" else folds[1], nodes=sizes[method][i])
            for i, (name, folds) in enumerate((("xor", SOUTH), ("iris", IRIS)))
            for method in sizes
        )
    )


def render(experiment, item, frame):
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    return {path.name: path.read_text() for path in paths}


def rows_of(text, heading):
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


PAIRS = {"One": {"new": "old"}, "Absent": {"gone": "old"}}


def test_marks_are_those_of_the_two_tests(paper_experiment):
    item = paired_item("paired_table", metrics=["accuracy_pct", "nodes"], pairs=PAIRS)
    marks = context_of(paper_experiment, toy_plan(item), results()).rows.marks
    assert [(m.pair.dataset, m.pair.metric) for m in marks] == [
        ("south", "accuracy_pct"), ("iris", "accuracy_pct"), ("south", "nodes"), ("iris", "nodes")
    ]  # fmt: skip
    south, iris, nodes, _ = marks
    difference = 100 * (np.array(SOUTH[1]) - np.array(SOUTH[0]))
    t = difference.mean() / (difference.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4))
    assert south.pair.plain.p_value == pytest.approx(stats.ttest_rel(SOUTH[1], SOUTH[0]).pvalue)
    assert south.pair.corrected.p_value == pytest.approx(2 * stats.t.sf(t, 4))
    assert (south.published, south.t_mark, south.corrected_mark) == ("*", "*", "*")
    assert (iris.published, iris.t_mark, iris.corrected_mark) == ("", "", "")
    # Fewer nodes are better; nothing of them is printed in this table.
    assert (nodes.published, nodes.t_mark, nodes.pair.plain.mean_difference) == (None, "*", -40)


def test_a_worse_method_has_the_other_mark(paper_experiment):
    item = paired_item("paired_table", metrics=["accuracy_pct"], pairs={"Back": {"old": "new"}})
    marks = context_of(paper_experiment, toy_plan(item), results()).rows.marks
    assert [m.t_mark for m in marks] == ["°", ""]


def test_table_of_pairs(paper_experiment):
    item = paired_item("paired_table", metrics=["accuracy_pct"], pairs=PAIRS)
    files = render(paper_experiment, item, results())
    assert set(files) == {"table7.csv", "table7.md", "table7_marks.csv"}
    header, _, south, iris, mean = rows_of(files["table7.md"], "One: accuracy in %")
    assert header == ["data set", "New", "Old", "marks"]
    assert south == ["south", "90.00±2.12 (90.00±1.00) ✓", "80.00±0.71 (80.00±1.00) ✓", r"\* \* \*"]
    assert iris[3] == "– – –"
    assert mean == ["**mean**", "75.10 (75.50)", "70.00 (70.00)", ""]
    assert "Absent" not in files["table7.md"]
    (summary,) = rows_of(files["table7.md"], "Marks")[2:]
    assert summary[3:] == ["1 / 1 / 0", "1 / 1 / 0", "2 of 2", "1 / 1 / 0", "2 of 2"]


def test_what_is_not_printed_stands_beside_its_column(paper_experiment):
    pairs = {"Twins": {"twin": "old"}}
    item = paired_item("paired_table", metrics=["accuracy_pct", "nodes"], pairs=pairs)
    files = render(paper_experiment, item, results())
    south = rows_of(files["table7.md"], "Twins: accuracy in %")[2]
    assert south[1] == "90.00±2.12 (90.00±1.00) ✓"
    # The csv and the count of agreeing cells have it as what it is.
    table = pd.read_csv(io.StringIO(files["table7.csv"])).set_index(["method", "metric", "dataset"])
    assert np.isnan(table.loc[("Twin", "accuracy_pct", "south"), "published"])
    assert "Of 4 published numbers: 4 match." in files["table7.md"]
    assert rows_of(files["table7.md"], "Twins: nodes")[2][3] == r"— \* \*"
    assert rows_of(files["table7.md"], "Marks")[3][3:] == [
        "—", "2 / 0 / 0", "—", "2 / 0 / 0", "—"
    ]  # fmt: skip


def test_pairs_without_results_have_no_marks(paper_experiment):
    item = paired_item("paired_table", metrics=["accuracy_pct"], pairs=PAIRS)
    frame = results()
    frame = frame[frame["dataset"] == "xor"]
    rows = rows_of(render(paper_experiment, item, frame)["table7.md"], "One: accuracy in %")
    assert rows[3][1].startswith("—")
    assert rows[3][3] == "—"
    assert rows[4][1] == "— (75.50)"


def test_distance_to_the_print(paper_experiment):
    item = paired_item("computed", **DISTANCE)
    files = render(paper_experiment, item, results())
    table = pd.read_csv(io.StringIO(files["table7.csv"])).set_index(["method", "metric"])
    twin = table.loc[("as twin", "accuracy_pct")]
    assert (twin["published"], twin["n_datasets"], twin["agrees"]) == ("New", 2, 2)
    assert twin["mean_difference"] == pytest.approx(-0.4)
    assert twin["mean_abs_difference"] == pytest.approx(0.4)
    # The nodes of south are known to be wrong.
    nodes = table.loc[("as twin", "nodes")]
    assert (nodes["n_datasets"], nodes["within_10_percent"]) == (1, 1)
    assert nodes["ratio"] == pytest.approx(17 / 18)
    assert rows_of(files["table7.md"], "Nodes")[-1][1:] == ["0.94", "1 of 1", "−1.0"]
    # What no row of a table has is no column of it.
    assert rows_of(files["table7.md"], "Accuracy in %")[0] == ["as", "difference"]


def test_steps_add_up(paper_experiment):
    item = paired_item(
        f"{FOLDER}/steps.py:StepTable",
        metrics=["accuracy_pct"],
        steps=["first", "second"],
        groups={"All": ["old", "new", "twin"], "Part": ["old", "gone", "twin"]},
    )
    files = render(paper_experiment, item, results())
    _, _, south, iris, mean = rows_of(files["table7.md"], "All")
    assert south == ["south", "+10.00", r"+10.00 \*", "+0.00", r"+10.00 \*"]
    assert iris == ["iris", "+1.00", "+0.20", "+0.00", "+0.20"]
    assert mean[:2] == ["**mean**", "+5.50"]
    assert "Part" not in files["table7.md"]


CHANGES = {
    "rows": f"{FOLDER}/kinds.py:changes",
    "vary": [{}, {"a": 1}, {"a": 2}],
    "options": {
        "points": ["first", "half", "same"],
        "groups": {"twin": "Twins"},
        "changed_from": {"New": "Old"},
    },
    **{"tables_by": "group", "title": "{group} ({n_datasets} data sets)"},
    "columns": {"interpretation": "{interpretation}", "kept": "{kept_pct:nodes}"},
}


def changed():
    """Return results in which the second point keeps half of the nodes and gains a point."""
    groups = []
    for name, size in (("xor", 100.0), ("iris", 20.0)):
        for point, (kept, gain) in enumerate(((1, 0), (0.5, 0.01), (1, 0))):
            accuracies = [0.7 + gain] * 5
            params = CHANGES["vary"][point]
            groups.append(cells(name, "twin", accuracies, point, params, nodes=kept * size))
    return frame_of(*groups)


def test_changes_against_the_first_point(paper_experiment):
    item = paired_item("computed", (TWIN,), **CHANGES)
    table = context_of(paper_experiment, toy_plan(item), changed()).rows.set_index("interpretation")
    assert list(table.index) == ["published", "half", "same"]
    assert table.loc["published", "kept_pct"] == pytest.approx((50 + 90) / 2)
    assert table.loc["published", "change"] == pytest.approx(5.5)
    assert table.loc["half", "kept_pct"] == pytest.approx(50)
    assert table.loc["half", "kept_rms"] == pytest.approx(math.sqrt((0**2 + 40**2) / 2))
    assert table.loc["half", "change"] == pytest.approx(1)
    assert table.loc["half", "change_mean_abs_difference"] == pytest.approx((9 + 0) / 2)
    assert table.loc["same", ["kept_pct", "change"]].tolist() == [100, 0]
    files = render(paper_experiment, item, changed())
    rows = rows_of(files["table7.md"], "Twins (2 data sets)")
    assert rows[2][:2] == ["published", "70.0"]
    assert rows[3][0] == "half"


def test_point_means_leave_incomplete_points_out():
    frame = changed()
    frame = frame[~((frame["point"] == 1) & (frame["dataset"] == "iris") & (frame["fold"] == 3))]
    item = paired_item("computed", (TWIN,), **CHANGES)
    means = point_means(item, frame, ["accuracy_pct"])
    assert list(zip(means["dataset"], means["point"], strict=True)) == [
        ("south", 0), ("south", 1), ("south", 2), ("iris", 0), ("iris", 2)
    ]  # fmt: skip
    assert means["accuracy_pct"].tolist() == pytest.approx([70, 71, 70, 70, 70])


CURVES = {
    "vary": {"passes": [0, 1]},
    "axis": "passes",
    "metrics": ["accuracy_pct", "nodes"],
    "lines": {"old": "before", "new": "after"},
}


def test_curves_are_the_same_every_time(paper_experiment):
    item = paired_item(f"{FOLDER}/curves.py:GainCurves", **CURVES)
    frame = frame_of(
        *(
            cells(name, method, [0.7 + 0.1 * value] * 5, value, {"passes": value}, nodes=9.0)
            for name in ("xor", "iris")
            for method in ("old", "new", "twin")
            for value in (0, 1)
        )
    )

    def written():
        paths = reports.write_item(context_of(paper_experiment, toy_plan(item), frame))
        return {path.name: path.read_bytes() for path in paths}

    first = written()
    assert set(first) == {"table7.csv", "table7.svg"}
    assert first == written()
    table = pd.read_csv(io.BytesIO(first["table7.csv"]))
    assert table["passes"].tolist() == [0, 1] * 6
    assert table["dataset"].tolist() == ["south"] * 6 + ["iris"] * 6
    assert table["method"].tolist()[:6] == ["Old", "Old", "New", "New", "Twin", "Twin"]
    np.testing.assert_allclose(table["accuracy_pct"], [70, 80] * 6)


def test_curves_without_results_are_a_table_only(paper_experiment):
    item = paired_item(f"{FOLDER}/curves.py:GainCurves", **CURVES)
    frame = frame_of(cells("xor", "old", ["absent"] * 5, 0, {"passes": 0}))
    assert set(render(paper_experiment, item, frame)) == {"table7.csv"}
