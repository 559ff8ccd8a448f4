"""The pages of the methods: what each is, its equations, its parameters and remarks on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from retree import paths
from retree.experiments.definition.method import Method
from retree.reports.document import Entry, Table, TableCell
from retree.reports.html_elements import element, link, text
from retree.reports.references import ToAddress
from retree.site.api import docstring_of
from retree.site.blocks import raw_rst, rst_section, rst_table, rst_text, rst_title
from retree.site.links import api_page, own_pages, source_of
from retree.site.method_sections import (
    agreement_section,
    equations_section,
    estimator_of,
    interpretations_section,
    known_section,
    paper_link,
    parameters_section,
    uses_of,
    where_used,
)
from retree.site.rendered_papers import PaperFiles
from retree.yaml_files import read_yaml


def read_equations() -> list[dict[str, Any]]:
    """Return the equations of ``conf/site/equations.yaml``, each with what it is shown for.

    Their texts are reStructuredText with formulas between dollars.
    """
    return list(read_yaml(paths.conf_dir() / "site" / "equations.yaml"))


def index_page(methods: Mapping[str, Method], papers: Sequence[PaperFiles]) -> str:
    """Return the list of methods as reStructuredText."""
    pages = own_pages(methods)
    rows: list[list[Entry]] = []
    for key, method in pages.items():
        uses = [paper_link(use) for use in uses_of(key, papers)]
        places = tuple(part for words in uses for part in (", ", words))[1:]
        name = TableCell(method.name, to=ToAddress(f"{key}.html"))
        rows.append([name, method.title, TableCell(places)])
    header = ["method", "what it does", "papers"]
    return "\n".join(
        [
            ":hide-toc: true\n",
            rst_title("Methods"),
            rst_table(Table(header, rows, left=3), "Methods"),
        ]
    )


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
    parts = [":orphan:\n", rst_title(method.name), f"{rst_text(method.title)}.\n"]
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
