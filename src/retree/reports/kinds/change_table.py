"""What each reading of a method changes, beside the printed change (kind ``change_table``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.kinds.point_table import point_means
from retree.reports.markup import bullets, markdown_table
from retree.reports.published import Published
from retree.reports.wording import HOLE, number

METRIC, SIZE = "accuracy_pct", "nodes"
_COLUMNS = ["group", "method", "reading", "n_datasets", "kept_pct", "kept_rms", "kept_correlation"]
_COLUMNS += ["change", "change_mean_abs_difference", "change_correlation"]
_HEADER = ["reading", "nodes kept in %", "rms distance", "correlation"]
_HEADER += ["change of accuracy", "mean abs. distance", "correlation"]
_LEGEND = (
    "Nodes kept and change of accuracy (in points) are those against the first reading, means over "
    "the data sets. Distances and correlations are those to the printed values of the same data "
    "sets."
)


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv`` and ``.md``.

    Each point of the item's ``vary`` is a reading, called as the item's ``reading_names`` have it;
    the first is what all are compared with. The item's ``prints`` gives, for each printed column of
    what is changed, the column that it changes to, and its ``groups`` the title of each method.
    """
    table = changes(experiment, item, frame)
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, table)),
    ]


def changes(experiment: Experiment, item: Item, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for the print and for each reading, by method."""
    means = point_means(item, frame, [METRIC, SIZE])
    rows = []
    for method in item.methods:
        ours = means[means["method"] == method.key]
        printed = _printed(experiment, item, method)
        found = {p: _change(ours, int(p)) for p in sorted(ours["point"].unique()) if p > 0}
        if not found:
            continue
        common = printed.index.intersection(next(iter(found.values())).index)
        rows.append(_row(item, method, "print", printed.loc[common], printed.loc[common]))
        for point, change in found.items():
            name = str(item.options["reading_names"][int(point)])
            rows.append(_row(item, method, name, change.reindex(common), printed.loc[common]))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _change(means: pd.DataFrame, point: int) -> pd.DataFrame:
    """Return share of nodes kept and change of accuracy of each data set at a point."""
    at = means[means["point"] == point].set_index("dataset")
    first = means[means["point"] == 0].set_index("dataset").reindex(at.index)
    kept, gained = 100 * at[SIZE] / first[SIZE], at[METRIC] - first[METRIC]
    return pd.DataFrame({"kept": kept, "change": gained})


def _printed(experiment: Experiment, item: Item, method: Method) -> pd.DataFrame:
    published = Published(experiment.paper)
    after = str(method.about.get("stands_for", method.name))
    before = str(item.options["prints"][after])
    values = {
        (name, metric): pd.Series(published.datasets(name, metric), dtype=float)
        for name in (before, after)
        for metric in (METRIC, SIZE)
    }
    kept = 100 * values[after, SIZE] / values[before, SIZE]
    return pd.DataFrame({"kept": kept, "change": values[after, METRIC] - values[before, METRIC]})


def _row(
    item: Item, method: Method, name: str, ours: pd.DataFrame, printed: pd.DataFrame
) -> list[object]:
    kept, gained = ours["kept"] - printed["kept"], ours["change"] - printed["change"]
    return [
        str(item.options["groups"][method.key]),
        method.name,
        name,
        len(ours),
        float(ours["kept"].mean(skipna=False)),
        float(np.sqrt((kept**2).mean(skipna=False))),
        _correlation(ours["kept"], printed["kept"]),
        float(ours["change"].mean(skipna=False)),
        float(gained.abs().mean(skipna=False)),
        _correlation(ours["change"], printed["change"]),
    ]


def _correlation(ours: pd.Series, printed: pd.Series) -> float:
    """Return Pearson's correlation, NaN where one of the two does not vary."""
    if len(ours) < 3 or np.ptp(ours.to_numpy()) < 1e-9 or np.ptp(printed.to_numpy()) < 1e-9:
        return float("nan")
    return float(np.corrcoef(ours, printed)[0, 1])


def _markdown(experiment: Experiment, item: Item, plan: Plan, table: pd.DataFrame) -> str:
    text = introduction(experiment, item, plan)
    for group, part in table.groupby("group", sort=False):
        n_sets = int(part["n_datasets"].iloc[0])
        rows = [_texts(row) for row in part.itertuples(index=False)]
        text += f"## {group} ({n_sets} data sets)\n\n{markdown_table(_HEADER, rows)}\n"
    return text + bullets([_LEGEND])


def _texts(row: object) -> list[str]:
    values = dict(zip(_COLUMNS, row, strict=True))  # type: ignore[call-overload]
    is_print = values["reading"] == "print"
    texts = [f"**{values['reading']}**" if is_print else str(values["reading"])]
    texts.append(number(SIZE, values["kept_pct"]))
    texts += [HOLE if is_print else _two(values[name]) for name in ("kept_rms", "kept_correlation")]
    texts.append(number(METRIC, values["change"], sign=True))
    names = ("change_mean_abs_difference", "change_correlation")
    return texts + [HOLE if is_print else _two(values[name]) for name in names]


def _two(value: float) -> str:
    return number(METRIC, value)
