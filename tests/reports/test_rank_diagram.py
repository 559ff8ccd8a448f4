"""Ranks of the toy paper's methods, and the diagram of them."""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from scipy import stats
from toy_paper import (
    BASE,
    FAILED,
    NEW,
    OTHER,
    cells,
    context_of,
    frame_of,
    make_item,
    results,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.reports.figures import COLOURS, style
from retree_lab.reports.kinds.rank_figures import Ranks, draw_ranks
from retree_lab.reports.kinds.rankings import over_data_sets
from retree_lab.reports.runs import ReplicateCells, Runs, in_shared_runs
from retree_lab.statistics import friedman_test, wilcoxon_signed_rank
from retree_lab.study.composing import compose

RESULTS = Path(__file__).parents[2] / "results"
DATASETS = ["waveform1_R", "waveform0_R", "xor", "d4", "d5", "d6"]
THIRD = replace(OTHER, key="third", name="Third", estimator="structure_purity", missing=None)
ACCURACIES = {
    "base": [0.80, 0.70, 0.60, 0.90, 0.75, 0.65],
    "new": [0.83, 0.76, 0.60, 0.91, 0.74, 0.70],
    "third": [0.50, 0.60, 0.55, 0.80, 0.70, 0.64],
}
NAMES = {"base": "Base", "new": "New", "third": "Third"}


def rank_item(methods=(BASE, NEW, THIRD), datasets=DATASETS, **options):
    methods = tuple(replace(m, name=NAMES.get(m.key, m.name)) for m in methods)
    options = {"metrics": ["accuracy"], "control": "base", **options}
    return make_item("ranks", "rank_diagram", datasets, methods, options, caption="Accuracy & more")


def frame_of_means(means=ACCURACIES, datasets=DATASETS, **failed):
    groups = [
        cells(d, key, [FAILED] if failed.get(d) == key else [value - 0.01, value + 0.01])
        for key, values in means.items()
        for d, value in zip(datasets, values, strict=False)
    ]
    return frame_of(*groups)


def rendered(tmp_path, item, frame):
    paper = toy_paper(tmp_path)
    paper = replace(paper, items={**paper.items, "ranks": {"datasets": list(item.datasets)}})
    experiment = toy_experiment(tmp_path, paper, item)
    experiment = replace(experiment, sources=("generator",))
    # The note on generated data would load the toy's invented data sets.
    plan = toy_plan(item, **dict.fromkeys(DATASETS[3:], "invented"))
    paths = reports.write_item(context_of(experiment, plan, frame))
    return {path.name: path.read_bytes() for path in paths}


def rows_of(content):
    return list(csv.DictReader(io.StringIO(content.decode())))


def rankings(item, frame):
    return context_of(None, toy_plan(item), frame, None).rows


def only(item, frame):
    (ranking,) = rankings(item, frame)
    return ranking


def test_ranks_are_those_of_friedman():
    ranking = only(rank_item(), frame_of_means())
    values = pd.DataFrame(ACCURACIES).rename(columns=NAMES)
    assert ranking.friedman.average_ranks == friedman_test(values).average_ranks
    assert list(ranking.methods["method"]) == ["New", "Base", "Third"]
    assert ranking.methods["average_rank"].tolist() == pytest.approx([7.5 / 6, 10.5 / 6, 3])
    # Differences of .5 and 1.25 are less than 2.343 sqrt(12 / 36) = 1.35, their sum is not.
    assert ranking.groups == [("New", "Base"), ("Base", "Third")]


def test_each_method_is_compared_with_the_control():
    ranking = only(rank_item(), frame_of_means())
    table = ranking.methods.set_index("method")
    new = table.loc["New"]
    assert (new["wins"], new["ties"], new["losses"]) == (4, 1, 1)
    base, ours = np.array(ACCURACIES["base"]), np.array(ACCURACIES["new"])
    expected = stats.ttest_rel(ours, base)
    low, high = expected.confidence_interval()
    interval = new[["difference", "difference_low", "difference_high"]].tolist()
    assert interval == pytest.approx([(ours - base).mean(), low, high])
    p_values = [wilcoxon_signed_rank(ACCURACIES[k], base).p_value for k in ("new", "third")]
    assert new["wilcoxon_p"] == pytest.approx(p_values[0])
    assert new["wilcoxon_p_holm"] == pytest.approx(max(p_values[0], 2 * min(p_values)))
    assert new[["p_better", "p_equivalent", "p_worse"]].sum() == pytest.approx(1)
    assert table.loc["Base"].isna().sum() == len(table.columns) - 2


@pytest.mark.parametrize("metric", ["accuracy", "error_pct"])
def test_the_spread_over_runs_is_that_of_the_ranks_of_each_repeat(metric):
    values = np.random.default_rng(0).uniform(0.5, 0.9, (3, 4, len(DATASETS))).round(3)
    frame = pd.concat(
        [frame_of_means(dict(zip(NAMES, means, strict=True))) for means in values.swapaxes(0, 1)],
        keys=range(4),
        names=["repeat"],
    )
    frame["repeat"] = frame.index.get_level_values("repeat")
    protocol = Protocol("cv2x4", 2, 4, True, True, 0, 0)
    item = replace(rank_item(metrics=[metric]), protocol=protocol)
    methods = only(item, frame.reset_index(drop=True)).methods.set_index("method")
    # A rank is one more than the number of methods that are better.
    ranks = (values[:, None] < values[None]).sum(axis=1).mean(axis=2) + 1
    for name, of_runs in zip(NAMES.values(), ranks, strict=True):
        row = methods.loc[name, ["average_rank", "rank_lowest", "rank_highest", "n_runs"]]
        wanted = [of_runs.mean(), of_runs.min(), of_runs.max(), 4]
        assert row.tolist() == pytest.approx(wanted)
        assert methods.loc[name, "n_first"] == (of_runs <= ranks.min(axis=0) + 1e-9).sum()


def test_methods_are_ranked_inside_each_replicate():
    def replicate(number, base, new):
        frame = frame_of_means({"base": [base] * 3, "new": [new] * 3}, DATASETS[:3])
        return frame.assign(repeat=number)

    # Base has the higher mean, but is better in one replicate only.
    first, *others = replicate(0, 0.7, 0.8), replicate(1, 0.99, 0.8), replicate(2, 0.75, 0.8)
    protocol = Protocol("cv2", 2, 1, True, True, 0, 0, replicates=3)
    item = replace(rank_item((BASE, NEW), DATASETS[:3]), protocol=protocol)
    context = context_of(None, toy_plan(item), first, None)
    further = pd.concat(others, ignore_index=True)
    context.__dict__["replicates"] = ReplicateCells(further, further.iloc[:0])
    (ranking,) = context.rows
    assert ranking.friedman.average_ranks == pytest.approx({"Base": 5 / 3, "New": 4 / 3})
    methods = ranking.methods.set_index("method")
    assert methods["mean"].to_dict() == pytest.approx({"New": 0.8, "Base": 2.44 / 3})
    assert methods.loc["Base", ["rank_lowest", "rank_highest", "n_first"]].tolist() == [1, 2, 1]
    # Each number of the ranking is the mean over the replicates too.
    shown = [c.reproduced for c in ranking.numbers("Base")]
    assert shown == pytest.approx([2.44 / 3] * 3)


def test_all_sides_are_of_the_replicates_that_all_have():
    def runs(**numbers):
        return Runs({("d", m): pd.DataFrame({"run": runs}) for m, runs in numbers.items()})

    published, honest = in_shared_runs([runs(a=[0, 0, 1, 2, 3], b=[0, 1, 3]), runs(a=[0, 1, 3, 4])])
    assert {m: c["run"].tolist() for (_, m), c in published.cells.items()} == {
        "a": [0, 0, 1, 3],
        "b": [0, 1, 3],
    }
    assert honest.cells["d", "a"]["run"].tolist() == [0, 1, 3]


def test_a_data_set_with_fewer_replicates_stands_by_its_average_rank():
    three = pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": [2.0, 1.0, 2.0]})
    found = over_data_sets([three, pd.DataFrame({"a": [1.0], "b": [2.0]})])
    assert found["a"].tolist() == [1.0, 1.5, 1.0]
    assert found.mean().tolist() == pytest.approx([7 / 6, 11 / 6])


def test_committed_average_ranks_lie_in_their_own_range():
    tables = {p: pd.read_csv(p) for p in sorted(RESULTS.glob("*/ranks.csv"))}
    found = [table for table in tables.values() if "rank_lowest" in table]
    assert len(found) >= 4
    table, slack = pd.concat(found), 1e-9
    assert (table["average_rank"] >= table["rank_lowest"] - slack).all()
    assert (table["average_rank"] <= table["rank_highest"] + slack).all()
    # Both sides of a comparison are of the same replicates, and some method is first in each.
    for own in found:
        assert own["n_runs"].nunique() == 1
        assert (own.groupby("selection")["n_first"].sum() >= own["n_runs"].max()).all()


def test_without_runs_there_is_no_spread():
    ranking = only(rank_item(), frame_of_means())
    assert not ranking.has_range
    assert "n_runs" not in ranking.methods


def test_smaller_errors_are_better():
    by_accuracy = only(rank_item(), frame_of_means())
    by_error = only(rank_item(metrics=["error_pct"]), frame_of_means())
    assert by_error.friedman == by_accuracy.friedman
    new, mirrored = by_accuracy.methods.iloc[0], by_error.methods.iloc[0]
    assert mirrored["difference"] == pytest.approx(-100 * new["difference"])
    assert mirrored["mean"] == pytest.approx(100 - 100 * new["mean"])
    for column in ("wins", "losses", "wilcoxon_p", "rank_biserial", "p_better", "p_worse"):
        assert mirrored[column] == pytest.approx(new[column]), column
    assert (by_accuracy.rope, by_error.rope) == (0.01, 1.0)


def test_sizes_have_no_rope_unless_it_is_said():
    frame = frame_of_means()
    assert only(rank_item(metrics=["depth"]), frame).rope is None
    assert only(rank_item(metrics=["depth"], rope=0.5), frame).rope == 0.5


def test_a_data_set_that_lacks_a_method_is_left_out_and_named(tmp_path):
    frame = frame_of_means(xor="third")
    ranking = only(rank_item(), frame)
    assert ranking.friedman.left_out == ("xor",)
    assert ranking.friedman.n_datasets == 5
    files = rendered(tmp_path, rank_item(), frame)
    text = files["ranks.md"].decode()
    assert "- xor is left out: no result of Third (1 of 1 cells: ValueError: too few rows)." in text
    assert rows_of(files["ranks_tests.csv"])[0]["left_out"] == "xor"


def test_a_method_without_any_result_is_left_out_and_named(tmp_path):
    item = rank_item((BASE, NEW, THIRD, OTHER))
    assert "Other" not in only(item, frame_of_means()).friedman.average_ranks
    text = rendered(tmp_path, item, frame_of_means())["ranks.md"].decode()
    assert "- Other is left out: no results (Other is not implemented yet)." in text


def test_the_control_is_the_best_method_if_it_has_no_results():
    item = rank_item((NEW, THIRD), control="base")
    frame = frame_of_means()
    assert only(item, frame[frame["method"] != "base"]).control == "New"


def test_files_and_their_content(tmp_path):
    files = rendered(tmp_path, rank_item(), frame_of_means())
    assert set(files) == {
        "ranks.md",
        "ranks.csv",
        "ranks_pairs.csv",
        "ranks_tests.csv",
    }
    lines = files["ranks.md"].decode().splitlines()
    chi2 = stats.friedmanchisquare(*ACCURACIES.values())
    start = (
        f"- Friedman: χ² = {chi2.statistic:.2f} with 2 degrees of freedom, p = {chi2.pvalue:.4f}"
    )
    assert any(line.startswith(start) for line in lines)
    assert any(line.startswith("| Base | 1.75 | 0.7333 | control |") for line in lines)
    assert any("Not significantly different: New, Base; Base, Third." in line for line in lines)
    assert [row["method"] for row in rows_of(files["ranks.csv"])] == ["New", "Base", "Third"]
    pairs = {(row["better"], row["worse"]): row for row in rows_of(files["ranks_pairs.csv"])}
    assert set(pairs) == {("New", "Base"), ("New", "Third"), ("Base", "Third")}
    assert pairs["New", "Third"]["wins"] == "6"
    assert (
        float(pairs["New", "Third"]["nemenyi_p"])
        < 0.05
        < float(pairs["Base", "Third"]["nemenyi_p"])
    )


def test_nested_selection_has_its_own_ranks(tmp_path):
    nested = [
        cells(d, "new", [accuracy] * 2, k - 2, {"k": k}, fold)
        for d in DATASETS[:3]
        for k, accuracy in ((2, 0.6), (3, 0.7))
        for fold in range(2)
    ]
    frame = frame_of(
        *(cells(d, "base", [0.75, 0.76]) for d in DATASETS[:3]),
        *(cells(d, "new", [0.80, 0.80], 0, {"k": 2}) for d in DATASETS[:3]),
        *(cells(d, "new", [0.70, 0.70], 1, {"k": 3}) for d in DATASETS[:3]),
        *nested,
    )
    item = rank_item((BASE, NEW), DATASETS[:3], select=["best_test", "nested"])
    as_printed, honest = rankings(item, frame)
    assert as_printed.friedman.average_ranks == {"Base": 2.0, "New": 1.0}
    assert honest.friedman.average_ranks == {"Base": 1.0, "New": 2.0}
    text = rendered(tmp_path, item, frame)["ranks.md"].decode()
    assert "## Parameters chosen inside the training folds" in text


def test_too_few_results_have_no_ranks(tmp_path):
    files = rendered(tmp_path, rank_item((BASE, NEW), ["xor"]), results())
    assert set(files) == {"ranks.md"}
    assert b"Ranks need two methods" in files["ranks.md"]


def test_the_order_of_the_rows_does_not_matter(tmp_path):
    first = rendered(tmp_path, rank_item(), frame_of_means())
    assert rendered(tmp_path, rank_item(), frame_of_means().iloc[::-1]) == first


def test_one_metric_is_ranked(tmp_path):
    with pytest.raises(RetreeError, match="ranks by one metric"):
        rendered(tmp_path, rank_item(metrics=["accuracy", "depth"]), frame_of_means())


def test_dots_stand_in_the_order_of_the_ranks_beside_the_critical_difference():
    ranks = {"a": 1.2, "c": 3.0, "b": 2.0, "d": 3.8}
    figure = draw_ranks([Ranks(ranks, 1.5, 12, ranges={"a": (1.0, 1.5)})])
    (axes,) = figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["a  1.20", "b  2.00", "c  3.00", "d  3.80"]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [float(dot.get_xdata()[0]) for dot in dots] == [1.2, 2.0, 3.0, 3.8]
    (band,) = axes.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((1.2, 2.7))
    assert tuple(axes.lines[0].get_xdata()) == (1.0, 1.5)
    assert figure.get_suptitle() == "a is first; 2 of 3 others are significantly\nbehind"
    assert "a 1.20, b 2.00, c 3.00, d 3.80" in figure.get_label()


def test_two_rankings_of_the_same_methods_are_slopes():
    before, after = {"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 2.4, "b": 1.2, "c": 2.4}
    figure = draw_ranks([Ranks(before, 1.0, 12, "left"), Ranks(after, 1.0, 12, "right")])
    (axes,) = figure.axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[1.0, 2.4], [2.0, 1.2], [3.0, 2.4]]
    title = figure.get_suptitle().replace("\n", " ")
    assert title == "a loses its first place: average rank 1.0 → 2.4"
    colours = [to_hex(line.get_color()) for line in axes.lines]
    assert colours[:2] == [COLOURS[1].lower(), COLOURS[0].lower()]
    same = draw_ranks([Ranks(before, 1.0, 12), Ranks(before, 1.0, 12)])
    assert same.get_suptitle().startswith("a is first both ways")


def test_a_title_says_only_what_is_so_in_each_replicate():
    before = Ranks({"a": 1.2, "b": 1.8}, 1.0, 12, n_runs=3, first_in={"a": 3, "b": 0})
    some = Ranks({"a": 1.6, "b": 1.4}, 1.0, 12, n_runs=3, first_in={"a": 1, "b": 2})
    none = Ranks({"a": 1.9, "b": 1.1}, 1.0, 12, n_runs=3, first_in={"a": 0, "b": 3})
    ranks = "average rank 1.2 →"
    said = before.finding_before(some)
    assert said == f"a is first in each of 3 replicates, then in 1: {ranks} 1.6"
    said = before.finding_before(none)
    assert said == f"a loses its first place in each of 3 replicates: {ranks} 1.9"
    said = "b has the best average rank, and is first in 2 of 3 replicates"
    assert some.finding == f"{said}; none of 1 others is significantly behind"
    level = Ranks({"a": 1.5, "b": 1.5}, 1.0, 12, n_runs=2, first_in={"a": 1, "b": 1})
    assert level.finding.startswith("a and b share the best average rank;")


@pytest.mark.parametrize("n_rankings", [1, 2])
@pytest.mark.parametrize("name", ["m", "AdaBoost+EPIC+FTCG (decisions, pruned)", "WWWWWWWW"])
def test_names_stay_within_the_figure_and_apart(name, n_rankings):
    with style():
        ranks = {f"{name}{i}": 1 + i / 2 for i in range(18)}
        figure = draw_ranks([Ranks(ranks, 3.0, 9, "title")] * n_rankings)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        assert len(figure.axes) == (n_rankings if len(name) > 12 else 1)
        names = [t for axes in figure.axes for t in [*axes.get_yticklabels(), *axes.texts]]
        assert len(names) == 18 * n_rankings
        boxes = [text.get_window_extent(canvas.get_renderer()) for text in names]
        for box in boxes:
            assert 0 <= box.x0 < box.x1 <= figure.bbox.width
            assert 0 <= box.y0 < box.y1 <= figure.bbox.height
        for one, other in itertools.combinations(boxes, 2):
            assert not one.padded(-0.5).overlaps(other.padded(-0.5))


def test_few_data_sets_have_no_figure(tmp_path):
    few = rendered(tmp_path, rank_item(), frame_of_means())
    assert "ranks.svg" not in few
    assert "No figure is drawn for fewer than 10 data sets." in few["ranks.md"].decode()


def test_the_matrix_stands_beside_the_ranks(tmp_path):
    files = rendered(tmp_path, rank_item(matrix=True), frame_of_means())
    new, base = np.array(ACCURACIES["new"]), np.array(ACCURACIES["base"])
    # Of its numbers there is no file of their own, since others have them.
    rows = {row["method"]: row for row in rows_of(files["ranks.csv"])}
    assert float(rows["New"]["mean"]) == pytest.approx(new.mean())
    pairs = {(row["better"], row["worse"]): row for row in rows_of(files["ranks_pairs.csv"])}
    found = pairs["New", "Base"]
    assert (found["wins"], found["ties"], found["losses"]) == ("4", "1", "1")
    text = files["ranks.md"].decode()
    assert "## Each method against every other" in text
    p = wilcoxon_signed_rank(new, base).p_value
    cell = f"{(new - base).mean():+.4f}; 4/1/1; p {p:.3f}"
    assert f"| New (0.7567) |  | {cell} |" in text
    assert "| Base (0.7333) | " in text
    assert f"{(base - new).mean():+.4f}".replace("-", "−") + "; 1/1/4" in text
    third = next(line for line in text.splitlines() if line.startswith("| Third ("))
    assert [cell.strip() for cell in third.split("|")][4] == ""
    assert "(Ismail-Fawaz et al. 2023)" in text
    by_error = rendered(tmp_path, rank_item(matrix=True, metrics=["error_pct"]), frame_of_means())
    cell = f"−{100 * (new - base).mean():.1f}; 4/1/1; p {p:.3f}"
    assert f"| New (24.3) |  | {cell} |" in by_error["ranks.md"].decode()


@pytest.mark.parametrize("paper", ["structure_purity", "latent_space"])
def test_ranks_and_tests_have_the_replicates_of_the_table_they_are_of(paper):
    items = {i.name: i for i in load_experiment(compose([f"paper={paper}", "item=all"])).items}
    for name in ("ranks", "weka"):
        for own in ("replicates", "replicates_of", "nested_replicates"):
            of = (i.protocol if own == "replicates" else i for i in (items[name], items["table2"]))
            assert len({str(getattr(where, own)) for where in of}) == 1, (name, own)
