"""Tables of the data sets of a paper (kind ``dataset_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, comparison_table
from retree.reports.coverage import coverage_notes
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.origins import Origin, origin
from retree.reports.published import Published, known_wrong
from retree.reports.wording import agreement_sentence, cell_text, verdict_legend
from retree.statistics import verdict

METRICS = {
    "rows": "n_samples",
    "attributes": "n_features",
    "nominal": "n_nominal",
    "numeric": "n_numeric",
    "missing": "n_missing",
    "classes": "n_classes",
}
# What a table shows unless its item says otherwise.
DEFAULT = ("rows", "attributes", "classes")


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    comparisons = compare_datasets(experiment, item, plan)
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, comparisons)),
        write(base.with_suffix(".tex"), _tex(experiment, item, plan, comparisons)),
    ]


def compare_datasets(experiment: Experiment, item: Item, plan: Plan) -> list[Comparison]:
    """Compare the counts that are the item's ``metrics`` with the printed ones.

    Parameters
    ----------
    experiment, item : Experiment, Item
        The item's data sets are looked for in the experiment's sources.
    plan : Plan
        Knows which of them cannot be had.

    Returns
    -------
    list of Comparison
        By data set and metric; their method is "".
    """
    comparisons = []
    for dataset in item.datasets:
        reason = plan.holes.get(dataset, "")
        found = None if reason else origin(dataset, experiment.sources)
        for metric in item.options.get("metrics", DEFAULT):
            ours = math.nan if found is None else float(getattr(found, METRICS[metric]))
            comparisons.append(_compare(experiment, item, dataset, metric, ours, reason))
    return comparisons


def _compare(
    experiment: Experiment, item: Item, dataset: str, metric: str, ours: float, reason: str
) -> Comparison:
    printed = Published(experiment.paper).find(item.name, dataset, "", metric)
    wrong = bool(known_wrong(experiment.paper, item.name, dataset, "", metric))
    judged = verdict(metric, ours, math.nan, 1, printed.value, wrong)
    n_folds = int(not math.isnan(ours))
    return Comparison(dataset, "", metric, ours, math.nan, *printed, judged, n_folds, "", reason)


def _markdown(
    experiment: Experiment, item: Item, plan: Plan, comparisons: Sequence[Comparison]
) -> str:
    paper, notes = experiment.paper, Footnotes()
    header, rows = _grid(experiment, item, plan, comparisons, notes)
    legend = [agreement_sentence(comparisons), *verdict_legend(comparisons)]
    return (
        f"# {item_title(item.name)}: {item.caption}\n\n"
        f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
        f"{bullets(coverage_notes(experiment, item, plan))}\n"
        f"{markdown_table(header, rows)}\n{bullets(legend)}\n{notes.text()}"
    ).rstrip() + "\n"


def _tex(experiment: Experiment, item: Item, plan: Plan, comparisons: Sequence[Comparison]) -> str:
    notes = Footnotes()
    header, rows = _grid(experiment, item, plan, comparisons, notes)
    legend = [*verdict_legend(comparisons), *notes.lines()]
    return tex_table(header, rows, item.caption, f"tab:{item.name}", legend)


def _grid(
    experiment: Experiment,
    item: Item,
    plan: Plan,
    comparisons: Sequence[Comparison],
    notes: Footnotes,
) -> tuple[list[str], list[list[str]]]:
    cells = {(c.dataset, c.metric): c for c in comparisons}
    metrics = item.options.get("metrics", DEFAULT)
    rows = []
    for dataset in item.datasets:
        texts = [cell_text(cells[dataset, metric]) for metric in metrics]
        known = experiment.paper.remarks.get(dataset) or plan.holes.get(dataset, "")
        rows.append([dataset + notes.mark(known), *texts, _source(experiment, plan, dataset)])
    return ["data set", *metrics, "source"], rows


def _source(experiment: Experiment, plan: Plan, dataset: str) -> str:
    if dataset in plan.holes:
        return ""
    found: Origin = origin(dataset, experiment.sources)
    return found.source + (", a fresh draw" if found.generated else "")
