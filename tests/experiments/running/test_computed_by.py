"""What computed a cell is compared with this process before the cell is stored."""

import dataclasses

import pytest
from toy_benchmark import make_datasets, make_experiment, make_plan

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.running import compute as compute_module
from retree_lab.experiments.running import execution
from retree_lab.experiments.running.run_plans import NODE, CodeCheck, describe_process, run_plans
from retree_lab.experiments.storing.outcomes import Outcome
from retree_lab.experiments.storing.store import Store

NOWHERE = frozenset()


def changed(outcome, **facts):
    return dataclasses.replace(outcome, by={**outcome.by, **facts})


def run_by(path, monkeypatch, **facts):
    """Run a plan, all but its first batch by a process with other `facts`; return store's runs."""
    computed = execution.compute_batch
    batches = []

    def compute(problem, batch):
        batches.append(batch)
        outcomes = computed(problem, batch)
        return [changed(o, **facts) if len(batches) > 1 else o for o in outcomes]

    monkeypatch.setattr(execution, "compute_batch", compute)
    plan = make_plan(make_experiment())
    with Store(path) as store:
        run_plans([plan], make_datasets(), store, Execution("local", "loky", 1))
    return plan


def runs_of(path, plan):
    with Store(path, readonly=True) as store:
        stored, runs = store.metrics([cell.key for cell in plan.cells]), store.runs()
    return [runs[values.run] for values in stored.values()]


def test_cells_of_other_code_are_refused_and_earlier_ones_stay(tmp_path, monkeypatch):
    path = tmp_path / "cells.sqlite"
    with pytest.raises(RetreeError, match="far runs another retree"):
        run_by(path, monkeypatch, code="of others", node="far")
    runs = runs_of(path, make_plan(make_experiment()))
    assert 0 < len(runs) < len(make_plan(make_experiment()).cells)
    assert {run["code"] for run in runs} == {describe_process(())["code"]}


def test_the_versions_of_whoever_computed_a_cell_are_kept(tmp_path, monkeypatch, capsys):
    path = tmp_path / "cells.sqlite"
    plan = run_by(path, monkeypatch, numpy="99.9", cpu="Z80")
    here = describe_process(())
    runs = runs_of(path, plan)
    assert {(run["numpy"], run["cpu"]) for run in runs} == {
        (here["numpy"], here["cpu"]),
        ("99.9", "Z80"),
    }
    assert all(NODE not in run and "commit" in run for run in runs)
    assert capsys.readouterr().err.count("numpy 99.9 instead of") == 1


def test_a_retree_that_says_nothing_of_itself_is_another_one():
    check = CodeCheck({"a": NOWHERE}, print)
    with pytest.raises(RetreeError, match="runs another retree"):
        check.admit([Outcome("a", accuracy=1.0)])
    assert check.admit([Outcome("a", error="died")])[0].by["code"] == describe_process(())["code"]


@pytest.mark.parametrize(
    ("node", "words"), [(None, "edited during the run"), ("far", "copy the study there")]
)
def test_other_files_of_a_study_are_refused(tmp_path, node, words):
    (tmp_path / "estimators.py").write_text("A = 1\n")
    folders = frozenset({tmp_path})
    check = CodeCheck({"a": folders}, print)
    (tmp_path / "estimators.py").write_text("A = 22\n")
    by = {**describe_process(folders), **({NODE: node} if node else {})}
    with pytest.raises(RetreeError, match=words):
        check.admit([Outcome("a", accuracy=1.0, by=by)])


def test_a_study_without_its_files_has_no_hash(tmp_path):
    assert "study_code" not in describe_process({tmp_path / "not there"})


def test_the_code_is_hashed_once_in_a_process(monkeypatch):
    describe_process(())
    monkeypatch.setattr(compute_module, "environment", None)
    assert describe_process(())["code"]
