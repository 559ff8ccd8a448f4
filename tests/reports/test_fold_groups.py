"""The folds behind the numbers of rendered tables."""

import dataclasses

import pandas as pd
import pytest
from toy_paper import NEW, cells, context_of, frame_of, toy_item, toy_plan

from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.reports.document import Document, Table, ToFolds, number_cell, slug
from retree_lab.reports.fold_groups import find_fold_groups
from retree_lab.reports.runs import ReplicateCells

DATASET = "waveform1_R"


def places(group):
    return [reference.place for reference in group.references]


def further(*rows):
    """The cells of the second replicate."""
    if not rows:
        return frame_of(cells(DATASET, "none", [0.5])).iloc[:0]
    return frame_of(*rows).assign(repeat=1)


def report(experiment, frame, item=None, best=(), nested=()):
    """An item with the replicates `best` and `nested` besides the first."""
    found = context_of(experiment, toy_plan(item or experiment.items[0]), frame)
    vars(found)["replicates"] = ReplicateCells(further(*best), further(*nested))
    return found


def groups(*reports, dataset=DATASET):
    frames = [f for c in reports for f in (c.frame, c.replicates.best, c.replicates.nested)]
    keys = [key[:KEY_DIGITS] for frame in frames for key in frame["key"]]
    found = find_fold_groups(reports, dict.fromkeys(keys, "a run"))
    return {places(group)[0]: group for group in found.get(dataset, [])}


def shown(group):
    return [(fold["repeat"], fold["fold"], fold["params"]) for fold in group.folds]


def test_the_folds_of_the_chosen_point_are_found_under_the_published_name(experiment, frame):
    group = groups(report(experiment, frame))["table2-new-plus-base"]
    assert (group.dataset, group.method, group.method_key) == (DATASET, "New+Base", "new")
    assert shown(group) == [(0, i, '{"k": 2}') for i in range(5)]
    assert group.values("accuracy_pct") == pytest.approx([86, 87, 85, 85, 87])
    assert {fold["run"] for fold in group.folds} == {"a run"}


def test_tables_with_the_same_folds_share_a_group(experiment, frame):
    other = dataclasses.replace(experiment.items[0], name="table4")
    found = groups(report(experiment, frame), report(experiment, frame, other))
    group = found["table2-base"]
    assert group.places == [("table2", "Base", "{}"), ("table4", "Base", "{}")]
    assert places(group) == ["table2-base", "table4-base"]
    assert {number.item for number in group.numbers} == {"table2", "table4"}
    assert len(found) == 3


def test_each_fold_of_a_nested_selection_has_its_own_point(experiment, frame):
    inner = (frame["inner"] >= 0) & (frame["fold"] == 0)
    other = frame.assign(accuracy=frame["accuracy"].mask(inner, 1 - frame["accuracy"]))
    group = groups(report(experiment, other))["table2-new-plus-base-nested"]
    assert [(fold["fold"], fold["params"]) for fold in group.folds] == [
        (0, '{"k": 2}'),
        *((i, '{"k": 3}') for i in range(1, 5)),
    ]
    assert group.is_nested


def test_further_runs_come_last_with_whatever_point_they_chose(experiment, frame):
    protocol = dataclasses.replace(experiment.items[0].protocol, replicates=2)
    item = dataclasses.replace(experiment.items[0], protocol=protocol)
    best = [cells(DATASET, "new", [0.7] * 5, 1, {"k": 3}), cells(DATASET, "base", [0.6] * 5)]
    nested = [cells(DATASET, "new", [0.6] * 5, 0, {"k": 2})]
    found = groups(report(experiment, frame, item, best, nested))
    group, honest = found["table2-new-plus-base"], found["table2-new-plus-base-nested"]
    assert [fold["replicate"] for fold in group.folds] == [False] * 5 + [True] * 5
    assert shown(group)[4:6] == [(0, 4, '{"k": 2}'), (1, 0, '{"k": 3}')]
    # Those of a nested selection are the ones with their own choice.
    assert shown(honest)[4:6] == [(0, 4, '{"k": 3}'), (1, 0, '{"k": 2}')]


def test_a_number_of_another_point_than_the_chosen_one_has_its_own_folds(experiment, frame):
    context = report(experiment, frame)
    (number,) = (
        c for c in context.comparisons if c.place == (DATASET, "new") and c.metric == "accuracy"
    )
    cell = number_cell(dataclasses.replace(number, params='{"k": 3}'))
    vars(context)["document"] = Document([], [Table(["a"], [[cell]])])
    (group,) = groups(context).values()
    assert shown(group) == [(0, i, '{"k": 3}') for i in range(5)]


def test_numbers_that_are_not_means_over_folds_have_none(experiment, frame):
    assert groups(report(experiment, frame), dataset="no such set") == {}
    # On xor no point of the grid is complete.
    assert set(groups(report(experiment, frame), dataset="xor")) == {"table2-base"}


def test_names_become_anchors():
    assert slug("BNM+CSN+Gini") == "bnm-plus-csn-plus-gini"
    assert slug("C4.5 (pruned)") == "c4-5-pruned"
    assert ToFolds("table2", "iris", "C4.5", "[{}]").place == "table2-c4-5-nested"


def test_methods_of_the_same_cells_share_a_group(experiment):
    twin = dataclasses.replace(NEW, key="twin", name="Twin", tune=())
    own = dataclasses.replace(NEW, tune=())
    item = dataclasses.replace(toy_item("table2", [DATASET]), methods=(own, twin))
    rows = frame_of(cells(DATASET, "new", [0.5] * 5))
    both = pd.concat([rows, rows.assign(method="twin")], ignore_index=True)
    (group,) = groups(report(experiment, both, item)).values()
    assert len(group.folds) == 5
    assert places(group) == ["table2-new-plus-base", "table2-twin"]


def test_methods_of_one_label_keep_their_own_folds(experiment):
    items = [toy_item("table2", [DATASET]), toy_item("table2", [DATASET])]
    methods = [dataclasses.replace(NEW, tune=(), key=key) for key in ("new", "other")]
    frames = [frame_of(cells(DATASET, m.key, [0.5] * 5)) for m in methods]
    reports = [
        report(experiment, frame, dataclasses.replace(item, name=name, methods=(method,)))
        for frame, item, name, method in zip(
            frames, items, ("table2", "table4"), methods, strict=True
        )
    ]
    first, second = groups(*reports).values()
    assert (first.method, first.method_key, len(first.folds)) == ("New+Base", "new", 5)
    assert (second.method, second.method_key, len(second.folds)) == ("New+Base", "other", 5)
