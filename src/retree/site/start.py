"""The start page, and the page of all claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree import paths
from retree.reports.claims.judging import Outcome
from retree.reports.files import item_title
from retree.reports.formatting import rules_of_metrics
from retree.reports.markup import bullets
from retree.reports.overview import agreement, judged
from retree.site.guide import ENTRIES
from retree.site.html import element, link, raw_markdown, table, text
from retree.site.papers import COUNT_HEADS, count_cells, element_image, png_size
from retree.site.sources import PaperFiles
from retree.statistics import Verdict

_START = """\
## Install and run

In a clone of the repository, with Python 3.11 or newer and make:

```console
make quickstart   # regenerates parts of all papers on real data, offline
make test         # runs the tests
```

`pip install .` installs the estimators and the command `retree`. The [user guide](guide/index.md)
helps to choose an estimator, the [gallery](gallery/index.md) shows some at work, and the
[API](api/index.rst) describes them all.
"""
_FINDINGS = re.compile(r"^What was found, in short:\n(.*?)(?=^## )", re.DOTALL | re.MULTILINE)
_PICTURE = (
    "All numbers of all papers, reproduced against published. On the line they are equal; "
    "crosses are numbers outside tolerance."
)


def start_page(
    papers: Sequence[PaperFiles],
    comparisons: pd.DataFrame,
    overview: Path | None,
    others: Sequence[str],
) -> str:
    """Return the start page as Markdown.

    Parameters
    ----------
    papers : sequence of PaperFiles
    comparisons : DataFrame
        As from `retree.reports.overview.read_comparisons`.
    overview : Path or None
        The picture of all numbers, a png; None if nothing is published.
    others : sequence of str
        The pages beside those of the papers.
    """
    parts = [
        "# retree\n",
        "retree regenerates the tables and figures of decision-tree papers from their definitions "
        "and says, cell by cell, where the reproduced number agrees with the published one. Its "
        "trees are scikit-learn estimators that you can use in your own work.\n",
        _START,
        "" if overview is None else raw_markdown(_overview(overview)),
        _findings(),
        "## Papers\n",
        raw_markdown(_papers_table(papers, comparisons)),
        bullets(_rules(comparisons)),
        "## Claims\n",
        "Each checkable sentence of a paper is asked twice, of the published table and of the "
        "reproduced one; [all claims](claims.md).\n",
        raw_markdown(_outcomes_table(papers)),
        "## Tables\n",
        raw_markdown(_tables_table(comparisons)),
        _toctree(papers, others),
    ]
    return "\n".join(parts)


def claims_page(papers: Sequence[PaperFiles]) -> str:
    """Return the page of all claims as Markdown."""
    rows = []
    for files in papers:
        claims = files.claims if files.claims is not None else pd.DataFrame()
        for claim in claims.to_dict("records"):
            paper = link(f"papers/{files.name}/index.html", files.name)
            rows.append(
                [
                    text(claim["text"]),
                    element("strong", text(claim["outcome"])),
                    f"{paper}, {text(claim['place'])}",
                    _answer(claim["in_print"], claim["print_numbers"]),
                    _answer(claim["here"], claim["here_numbers"]) or text(claim["check"]),
                ]
            )
    header = ["claim", "outcome", "place", "in print", "here"]
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Claims\n",
            "What the papers say of their tables, asked of the published numbers and of the "
            "reproduced ones. How each is checked stands on the page of the paper's claims.\n",
            raw_markdown(_outcomes_table(papers)),
            raw_markdown(table(header, rows, "All claims", left=len(header))),
        ]
    )


def _overview(path: Path) -> str:
    image = element_image(f"files/{path.name}", _PICTURE, *png_size(path))
    drawing = element("a", image, href=f"files/{path.with_suffix('.svg').name}")
    return element("figure", drawing + element("figcaption", text(_PICTURE)), class_="rt-figure")


def _findings() -> str:
    """Return what README says was found, with its links led to the pages of the site."""
    readme = paths.project_dir() / "README.md"
    found = _FINDINGS.search(readme.read_text()) if readme.exists() else None
    if found is None:
        return ""
    linked = re.sub(r"\(results/(\w+)/(\w+)\.(?:md|png)\)", r"(papers/\1/\2.md)", found.group(1))
    return "## What was found\n" + linked.replace("/README.md)", "/index.md)")


def _rules(comparisons: pd.DataFrame) -> list[str]:
    explained = (comparisons["verdict"] == Verdict.EXPLAINED).any()
    known = [
        "A number is a known misprint if the paper is known to be wrong there, with the reason."
    ]
    return [*rules_of_metrics(judged(comparisons)["metric"]), *(known if explained else [])]


def _papers_table(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> str:
    counts = agreement(comparisons, ["paper"]).set_index("paper").to_dict("index")
    rows = []
    for files in papers:
        name = link(f"papers/{files.name}/index.html", files.name)
        about = f"{files.paper.title}. {files.paper.authors}. {files.paper.reference}."
        rows.append([name, text(about), *count_cells(counts.get(files.name))])
    return table(["paper", "what it is", *COUNT_HEADS], rows, "Papers", left=2)


def _tables_table(comparisons: pd.DataFrame) -> str:
    rows = []
    for row in agreement(comparisons).to_dict("records"):
        paper, item = row["paper"], row["item"]
        name = link(f"papers/{paper}/{item}.html", item_title(item))
        rows.append([name, link(f"papers/{paper}/index.html", paper), *count_cells(row)])
    return table(["table", "paper", *COUNT_HEADS], rows, "Tables of all papers", left=2)


def _outcomes_table(papers: Sequence[PaperFiles]) -> str:
    """Return how many claims of each paper have which outcome."""
    counts = {
        files.name: Counter(files.claims["outcome"]) for files in papers if files.claims is not None
    }
    occurring = {outcome for counter in counts.values() for outcome in counter}
    outcomes = [str(outcome) for outcome in Outcome if outcome in occurring]
    rows = [
        [link(f"papers/{name}/index.html", name), *(str(c[o]) for o in outcomes), str(c.total())]
        for name, c in counts.items()
    ]
    total = sum(counts.values(), Counter())
    rows.append(["all", *(str(total[outcome]) for outcome in outcomes), str(total.total())])
    return table(["paper", *outcomes, "claims"], rows, "Outcomes of the claims by paper")


def _answer(holds: str, numbers: str) -> str:
    return text(f"{holds}: {numbers}") if numbers else ""


def _toctree(papers: Sequence[PaperFiles], others: Sequence[str]) -> str:
    entries = "\n".join(f"{files.name} <papers/{files.name}/index>" for files in papers)
    return (
        f"```{{toctree}}\n:hidden:\n:caption: Estimators\n\n{chr(10).join(ENTRIES)}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: Papers\n\n{entries}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: All papers\n\n{chr(10).join(others)}\n```\n"
    )
