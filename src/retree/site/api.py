"""The pages of the public names: what each is, from its docstring, and what estimators can do."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import retree
from retree.reports.document import Entry, Table, TableCell
from retree.reports.html_elements import element, text
from retree.reports.references import ToAddress
from retree.site.blocks import raw_rst, rst_section, rst_table, rst_text, rst_title
from retree.site.links import source_of

_TYPES = {"classifier": "classes", "regressor": "numbers"}


def docstring_of(thing: Any) -> str:
    """Return the docstring of a class or function; bars are bars, and not substitutions."""
    parts = re.split(r"(`[^`]*`)", inspect.getdoc(thing) or "")
    return "".join(p if p.startswith("`") else p.replace("|", r"\|") for p in parts)


def index_page() -> str:
    """Return the list of all public names, and what the estimators can do, in reStructuredText."""
    rows = [[_linked(name), _first_line(name)] for name in retree.__all__]
    return "\n".join(
        [
            ":hide-toc: true\n",
            rst_title("API"),
            "Everything here is imported from ``retree``.\n",
            rst_table(Table(["name", "what it is"], rows, left=2), "Public names"),
            rst_title("What the estimators can do", "-"),
            "From the estimators' own tags and parameters.\n",
            rst_table(_capabilities(), "Capabilities"),
        ]
    )


def name_page(name: str) -> str:
    """Return the page of a public name in reStructuredText."""
    # Only the site needs it, so it may be missing until then.
    from numpydoc.docscrape import NumpyDocString

    thing = getattr(retree, name)
    doc = NumpyDocString(docstring_of(thing))
    parts = [":orphan:\n", rst_title(name), "\n".join(doc["Summary"]) + "\n"]
    parts.append(f".. code-block:: python\n\n    from retree import {name}\n")
    parts.append("\n".join(doc["Extended Summary"]) + "\n")
    parts += [rst_section(head, _fields(doc[head])) for head in ("Parameters", "Attributes")]
    if inspect.isclass(thing):
        parts.append(rst_section("Methods", _methods(thing)))
    else:
        parts.append(rst_section("Returns", _fields(doc["Returns"])))
    parts += [rst_section(head, "\n".join(doc[head])) for head in ("Examples", "References")]
    parts.append(rst_section("Source", _source(thing)))
    return "\n".join(part for part in parts if part.strip())


def _source(thing: Any) -> str:
    """Return the module of a public name, with a link to where it is defined."""
    where = element("code", text(f"{thing.__module__}.{thing.__qualname__}"))
    page = source_of(thing)
    return raw_rst(element("p", where if page is None else element("a", where, href=f"../{page}")))


def _first_line(name: str) -> str:
    return (inspect.getdoc(getattr(retree, name)) or "").partition("\n")[0].replace("``", "")


def _fields(fields: Iterable[Any]) -> str:
    """Return parameters, attributes or returned values with their types and what they are."""
    parts = []
    for field in fields:
        names = f"``{field.name}`` — " if field.name else ""
        body = textwrap.indent("\n".join(field.desc).rstrip() or "\\ ", "    ")
        parts.append(f"{names}{rst_text(field.type)}\n{body}\n")
    return "\n".join(parts)


def _methods(thing: type[Any]) -> str:
    """Return the public methods of retree, inherited ones too, with their first lines."""
    parts = []
    for name, method in inspect.getmembers(thing, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("retree."):
            first = docstring_of(method).partition("\n")[0]
            if first:
                names = [p for p in inspect.signature(method).parameters if p != "self"]
                parts.append(f"``{name}({', '.join(names)})``\n    {first}\n")
    return "\n".join(parts)


def _linked(name: str) -> Entry:
    return TableCell(name, to=ToAddress(f"{name}.html"))


def _capabilities() -> Table:
    rows = []
    for name in retree.__all__:
        thing = getattr(retree, name)
        if (
            inspect.isclass(thing)
            and issubclass(thing, BaseEstimator)
            and hasattr(thing, "predict")
        ):
            rows.append([_linked(name), *_facts(thing).values()])
    return Table(["estimator", *_facts(retree.C45Classifier)], rows, left=8)


def _facts(thing: type[Any]) -> Mapping[str, str]:
    """Return what an estimator with default parameters can do."""
    estimator = thing()
    tags, params = get_tags(estimator), estimator.get_params(deep=False)
    yes = {True: "yes", False: "no"}
    return {
        "predicts": _TYPES.get(str(tags.estimator_type), "—"),
        "missing values": yes[tags.input_tags.allow_nan],
        "categorical features": yes[tags.input_tags.categorical],
        "sample weights": yes[has_fit_parameter(estimator, "sample_weight")],
        "class weights": yes["class_weight" in params],
        "pruning": yes["pruning" in params or "pruned" in params],
        "random": yes["random_state" in params],
    }
