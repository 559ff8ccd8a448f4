"""Compare your own estimator with the results of a paper.

Your estimator is fitted on the folds of a paper's table, and shown beside the committed results of
the paper's methods on the same folds, which are not computed again. datasets=[...] and
methods=[...] restrict the table, and method.max_depth=3 sets a parameter of your estimator.
committed= names the folder or address of other results than those that come with retree.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from rich.console import Console

from retree import __version__
from retree.errors import RetreeError, as_usage
from retree_lab import paths
from retree_lab.commands import add_folds, add_jobs, check_overrides, take_overrides
from retree_lab.commands.check import try_method
from retree_lab.commands.run.run_screen import RunProgress, print_failures
from retree_lab.commands.show.find import find_metric_name
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import ACCURACY, Item
from retree_lab.experiments.definition.method import Method, check_parameters
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.experiments.planning.keys import canonical
from retree_lab.experiments.running.run_plans import run_plans
from retree_lab.experiments.storing.exports import TIMES, is_address, part_of_results
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.reports.compare_items import compare_folds
from retree_lab.reports.context import protocol_sentence
from retree_lab.reports.document import Block, Document, Table, Text, text_of
from retree_lab.reports.files import csv_text, write
from retree_lab.reports.fold_values import fold_table
from retree_lab.reports.formatting import number
from retree_lab.reports.html import to_page
from retree_lab.reports.markup import to_markdown
from retree_lab.reports.runs import by_pair
from retree_lab.screen import print_table, say
from retree_lab.statistics.metrics import Metric, MetricKind, find_metric
from retree_lab.study.composing import compose
from retree_lab.study.overrides import parse
from retree_lab.study.registry import signature_of
from retree_lab.workspace import open_workspace

OVERRIDES = ("datasets", "methods", "results", "store", "committed", "data.sources")
OWN = "method."
KEY, LEVEL = "own", 0.05
PAGES = {".html": to_page, ".md": to_markdown}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "retree compare FILE:CLASS --with PAPER [options] [NAME=VALUE ...]"
    parser.add_argument("estimator", metavar="FILE:CLASS", help="mine.py:MyTree, or package.MyTree")
    parser.add_argument("--with", required=True, dest="with_paper", metavar="PAPER", help="its key")
    parser.add_argument("--item", metavar="NAME", help="default: the first table of accuracies")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="accuracy, leaves, …; may be repeated (default: the item's first)",
    )
    parser.add_argument(
        "--replicates", type=int, metavar="N", help="use only the first N replicates (default: all)"
    )
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE.html",
        help="write a page to share, or FILE.md, and a csv of all folds beside it",
    )
    add_folds(parser)
    add_jobs(parser)
    take_overrides(parser)
    parser.epilog = None


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compute the own estimator on the folds of an item, print all side by side; return 0 or 1."""
    with as_usage():
        if args.page is not None and args.page.suffix not in PAGES:
            raise RetreeError(f"--page {args.page}: the file must end in {' or '.join(PAGES)}.")
        experiment = _load(args, overrides)
        item, candidate = experiment.items[0], _own_method(args.estimator, overrides)
        metrics = [_find_metric(item, name) for name in args.metric or [None]]
        try_method(candidate, item, regression=False)
    only_own = replace(item, methods=(candidate,), select=(), vary=None)
    planned = plan_all(replace(experiment, items=(only_own,))).with_data()
    for name, why in planned.plans[0].gaps.items():
        say(f"Left out: {name[0]}, since {why}.", console)
    if not planned.plans[0].cells:
        raise RetreeError(
            f"{candidate.name} can use none of these data sets: name others with datasets=[…]."
        )
    with open_workspace(planned, console, readonly=False) as workspace:
        done = run_plans(
            planned.plans,
            planned.datasets,
            workspace.store,
            experiment.execution,
            watch=RunProgress,
        )
    if done.failed:
        print_failures(done.failed, Console(stderr=True))
        return 1
    both = replace(item, methods=(candidate, *(m for m in item.methods if m.missing is None)))
    folds = _folds(replace(experiment, items=(both,)), console)
    blocks = [block for metric in metrics for block in comparison(folds, both, metric)]
    for block in blocks:
        if isinstance(block, Table):
            rows = [[str(cell) for cell in row] for row in block.rows]
            print_table([str(cell) for cell in block.header], rows, console)
        elif isinstance(block, Text):
            say(text_of(block.text), console)
    if args.page is not None:
        said = f"`{args.estimator}` {canonical(candidate.params)}, fitted by retree {__version__}"
        lead = [
            f"{experiment.paper.title}. {protocol_sentence(item.protocol)}",
            f"{candidate.name}: {said}.",
        ]
        document = Document(
            [], blocks, f"{candidate.name} beside {experiment.paper.called}, {item.name}", lead
        )
        write(args.page, PAGES[args.page.suffix](document))
    for file in filter(None, (args.folds, args.page and args.page.with_suffix(".csv"))):
        write(file, csv_text(folds))
    return 0


def _load(args: argparse.Namespace, overrides: Sequence[str]) -> Experiment:
    """Return the experiment of the one item, with as many replicates as are asked for."""
    given = {text.partition("=")[0]: text.partition("=")[2].strip("'\"") for text in overrides}
    committed = given.get("committed")
    if committed is not None and not is_address(committed) and not Path(committed).is_dir():
        raise RetreeError(f"committed={committed} is neither a folder nor an address: give one.")
    others = [text for text in overrides if not text.startswith((OWN, "committed="))]
    check_overrides("compare", others, [*OVERRIDES, f"{OWN}PARAMETER"])
    jobs = [] if args.jobs is None else [f"execution.jobs={args.jobs}"]
    paper = args.with_paper
    item = args.item or _first_item(paper)
    experiment = load_experiment(compose([f"paper={paper}", f"item={item}", *others, *jobs]))
    chosen = experiment.items[0]
    if chosen.protocol.whole or chosen.vary or not (chosen.datasets and chosen.methods):
        why = "has no folds" if chosen.protocol.whole or not chosen.vary else "varies parameters"
        raise RetreeError(f"{item} of {paper} {why}: name another item with --item.")
    here = experiment.committed or Path("results")
    clone = here if (here / paper).is_dir() else paths.project_dir() / "results"
    part = part_of_results(
        committed or str(clone), paper, chosen.name, chosen.datasets, experiment.store.parent
    )
    most = chosen.protocol.replicates if args.replicates is None else args.replicates
    if not 0 < most <= chosen.protocol.replicates:
        most = chosen.protocol.replicates
        raise RetreeError(f"--replicates must be from 1 to {most}, the number that {item} has.")
    protocol = replace(chosen.protocol, replicates=most)
    return replace(experiment, items=(replace(chosen, protocol=protocol),), committed=part)


def _first_item(paper: str) -> str:
    """Return the first item of a paper that shows accuracies by data set and method."""
    items = load_paper(paper).items
    for name, item in items.items():
        metrics = item["metrics"] if item["kind"] == "metric_table" else ()
        if any(find_metric(metric).column == ACCURACY for metric in metrics):
            return name
    raise RetreeError(
        f"{paper} has no table of accuracies: give --item NAME, one of {', '.join(items)}."
    )


def _find_metric(item: Item, name: str | None) -> Metric:
    """Return the metric called `name`, the item's first one without; times are of a machine."""
    metric = find_metric(find_metric_name(item, name))
    if metric.kind == MetricKind.TIME:
        raise RetreeError(
            f"{metric.name} is a time, and committed times were measured on another machine: use "
            "another metric, or compute both in a study of your own."
        )
    return metric


def _own_method(name: str, overrides: Sequence[str]) -> Method:
    """Return the method of a class, of a file anywhere or of a package."""
    module, colon, cls = name.rpartition(":")
    home = Path.cwd()
    if colon and not module.endswith(".py"):
        file = f"{module.replace('.', '/')}.py"
        name = f"{file}:{cls}" if Path(file).is_file() else f"{module}.{cls}"
    elif colon and not Path(module).is_file():
        raise RetreeError(f"There is no file {module}: name one, as in mine.py:MyTree.")
    elif colon:
        # What it imports stands in its own folder.
        home, name = Path(module).resolve().parent, f"{Path(module).name}:{cls}"
    params = _parameters([text for text in overrides if text.startswith(OWN)])
    title = name.rpartition(":")[2].rpartition(".")[2]
    method = Method(KEY, title, "", name, params, study=home)
    signature_of(method.registered.target)
    check_parameters(method, params)
    return method


def _parameters(texts: Sequence[str]) -> Mapping[str, object]:
    """Return the parameters that overrides like ``method.max_depth=3`` set."""
    parsed = parse(texts)
    for override in parsed:
        if override.is_sweep_override():
            raise RetreeError(
                f"{override.input_line} must give one value: retree compare does not sweep."
            )
    return {o.key_or_group.removeprefix(OWN): o.value() for o in parsed}


def _folds(experiment: Experiment, console: Console) -> pd.DataFrame:
    """Return the results of the folds of the chosen points, one in each row."""
    planned = plan_all(experiment)
    with open_workspace(planned, console) as workspace:
        (report,) = workspace.item_reports()
    folds = fold_table(report).drop(columns=list(TIMES))
    fixed = {method.key: method.params for method in experiment.items[0].methods}
    pairs = zip(folds["method"], folds["params"], strict=True)
    return folds.assign(params=[canonical({**fixed[key], **json.loads(p)}) for key, p in pairs])


def comparison(folds: pd.DataFrame, item: Item, metric: Metric) -> Iterator[Block]:
    """Yield means of a metric, significant differences from the own method marked, and counts."""
    compared = set(folds["method"])
    first, *others = (method for method in item.methods if method.key in compared)
    rows = []
    folds_by_pair = by_pair(folds.set_index(["repeat", "fold"]))
    counts = {method.key: [0, 0, 0, 0] for method in others}
    for name in item.datasets:
        ours, cells = folds_by_pair.get((name, KEY)), []
        for method in others:
            theirs = folds_by_pair.get((name, method.key))
            mark = _judge(metric, ours, theirs, item, counts[method.key])
            cells.append(_mean(metric, theirs) + mark)
        rows.append([item.label(name), _mean(metric, ours), *cells])
    yield Table(["data set", *(method.name for method in (first, *others))], rows)
    if lost := [method.name for method in item.methods if method.key not in compared]:
        yield Text(text=f"No up-to-date committed result: {', '.join(lost)}.")
    yield Text(
        text=f"Mean {metric.label} over the folds of all available replicates, with "
        "parameters chosen inside the training folds. ‡: chosen on the test rows, the only choice "
        "that is committed."
    )
    yield Text(
        text=f"▲, ▼: significantly better or worse than {first.name} by the t-test corrected for "
        f"overlapping training sets, at {LEVEL:.0%}, over the folds that both have; "
        f"{'smaller' if metric.smaller_is_better else 'greater'} is better. The next table counts "
        f"the data sets on which {first.name} is better or worse than each method."
    )
    heads = ("better", "worse", "significantly better", "significantly worse", "replicates")
    rows = [[m.name, *map(str, counts[m.key]), _replicates(folds, m)] for m in others]
    yield Table([f"{first.name} against", *heads], rows)


def _replicates(folds: pd.DataFrame, method: Method) -> str:
    """Return how many replicates a method has on the data sets."""
    rows = folds[folds["method"] == method.key]
    counts = rows.groupby("dataset")["replicate"].nunique()
    low, high = counts.min(), counts.max()
    return f"{low}" if low == high else f"{low} to {high}"


def _mean(metric: Metric, rows: pd.DataFrame | None) -> str:
    if rows is None:
        return "–"
    mark = "‡" if rows["chosen_on_test"].any() else ""
    return f"{number(metric.name, float(metric.of(rows).mean()))}{mark}"


def _judge(
    metric: Metric,
    ours: pd.DataFrame | None,
    theirs: pd.DataFrame | None,
    item: Item,
    counts: list[int],
) -> str:
    """Count how the own method compares with another one, and return the other one's mark."""
    if ours is None or theirs is None:
        return ""
    a, b = metric.of(theirs).align(metric.of(ours), join="inner")
    if a.isna().any() or b.isna().any() or a.empty:
        return ""
    test = compare_folds(a, b, item.protocol)
    difference, sure = test.mean_difference, test.p_value < LEVEL
    if difference == 0:
        return ""
    behind = int((difference > 0) != metric.smaller_is_better)
    counts[behind] += 1
    counts[2 + behind] += sure
    return " " + "▼▲"[behind] if sure else ""
