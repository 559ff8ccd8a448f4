"""The kinds of tables and figures that an item may name, and the keys that any item may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.item import ItemKind, SharedOptions
from retree_lab.options import read_options
from retree_lab.study.importing import import_estimator
from retree_lab.study.modules import check_module, own_file

_BASE, _GENERAL = "retree_lab.reports.kind.Kind", "retree_lab.reports.kinds"
KINDS: dict[str, str] = {
    "computed": f"{_GENERAL}.computed:Computed",
    "dataset_table": f"{_GENERAL}.fact_tables:DatasetTable",
    "digits_table": f"{_GENERAL}.digits_table:DigitsTable",
    "metric_table": f"{_GENERAL}.metric_table:MetricTable",
    "paired_table": f"{_GENERAL}.paired_table:PairedTable",
    "parameter_sweep": f"{_GENERAL}.parameter_sweep:ParameterSweep",
    "rank_diagram": f"{_GENERAL}.rank_diagram:RankDiagram",
    "interpretation_table": f"{_GENERAL}.interpretation_table:InterpretationTable",
    "statistics_table": f"{_GENERAL}.statistics_table:StatisticsTable",
    "time_table": f"{_GENERAL}.time_table:TimeTable",
    "weka_table": f"{_GENERAL}.weka_table:WekaTable",
}


@dataclass(frozen=True)
class _KindName:
    kind: str


def read_kind(
    name: Any, options: Mapping[str, Any], item: str, home: Path | None = None
) -> tuple[ItemKind, SharedOptions]:
    """Return the kind called `name` with the `options` of the item called `item`.

    The paper's or study's folder is `home`, where a kind of its own may stand.
    """
    if name is None:
        raise RetreeError(f"{item} lacks kind; add one of {', '.join(KINDS)}.")
    name = read_options(_KindName, {"kind": name}, item).kind
    shared = {f.name for f in fields(SharedOptions)}
    what = f"{item} ({name.rpartition(':')[-1]})"
    own = {key: value for key, value in options.items() if key not in shared}
    common = {key: value for key, value in options.items() if key in shared}
    kind = read_options(find_kind(name, home), own, what)
    return kind, read_options(SharedOptions, common, what)


def find_kind(name: str, home: Path | None = None) -> type[ItemKind]:
    """Return the class of a kind.

    `name`: a key of `KINDS`, or where the class stands: ``module:Class``, or ``file.py:Class``.
    """
    if name not in KINDS and ":" not in name:
        raise unknown_name("kind of item", name, KINDS)
    found = find_named(KINDS.get(name, name), home)
    if not (isinstance(found, type) and issubclass(found, ItemKind)):
        raise RetreeError(f"{name} is no kind of item; derive it from {_BASE}.")
    return found


def find_named(target: str, home: Path | None = None) -> Any:
    """Return what stands at ``module:name``, or at ``file.py:name`` in the folder `home`."""
    module, _, name = target.rpartition(":")
    if not module.endswith(".py"):
        check_module(module)
    elif home is not None:
        target = f"{own_file(home, module)}:{name}"
    return import_estimator(target)
