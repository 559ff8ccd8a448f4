"""The items of a paper, and of a sweep, each with methods, protocol and choice of parameters."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import is_regressor

from retree.errors import RetreeError, refuse_unknown
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.item import (
    BEST_TEST,
    NESTED,
    Item,
    ItemKind,
    SharedOptions,
    read_kind,
)
from retree_lab.experiments.definition.method import Method, check_parameters, load_method
from retree_lab.experiments.definition.protocol import BOOTSTRAP, Protocol
from retree_lab.experiments.definition.protocol_config import item_protocol
from retree_lab.statistics.metrics import declare_directions, find_metric, is_nested
from retree_lab.study.folders import PAPER
from retree_lab.study.methods import method_file
from retree_lab.study.registry import make_estimator
from retree_lab.study.scorers import find_scorer, scorer_directions
from retree_lab.yaml_files import located

# Of a nested selection where the protocol names none.
INNER_FOLDS = 3


def paper_items(paper: Paper, protocol: Protocol) -> tuple[Item, ...]:
    """Return all items of `paper`, whole, under `protocol` unless they have one of their own."""
    return tuple(located_item(paper, name, protocol, [], []) for name in paper.items)


def located_item(
    paper: Paper, name: str, protocol: Protocol, datasets: list[str], methods: list[str]
) -> Item:
    """Return an item as `_item` does; errors name its line in the paper's file.

    That something is wanted which it does not have is no error of the file.
    """
    content = paper.items[name]
    _check_wanted(name, "method", content.get("methods"), methods)
    _check_wanted(name, "data set", content.get("datasets"), datasets)
    with located(paper.folder / PAPER, ["items", name]):
        return _item(paper, name, protocol, datasets, methods)


def _item(
    paper: Paper, name: str, protocol: Protocol, datasets: list[str], methods: list[str]
) -> Item:
    """Return an item, restricted to the wanted `datasets` and `methods` (empty: all)."""
    options = dict(paper.items[name])
    fixed = ("kind", "caption", "datasets", "methods", "protocol", "replicates")
    kind, caption, all_datasets, all_methods, *how = (options.pop(key, None) for key in fixed)
    options = {**paper.how_published, **options}
    kind_found, shared = read_kind(kind, options, name, paper.folder)
    _check_tolerance(name, shared)
    _check_names(name, kind_found, all_methods or [])
    keys = _restrict(all_methods or [], methods)
    chosen = _item_methods(name, paper, shared, keys)
    select = _selection(name, kind_found, shared, chosen, whole=not methods)
    protocol = item_protocol(protocol, paper.folder, *how)
    if NESTED in select:
        protocol = with_inner_folds(name, protocol)
    item = Item(
        name=name,
        kind=kind_found,
        caption=" ".join(str(caption).split()),
        datasets=_restrict(all_datasets or [], datasets),
        methods=chosen,
        protocol=protocol,
        labels={key: paper.names[key] for key in all_datasets or () if key in paper.names},
        home=paper.folder,
        **{**vars(shared), "select": select},
    )
    _check_estimates(item, kind_found)
    kind_found.check(item)
    check_scores(item, paper)
    return item


def check_scores(item: Item, paper: Paper) -> None:
    """Refuse scores that do not exist, and note which values of a study's own scores are better."""
    for metric in item.scores:
        find_scorer(metric, paper.folder)
    signed = scorer_directions(item.scores, paper.folder)
    if said := sorted(signed.keys() & paper.smaller_is_better):
        raise RetreeError(
            f"{said[0]} is a scorer, so greater is better: remove it from "
            "smaller_is_better, and say greater_is_better in make_scorer."
        )
    declare_directions(signed, signed)


def _check_estimates(item: Item, kind: ItemKind) -> None:
    """Refuse .632 estimates without a bootstrap, and where tests would be computed from them."""
    if not item.takes_all_rows:
        return
    if item.protocol.splitter != BOOTSTRAP or item.protocol.replicates > 1:
        raise RetreeError(
            f"A .632 estimate in {item.name} needs a protocol with splitter: bootstrap and one "
            "replicate; use another protocol, or the metric accuracy."
        )
    if not kind.takes_estimates:
        raise RetreeError(
            f"{item.name} tests its numbers for significance, which .632 estimates do not allow: "
            "show them in a metric_table, or use the metric accuracy."
        )


def with_inner_folds(item: str, protocol: Protocol) -> Protocol:
    """Return the protocol with inner folds, inside which parameters are chosen."""
    if protocol.whole:
        raise RetreeError(
            f"{item} has no test rows, so parameters cannot be chosen inside the training "
            "rows: fix them, use another protocol, or say select: [best_test]."
        )
    return protocol if protocol.inner_folds else replace(protocol, inner_folds=INNER_FOLDS)


def _check_tolerance(item: str, shared: SharedOptions) -> None:
    for metric, value in shared.tolerance.items():
        find_metric(metric)
        if not value >= 0:
            raise RetreeError(f"tolerance of {metric} in {item} must be at least 0, not {value!r}.")


def _selection(
    item: str, kind: ItemKind, shared: SharedOptions, methods: Sequence[Method], whole: bool
) -> tuple[str, ...]:
    """Return how an item chooses parameters: inside the training rows unless it says otherwise."""
    tuned = shared.vary is not None or any(m.tune for m in methods if m.missing is None)
    if not tuned and shared.select and whole:
        raise RetreeError(
            f"select of {item} has no effect, since no method of it has parameters to choose: "
            "remove it, or give a method tune: [NAME] and the paper grid: {NAME: [VALUES]}."
        )
    if {BEST_TEST, NESTED} <= set(shared.select) and not kind.shows_both:
        raise RetreeError(
            f"{item} would show numbers of one selection only: say select: [{NESTED}] or "
            f"[{BEST_TEST}], or make two items."
        )
    return shared.select or ((NESTED,) if tuned and kind.chooses else ())


def _check_names(item: str, kind: ItemKind, methods: Sequence[str]) -> None:
    """Refuse options that name metrics, or methods of the item, that do not exist."""
    for metric in kind.metric_names:
        find_metric(metric)
    refuse_unknown(f"method of {item}", methods, *kind.method_keys())


def _check_wanted(item: str, kind: str, names: list[str] | None, wanted: list[str]) -> None:
    if names and wanted and not set(names) & set(wanted):
        raise RetreeError(f"{item} has no {kind} {' or '.join(wanted)}; it has {', '.join(names)}.")


def _restrict(names: list[str], wanted: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if not wanted or name in wanted)


def _item_methods(
    item: str, paper: Paper, shared: SharedOptions, keys: Sequence[str]
) -> tuple[Method, ...]:
    """Return the methods with these keys; no two may have the same name."""
    methods = tuple(_item_method(paper, shared, key) for key in keys)
    if len({method.name for method in methods}) < len(methods):
        raise RetreeError(
            f"{paper.folder / PAPER}: {item} has two methods with the same name; rename one "
            "below names."
        )
    return methods


def _item_method(paper: Paper, shared: SharedOptions, key: str) -> Method:
    file = method_file(key, paper.folder)
    with located(file, [key]):
        method = replace(load_method(key, paper.folder), study=paper.folder)
    if not shared.own_names:
        method = replace(method, name=paper.names.get(key, method.name))
    refuse_unknown(f"grid parameter of {paper.name}", paper.grid, *method.tune)
    if method.missing is None and shared.vary:
        points = [shared.vary] if isinstance(shared.vary, Mapping) else shared.vary
        check_parameters(method, itertools.chain.from_iterable(points))
    return method


SWEEP = "sweep"


def sweep_item(
    paper: Paper,
    name: str,
    datasets: Sequence[str],
    methods: Sequence[Method],
    protocol: Protocol,
    grid: Mapping[str, tuple[Any, ...]],
    metrics: Sequence[str],
) -> Item:
    """Return the item called `name` of `methods` on `datasets` over a `grid` of parameters.

    Where there is something to choose, it is chosen inside the training rows too.

    `metrics`: by default accuracy, or R², depth and leaves.
    """
    for method in methods:
        if method.missing is not None:
            raise RetreeError(f"{method.name} cannot be run: {method.missing}.")
        check_parameters(method, grid)
    fixed: dict[str, tuple[Any, ...]] = {}
    if len(methods) == 1:
        # The fixed values of tuned parameters are shown with the others.
        params = methods[0].params
        names = [name for name in methods[0].tune if name in params and name not in grid]
        fixed = {name: (params[name],) for name in names}
    chooses = math.prod(map(len, grid.values())) > 1 and not protocol.whole
    metrics = metrics or _metrics(methods)
    if wrong := [metric for metric in metrics if find_metric(metric) and is_nested(metric)]:
        raise RetreeError(
            f"{wrong[0]} is shown with {wrong[0].removesuffix('_nested')}: name that."
        )
    kind, _ = read_kind("parameter_sweep", {"metrics": list(metrics)}, name)
    item = Item(
        name=name,
        kind=kind,
        caption=_caption(datasets, methods, grid),
        datasets=tuple(datasets),
        methods=tuple(methods),
        protocol=with_inner_folds(name, protocol) if chooses else protocol,
        home=paper.folder,
        vary={**fixed, **grid},
        select=("best_test", "nested") if chooses else (),
    )
    check_scores(item, paper)
    return item


def sweep_name(protocol: Protocol, protocols: Sequence[Protocol]) -> str:
    """Return the name of the item of one of several protocols, which tells them apart."""
    differing = {
        name: value
        for name, value in vars(protocol).items()
        if any(getattr(other, name) != value for other in protocols)
    }
    if "name" in differing and len({p.name for p in protocols}) == len(protocols):
        differing = {"": protocol.name}
    words = [re.sub(r"[^\w-]+", "-", f"{name}{value}") for name, value in differing.items()]
    return "_".join([SWEEP, *words])


def _metrics(methods: Sequence[Method]) -> list[str]:
    made = (make_estimator(m.registered.target, m.params, m.home) for m in methods)
    return ["r2" if all(map(is_regressor, made)) else "accuracy", "depth", "leaves"]


def _caption(
    datasets: Sequence[str], methods: Sequence[Method], grid: Mapping[str, tuple[Any, ...]]
) -> str:
    over = [name for name, values in grid.items() if len(values) > 1]
    words = f"{_listed([m.name for m in methods])} on {_listed(datasets)}"
    return f"{words} over {_listed(over)}" if over else words


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
