"""`planning.keys` makes the keys of the committed cells: what is committed need not be computed.

Another name of a paper's estimator or of its file, another default, or an edited metric moves them.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from retree.errors import AwayError
from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.planning.grids import Grid, Tuned, grid_points
from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.experiments.planning.plan import protocol_on
from retree_lab.experiments.storing.exports import CELLS, read_provenance
from retree_lab.experiments.storing.planned import machines_of
from retree_lab.plain_files import read_gz
from retree_lab.study.composing import compose
from retree_lab.study.scorers import STATE

RESULTS = Path(__file__).parents[3] / "results"
PAPERS = sorted(file.parent.name for file in RESULTS.glob(f"*/{CELLS}"))


def committed(folder):
    """All keys, and for each item and label of a method one row per data set."""
    keys, rows = set(), {}
    for row in csv.DictReader(io.StringIO(read_gz(folder / CELLS).decode())):
        keys.add(row["key"])
        for item in row["items"].split():
            rows.setdefault((item, row["method"]), {}).setdefault(row["dataset"], row)
    return keys, rows


def first_dataset(rows, hashes, protocol):
    """The first data set of `rows` and its row; it is loaded only if it decides the folds."""
    for name, row in rows.items():
        if protocol.test_file is not True and protocol.splitter != "data_set":
            return SimpleNamespace(name=name, sha256=hashes[name], is_regression=False, y=()), row
        try:
            return load_dataset(name), row
        except AwayError:
            continue
    raise AssertionError("no data set is here")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_method_of_a_paper_has_its_committed_cells(paper):
    experiment = load_experiment(compose([f"paper={paper}", "item=all"]))
    about = read_provenance(RESULTS / paper)
    keys, rows = committed(RESULTS / paper)
    methods = {(i.name, m.name): (i, m) for i in experiment.items for m in i.methods}
    # Cells of other interpretations are not named by the items.
    places = [place for place in rows if place in methods]
    assert places or not keys
    moved = []
    for place in places:
        item, method = methods[place]
        data, row = first_dataset(rows[place], about["data"], item.protocol)
        machines = machines_of(about["runs"]) if item.protocol.timed else []
        protocols = [item.protocol, *(replace(item.protocol, machine=m) for m in machines)]
        grid = Grid(data, Tuned(method, grid_points(method, item, experiment.paper.grid)[:1]), {})
        at = tuple(int(row[name]) for name in ("repeat", "fold", "inner"))
        cells = [cell for p in protocols for cell in grid.cells(protocol_on(data, p), [at])]
        if not any(cell.key[:KEY_DIGITS] in keys for cell in cells):
            moved.append((item.name, method.key, cells[0].parts))
    assert not moved
    scores = {name: stored for i in experiment.items for name, stored in i.stored_scores.items()}
    by_sources = {name: stored for name, stored in scores.items() if STATE in stored}
    assert by_sources.items() <= about.get("metrics", {}).items()
