"""The results of all folds that the numbers of an item are of, as a table for pandas."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from retree_lab.experiments.storing.results import METRICS
from retree_lab.reports.context import Context
from retree_lab.reports.replicates.runs import Runs
from retree_lab.reports.selection import Choice
from retree_lab.statistics.metrics import ACCURACY_632

Pair = tuple[str, str]


def fold_table(context: Context) -> pd.DataFrame:
    """Return a row for each fold of all complete replicates, by data set, method, repeat and fold.

    Parameters that are chosen are chosen inside the training rows wherever that was computed, and
    on the test rows only where it was not.

    Returns columns ``dataset`` and ``method`` (keys), ``replicate``, ``repeat``, ``fold``, the
    metrics of cells and those of the item besides, ``params`` (JSON of the chosen point), ``key``
    and ``chosen_on_test``.
    """
    item = context.item
    metrics = [*METRICS, *([ACCURACY_632] if item.takes_all_rows else []), *item.scores]
    columns = ["dataset", "method", "replicate", "repeat", "fold", *metrics, "params", "key"]
    by_pair = _rows(context)
    tables = [
        by_pair[d, m.key] for d in item.datasets for m in item.methods if (d, m.key) in by_pair
    ]
    if not tables:
        return pd.DataFrame(columns=[*columns, "chosen_on_test"])
    table = pd.concat(tables, ignore_index=True)
    table["replicate"] = table["repeat"] // item.protocol.repeats
    return table[[*columns, "chosen_on_test"]]


def _rows(context: Context) -> dict[Pair, pd.DataFrame]:
    best, inside = context.runs, context.nested_runs
    by_pair = {}
    for pair, choice in context.best.items():
        if choice.on_test and pair in context.nested:
            rows, on_test = folds_of(pair, inside, context.nested), False
        else:
            rows, on_test = folds_of(pair, best, context.best), choice.on_test
        if len(rows):
            ordered = rows.sort_values(["repeat", "fold"], kind="stable")
            by_pair[pair] = ordered.assign(chosen_on_test=on_test)
    return by_pair


def folds_of(pair: Pair, runs: Runs, choices: Mapping[Pair, Choice]) -> pd.DataFrame:
    """Return the folds of all runs, or of the one where there are no others."""
    return runs.cells[pair] if pair in runs.cells else choices[pair].folds.reset_index()
