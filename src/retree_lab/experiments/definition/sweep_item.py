"""The item of what the command line asks for: methods at all points of a grid on data sets."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import is_regressor

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.item_config import check_scores, with_inner_folds
from retree_lab.experiments.definition.item_kinds import read_kind
from retree_lab.experiments.definition.method import Method, check_parameters
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.statistics.metrics import find_metric, is_nested
from retree_lab.study.making import make_estimator

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
        raise RetreeError(f"{wrong[0]} comes with {wrong[0].removesuffix('_nested')}: name that.")
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
