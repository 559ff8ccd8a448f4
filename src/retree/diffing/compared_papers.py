"""Which papers are compared, and which of their items and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retree.diffing.scope import Scope
from retree.errors import RetreeError, UnknownNameError
from retree.experiments.definition.config import load_experiment
from retree.experiments.definition.definitions import Experiment
from retree.experiments.definition.item import Item
from retree.experiments.definition.item_config import paper_items
from retree.study.available import available
from retree.study.composing import compose
from retree.study.overrides import parse

OVERRIDES = (
    "paper",
    "item",
    "datasets",
    "methods",
    "data.sources",
    "results",
    "store",
    "committed",
)


def check_names(overrides: Sequence[str]) -> None:
    """Refuse overrides that would compute something else than the committed results."""
    parsed = parse(overrides)
    names = [override.key_or_group for override in parsed]
    for override, name in zip(parsed, names, strict=True):
        if override.is_sweep_override():
            raise UnknownNameError(
                f"retree diff takes a list, not a sweep: say {name}=[NAME,NAME]."
            )
        if name not in OVERRIDES and name.partition(".")[0] != "execution":
            raise UnknownNameError(
                f"retree diff cannot be asked for {name!r}: the committed results are those of "
                f"the configuration. It takes {', '.join(OVERRIDES)} and execution."
            )
    if "item" in names and "paper" not in names:
        raise UnknownNameError("item=NAME needs paper=NAME: papers name their items alike.")


def find_papers(overrides: Sequence[str]) -> tuple[Path, list[str]]:
    """Return the folder of the committed results, and the papers that have any there."""
    results = Path(compose(overrides)["results"])
    wanted = [text.partition("=")[2] for text in overrides if text.startswith("paper=")]
    papers = [name for name in wanted or available("paper") if (results / name).is_dir()]
    if not papers:
        names = " or ".join(wanted or available("paper"))
        raise RetreeError(
            f"There is nothing to compare with: {results} has no folder {names}. Render it with "
            "retree report, or name another folder with results=PATH."
        )
    return results, papers


def select(paper: str, overrides: Sequence[str], anew: bool) -> tuple[Experiment, Scope] | None:
    """Return what is asked for of a paper, None if nothing of it is.

    Without ``item=`` these are all items that have one of the wanted data sets and methods.
    """
    rest = [text for text in overrides if not text.startswith(("paper=", "item="))]
    items = [text for text in overrides if text.startswith("item=")] or ["item=all"]
    bare = [text for text in rest if not text.startswith(("datasets=", "methods="))]
    experiment = load_experiment(compose([f"paper={paper}", *items, *bare]))
    whole = {i.name: i for i in paper_items(experiment.paper, experiment.protocol)}
    datasets, methods = _wanted(rest)
    asked = dict(_restricted(experiment.items, datasets, methods))
    # Items that depend on no data set, or method, are not asked for by themselves.
    if (datasets and not any(item.datasets for item in asked.values())) or (
        methods and not any(item.methods for item in asked.values())
    ):
        return None
    timed = frozenset(name for name, item in asked.items() if anew and item.protocol.timed)
    asked = {name: item for name, item in asked.items() if name not in timed}
    return (experiment, Scope(asked, whole, timed)) if asked else None


def _wanted(overrides: Sequence[str]) -> list[list[str]]:
    """Return the names of ``datasets=`` and ``methods=``, none if all are wanted."""
    config = compose(overrides)
    found = (config["datasets"] or [], config["methods"] or [])
    return [[names] if isinstance(names, str) else list(names) for names in found]


def _restricted(
    items: Sequence[Item], datasets: Sequence[str], methods: Sequence[str]
) -> Iterator[tuple[str, Item]]:
    """Yield the items that have one of the wanted data sets and methods, with these only.

    An item without data sets, or methods, depends on none.
    """
    for item in items:
        sets = tuple(d for d in item.datasets if not datasets or d in datasets)
        kept = tuple(m for m in item.methods if not methods or m.key in methods)
        if (sets or not item.datasets) and (kept or not item.methods):
            yield item.name, replace(item, datasets=sets, methods=kept)
