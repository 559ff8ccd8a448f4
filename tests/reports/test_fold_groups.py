"""The folds behind the numbers of rendered tables."""

import json

import pandas as pd
import pytest

from retree.reports.fold_groups import find_fold_groups, group_folds
from retree.reports.references import ToFolds, slug

POINTS = ['{"k": 2}', '{"k": 5}']


def places(group):
    return [reference.place for reference in group.references]


def cell(
    params,
    fold,
    accuracy,
    *,
    repeat=0,
    inner=-1,
    items="table1 ranks",
    replicate=False,
    selected="best_test",
):
    key = f"{params}-{repeat}-{fold}-{inner}-{items}"
    return {
        **{"items": items, "dataset_key": "iris_2", "method_key": "gini", "params": params},
        **{"repeat": repeat, "fold": fold, "inner": inner, "status": "done", "key": key},
        **{"accuracy": accuracy, "depth": 3.0, "replicate": replicate, "selected": selected},
    }


def table(params, metric="accuracy"):
    return pd.DataFrame(
        {
            **{"dataset": ["iris"], "method": ["Gini"], "metric": [metric], "params": [params]},
            **{"reproduced": [0.5], "published": [0.5], "difference": [0.0], "verdict": ["agrees"]},
            **{"n_replicates": [1], "is_shown": [True]},
            **{"dataset_key": ["iris_2"], "method_key": ["gini"]},
        }
    )


def groups(cells, **tables):
    return group_folds(tables, pd.DataFrame(cells)).get("iris", [])


def test_the_folds_of_the_chosen_point_are_found_under_the_published_name():
    cells = [cell(params, fold, 0.1 * fold) for params in POINTS for fold in (1, 0)]
    cells += [cell(POINTS[0], 0, 0.9, inner=0), cell(POINTS[0], 0, 0.9, items="table9")]
    (group,) = groups(cells, table1=table(POINTS[0]))
    assert group.dataset == "iris"
    assert [(fold["params"], fold["fold"]) for fold in group.folds] == [
        (POINTS[0], 0),
        (POINTS[0], 1),
    ]
    assert group.values("accuracy_pct") == pytest.approx([0, 10])


def test_tables_with_the_same_folds_share_a_group():
    cells = [cell(POINTS[0], fold, 0.5) for fold in (0, 1)]
    (group,) = groups(cells, table1=table(POINTS[0]), ranks=table(POINTS[0], "depth"))
    assert group.places == [("table1", "Gini", POINTS[0]), ("ranks", "Gini", POINTS[0])]
    assert places(group) == ["table1-gini", "ranks-gini"]
    assert list(group.numbers["metric"]) == ["accuracy", "depth"]


def test_each_fold_of_a_nested_selection_has_its_own_point():
    cells = [cell(params, fold, 0.5) for params in POINTS for fold in (0, 1)]
    nested = json.dumps([json.loads(point) for point in reversed(POINTS)])
    (group,) = groups(cells, table1=table(nested, "accuracy_nested"))
    assert [(fold["fold"], fold["params"]) for fold in group.folds] == [
        (0, POINTS[1]),
        (1, POINTS[0]),
    ]
    assert group.is_nested
    assert places(group) == ["table1-gini-nested"]


def test_further_runs_come_last_with_whatever_point_they_chose():
    cells = [cell(POINTS[1], 0, 0.7, repeat=1, replicate=True), cell(POINTS[0], 0, 0.5)]
    (group,) = groups(cells, table1=table(POINTS[0]))
    assert [fold["replicate"] for fold in group.folds] == [False, True]


def test_further_runs_of_a_nested_selection_are_those_with_their_own_choice():
    further = [("best_test", POINTS[0]), ("nested", POINTS[1]), ("best_test nested", POINTS[0])]
    cells = [cell(POINTS[0], 0, 0.5)] + [
        cell(params, 0, 0.7, repeat=repeat, replicate=True, selected=selected)
        for repeat, (selected, params) in zip((1, 1, 2), further, strict=True)
    ]
    nested = json.dumps([json.loads(POINTS[0])])
    best, honest = groups(cells, table1=table(POINTS[0]), ranks=table(nested, "accuracy_nested"))
    assert [(fold["repeat"], fold["params"]) for fold in best.folds] == [
        (0, POINTS[0]),
        (1, POINTS[0]),
        (2, POINTS[0]),
    ]
    assert [fold["params"] for fold in honest.folds] == [POINTS[0], POINTS[1], POINTS[0]]


def test_numbers_that_are_not_means_over_folds_have_none():
    assert groups([cell(POINTS[0], 0, 0.5)], table1=table("")) == []


def test_names_become_anchors():
    assert slug("BNM+CSN+Gini") == "bnm-plus-csn-plus-gini"
    assert slug("C4.5 (pruned)") == "c4-5-pruned"
    assert ToFolds("table2", "iris", "C4.5", "[{}]").place == "table2-c4-5-nested"


def test_methods_of_the_same_cells_share_a_group():
    rows = pd.DataFrame([cell(POINTS[0], fold, 0.5) for fold in (0, 1)])
    blank = {"reason": "", "digest": "", "predictions": "", "tree": "", "method": "Gini"}
    files = rows.drop(columns=["replicate", "method_key"]).assign(**blank)
    cells = {"cells.csv.gz": files.rename(columns={"dataset_key": "dataset"})}
    twin = table(POINTS[0]).assign(method="Twin", method_key="twin")
    uses = pd.DataFrame({"key": rows["key"], "params": POINTS[0], "items": "table1"})
    both = pd.concat([uses.assign(method_key=key) for key in ("gini", "twin")])
    found = find_fold_groups(cells, {"table1": pd.concat([table(POINTS[0]), twin])}, both)
    (group,) = found["iris"]
    assert len(group.folds) == 2
    assert places(group) == ["table1-gini", "table1-twin"]


def test_methods_of_one_label_keep_their_own_folds():
    cells = [cell(POINTS[0], fold, 0.5) for fold in (0, 1)]
    others = [{**row, "method_key": "other", "key": f"o{row['key']}"} for row in cells[:1]]
    tables = {"table1": table(POINTS[0]), "ranks": table(POINTS[0]).assign(method_key="other")}
    first, second = groups([*cells, *others], **tables)
    assert (first.method, first.method_key, len(first.folds)) == ("Gini", "gini", 2)
    assert (second.method, second.method_key, len(second.folds)) == ("Gini", "other", 1)
