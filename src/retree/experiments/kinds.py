"""The kinds of tables and figures that an item may name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from retree.errors import RetreeError, unknown_name
from retree.experiments.options import read_options

if TYPE_CHECKING:
    from retree.reports.kind import Kind

_GENERAL = "retree.reports.kinds"
KINDS: dict[str, str] = {
    "decision_regions": f"{_GENERAL}.decision_regions:DecisionRegions",
    "panel_curves": f"{_GENERAL}.panel_curves:PanelCurves",
    "parameter_heatmap": f"{_GENERAL}.parameter_heatmap:ParameterHeatmap",
    "parameter_histogram": f"{_GENERAL}.parameter_histogram:ParameterHistogram",
}


def find_kind(name: str) -> type[Kind[Any]]:
    """Return the class of a kind by its name, or by where it stands, as ``module:Class``.

    Raises
    ------
    UnknownNameError
        If there is no such kind.
    RetreeError
        If the module cannot be imported, or the class is no kind.
    """
    from retree.reports.kind import Kind

    if name not in KINDS and ":" not in name:
        raise unknown_name("kind of item", name, KINDS)
    module, _, cls = KINDS.get(name, name).partition(":")
    try:
        found = getattr(importlib.import_module(module), cls)
    except (ImportError, AttributeError) as error:
        raise RetreeError(
            f"The kind {name} cannot be imported ({error}); give module:Class, or one of "
            f"{', '.join(KINDS)}."
        ) from error
    if not (isinstance(found, type) and issubclass(found, Kind)):
        raise RetreeError(f"{name} is no kind of item; derive it from {Kind.__module__}.Kind.")
    return found


def read_kind(name: str, options: Mapping[str, Any], item: str) -> Kind[Any]:
    """Return the kind called `name` with the `options` of the item called `item`.

    Raises
    ------
    UnknownNameError
        If there is no such kind, or it has no such option.
    RetreeError
        If an option is missing or of the wrong type.
    """
    return read_options(find_kind(name), options, f"{item} ({name.rpartition(':')[-1]})")
