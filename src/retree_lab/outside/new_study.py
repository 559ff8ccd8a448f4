"""A study made of tables that people paste: its files, and what of the tables is not known here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retree.errors import RetreeError
from retree_lab.outside.audit import column_metric
from retree_lab.outside.reading import Number, OutsideTable
from retree_lab.statistics.metrics import METRICS
from retree_lab.study.available import available
from retree_lab.study.catalogue import dataset_keys, find_known, plain_name
from retree_lab.study.folders import METHODS, PAPER, PUBLISHED
from retree_lab.study.methods import method_content, method_keys

# What published tables mean by a name that says little, by the plain name.
USUAL = {"c45": "c45_pruned", "cart": "cart_ccp_1se", "1r": "one_r", "stump": "decision_stump"}
# What words beside the name of a tree make of it, and how many trees that has.
ENSEMBLES = {"adaboost": r"adaboost\w*|boost(?:ed|ing)", "bagging": r"bag(?:ged|ging)"}
N_TREES = 100
HEAD = ("table", "dataset", "method", "metric", "value", "std")


@dataclass
class NewStudy:
    """The files of a study by name, and what was recognised, or not, as sentences."""

    files: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)


def study_of(tables: Sequence[OutsideTable], title: str, protocol: str | None) -> NewStudy:
    """Return a study that computes what tables show.

    `protocol`: that of the published numbers, which are then judged; None if it is not known.

    Raises
    ------
    RetreeError
        If no column has accuracies, errors or sizes.
    """
    made = NewStudy()
    datasets = list(dict.fromkeys(name for table in tables for name in table.datasets))
    columns = list(dict.fromkeys(name for table in tables for name in table.methods))
    lost = _missing_sets(datasets)
    names, new_methods = _methods(columns)
    items, rows = _items(tables, made)
    if not rows:
        raise RetreeError("No column looks like accuracies, errors or sizes: say --metric NAME.")
    for item in items.values():
        item["methods"] = [names[column] for column in item["methods"]]
    about = {"title": title, "authors": "Authors not named", "reference": "No reference given"}
    judged = f"published_protocol: {'unknown' if protocol is None else 'same'}"
    lines = [
        *(f"{key}: {_flow(value)}" for key, value in about.items()),
        "# same: the published numbers come from the protocol below and are judged by it.",
        judged,
        f"names: {_flow({key: column for column, key in names.items()})}",
        *([f"missing: {_flow(lost)}"] if lost else []),
        "items:",
    ]
    for name, item in items.items():
        lines.append(f"  {name}:")
        labels = ", ".join(METRICS[metric].label for metric in item["metrics"])
        caption = labels[0].upper() + labels[1:]
        head = {"kind": "metric_table", "caption": caption, "protocol": protocol or "cv10"}
        lines += [f"    {key}: {_flow(value)}" for key, value in {**head, **item}.items()]
    made.files[PAPER] = "\n".join([*lines, ""])
    made.files[PUBLISHED] = "".join(f"{','.join(map(_cell, row))}\n" for row in (HEAD, *rows))
    if new_methods:
        texts = (f"{key}: {_flow(content)}\n" for key, content in new_methods.items())
        made.files[f"{METHODS}/table.yaml"] = "".join(texts)
    made.sentences += _sentences(datasets, lost, names, new_methods)
    return made


def _items(
    tables: Sequence[OutsideTable], made: NewStudy
) -> tuple[dict[str, dict[str, list[str]]], list[list[str]]]:
    """Return the items by name, methods called as in the tables, and the rows of values."""
    items: dict[str, dict[str, list[str]]] = {}
    rows = []
    for table in tables:
        name = re.sub(r"\W+", "_", table.name).strip("_") or "table1"
        item = items.setdefault(name, {"metrics": [], "datasets": [], "methods": []})
        for method in table.methods:
            cells = table.column(method)
            head = f"{method} {table.metric}"
            # Accuracies and errors are said without the unit that their numbers show.
            is_said = table.metric in METRICS and table.metric not in ("accuracy", "error")
            metric = table.metric
            if not is_said:
                metric = column_metric(head, list(cells.values()), table.metric)
            if not metric:
                why = f"{table.metric} is not a metric of retree" if table.metric else "no metric"
                made.sentences.append(f"Left out, since {why}: {method}")
                continue
            rows += [[name, d, method, metric, *_texts(number)] for d, number in cells.items()]
            for key, new in (("metrics", [metric]), ("datasets", [*cells]), ("methods", [method])):
                item[key] += [one for one in new if one not in item[key]]
    return {name: item for name, item in items.items() if item["methods"]}, rows


def _missing_sets(names: Iterable[str]) -> dict[str, str]:
    """Return why data sets are not here."""
    keys, there = dataset_keys(names), {*available("dataset")}
    lost = {}
    for name in (name for name, key in keys.items() if key not in there):
        dataset = find_known(name)
        rows = f" of {dataset.rows:,} rows" if dataset is not None else ""
        lost[name] = f"This data set{rows} does not come with retree."
    return lost


def _methods(columns: Sequence[str]) -> tuple[dict[str, str], dict[str, dict[str, object]]]:
    """Return the key of the method of each column, and the methods that the study needs."""
    keys = {plain_name(key): key for key in method_keys()}
    keys |= {plain_name(method_content(key)["name"]): key for key in method_keys()} | USUAL
    names: dict[str, str] = {}
    new_methods: dict[str, dict[str, object]] = {}
    for column in columns:
        key = keys.get(plain_name(column))
        if key is None or key in names.values():
            key = re.sub(r"\W+", "_", column.casefold()).strip("_") or "method"
            key = next(k for i in range(len(columns) + 2) if (k := key + "_" * i) not in keys)
            new_methods[key] = {"name": column, **_ensemble(column, keys)}
        names[column] = key
    return names, new_methods


def _ensemble(column: str, keys: Mapping[str, str]) -> dict[str, object]:
    """Return boosted or bagged trees by the name of a column, or why there is no method."""
    for ensemble, words in ENSEMBLES.items():
        base, n_words = re.subn(rf"\b(?:{words})\b", "", column, flags=re.IGNORECASE)
        key = keys.get(plain_name(re.sub(r"\b(?:of|with)\b", "", base)))
        if n_words and key is not None:
            content = method_content(key)
            tree = {"_target_": content["estimator"], "pruning": content.get("pruning")}
            parameters = {"estimator": {k: v for k, v in tree.items() if v is not None}}
            return {"estimator": ensemble, "parameters": parameters, "n_estimators": N_TREES}
    return {"missing": "No method of this name comes with retree."}


def _sentences(
    datasets: Sequence[str],
    lost: Mapping[str, str],
    names: Mapping[str, str],
    new_methods: Mapping[str, Mapping[str, object]],
) -> list[str]:
    keys = dataset_keys(name for name in datasets if name not in lost)
    called = [name if name == key else f"{name} ({key})" for name, key in keys.items()]
    without = [column for column, key in names.items() if "missing" in new_methods.get(key, {})]
    ensembles = [column for column, key in names.items() if "estimator" in new_methods.get(key, {})]
    have = [f"{c} ({key})" for c, key in names.items() if key not in new_methods]
    lists = {
        "Data sets": called,
        "Methods": have,
        f"Methods of {N_TREES} trees, see {METHODS}/table.yaml": ensembles,
        "Unknown data sets, each blank until datasets/NAME.yaml describes it and missing in "
        f"{PAPER} no longer lists it": [*lost],
        f"Unknown methods, each blank until it has an estimator in {METHODS}/table.yaml": without,
    }
    return [f"{what}: {', '.join(texts)}" for what, texts in lists.items() if texts]


def _texts(number: Number) -> list[str]:
    """Return value and deviation with the digits that they are printed with."""
    pairs = (number.value, number.unit), (number.std, number.std_unit)
    return ["" if math.isnan(v) else f"{v:.{max(0, round(-math.log10(u)))}f}" for v, u in pairs]


def _flow(value: object) -> str:
    """Return a value as YAML of one line."""
    return json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",]', text) else text
