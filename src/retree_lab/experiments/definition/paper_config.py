"""A paper as its folder describes it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, refuse_unknown, unknown_name
from retree_lab.experiments.definition.claim_config import MEAN, read_claims
from retree_lab.experiments.definition.definitions import Paper, PaperFile, Program, check_audit
from retree_lab.plain_files import check_plain
from retree_lab.statistics.metrics import declare_directions, find_metric, is_nested
from retree_lab.study.available import available, paper_sets
from retree_lab.study.catalogue import dataset_keys
from retree_lab.study.folders import CLAIMS, PAPER, PUBLISHED, check_name, study_folder
from retree_lab.study.methods import content_in, method_entries, method_keys
from retree_lab.study.notes import KNOWN, NOTES, TRIED, read_notes
from retree_lab.yaml_files import located, read_mapping, read_options, read_yaml

ERRATUM = ("table", "dataset", "method", "metric", "reason")
# Names of files that reports write beside those of the items, whatever their letters' case.
TAKEN = (
    *("readme", "index", "claims", "audit", "cells", "replicates", "provenance", "power"),
    *("distances", "chance", "columns", "causes", "own_columns", "best_of"),
)


def load_paper(name: str) -> Paper:
    """Return the paper or study called `name`, before any override."""
    return read_paper({"name": name, **read_mapping(study_folder(name) / PAPER)})


def papers_by_year() -> list[str]:
    """Return the names of all papers, the earliest first; every list of papers has this order."""
    return sorted(available("paper"), key=lambda name: load_paper(name).place)


def read_paper(content: Mapping[str, Any]) -> Paper:
    """Return the paper that the content of its ``paper.yaml`` and the files beside it describe."""
    folder = study_folder(content["name"])
    file = folder / PAPER
    given = {key: value for key, value in content.items() if value is not None}
    about = read_options(PaperFile, given, PAPER, file)
    _check_paper(about, file)
    about = _with_keys(about, method_keys(folder))
    _declare_directions(about, file)
    items, names, entries = about.items, about.names, method_entries(folder)

    @cache
    def labels_of(item: str) -> dict[str, str]:
        keys = items[item].get("methods") or ()
        renamed = {} if items[item].get("own_names") else names
        methods = {key: renamed.get(key) or content_in(entries, key)["name"] for key in keys}
        return methods | _named_rows(items[item])

    sentences = read_yaml(folder / CLAIMS) if (folder / CLAIMS).exists() else ()
    claims = read_claims(sentences, items, labels_of, names, folder / CLAIMS)
    if about.program is not None:
        with located(file, ["program"]):
            _check_program(about.program, items)
    if about.audit is not None:
        with located(file, ["audit"]):
            check_audit(about.audit, items, claims)
    labels = {item: labels_of(item) for item in items}
    methods = {key: name for names in labels.values() for key, name in names.items()}
    datasets = {name for item in items.values() for name in item.get("datasets") or ()}
    called = {*items, *methods, *methods.values(), *datasets, *names.values(), MEAN}
    notes = read_notes(folder / NOTES, called)
    read = {"called": about.called or about.name}
    return Paper(
        **{**vars(about), **read},
        folder=folder,
        remarks={methods.get(name, name): text for name, text in notes[KNOWN].items()},
        tried=notes[TRIED],
        published=_published(folder / PUBLISHED),
        methods=labels,
        claims=claims,
    )


def _declare_directions(paper: PaperFile, file: Path) -> None:
    """Note what the paper says of scores; of other metrics there is nothing to say."""
    used = [str(name) for item in paper.items.values() for name in item.get("metrics") or ()]
    with located(file, ["smaller_is_better"]):
        for name in paper.smaller_is_better:
            if ":" not in name:
                raise RetreeError(
                    f"retree knows whether a smaller {name} is better: smaller_is_better is for "
                    "functions, such as estimators.py:my_metric."
                )
            refuse_unknown("metric of an item", used, name)
    declare_directions(used, paper.smaller_is_better)


def _check_paper(paper: PaperFile, file: Path) -> None:
    """Refuse a paper that names what does not exist."""
    methods = dict.fromkeys(method_keys(file.parent))
    datasets = dict.fromkeys(available("dataset"))
    with located(file, ["missing"]):
        if there := [name for name in paper.missing if name in datasets]:
            raise RetreeError(f"{there[0]} is not missing, as there is such a data set: remove it.")
    datasets |= dict.fromkeys(paper.missing)
    with located(file, ["called"]):
        if not re.fullmatch(r"[\w &.,'-]{0,60}", paper.called):
            raise RetreeError(
                "called is a name of at most 60 letters, digits, spaces and & . , ' -; shorten it."
            )
    for name, values in paper.grid.items():
        with located(file, ["grid", name]):
            _check_filled(values, name)
    _check_known("method or data set", paper.names, methods | datasets, file, "names")
    _check_known("data set", paper.our_data, datasets, file, "our_data")
    _check_known("data set", paper.drawn_anew, datasets, file, "drawn_anew")
    of_files = [name for names in paper.same_file for name in names]
    _check_known("data set", of_files, datasets, file, "same_file")
    with located(file, ["same_file"]):
        if twice := [name for name in of_files if of_files.count(name) > 1]:
            raise RetreeError(f"{twice[0]} appears twice: keep one.")
    _check_known("method", paper.own_methods, methods, file, "own_methods")
    with located(file, ["items"]):
        if not paper.items:
            raise RetreeError("items must be tables or figures by name; add one.")
    for name, item in paper.items.items():
        with located(file, ["items", name]):
            _check_item(name, item, methods, datasets, file)
    tables = {str(item.get("published_in", name)) for name, item in paper.items.items()}
    for i, erratum in enumerate(paper.errata):
        with located(file, ["errata", str(i)]):
            _check_erratum(erratum, tables | {*paper.items})


def _check_program(program: Program, items: Mapping[str, Mapping[str, Any]]) -> None:
    refuse_unknown("item", items, program.item)
    methods = items[program.item].get("methods") or ()
    refuse_unknown(f"method of {program.item}", methods, *program.instead.values())


def _check_item(
    name: str,
    item: Mapping[str, Any],
    methods: Collection[str],
    datasets: Collection[str],
    file: Path,
) -> None:
    check_name(name)
    if name.casefold() in TAKEN:
        raise RetreeError(f"{name} is a file that reports write; rename the item.")
    if lacking := [key for key in ("kind", "caption") if not item.get(key)]:
        raise RetreeError(f"{name} lacks {' and '.join(lacking)}; add it.")
    place = ["items", name]
    for key in (key for key in ("datasets", "methods", "metrics") if key in item):
        with located(file, [*place, key]):
            _check_filled(item[key], f"{key} of {name}")
    choices = {"datasets": ("data set", datasets), "methods": ("method", methods)}
    for key, (kind, valid) in choices.items():
        names = [str(name) for name in item.get(key) or ()]
        _check_known(kind, names, valid, file, *place, key)
        with located(file, [*place, key]):
            names = _keys(kind, names, valid)
            if twice := [name for name in names if names.count(name) > 1]:
                raise RetreeError(f"{twice[0]} appears twice: keep one.")
    if protocol := item.get("protocol"):
        _check_known("protocol", [protocol], available("protocol"), file, *place, "protocol")
    if item.get("baseline") and item.get("methods"):
        keys = item["baseline"] if isinstance(item["baseline"], list) else [item["baseline"]]
        _check_known("baseline", keys, item["methods"], file, *place, "baseline")
    with located(file, [*place, "metrics"]):
        for metric in item.get("metrics") or ():
            find_metric(str(metric))
            if is_nested(str(metric)):
                raise RetreeError(f"{metric} is not a metric of an item: say select: [nested].")


def _check_erratum(erratum: Mapping[str, Any], tables: Iterable[str]) -> None:
    refuse_unknown("key", ERRATUM, *map(str, erratum))
    if not erratum.get("reason"):
        raise RetreeError(f"{erratum!r} lacks reason; say why the value is wrong.")
    if {*erratum} == {"reason"}:
        raise RetreeError("an erratum names table, dataset, method or metric.")
    if erratum.get("table", MEAN) not in {*tables, MEAN}:
        raise unknown_name("table", str(erratum["table"]), tables)


def _check_filled(values: Any, what: str) -> None:
    if not isinstance(values, list | tuple):
        raise RetreeError(f"{what} must be a list: write [A, B].")
    if not values:
        raise RetreeError(f"{what} is empty; name at least one.")


def _check_known(
    kind: str, names: Iterable[Any], valid: Collection[str], file: Path, *keys: str
) -> None:
    with located(file, keys):
        refuse_unknown(kind, valid, *_keys(kind, names, valid))


def _keys(kind: str, names: Iterable[Any], valid: Collection[str]) -> list[str]:
    """Return the keys of data sets that have other names, and names of other kinds as they are."""
    texts = list(map(str, names))
    others = [text for text in texts if text not in valid] if "data set" in kind else []
    keys = dataset_keys(others) if others else {}
    return [keys.get(text, text) for text in texts]


def _with_keys(about: PaperFile, methods: Sequence[str]) -> PaperFile:
    """Return a paper with the keys of its data sets, and names for all that it calls otherwise."""
    items = {str(name): _with_texts(item) for name, item in about.items.items()}
    used = [str(name) for item in items.values() for name in item.get("datasets") or ()]
    others = [*about.our_data, *about.drawn_anew, *itertools.chain(*about.same_file), *about.names]
    fixed = {*methods, *about.missing}
    keys = dataset_keys(name for name in (*used, *others) if name not in fixed)

    def of(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(keys.get(name, name) for name in names)

    called = {keys[name]: name for name in used if keys.get(name, name) != name}
    items = {
        name: {**item, **({"datasets": [*of(item["datasets"])]} if "datasets" in item else {})}
        for name, item in items.items()
    }
    return replace(
        about,
        items=items,
        names={**_own_labels(items), **called}
        | {keys.get(name, name): text for name, text in about.names.items()},
        our_data=of(about.our_data),
        drawn_anew=of(about.drawn_anew),
        same_file=tuple(map(of, about.same_file)),
    )


def _with_texts(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item whose data sets and methods are texts, also where YAML reads numbers."""
    lists = {key: [str(name) for name in item.get(key) or ()] for key in ("datasets", "methods")}
    return {**item, **{key: names for key, names in lists.items() if key in item}}


def _named_rows(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of rows that an item defines itself, as contrasts, by their keys."""
    options = (rows for rows in item.values() if isinstance(rows, Mapping))
    named = ((key, row) for rows in options for key, row in rows.items())
    return {key: row["name"] for key, row in named if isinstance(row, Mapping) and "name" in row}


def _own_labels(items: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the published names of the data sets that come with a paper."""
    datasets, methods = (
        (name for item in items.values() for name in item.get("datasets") or ()),
        paper_sets(),
    )
    return {name: methods[name].label(name) for name in datasets if name in methods}


def _published(file: Path) -> Path | None:
    if not file.exists():
        return None
    check_plain(file, 64)
    return file
