import shutil
import sqlite3

import numpy as np
import pytest
from stress_study_folder import STUDY
from toy_benchmark import make_datasets, make_experiment, make_plan

from retree.cli import main
from retree.experiments.definition.definitions import Execution
from retree.experiments.running.run_plans import pending_batches, run_plans
from retree.experiments.storing.outcome import Outcome, pack_predictions
from retree.experiments.storing.results import results_frame
from retree.experiments.storing.store import Store


def run_shard(plan, path, shard):
    execution = Execution("local", "loky", 1, shard=shard)
    with Store(path) as store:
        return run_plans([plan], make_datasets(), store, execution)


@pytest.fixture
def plan():
    return make_plan(make_experiment())


def test_each_cell_is_in_one_shard_whatever_is_stored(plan, tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        keys = [
            {key for batch in pending_batches([plan], store, (k, 3)) for key in batch.keys}
            for k in (1, 2, 3)
        ]
    assert sum(map(len, keys)) == len(set().union(*keys)) == len(plan.cells)
    run_shard(plan, tmp_path / "cells.sqlite", (1, 3))
    with Store(tmp_path / "cells.sqlite") as store:
        assert not pending_batches([plan], store, (1, 3))
        left = {key for b in pending_batches([plan], store, (2, 3)) for key in b.keys}
    assert left == keys[1]


def test_merged_shards_are_the_whole(plan, tmp_path, capsys):
    paths = [tmp_path / f"{k}.sqlite" for k in (1, 2, 3)]
    for k, path in enumerate(paths, start=1):
        run_shard(plan, path, (k, 3))
    run_shard(plan, tmp_path / "whole.sqlite", None)
    assert main(["store", "merge", *map(str, paths)]) == 0
    assert "cells added to" in capsys.readouterr().out
    frames, predictions = [], []
    for path in (paths[0], tmp_path / "whole.sqlite"):
        with Store(path, readonly=True) as store:
            frame = results_frame(plan, store)
            frames.append(frame.drop(columns=["fit_seconds", "cpu_seconds"]))
            predictions.append([store.predictions(key) for key in frame["key"]])
    assert (frames[0]["status"] == "done").all()
    assert frames[0].equals(frames[1])
    assert all(map(np.array_equal, *predictions))
    assert main(["store", "merge", *map(str, paths)]) == 0
    assert "0 cells added" in capsys.readouterr().out


def test_what_is_damaged_or_contradicts_is_not_merged_and_said(plan, tmp_path, capsys):
    first, second = tmp_path / "first.sqlite", tmp_path / "second.sqlite"
    run_shard(plan, first, (1, 2))
    run_shard(plan, second, None)
    key, other = plan.cells[0].key, plan.cells[1].key
    with sqlite3.connect(second) as db:
        db.execute("UPDATE cells SET accuracy = 0.123 WHERE key = ?", (other,))
    with sqlite3.connect(first) as db:
        db.execute("DELETE FROM cells WHERE key IN (?, ?)", (key, other))
    with Store(first) as store:
        packed = pack_predictions(np.zeros(1, np.intp))
        outcome = Outcome(
            key, accuracy=0.0, n_train=1, n_features=1, n_test=1, digest="0", predictions=packed
        )
        store.record(1, [(plan.cells[0], outcome)])
    assert main(["store", "merge", str(first), str(second)]) == 1
    out = capsys.readouterr().out
    assert "1 cell damaged, left out" in out
    assert "1 cell with other results" in out


def test_wrong_shards_and_stores_are_refused(tmp_path, capsys):
    study = str(shutil.copytree(STUDY, tmp_path / "trouble"))
    for text in ("3/2", "0/2", "one", "1/0"):
        assert main(["run", "--study", study, "item=many", "--shard", text]) == 2
        assert "as 2/8" in capsys.readouterr().err
    assert main(["store", "merge", str(tmp_path / "a.sqlite"), str(tmp_path / "no")]) == 1
    assert "does not exist" in capsys.readouterr().err
