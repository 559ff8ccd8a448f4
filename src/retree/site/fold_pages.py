"""The pages of the folds behind a paper's numbers, made of their rendered Markdown."""

from __future__ import annotations

import re

from retree.site import links
from retree.site.html import link
from retree.site.numbers import Names, with_tables
from retree.site.paper_pages import linked_code
from retree.site.rendered_papers import PaperFiles
from retree.study.registry import import_estimator

_ROOT = "../../../"
# Pages that are reached by links only, and whose words would drown those of others in a search.
APART = "---\norphan: true\nnosearch: true\n---\n\n"
_SHOWN = re.compile(r"^retree show \S+ \S+ \S+ (\S+)", re.MULTILINE)


def fold_page(files: PaperFiles, markdown: str) -> str:
    """Return the page of folds, or of the values that they are behind, in Markdown.

    Parameters
    ----------
    files : PaperFiles
    markdown : str
        A file of the paper's folder of folds.
    """
    sections = re.split(r"^(?=<a id=)", markdown, flags=re.MULTILINE)
    title = sections[0].partition("\n")[0].removeprefix("# ")
    page = with_tables("".join(map(_with_estimator, sections)), title, Names(), every=True)
    copies = f"{_ROOT}files/{files.name}"
    page = re.sub(r"\[([^\]]+)\]\(\.\./\1\)", lambda m: link(f"{copies}/{m[1]}", m[1]), page)
    return APART + re.sub(r"`([^`\n]+)`", lambda match: linked_code(match, files), page)


def index_page(files: PaperFiles) -> str:
    """Return the list of the data sets whose folds have a page, in Markdown."""
    pages = "\n".join(f"- [{dataset}]({path.name})" for dataset, path in files.fold_pages.items())
    cells = link(f"{_ROOT}files/{files.name}/cells.csv.gz", "cells.csv.gz")
    return (
        f"---\norphan: true\nhide-toc: true\n---\n\n# Folds of {files.name}\n\n"
        "The result of every fold behind the tables, with its parameters and its key, by data set. "
        f"The same rows, and those of all other grid points, are in {cells}.\n\n{pages}\n"
    )


def _with_estimator(section: str) -> str:
    """Return a section whose estimator leads to the pages of its method, its class and source."""
    found = _SHOWN.search(section)
    if found is None:
        return section
    method = links.load_methods()[found[1]]
    target = method.registered.target
    estimator = import_estimator(target)
    pages = {
        f"method {method.name}": links.method_page(method.key),
        estimator.__name__: links.api_page(estimator),
        "source": links.source_of(estimator),
    }
    shown = ", ".join(link(_ROOT + page, label) for label, page in pages.items() if page)
    line = f"- Estimator: {target} ({shown})"
    return re.sub(r"^- Estimator: .*$", lambda _: line, section, flags=re.MULTILINE)
