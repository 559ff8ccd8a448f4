"""The composed configuration as typed, checked, immutable values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from retree import paths
from retree.errors import RetreeError, unknown_name
from retree.experiments.definition.audit_config import read_audit
from retree.experiments.definition.checks import MEAN
from retree.experiments.definition.claim_config import read_claims, read_entries
from retree.experiments.definition.definitions import (
    NESTED,
    SPLITTERS,
    Execution,
    Experiment,
    Item,
    ItemKind,
    Method,
    Paper,
    Protocol,
)
from retree.experiments.definition.item_kinds import SharedOptions, read_kind
from retree.experiments.definition.limits import read_limits
from retree.experiments.definition.own_splits import BOOTSTRAP, OwnSplit
from retree.plain_files import check_plain
from retree.statistics.agreement import Digits
from retree.statistics.equivalence import Margins, read_margins
from retree.statistics.metrics import find_metric
from retree.study.archive_index import archived_sets, label
from retree.study.composing import available
from retree.study.folders import CLAIMS, PAPER, PUBLISHED, study_folder
from retree.study.methods import method_content, method_file
from retree.study.notes import KNOWN, NOTES, TRIED, read_notes
from retree.study.paper_schema import check_paper, with_texts
from retree.study.protocols import protocol_content
from retree.study.registry import make_estimator, signature_of
from retree.study.scorers import find_scorer
from retree.yaml_files import located, read_mapping, read_yaml

RESERVED = (
    *("key", "file", "version", "name", "title", "estimator", "tune", "missing", "transductive"),
    *("about", "limits"),
)
SINGLE = "single"
# What a paper may say of all its items at once.
PUBLISHED_KEYS = ("published_protocol", "tolerance")
# Of a nested selection where the protocol names none.
INNER_FOLDS = 3
# Of a protocol: the least and the most that a run can do.
BOUNDS = (("folds", 1, 10**6), ("repeats", 1, 10**4), ("seed", 0, 2**31), ("inner_folds", 0, 1000))


def load_method(key: str, study: Path | None = None) -> Method:
    """Return a configured method, of retree or of a study's folder, checked against its estimator.

    Raises
    ------
    UnknownNameError
        If the method, its estimator or one of its parameters does not exist.
    """
    return _method(method_content(key, study))


def load_paper(name: str) -> Paper:
    """Return the paper or study called `name`, before any override.

    Raises
    ------
    UnknownNameError
        If there is no such paper, or one of its methods does not exist.
    """
    return _paper({"name": name, **read_mapping(study_folder(name) / PAPER)})


def load_experiment(content: Mapping[str, Any]) -> Experiment:
    """Return the experiment that the composed `content` describes.

    Raises
    ------
    UnknownNameError
        If an item, data set, method, source, estimator or parameter does not exist.
    RetreeError
        If a value is not of its kind, or nothing is asked for.
    """
    paper, protocol = _paper(content["paper"]), _protocol(content["protocol"])
    method = _method(content["method"])
    dataset = (content.get("dataset") or {}).get("name")
    names = _item_names(content["item"], paper)
    for key in (key for key in ("item", "datasets", "methods") if content[key] == []):
        raise RetreeError(f"{key}=[] names nothing: leave it out, or name some.")
    for key in (key for key in ("results", "store") if not content[key]):
        raise RetreeError(f"{key} needs a path; leave it out for the usual one.")
    if names:
        wanted = _names(content["datasets"]) or _names(dataset)
        methods = _names(content["methods"])
        _check_known(wanted, methods)
        items = tuple(_located(paper, name, protocol, wanted, methods) for name in names)
        _check_used("data set", wanted, {name for item in items for name in item.datasets}, names)
        _check_used("method", methods, {m.key for item in items for m in item.methods}, names)
    elif dataset:
        items = (_single(dataset, method, protocol),)
    else:
        raise RetreeError(
            f"Say what to run: item=NAME with one of {', '.join(paper.items)} (of {paper.name}), "
            "or dataset=NAME for one method on one data set."
        )
    return Experiment(
        paper=paper,
        items=items,
        protocol=protocol,
        execution=_execution(content["execution"]),
        sources=_sources(content["data"]),
        results=Path(content["results"]),
        store=Path(content["store"]),
        dataset=dataset,
        method=method,
        committed=None if content["committed"] is None else Path(content["committed"]),
    )


def default_protocol() -> Protocol:
    """Return the protocol of items that have none of their own, before any override."""
    defaults = _read("", "config")["defaults"]
    return _protocol(_read("protocol", next(d["protocol"] for d in defaults if "protocol" in d)))


def default_sources() -> tuple[str, ...]:
    """Return the sources of data, before any override."""
    return tuple(_read("", "config")["data"]["sources"])


def paper_items(paper: Paper, protocol: Protocol) -> tuple[Item, ...]:
    """Return all items of `paper`, whole, under `protocol` unless they have one of their own."""
    return tuple(_located(paper, name, protocol, [], []) for name in paper.items)


def _read(group: str, name: str) -> dict[str, Any]:
    return read_mapping(paths.conf_dir() / group / f"{name}.yaml")


def _method(content: Mapping[str, Any]) -> Method:
    known = {name: content[name] for name in RESERVED if content.get(name) is not None}
    known |= {"tune": tuple(known.get("tune", ())), "file": Path(known["file"])}
    known["limits"] = read_limits(known.get("limits", {}), f"limits of {known['key']}")
    known |= {key: _one_line(known[key]) for key in ("name", "title") if key in known}
    _check_integer(f"version of {known['key']}", known.get("version", 1), 1)
    params = {name: value for name, value in content.items() if name not in RESERVED}
    method = Method(params=params, **known)
    if method.missing is None:
        check_parameters(method, [*params, *method.tune])
    return method


def method_parameters(method: Method) -> list[str]:
    """Return the parameters that the estimator of `method` has; none if there is no estimator."""
    if method.estimator is None:
        return []
    target = method.registered.target
    own = signature_of(target)
    direct = {name: value for name, value in method.params.items() if name in own}
    try:
        return sorted({*own, *make_estimator(target, direct, method.home).get_params()})
    except (TypeError, ValueError, AttributeError) as error:
        raise RetreeError(
            f"{method.file}: {method.key} cannot be made by {target} ({error}); correct it."
        ) from error


def check_parameters(method: Method, names: Iterable[str]) -> None:
    """Raise a RetreeError unless the estimator of `method` has parameters called `names`."""
    if method.estimator is None:
        raise RetreeError(f"Method {method.key} names neither an estimator nor why it is missing.")
    valid = method_parameters(method)
    for name in names:
        if name not in valid:
            raise unknown_name(f"parameter of {method.name}", name, valid)


def _paper(content: Mapping[str, Any]) -> Paper:
    folder = study_folder(content["name"])
    check_paper(content, folder / PAPER)
    items = {str(name): with_texts(item) for name, item in content["items"].items()}
    names = {**_archive_labels(items), **(content.get("names") or {})}

    @cache
    def printed(item: str) -> dict[str, str]:
        keys = items[item].get("methods") or ()
        known = {} if items[item].get("own_names") else names
        methods = {key: known.get(key) or method_content(key, folder)["name"] for key in keys}
        return methods | _named_rows(items[item])

    sentences = read_yaml(folder / CLAIMS) if (folder / CLAIMS).exists() else ()
    with located(folder / CLAIMS, []):
        claims = read_claims(read_entries(sentences), items, printed, names)
    own = {item: printed(item) for item in items}
    methods = {key: name for names in own.values() for key, name in names.items()}
    datasets = {name for item in items.values() for name in item.get("datasets") or ()}
    called = {*items, *methods, *methods.values(), *datasets, *names.values(), MEAN}
    notes = read_notes(folder / NOTES, called)
    return Paper(
        name=content["name"],
        called=_one_line(content.get("called") or content["name"]),
        title=_one_line(content["title"]),
        authors=_one_line(content["authors"]),
        reference=_one_line(content["reference"]),
        doi=content.get("doi"),
        grid=content.get("grid") or {},
        items=items,
        errata=tuple(content.get("errata") or ()),
        remarks={methods.get(name, name): text for name, text in notes[KNOWN].items()},
        tried=notes[TRIED],
        published=_published(folder / PUBLISHED),
        how_published={key: content[key] for key in PUBLISHED_KEYS if key in content},
        folder=folder,
        names=names,
        methods=own,
        claims=claims,
        audit=read_audit(content.get("audit"), items, claims),
        our_data=tuple(map(str, content.get("our_data") or ())),
        drawn_anew=tuple(map(str, content.get("drawn_anew") or ())),
        margins=_margins(folder / PAPER, content.get("margins") or {}),
    )


def _named_rows(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of rows that an item defines itself, as contrasts, by their keys."""
    options = (rows for rows in item.values() if isinstance(rows, Mapping))
    named = ((key, row) for rows in options for key, row in rows.items())
    return {key: row["name"] for key, row in named if isinstance(row, Mapping) and "name" in row}


def _margins(file: Path, content: Mapping[str, Any]) -> Margins:
    with located(file, ["margins"]):
        return read_margins(content)


def _archive_labels(items: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the published names of the data sets that are of a paper's archive."""
    datasets = {name for item in items.values() for name in item.get("datasets") or ()}
    return {name: label(name) for name in datasets if name in archived_sets()}


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _published(file: Path) -> Path | None:
    if not file.exists():
        return None
    check_plain(file, 64)
    return file


def _protocol(content: Mapping[str, Any]) -> Protocol:
    for name in ("stratified", "shuffle", "timed", "test_file"):
        if not isinstance(content.get(name, False), bool):
            raise RetreeError(f"protocol.{name} must be true or false, not {content[name]!r}.")
    own = content.get("own")
    for name, least, most in BOUNDS:
        least = 0 if own and name == "folds" else least
        _check_integer(f"protocol.{name}", content[name], least)
        if content[name] > most:
            raise RetreeError(f"protocol.{name} must be at most {most:,}, not {content[name]:,}.")
    _check_replicates(content)
    if content["inner_folds"] == 1:
        raise RetreeError("protocol.inner_folds must be 0 (no nested selection) or at least 2.")
    _check_splitter(content)
    return Protocol(**{**content, "own": OwnSplit(**own) if own else None})


def _check_splitter(protocol: Mapping[str, Any]) -> None:
    splitter = protocol.get("splitter", SPLITTERS[0])
    if splitter not in SPLITTERS:
        raise unknown_name("splitter", str(splitter), SPLITTERS)
    if splitter == "weka" and not protocol["shuffle"]:
        raise RetreeError("Weka always shuffles: say shuffle: true, or leave splitter: weka out.")


def _check_replicates(protocol: Mapping[str, Any]) -> None:
    count = protocol.get("replicates", 1)
    _check_integer("protocol.replicates", count, 1)
    split = protocol["folds"] > 1 or protocol.get("own")
    if count > 1 and (protocol.get("timed") or not protocol["shuffle"] or not split):
        raise RetreeError(
            f"{protocol['name']} has no replicates, since they differ by how rows are shuffled "
            "into folds: say replicates: 1, or choose a protocol that shuffles and is not timed."
        )


def _execution(content: Mapping[str, Any]) -> Execution:
    _check_integer("execution.jobs", content["jobs"], -1)
    if content["jobs"] == 0:
        raise RetreeError("execution.jobs must be at least 1, or -1 for one job a core, not 0.")
    limits = {name: content[name] for name in content.keys() & {"timeout", "memory"}}
    rest = {name: value for name, value in content.items() if name not in limits}
    return Execution(**rest, limits=read_limits(limits, "execution"))


def _check_integer(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise RetreeError(f"{name} must be an integer of at least {least}, not {value!r}.")


def _names(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(v) for v in value]


def _item_names(value: Any, paper: Paper) -> list[str]:
    names = list(paper.items) if value == "all" else _names(value)
    for name in names:
        if name not in paper.items:
            raise unknown_name(f"item of {paper.name}", name, [*paper.items, "all"])
    return names


def _sources(data: Mapping[str, Any]) -> tuple[str, ...]:
    from retree.datasets.catalogue import SERVERS, SOURCES

    names = _names(data["sources"])
    for name in names:
        if name not in SOURCES:
            raise unknown_name("source", name, SOURCES)
    if not data["offline"]:
        return tuple(names)
    if not (here := tuple(name for name in names if name not in SERVERS)):
        raise RetreeError(
            f"data.offline leaves nothing of data.sources={names}; add bundled, or go online."
        )
    return here


def _single(dataset: str, method: Method, protocol: Protocol) -> Item:
    if method.missing is not None:
        raise RetreeError(f"{method.name} cannot be run: {method.missing}.")
    # The fixed values of the tuned parameters make the cells the same as those of a paper's grid.
    vary = {name: [method.params[name]] for name in method.tune if name in method.params}
    return Item(SINGLE, None, method.title, (dataset,), (method,), protocol, vary=vary)


def _check_known(datasets: list[str], methods: list[str]) -> None:
    for group, names in (("dataset", datasets), ("method", methods)):
        for name in names:
            if name not in available(group):
                raise unknown_name(group, name, available(group))


def _check_used(kind: str, wanted: list[str], used: set[str], items: list[str]) -> None:
    if lost := [name for name in wanted if name not in used]:
        raise RetreeError(
            f"{' and '.join(items)} {'has' if len(items) == 1 else 'have'} no {kind} "
            f"{' or '.join(lost)}: leave it out."
        )


def _located(
    paper: Paper, name: str, protocol: Protocol, datasets: list[str], methods: list[str]
) -> Item:
    """Return an item as `_item` does; errors name its line in the paper's file."""
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
    found, shared = read_kind(kind, options, name, paper.folder)
    _check_tolerance(name, shared)
    _check_names(name, found, all_methods or [])
    if shared.file_per_dataset and datasets:
        all_datasets = datasets
    keys = _restrict(name, "method", all_methods or [], methods)
    chosen = tuple(_item_method(paper, shared, key) for key in keys)
    if len({method.name for method in chosen}) < len(chosen):
        raise RetreeError(
            f"{paper.folder / PAPER}: {name} has two methods of one name; give one another below "
            "names."
        )
    select = _selection(name, found, shared, chosen, whole=not methods)
    protocol = _item_protocol(protocol, paper.folder, *how)
    if NESTED in select and protocol.whole:
        raise RetreeError(
            f"{name} has no test rows, so that parameters cannot be chosen inside the training "
            "rows: fix them, take another protocol, or say select: [best_test]."
        )
    if NESTED in select and not protocol.inner_folds:
        protocol = replace(protocol, inner_folds=INNER_FOLDS)
    item = Item(
        name=name,
        kind=found,
        caption=_one_line(caption),
        datasets=_restrict(name, "data set", all_datasets or [], datasets),
        methods=chosen,
        protocol=protocol,
        select=select,
        vary=shared.vary,
        file_per_dataset=shared.file_per_dataset,
        replicates_of=shared.replicates_of,
        nested_replicates=shared.nested_replicates,
        digits=Digits(shared.digits) if shared.digits else None,
        labels={key: paper.names[key] for key in all_datasets or () if key in paper.names},
        home=paper.folder,
        published_protocol=shared.published_protocol,
        tolerance=shared.tolerance,
    )
    _check_estimates(item, found)
    found.check(item)
    for metric in item.scores:
        find_scorer(metric, paper.folder)
    return item


def _check_estimates(item: Item, kind: ItemKind) -> None:
    """Refuse .632 estimates without a bootstrap, and where tests would be computed from them."""
    if not item.takes_all_rows:
        return
    own = item.protocol.own
    if own is None or own.splitter != BOOTSTRAP or item.protocol.replicates > 1:
        raise RetreeError(
            f"A .632 estimate in {item.name} needs a protocol of splitter: bootstrap with one "
            "replicate; take another protocol, or the metric accuracy."
        )
    if not kind.takes_estimates:
        raise RetreeError(
            f"{item.name} makes tests of its numbers, which a .632 estimate is not fit for: show "
            "it in a metric_table, or take the metric accuracy."
        )


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
    return shared.select or ((NESTED,) if tuned and kind.chooses else ())


def _check_names(item: str, kind: ItemKind, methods: Sequence[str]) -> None:
    """Refuse options that name metrics, or methods of the item, that do not exist."""
    for metric in kind.metric_names:
        find_metric(metric)
    for key in kind.method_keys():
        if key not in methods:
            raise unknown_name(f"method of {item}", key, methods)


def _item_protocol(
    default: Protocol, home: Path, own: str | None, replicates: int | None
) -> Protocol:
    """Return the protocol that an item has of its `own`, or the default one."""
    content = protocol_content(own, home) if own else asdict(default)
    return _protocol(content | ({} if replicates is None else {"replicates": replicates}))


def _restrict(item: str, kind: str, all_names: list[str], wanted: list[str]) -> tuple[str, ...]:
    names = tuple(name for name in all_names if not wanted or name in wanted)
    if all_names and not names:
        raise RetreeError(
            f"{item} has no {kind} {' or '.join(wanted)}; it has {', '.join(all_names)}."
        )
    return names


def _item_method(paper: Paper, shared: SharedOptions, key: str) -> Method:
    file = method_file(key, paper.folder)
    with located(file, [key]):
        method = replace(load_method(key, paper.folder), study=paper.folder)
    if not shared.own_names:
        method = replace(method, name=paper.names.get(key, method.name))
    for name in method.tune:
        if name not in paper.grid:
            raise unknown_name(f"grid parameter of {paper.name}", name, paper.grid)
    if method.missing is None and shared.vary:
        points = [shared.vary] if isinstance(shared.vary, Mapping) else shared.vary
        check_parameters(method, itertools.chain.from_iterable(points))
    return method
