"""A throw-away folder of results: a table, times, means, claims, interpretations and folds."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

from retree_lab.diffing.scope import Scope
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.reports.kinds.interpretation_table import InterpretationTable
from retree_lab.reports.kinds.metric_table import MetricTable
from retree_lab.reports.kinds.reference_tables import TimeTable

HEAD = (
    "dataset,method,metric,reproduced,reproduced_std,published,published_std,difference,verdict,"
    "n_folds,params\n"
)
TABLE2 = HEAD + (
    "iris,Tree,accuracy,0.95,0.02,0.94,,0.01,agrees,10,{}\n"
    'iris,Forest,accuracy,0.97,0.01,0.9,,0.07,differs,10,"{""k"": 3}"\n'
    "zoo,Tree,accuracy,0.9111111111,0.03,0.9,,0.0111111111,agrees,10,{}\n"
    "zoo,Forest,accuracy,,,0.95,,,missing,0,\n"
)
TABLE4 = HEAD + (
    "iris,Tree,train_ms_10_trees,12.5,1.5,200,,,,10,{}\n"
    "iris,Tree,train_time_ratio,1.2,,1.1,,0.1,agrees,10,{}\n"
)
MEANS = HEAD + "MEAN,Tree,accuracy,0.93055,0.02,0.92,,0.01055,agrees,10,\n"
CLAIMS = """\
claim,place,text,check,published,published_numbers,here,here_numbers,nested
better,section 1,Forests are better.,accuracy (Table 2) of Forest > Tree,yes,2 of 2,yes,1 of 2,
fast,section 2,Trees are fast.,CPU time of ten trees in ms (Table 4) of Tree < 20,no,200,yes,12.5,
"""
INTERPRETATIONS = "method,interpretation,n_datasets,points\nTree,default,2,7\nTree,other,2,9\n"
CELLS = """\
items,dataset,method,params,point,repeat,fold,inner,status,reason,accuracy,depth,leaves,nodes,n_test,key
table2 means,iris,Tree,{},0,0,0,-1,done,,0.9333333333,3,4,7,15,aa
table2 means,iris,Tree,{},0,0,1,-1,done,,0.9666666667,3,4,7,15,ab
table2 means,zoo,Tree,{},0,0,0,-1,done,,0.9111111111,5,6,11,10,ac
"""
RUN = {"platform": "Linux", "cpu": "Z80", "python": "3.11", "numpy": "2.4", "started": "today"}
TREE, FOREST = Method("tree", "Tree"), Method("forest", "Forest")
CV = Protocol("cv10", 10, 1, True, True, 0, 0)
ITEMS = {
    name: Item(name, kind, "", ("iris", "zoo"), (TREE, FOREST), CV)
    for name, kind in {
        "table2": MetricTable(metrics=("accuracy",)),
        "table4": TimeTable(reference="tree"),
        "means": MetricTable(metrics=("accuracy",), means=True, by_method=True),
        "interpretations": InterpretationTable(metrics=("accuracy",)),
    }.items()
}
WHOLE = Scope(ITEMS, ITEMS)


def part(*datasets: str, items: tuple[str, ...] = tuple(ITEMS)) -> Scope:
    return Scope({name: replace(ITEMS[name], datasets=datasets) for name in items}, ITEMS)


def write_results(folder: Path, cpu: str = "Z80", **data: str) -> Path:
    """Write the results of the paper "toy" below `folder`, made on `cpu`, and return theirs."""
    paper = folder / "toy"
    paper.mkdir(parents=True)
    tables = {
        "table2": TABLE2,
        "table4": TABLE4,
        "means": MEANS,
        "interpretations": INTERPRETATIONS,
    }
    for name, text in {**tables, "claims": CLAIMS}.items():
        (paper / f"{name}.csv").write_text(text)
    (paper / "cells.csv.gz").write_bytes(gzip.compress(CELLS.encode()))
    about = {"runs": [RUN | {"cpu": cpu}], "data": data}
    (paper / "provenance.json").write_text(json.dumps(about))
    return paper


def edit(path: Path, old: str, new: str) -> None:
    """Replace the one `old` in a text file, or in a gz file, by `new`."""
    zipped = path.suffix == ".gz"
    text = gzip.decompress(path.read_bytes()).decode() if zipped else path.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    content = text.replace(old, new).encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
