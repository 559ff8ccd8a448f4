"""The pages of the methods: what each is, its equations, its parameters and remarks on it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import pandas as pd

from retree_lab import paths
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.document import Entry, Table, TableCell, ToAddress
from retree_lab.reports.files import item_title
from retree_lab.reports.html import element, link, text
from retree_lab.site.agreement_table import agreement_table, paper_link
from retree_lab.site.blocks import (
    docstring_of,
    raw_rst,
    rst_section,
    rst_table,
    rst_text,
    rst_title,
)
from retree_lab.site.links import STANDS_FOR, api_page, own_pages, source_of
from retree_lab.site.rendered_papers import PaperFiles
from retree_lab.study.importing import import_estimator
from retree_lab.yaml_files import read_yaml


def read_equations() -> list[dict[str, Any]]:
    """Return the equations of ``conf/site/equations.yaml``, each with its conditions.

    Their texts are reStructuredText, with formulas between dollar signs.
    """
    return list(read_yaml(paths.conf_dir() / "site" / "equations.yaml"))


_INTRODUCTION = (
    "The methods in the papers' tables, by the names that they have there, and the estimators that "
    "no table has. Two papers may give one name to different methods.\n"
)


def index_page(methods: Mapping[str, Method], papers: Sequence[PaperFiles]) -> str:
    """Return the list of methods as reStructuredText."""
    pages = own_pages(methods)
    rows: list[list[Entry]] = []
    for key, method in pages.items():
        uses = [paper_link(use.files) for use in uses_of(key, papers)]
        places = tuple(part for words in uses for part in (", ", words))[1:]
        name = TableCell(method.name, to=ToAddress(f"{key}.html"))
        rows.append([name, _title(method), TableCell(places)])
    header = ["method", "what it does", "papers"]
    return "\n".join(
        [
            ":hide-toc: true\n",
            rst_title("Methods"),
            _INTRODUCTION,
            rst_table(Table(header, rows, left=3), "Methods"),
        ]
    )


def _title(method: Method) -> str:
    """Return what a method does; of an estimator in no paper, the first line of its docstring."""
    if method.title or method.estimator is None:
        return method.title
    return docstring_of(estimator_of(method)).partition("\n")[0].rstrip(".")


def method_page(
    method: Method,
    methods: Mapping[str, Method],
    papers: Sequence[PaperFiles],
    comparisons: pd.DataFrame,
    equations: Iterable[Mapping[str, Any]],
) -> str:
    """Return the page of a method as reStructuredText."""
    # Only the site needs it, so it may be missing until then.
    from numpydoc.docscrape import NumpyDocString

    uses = uses_of(method.key, papers)
    doc = None if method.estimator is None else NumpyDocString(docstring_of(estimator_of(method)))
    # A hundred methods would crowd the list beside each page; their index is enough.
    parts = [":orphan:\n", rst_title(method.name), f"{rst_text(_title(method))}.\n"]
    if method.missing is not None:
        parts.append(f"**Not run:** {rst_text(method.missing)}.\n")
    parts += [where_used(uses), rst_section("Equations", equations_section(method, equations))]
    if doc is not None:
        about = [_estimator_links(estimator_of(method))]
        about += ["\n".join(doc[name]) + "\n" for name in ("Summary", "Extended Summary")]
        parts += [
            rst_section("What it does", "\n".join(about)),
            rst_section("Parameters", parameters_section(method, doc, uses)),
        ]
    agreement = agreement_section(method, uses, comparisons)
    parts += [
        rst_section("What is known", known_section(method, uses)),
        rst_section("Interpretations", interpretations_section(method, methods, papers)),
        rst_section("Agreement with the published values", agreement),
    ]
    if doc is not None:
        parts.append(rst_section("References", "\n".join(doc["References"])))
    return "\n".join(part for part in parts if part)


def _estimator_links(estimator: type[Any]) -> str:
    """Return the name of an estimator, with links to its page and its source."""
    shown = element("code", text(estimator.__name__))
    if page := api_page(estimator):
        shown = element("a", shown, href=f"../{page}")
    source = source_of(estimator)
    code = "" if source is None else f" ({link(f'../{source}', 'source')})"
    return raw_rst(element("p", f"Estimator: {shown}{code}"))


# How far the source of a method gives its formula.
_BASES = {
    "exact": "Exact: the source gives the formula.",
    "inferred": "Inferred: the source describes the formula only in words; see the choices above.",
}


@dataclass(frozen=True)
class Use:
    """An occurrence of a method: a paper, its name there, and the items."""

    files: PaperFiles
    name: str
    items: tuple[str, ...]


def equations_of(method: Method, equations: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return those equations whose conditions the method's estimator and parameters meet."""
    if method.estimator is None:
        return []
    parameters = signature(estimator_of(method)).parameters.items()
    facts = {name: parameter.default for name, parameter in parameters}
    facts |= {**method.params, "estimator": method.estimator}
    return [
        equation
        for equation in equations
        if all(
            facts.get(name) in (wanted if isinstance(wanted, list) else [wanted])
            for name, wanted in equation["when"].items()
        )
    ]


def estimator_of(method: Method) -> type[Any]:
    """Return the class of a method's estimator."""
    return import_estimator(method.registered.target)


def uses_of(key: str, papers: Sequence[PaperFiles]) -> list[Use]:
    """Return the papers and items that have the method `key`."""
    found = []
    for files in papers:
        items = tuple(
            item.name
            for item in files.items
            if key in (files.paper.items.get(item.name, {}).get("methods") or ())
        )
        if items:
            found.append(Use(files, files.method_name(key), items))
    return found


def where_used(uses: Sequence[Use]) -> str:
    """Return the papers and items that have a method, with links."""
    places = []
    for use in uses:
        base = f"/{use.files.home}"
        items = ", ".join(f":doc:`{item_title(name)} <{base}/{name}>`" for name in use.items)
        places.append(f":doc:`{use.files.called} <{base}/index>`: {items}")
    return f"In {'; '.join(places)}.\n" if places else ""


def equations_section(method: Method, equations: Iterable[Mapping[str, Any]]) -> str:
    """Return the equations of a method."""
    parts = []
    for equation in equations_of(method, equations):
        source = f" ({rst_text(equation['source'])})" if "source" in equation else ""
        parts.append(f"{rst_text(equation['title'])}{source}:\n")
        parts.append(f".. math:: {equation['tex']}\n")
        if "text" in equation:
            parts.append(re.sub(r"\$([^$]+)\$", r":math:`\1`", equation["text"]) + "\n")
    return "\n".join(parts)


def parameters_section(method: Method, doc: Mapping[str, Any], uses: Sequence[Use]) -> str:
    """Return the parameters of a method's estimator, with the values that papers' tables have."""
    parts = []
    for parameter in doc["Parameters"]:
        names = [name.strip() for name in parameter.name.split(",")]
        here = "; ".join(filter(None, (_value_here(name, method, uses) for name in names)))
        head = f"``{parameter.name}`` — {rst_text(parameter.type)}"
        value = f" **In the papers' tables: {rst_text(here)}.**" if here else ""
        lines = list(parameter.desc) or ["\\ "]
        body = textwrap.indent("\n".join(lines).rstrip() + "\n", "    ").rstrip()
        parts.append(f"{head}\n{body}{value}\n")
    return "\n".join(parts)


def _value_here(name: str, method: Method, uses: Sequence[Use]) -> str:
    """Return the value that a parameter has in the papers' tables, "" if it is the default."""
    if name in method.tune:
        grids = [
            f"{', '.join(f'{value:g}' for value in use.files.paper.grid[name])}"
            for use in uses
            if name in use.files.paper.grid
        ]
        return f"{name} of {' or '.join(dict.fromkeys(grids))}" if grids else ""
    return f"{name} = {method.params[name]}" if name in method.params else ""


def known_section(method: Method, uses: Sequence[Use]) -> str:
    """Return remarks on a method, and misprints of its numbers."""
    lines = []
    for use in uses:
        remark = use.files.paper.remarks.get(use.name)
        wrong = [rule for rule in use.files.paper.errata if rule.get("method") == use.name]
        sentences = [remark] if remark else []
        sentences += [
            f"Known misprint: {', '.join(str(v) for k, v in rule.items() if k != 'reason')}: "
            f"{rule['reason']}"
            for rule in wrong
        ]
        lines += [f"- {use.files.called}: {rst_text(sentence)}" for sentence in sentences]
    if basis := _BASES.get(method.about.get("basis", "")):
        lines.append(f"- {basis}")
    published = method.about.get("published_name")
    if published:
        lines.append(f"- Called {rst_text(published)} in the paper's list of methods.")
    return "\n".join(lines)


def interpretations_section(
    method: Method, methods: Mapping[str, Method], papers: Sequence[PaperFiles]
) -> str:
    """Return the other interpretations of what the method is, or stands for."""
    meant, pages = method.about.get(STANDS_FOR, method.name), own_pages(methods)
    lines = []
    for key, other in methods.items():
        if other.about.get(STANDS_FOR) == meant and key != method.key:
            interpretation = rst_text(other.about.get("interpretation", other.title))
            name = f":doc:`{other.name} <{key}>`" if key in pages else rst_text(other.name)
            lines.append(f"- {name}: {interpretation}. {where_used(uses_of(key, papers))}".rstrip())
    return "\n".join(lines)


def agreement_section(method: Method, uses: Sequence[Use], comparisons: pd.DataFrame) -> str:
    """Return how many numbers of a method agree, by item and metric."""
    table = agreement_table(
        (
            use.files,
            comparisons[
                (comparisons["paper"] == use.files.name) & (comparisons["method"] == use.name)
            ],
        )
        for use in uses
    )
    return "" if table is None else rst_table(table, f"Agreement of {method.name}")
