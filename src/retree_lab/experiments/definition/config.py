"""One composed experiment, checked against what there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib.parallel import BACKENDS

from retree.errors import RetreeError, refuse_unknown
from retree_lab import paths
from retree_lab.experiments.definition.definitions import Execution, Experiment, Paper
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.item_config import (
    SWEEP,
    located_item,
    sweep_item,
    sweep_name,
)
from retree_lab.experiments.definition.method import read_method
from retree_lab.experiments.definition.paper_config import read_paper
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.experiments.definition.protocol_config import default_protocol, read_protocol
from retree_lab.experiments.definition.wanted import (
    check_known,
    check_wanted,
    item_names,
    key_list,
    name_list,
    source_names,
)
from retree_lab.study.composing import TOUCHED
from retree_lab.yaml_files import read_mapping, read_options

LOKY, DASK = "loky", "dask"  # processes of this machine, and a cluster
# Packages that bring a backend, with the function that registers it.
_BRINGS = {"ray": ("ray.util.joblib", "register_ray")}


def check_backend(name: str) -> None:
    """Raise unless joblib has a backend of this name; what a package brings is registered."""
    if name in _BRINGS and name not in BACKENDS:
        module, register = _BRINGS[name]
        try:
            getattr(import_module(module), register)()
        except ImportError as error:
            raise RetreeError(
                f"execution.backend={name} needs a package: run pip install {name}"
            ) from error
    refuse_unknown("execution.backend", {DASK, *_BRINGS, *BACKENDS}, name)


# What a sweep has several of in one experiment, if anything.
_SWEPT = ("dataset", "method", "protocol")
_LISTS = ("datasets", "methods", "metrics")


def load_experiment(content: Mapping[str, Any]) -> Experiment:
    """Return the experiment that the composed `content` describes."""
    paper, protocol = read_paper(content["paper"]), read_protocol(content["protocol"])
    method = read_method(content["method"])
    check_wanted(content)
    dataset = next(iter(key_list((content.get("dataset") or {}).get("name"), paper.missing)), None)
    names = item_names(content["item"], paper.items, paper.name)
    for key in (key for key in ("item", *_LISTS) if content[key] == []):
        raise RetreeError(f"{key}=[] names nothing: leave it out, or name some.")
    for key in (key for key in ("results", "store") if not content[key]):
        raise RetreeError(f"{key} needs a path; leave it out for the usual one.")
    if names and content["metrics"]:
        raise RetreeError("metrics are for a sweep: an item's metrics are set in paper.yaml.")
    if names:
        wanted = key_list(content["datasets"], paper.missing) or name_list(dataset)
        methods = name_list(content["methods"])
        items = tuple(located_item(paper, name, protocol, wanted, methods) for name in names)
        _check_used("data set", wanted, {name for item in items for name in item.datasets}, names)
        _check_used("method", methods, {m.key for item in items for m in item.methods}, names)
    elif dataset:
        metrics = name_list(content["metrics"])
        items = (sweep_item(paper, SWEEP, [dataset], [method], protocol, {}, metrics),)
    else:
        raise RetreeError(
            f"Say what to run: item=NAME with one of {', '.join(paper.items)} (of {paper.name}), "
            "or dataset=NAME for one method on one data set."
        )
    sources = source_names(content["data"])
    return Experiment(
        paper=paper,
        items=items,
        protocol=protocol,
        execution=_execution(content["execution"]),
        sources=sources,
        results=Path(content["results"]),
        store=Path(content["store"]),
        dataset=dataset,
        method=method,
        committed=None if content["committed"] is None else Path(content["committed"]),
        is_sweep=not names,
        as_configured=(
            bool(names)
            and not content[TOUCHED]
            and sources == default_sources()
            and all(_is_whole(item, paper, protocol) for item in items)
        ),
    )


def load_sweep(
    contents: Sequence[Mapping[str, Any]], grid: Mapping[str, tuple[Any, ...]]
) -> list[Experiment]:
    """Return the experiments of a multirun.

    Data sets, methods and protocols are swept in one experiment, with an item for each protocol.

    `contents`: what is composed of each combination but those of `grid`, values of parameters.
    """
    together: dict[str, list[Mapping[str, Any]]] = {}
    for content in contents:
        apart = {name: value for name, value in content.items() if name not in _SWEPT}
        together.setdefault(repr(content if content["item"] else apart), []).append(content)
    return [_load_swept(some, grid) for some in together.values()]


def _load_swept(
    contents: Sequence[Mapping[str, Any]], grid: Mapping[str, tuple[Any, ...]]
) -> Experiment:
    experiment = load_experiment(contents[0])
    if not experiment.is_sweep:
        return experiment
    named = key_list([content["dataset"]["name"] for content in contents], experiment.paper.missing)
    datasets = list(dict.fromkeys(named))
    check_known(datasets, [])
    methods = {c["method"]["key"]: read_method(c["method"]) for c in contents}
    protocols = [*map(read_protocol, _different(c["protocol"] for c in contents))]
    items = (
        sweep_item(
            experiment.paper,
            sweep_name(protocol, protocols),
            datasets,
            list(methods.values()),
            protocol,
            grid,
            name_list(contents[0]["metrics"]),
        )
        for protocol in protocols
    )
    return replace(experiment, items=tuple(items))


def _different(contents: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return list({repr(content): content for content in contents}.values())


def default_sources() -> tuple[str, ...]:
    """Return the sources of data, before any override."""
    return tuple(read_mapping(paths.conf_dir() / "config.yaml")["data"]["sources"])


def _is_whole(item: Item, paper: Paper, protocol: Protocol) -> bool:
    """Return whether an item has all its data sets and methods, and its own protocol."""
    if item.name not in paper.items:
        return False
    content = paper.items[item.name]
    lists = {"datasets": item.datasets, "methods": tuple(m.key for m in item.methods)}
    is_usual = content.get("protocol") is not None or protocol == default_protocol()
    return is_usual and all(whole == tuple(content.get(key) or ()) for key, whole in lists.items())


def _execution(content: Mapping[str, Any]) -> Execution:
    execution = read_options(Execution, content, "execution.")
    check_backend(execution.backend)
    if execution.jobs == 0:
        raise RetreeError("execution.jobs must be at least 1, or -1 for one job a core, not 0.")
    return execution


def _check_used(kind: str, wanted: list[str], used: set[str], items: list[str]) -> None:
    if lost := [name for name in wanted if name not in used]:
        raise RetreeError(
            f"{' and '.join(items)} {'has' if len(items) == 1 else 'have'} no {kind} "
            f"{' or '.join(lost)}: leave it out."
        )
