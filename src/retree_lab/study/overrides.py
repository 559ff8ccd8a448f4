"""Overrides in Hydra's grammar: read, checked, and expanded into the points of a sweep."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, IntervalSweep, Override
from hydra.errors import HydraException

from retree.errors import RetreeError, refuse_unknown, unknown_name
from retree_lab.study.available import GROUPS, available

LISTS = {"datasets": "dataset", "methods": "method"}
METHOD = "method."
# Parts of Hydra's own command line, and what is here instead.
_INSTEAD = {
    "hydra/launcher": "points are computed side by side: say --jobs N, or execution=dask",
    "hydra/sweeper": "a sweep has all points of a grid: give values, or range(LOW,HIGH,STEP)",
}


class Sweep(NamedTuple):
    """The options that a multirun varies."""

    grid: dict[str, tuple[Any, ...]]  # Values of parameters of the method
    others: list[list[str]]  # The overrides of each combination of all else


def expand(overrides: Sequence[str]) -> Sweep:
    """Return the parameters of a sweep, from comma-separated values and Hydra's functions."""
    grid: dict[str, tuple[Any, ...]] = {}
    choices: list[list[str]] = []
    for override in parse(overrides):
        check_form(override)
        check_names(override)
        key = override.get_key_element()
        if not override.is_sweep_override():
            choices.append([str(override.input_line)])
        elif override.key_or_group.startswith(METHOD):
            values = [parse([f"{key}={text}"])[0].value() for text in _texts(override)]
            grid[_parameter(override)] = tuple(values)
        else:
            choices.append([f"{key}={text}" for text in _texts(override)])
    return Sweep(grid, [list(texts) for texts in itertools.product(*choices)])


def _parameter(override: Override) -> str:
    """Return the parameter of a method that an override is about."""
    name = override.key_or_group.removeprefix(METHOD).removeprefix("parameters.")
    if "." in name:
        raise RetreeError(f"{override.key_or_group} is a part of a value: sweep over whole values.")
    return name


def _texts(override: Override) -> list[str]:
    """Return the values of a sweep as Hydra reads them."""
    value = override.value()
    if isinstance(value, Glob):
        if override.key_or_group not in GROUPS:
            raise RetreeError(f"{override.input_line}: glob chooses names, as of data sets.")
        return [str(name) for name in _values(override)]
    if isinstance(value, IntervalSweep):
        raise RetreeError(
            f"{override.input_line}: an interval has no end of points; say range(LOW,HIGH,STEP)."
        )
    return list(override.sweep_string_iterator())


def parse(texts: Sequence[str]) -> list[Override]:
    """Return Hydra's reading of `texts`."""
    try:
        return OverridesParser.create().parse_overrides(list(texts))
    except HydraException as error:
        raise RetreeError(f"Cannot read the override: {error}") from error


def quoted(value: object) -> str:
    """Return a value as Hydra reads it back, whatever characters it has."""
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def check_form(override: Override) -> None:
    """Refuse an override that retree does not have, or that gives no name."""
    key = override.key_or_group
    if key.partition(".")[0].partition("/")[0] == "hydra":
        more = f"; {_INSTEAD[key]}" if key in _INSTEAD else ""
        raise RetreeError(
            f"{key} is of Hydra's own command line, which retree does not have{more}."
        )
    if override.is_delete() and not key.startswith(("paper.", "method.")):
        raise RetreeError(f"{key} cannot be removed: leave out ~{key}.")
    if key.startswith("dataset."):
        raise RetreeError(f"{key} cannot be overridden: edit the data set's file instead.")
    if key not in GROUPS:
        return
    for value in _values(override):
        if value is None or value == "":
            raise RetreeError(f"{key} needs a name; leave it out to have none.")
        if isinstance(value, list):
            raise RetreeError(f"{key} takes one name; to restrict an item say {key}s=[NAME,NAME].")


def check_names(override: Override) -> None:
    """Refuse an override that names an option that its group does not offer."""
    group = LISTS.get(override.key_or_group, override.key_or_group)
    # Data sets have other names, which whoever reads the experiment knows.
    if group in GROUPS and group != "dataset":
        refuse_unknown(group, available(group), *override_values(override))


def _values(override: Override) -> list[Any]:
    if isinstance(value := override.value(), Glob):
        group = LISTS.get(override.key_or_group, override.key_or_group)
        if group in GROUPS and not value.filter(list(available(group))):
            raise RetreeError(f"{override.input_line} matches no name of {group}: widen it.")
        return list(value.filter(list(available(group)))) if group in GROUPS else [value]
    if override.is_discrete_sweep():
        return [getattr(value, "text", value) for value in override.sweep_iterator()]
    return [override.value()]


def override_values(override: Override) -> Iterator[str]:
    """Yield the names that an override gives, one by one for a list or a sweep."""
    for value in _values(override):
        for name in value if isinstance(value, list) else [value]:
            if name is not None:
                yield str(name)


def merged(base: Any, given: Any) -> Any:
    """Return `base` with what `given` says in its place; mappings in both are merged."""
    if not (isinstance(base, Mapping) and isinstance(given, Mapping)):
        return given
    return {**base, **{key: merged(base.get(key), value) for key, value in given.items()}}


def apply(override: Override, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return `content` as `override`, one of a key below a group, changes it.

    A new key of a group needs no plus: what reads the group refuses those that it does not know.
    """
    return _applied(override, content, override.key_or_group.split("."), [])


def _applied(override: Override, level: Any, names: list[str], parents: list[str]) -> Any:
    changed: dict[Any, Any]
    if isinstance(level, list) and names[0].isdigit() and int(names[0]) < len(level):
        changed = dict(enumerate(level))
    elif isinstance(level, Mapping):
        changed = dict(level)
    else:
        raise RetreeError(f"{'.'.join(parents)} has no parts, so no {names[0]}: correct it.")
    # YAML reads some names as numbers.
    key = next((key for key in changed if str(key) == names[0]), names[0])
    is_new, rest = key not in changed, names[1:]
    if is_new and (override.is_delete() or (len(parents) != 1 and not _adds(override))):
        raise unknown_name(f"key of {'.'.join(parents)}", str(key), changed)
    if rest:
        changed[key] = _applied(override, changed.get(key, {}), rest, [*parents, names[0]])
    elif override.is_delete():
        del changed[key]
    else:
        changed[key] = merged(changed.get(key), _plain(override))
    return list(changed.values()) if isinstance(level, list) else changed


def _adds(override: Override) -> bool:
    return override.is_add() or override.is_force_add()


def _plain(override: Override) -> Any:
    """Return the value that an override gives, which must be one that YAML could give, too."""
    value = override.value()
    if override.is_sweep_override() or "RangeSweep(" in repr(value):
        raise RetreeError(f"{override.key_or_group} needs one value; sweep over several with -m.")
    return value
