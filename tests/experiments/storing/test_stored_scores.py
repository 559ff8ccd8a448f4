"""Metrics that an item asks for besides: stored with the cell, sealed, exported, restored."""

import io
import json
import math
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace

import pytest
from rich.console import Console
from toy_benchmark import make_datasets, make_experiment, run

from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.running.run_plans import run_plans, score_stored
from retree_lab.experiments.storing.exports import read_export
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.results import results_frame
from retree_lab.experiments.storing.status import Speed, done_keys, find_stale, plan_status
from retree_lab.experiments.storing.store import Store, open_store
from retree_lab.experiments.verifying.verification import choose_cells, verify_plans
from retree_lab.reports.cells import cell_tables, provenance_content, write_cells, write_provenance
from retree_lab.reports.kinds import Kind

ALL = ("toy", "toy_grid")
LOCAL = Execution("local", "loky", 1)


@dataclass(frozen=True, kw_only=True)
class Scored(Kind):
    metrics: tuple[str, ...] = ()


def plan_of(*metrics, experiment=None):
    experiment = experiment or make_experiment()
    item = replace(experiment.items[0], kind=Scored(metrics=metrics))
    return plan_item(experiment, item, make_datasets())


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A store with all cells, each with its area under the curve."""
    path = tmp_path_factory.mktemp("computed") / "cells.sqlite"
    run(plan_of("accuracy", "roc_auc"), path)
    return path


@pytest.fixture
def path(computed, tmp_path):
    """A copy of that store."""
    return shutil.copy(computed, tmp_path / "cells.sqlite")


def edit(path, query):
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute(query).rowcount == 1


def test_a_plan_counts_cells_that_lack_a_metric(tmp_path):
    path = tmp_path / "cells.sqlite"
    run(plan_of("accuracy"), path)
    plan = plan_of("accuracy", "roc_auc")
    with Store(path) as store:
        status = plan_status([plan], store, Speed(store, make_datasets()))
        assert (status.missing, status.failed, status.stale) == (len(plan.cells), 0, {})
        assert not find_stale([plan], plan.cells, None, store)
        assert set(results_frame(plan, store)["reason"]) == {"roc_auc not computed yet"}
        assert score_stored([plan], make_datasets(), store) == 0
        assert run_plans([plan], make_datasets(), store, LOCAL).computed == len(plan.cells)
        assert plan_status([plan], store, Speed(store, make_datasets())).missing == 0
        assert results_frame(plan, store)["roc_auc"].between(0, 1).all()


def test_metrics_that_are_added_later_need_no_fit(path, tmp_path):
    later = ["neg_log_loss", "f1_macro", "average_precision"]
    plan = plan_of("accuracy", "roc_auc", *later)
    with Store(path) as store:
        assert score_stored([plan], make_datasets(), store) == len(plan.cells)
        assert run_plans([plan], make_datasets(), store, LOCAL).computed == 0
        scored = results_frame(plan, store)
    run(plan, tmp_path / "fresh.sqlite")
    with Store(tmp_path / "fresh.sqlite") as store:
        fresh = results_frame(plan, store)
    assert scored[later].equals(fresh[later])
    assert scored["roc_auc"].equals(fresh["roc_auc"])


@pytest.mark.parametrize(
    "query",
    [
        "UPDATE sealed_scores SET value = 1 - value",
        "UPDATE sealed_scores SET value = 'a text'",
        "DELETE FROM sealed_scores",
    ],
)
def test_an_edited_score_is_as_if_it_were_not_stored(path, query):
    plan = plan_of("accuracy", "roc_auc")
    with Store(path) as store:
        scores = results_frame(plan, store)["roc_auc"]
    key = next(c.key for c, s in zip(plan.cells, scores, strict=True) if s not in (0.0, 0.5))
    edit(path, f"{query} WHERE key = '{key}'")
    with Store(path) as store:
        assert results_frame(plan, store)["status"].tolist().count("absent") == 1
        assert score_stored([plan], make_datasets(), store) == 1
        assert results_frame(plan, store)["roc_auc"].equals(scores)


def test_edited_probabilities_are_as_if_they_were_not_stored(path):
    plan = plan_of("accuracy", "roc_auc")
    with Store(path) as store:
        scores = results_frame(plan, store)["roc_auc"]
    key = plan.cells[0].key
    edit(path, f"UPDATE probabilities SET content = zeroblob(9) WHERE key = '{key}'")
    edit(path, f"DELETE FROM sealed_scores WHERE key = '{key}'")
    with Store(path) as store:
        assert store.probabilities(key) is None
        assert score_stored([plan], make_datasets(), store) == 0
        assert run_plans([plan], make_datasets(), store, LOCAL).computed == 1
        assert store.probabilities(key) is not None
        assert results_frame(plan, store)["roc_auc"].equals(scores)


def test_scores_are_verified(path):
    plan = plan_of("accuracy", "roc_auc")
    with Store(path) as store:
        found = verify_plans(
            choose_cells([plan], done_keys([plan], store), ALL, 1), make_datasets(), store, LOCAL
        )
        assert found.mismatches == ()
        # A value that was sealed, but was wrong.
        key = choose_cells([plan], done_keys([plan], store), ALL, 1)[0].cells[0].key
    edit(path, f"DELETE FROM sealed_scores WHERE key = '{key}'")
    with Store(path) as store:
        store.add_scores({key: {"roc_auc": 0.125}})
        found = verify_plans(
            choose_cells([plan], done_keys([plan], store), ALL, 1), make_datasets(), store, LOCAL
        )
    (mismatch,) = found.mismatches
    assert (mismatch.cell.key, mismatch.difference.old) == (key, {"roc_auc": 0.125})


@pytest.fixture
def exported(path, tmp_path):
    """An experiment whose cells are committed; its own store is empty."""
    results = tmp_path / "results"
    experiment = make_experiment()
    experiment = replace(
        experiment, results=results, committed=results, store=tmp_path / "clone.sqlite"
    )
    with Store(path) as store:
        plan = plan_of("accuracy", "roc_auc", experiment=experiment)
        store.add_scores({plan.cells[0].key: {"neg_log_loss": math.nan}})
        entries = [(plan, results_frame(plan, store))]
        write_cells(experiment, cell_tables(entries, [], store))
        write_provenance(experiment, provenance_content(entries, store))
    return experiment


def restored(experiment, plan):
    planned = Planned(experiment, make_datasets(), [plan])
    said = io.StringIO()
    with open_store(planned.experiment, Console(file=said, width=200), readonly=False) as store:
        return results_frame(plan, store), done_keys([plan], store), said.getvalue()


def test_scores_are_restored_bit_by_bit(exported, path):
    plan = plan_of("accuracy", "roc_auc", experiment=exported)
    scores = read_export(exported.results / "toy").tables["cells.csv.gz"]["scores"]
    assert {tuple(json.loads(text)) for text in scores} == {("roc_auc",)}
    frame, done, said = restored(exported, plan)
    assert (len(done), said.startswith(f"{len(plan.cells)} cells")) == (len(plan.cells), True)
    with Store(path) as store:
        assert results_frame(plan, store)["roc_auc"].equals(frame["roc_auc"])


def test_scores_are_restored_to_cells_that_lack_them(exported):
    run(plan_of("accuracy"), exported.store)
    plan = plan_of("accuracy", "roc_auc", experiment=exported)
    frame, _, said = restored(exported, plan)
    assert (frame["status"] == "done").all()
    assert said.startswith(f"{len(plan.cells)} cells restored")
    assert restored(exported, plan)[2] == ""


def test_nothing_is_restored_that_is_not_committed(exported):
    plan = plan_of("accuracy", "roc_auc", "neg_log_loss", experiment=exported)
    assert restored(exported, plan)[1] == set()
    assert restored(exported, plan)[2] == ""


def test_an_undefined_score_is_stored_as_such(path):
    plan = plan_of("accuracy", "roc_auc")
    with Store(path) as store:
        store.add_scores({plan.cells[0].key: {"f1": math.nan}})
    with Store(path) as store:
        assert math.isnan(store.metrics([plan.cells[0].key])[plan.cells[0].key].scores["f1"])


def test_a_store_without_these_tables_is_read(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript("DROP TABLE sealed_scores; DROP TABLE probabilities;")
    plan = plan_of("accuracy", "roc_auc")
    with Store(path, readonly=True) as store:
        assert done_keys([plan], store) == set()
        assert store.probabilities(plan.cells[0].key) is None
