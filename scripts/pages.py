"""Write README, the findings and the pages of the papers from their templates; see `page_template`.

The templates are ``conf/site/*.md`` and ``conf/paper/<name>/page.md``.
"""

from __future__ import annotations

import doctest
import io
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from sklearn.datasets import load_iris

from retree import C45Classifier
from retree.arithmetic import running_sum
from retree.trees.export.plot import tree_svg
from retree_lab.experiments.definition.paper_config import papers_by_year
from retree_lab.reports.agreement import read_comparisons
from retree_lab.reports.agreement.headlines import causes_by_paper, find_evidence
from retree_lab.reports.audit import audit_published
from retree_lab.reports.page_template import TEMPLATE, fill

ROOT = Path(__file__).parents[1]
# Where the pages are whose templates stand in conf/site.
PAGES = {
    "README.md": "README.md",
    "findings.md": "docs/findings.md",
    "papers.md": "docs/guide/papers.md",
}
_WIDTH = 118


def pages(results: Path = ROOT / "results") -> Iterator[tuple[Path, str]]:
    """Yield each page and what it should be."""
    for name, page in PAGES.items():
        template = ROOT / "conf" / "site" / name
        text = fill(template.read_text(), results, source=template, **totals(results))
        yield ROOT / page, wrapped(text)
    template, page = ROOT / "conf" / "site" / "peers.md", ROOT / "docs" / "guide" / "peers.md"
    yield page, fill(template.read_text(), page.parent, page.stem, template)
    for template in sorted((ROOT / "conf" / "paper").glob(f"*/{TEMPLATE}")):
        paper = template.parent.name
        page = ROOT / "docs" / "guide" / "papers" / f"{paper}.md"
        yield page, wrapped(fill(template.read_text(), results, paper, template))


@cache
def totals(results: Path) -> dict[str, Any]:
    """Return what pages say of all papers.

    These are ``papers`` by year, ``causes`` of numbers that do not agree,
    and what the ``audit`` of published tables finds.
    """
    names, comparisons = committed_papers(results), read_comparisons(results)
    comparisons = comparisons[comparisons["paper"].isin(names)]
    by_year = [name for name in papers_by_year() if name in names]
    papers = [find_evidence(name, results, comparisons) for name in by_year]
    causes = causes_by_paper({e.paper.name: e.paper for e in papers}, comparisons).sum().to_dict()
    rulings = [ruling for e in papers for ruling in audit_published(e.paper) if ruling.judged]
    findings = [finding for ruling in rulings for finding in ruling.findings]
    audit = {
        "findings": len(findings),
        "impossible": sum(not finding.chance for finding in findings),
        "expected": running_sum([ruling.expected for ruling in rulings]),
    }
    return {"papers": papers, "causes": causes, "audit": audit}


def committed_papers(results: Path) -> list[str]:
    """Return the papers whose results git tracks; all where it tracks none of this folder."""
    listed = subprocess.run(
        ["git", "-C", str(results), "ls-files", "*/README.md"], capture_output=True, text=True
    )
    pages = listed.stdout.split() or results.glob("*/README.md")
    return sorted({Path(page).parent.name for page in pages})


def wrapped(text: str) -> str:
    """Return Markdown with its paragraphs and lists wrapped; all else is as it was."""
    blocks = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    return "".join(p if p.startswith("```") else _wrapped_blocks(p) for p in blocks)


def _wrapped_blocks(text: str) -> str:
    return "\n\n".join(map(_wrapped_block, text.split("\n\n")))


def _wrapped_block(block: str) -> str:
    if not block.strip() or block.lstrip()[0] in "#|!<" or block != block.strip("\n"):
        return block
    items = re.split(r"\n(?=- )", block)
    indent = "  " if block.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()),
            _WIDTH,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )


def golf_trees() -> dict[str, C45Classifier]:
    """Return the trees that the page on pruning grows, as its own code does."""
    page = (ROOT / "docs" / "guide" / "pruning.md").read_text()
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page):
        with redirect_stdout(io.StringIO()):
            exec(example.source, names)
        if {"full", "pruned"} <= names.keys():
            return {name: names[name] for name in ("full", "pruned")}
    raise ValueError("The page on pruning grows no trees.")


def files() -> Iterator[tuple[Path, str]]:
    """Yield each page and what it should say, and the tree that README shows."""
    yield from pages()
    for name, tree in golf_trees().items():
        yield ROOT / "docs" / f"golf_{name}.svg", str(tree._repr_svg_())
    iris = load_iris(as_frame=True)
    tree = C45Classifier().fit(iris.data, iris.target_names[iris.target])
    yield ROOT / "docs" / "iris.svg", tree_svg(tree.tree_, list(iris.data), list(tree.classes_))


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "pages"]))
