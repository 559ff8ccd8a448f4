"""One estimate of time: by the stored cells, else by the committed ones, by the data set's key."""

from __future__ import annotations

import argparse
import io
from dataclasses import replace

import pandas as pd
import pytest
from rich.console import Console
from toy_benchmark import CV, make_datasets, make_experiment, make_plan, run

from retree_lab.commands.run import carry_out as command
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.storing.exports import BLOBS, INTEGERS, REALS, TEXTS
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.status import Expected, Speed
from retree_lab.experiments.storing.store import open_store

# A cell of the data set "north", which the paper calls otherwise: cells have its key.
COMMITTED = """\
items,dataset,method,fit_seconds,n_train,n_features,status,key
table ranks,north,Plain,0.5,40,2,done,a
table,north,Plain,1.5,40,2,done,b
table,north,Plain,99,40,2,failed,c
table,Sud,Plain,70,40,2,done,d
other,north,Plain,80,40,2,done,e
"""


@pytest.fixture
def planned(tmp_path):
    """Plans of the toy benchmark, whose paper has committed cells."""
    folder = tmp_path / "results" / "toy"
    folder.mkdir(parents=True)
    table = pd.read_csv(io.StringIO(COMMITTED), dtype=str)
    others = [*TEXTS, *INTEGERS, *REALS, *BLOBS]
    table = table.assign(**{name: "" for name in others if name not in table})
    table.assign(run="0", n_test="20").to_csv(folder / "cells.csv.gz", index=False)
    (folder / "provenance.json").write_text('{"runs": [{}]}')
    experiment = make_experiment(CV)
    labels = {"north": "Nord", "south": "Sud"}
    names = {"grid": "Grid", "plain": "Plain"}
    # Another item gives the label to another method.
    methods = {"table": names, "other": {"different": "Plain"}}
    item = replace(experiment.items[0], labels=labels)
    experiment = replace(
        experiment,
        paper=replace(experiment.paper, methods=methods),
        items=(item,),
        committed=tmp_path / "results",
        store=tmp_path / "cells.sqlite",
        execution=replace(experiment.execution, jobs=1),
    )
    datasets = make_datasets()
    return Planned(experiment, datasets, [plan_item(experiment, item, datasets)])


def cells_of(planned, dataset, method):
    (plan,) = planned.plans
    return [c for c in plan.cells if (c.dataset, c.method) == (dataset, method)]


def expect(planned, *places):
    cells = [cell for place in places for cell in cells_of(planned, *place)]
    with open_store(planned.experiment) as store:
        return Speed(store, planned.datasets, planned).expect(cells)


def test_cells_take_as_long_as_the_committed_ones_of_their_method_and_data_set(planned):
    assert expect(planned, ("north", "plain")) == Expected(6 * 1.0, 0)
    assert expect(planned, ("north", "plain"), ("north", "grid")) == Expected(6 * 1.0, 36)


def test_stored_cells_count_more_than_committed_ones(planned):
    run(make_plan(make_experiment()), planned.experiment.store)
    assert expect(planned, ("north", "plain")).seconds < 3.0


def test_without_committed_cells_nothing_is_known(planned):
    alone = replace(planned, experiment=replace(planned.experiment, committed=None))
    assert expect(alone, ("north", "plain")) == Expected(0, 6)
    elsewhere = replace(planned.experiment, committed=planned.experiment.committed / "other")
    assert expect(replace(planned, experiment=elsewhere), ("north", "plain")) == Expected(0, 6)


def test_plan_and_run_announce_the_same_time(planned, monkeypatch):
    monkeypatch.setattr(command, "plan_all", lambda experiment: planned)
    said = []
    for act in (command._plan, command._run):
        out = io.StringIO()
        act(argparse.Namespace(command=""), planned.experiment, Console(file=out, width=200))
        said += [line for line in out.getvalue().splitlines() if "to compute" in line]
    assert said[0].endswith(said[1].partition("to compute")[2])
    assert "about" in said[1]
