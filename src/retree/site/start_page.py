"""The start page, and the page of all claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from retree.reports.claims.judging import Outcome
from retree.reports.files import item_title
from retree.reports.formatting import INTERVAL_RULE, rules_of_metrics
from retree.reports.markup import bullets, inert
from retree.reports.overview import agreement, judged
from retree.site import links
from retree.site.guide import ENTRIES
from retree.site.html import element, link, raw_markdown, table, text
from retree.site.paper_pages import COUNT_HEADS, count_cells, element_image, png_size
from retree.site.rendered_papers import PaperFiles
from retree.statistics import AGREEING, Verdict

_START = """\
## Install

In a clone of the repository, with Python 3.11 or newer and make:

```console
make quickstart   # regenerates parts of all papers on real data, offline
make test         # runs the tests
```

`pip install .` installs only the estimators and the command `retree`:

```pycon
>>> from retree import C45Classifier
>>> from retree.datasets import load
>>> X, y = load("iris", sources=["bundled"])
>>> tree = C45Classifier().fit(X, y)
>>> print(tree.export_text())
```

The [user guide](guide/index.md) helps you choose an estimator, the [gallery](gallery/index.md)
shows some at work, and the [API](api/index.rst) describes them all.
"""
# Methods with fewer published values say little.
_ENOUGH = 5
_PICTURES = {
    "overview": "All numbers of all papers, reproduced against published. On the line they are "
    "equal; crosses are values that differ.",
    "distances": "How far published values are from ours, in standard deviations of one "
    "replicate, beside how far our own replicates are from each other. If only chance differed, "
    "the two shapes would be equal.",
}


def start_page(
    papers: Sequence[PaperFiles],
    comparisons: pd.DataFrame,
    pictures: Sequence[Path],
    others: Sequence[str],
) -> str:
    """Return the start page as Markdown.

    Parameters
    ----------
    papers : sequence of PaperFiles
    comparisons : DataFrame
        As from `retree.reports.rendered_tables.read_comparisons`.
    pictures : sequence of Path
        Those of all numbers, as from `retree.reports.overview.write_overview`.
    others : sequence of str
        The pages beside those of the papers.
    """
    parts = [
        "# retree\n",
        "retree regenerates the tables and figures of decision-tree papers from their definitions "
        "and says, number by number, where the reproduced value agrees with the published one. Its "
        "trees are scikit-learn estimators that you can use in your own work.\n",
        _START,
        "## What was found\n",
        _findings(papers, comparisons),
        "Every number in a table leads to its folds, and from there to the code.\n",
        *(raw_markdown(_figure(path)) for path in pictures if path.suffix == ".png"),
        "## Agreement by paper\n",
        raw_markdown(_papers_table(papers, comparisons)),
        bullets(_rules(comparisons)),
        "## Claims\n",
        "Each sentence of a paper that can be checked is checked on the published tables and on "
        "the reproduced ones; see [all claims](claims.md).\n",
        raw_markdown(_outcomes_table(papers)),
        "## Tables\n",
        raw_markdown(_tables_table(comparisons)),
        _toctree(papers, others),
    ]
    return "\n".join(parts)


def claims_page(papers: Sequence[PaperFiles]) -> str:
    """Return the page of all claims as Markdown; our own statements stand apart."""
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Claims\n",
            "What the papers say of their tables, checked on the published and on the reproduced "
            "numbers. The page of a paper's claims has the numbers that decide.\n",
            raw_markdown(_outcomes_table(papers)),
            "## Claims of the papers\n",
            raw_markdown(_claims_table("claim", papers, ours="")),
            "## Our own statements\n",
            "The papers do not make these statements, and they are not counted above.\n",
            raw_markdown(_claims_table("statement", papers, ours="yes")),
        ]
    )


def _claims_table(what: str, papers: Sequence[PaperFiles], ours: str) -> str:
    rows = []
    for files in papers:
        for claim in _claims(files, ours).to_dict("records"):
            paper = link(f"papers/{files.name}/claims.html", files.name)
            test = next((test for test in files.tests if test in claim["check"]), "")
            source = links.source_of_test(test) if test else None
            check = text(claim["check"])
            rows.append(
                [
                    element("strong", text(claim["outcome"])) + _share(claim),
                    text(claim["text"]),
                    f"{paper}, {text(claim['place'])}",
                    check if source is None else element("a", check, href=source),
                ]
            )
    header = ["outcome", what, "place", "how it is checked"]
    return table(header, rows, f"Every {what}", left=len(header))


def _share(claim: Mapping[Hashable, str]) -> str:
    """Return in how many replicates a claim holds whose outcome depends on them, else ""."""
    if claim["outcome"] != Outcome.DEPENDS:
        return ""
    return f": holds in {claim['held']} of {claim['replicates']} replicates"


def _claims(files: PaperFiles, ours: str = "") -> pd.DataFrame:
    """Return the judged claims of a paper or, with "yes", our own statements on it."""
    if files.claims is None:
        return pd.DataFrame(columns=["text", "outcome", "place", "check", "ours"])
    return files.claims[files.claims["ours"] == ours]


def _figure(path: Path) -> str:
    caption = _PICTURES[path.stem]
    image = element_image(f"files/{path.name}", caption, *png_size(path))
    drawing = element("a", image, href=f"files/{path.with_suffix('.svg').name}")
    return element("figure", drawing + element("figcaption", text(caption)), class_="rt-figure")


def _findings(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> str:
    """Return, per paper, how much of its tables and claims is reproduced."""
    sentences = []
    for files in papers:
        own = comparisons[comparisons["paper"] == files.name]
        parts = [_agreement_sentence(own), _claims_sentence(files)]
        what = inert(f"{files.paper.title} ({files.paper.authors})")
        name = f"[{files.name}](papers/{files.name}/index.md)"
        sentences.append(f"**{name}**, {what}. {' '.join(part for part in parts if part)}")
    return bullets(sentences)


def _agreement_sentence(comparisons: pd.DataFrame) -> str:
    """Return how many published values agree, and which methods stand out."""
    by_method = agreement(comparisons, ["method"]).dropna(subset="share")
    by_method["within"] = by_method[list(AGREEING)].sum(axis=1)
    by_method["compared"] = by_method["within"] + by_method[Verdict.DIFFERS]
    if by_method.empty:
        return "The paper has no numbers to compare with."
    within, compared = by_method["within"].sum(), by_method["compared"].sum()
    sentence = f"{within} of {compared} published values agree"
    # Counts of data sets have no method.
    enough = by_method[(by_method["compared"] >= _ENOUGH) & (by_method["method"] != "")]
    ordered = enough.sort_values("share", kind="stable")
    if len(ordered) < 2:
        return f"{sentence}."
    shown = [
        f"{row['method']} ({row['within']} of {row['compared']})"
        for row in (ordered.iloc[0], ordered.iloc[-1])
    ]
    return f"{sentence}; fewest for {shown[0]}, most for {shown[1]}."


def _claims_sentence(files: PaperFiles) -> str:
    """Return the outcomes of the paper's own claims, "" without any."""
    counts = _claims(files)["outcome"].value_counts()
    if counts.empty:
        return ""
    outcomes = ", ".join(f"{outcome} ({count})" for outcome, count in counts.items())
    return f"Of its {counts.sum()} [claims](papers/{files.name}/claims.md): {outcomes}."


def _rules(comparisons: pd.DataFrame) -> list[str]:
    """Return when a number agrees, by intervals and by the folds of one run."""
    found = judged(comparisons)
    by_interval = found["low"].notna()
    explained = (comparisons["verdict"] == Verdict.EXPLAINED).any()
    known = "A number is a known misprint if the paper is known to be wrong there, with the reason."
    rules = [INTERVAL_RULE] * bool(by_interval.any()) + [known] * bool(explained)
    return [*rules, *rules_of_metrics(found.loc[~by_interval, "metric"])]


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
    """Return how many claims of each paper, without our own statements, have which outcome."""
    counts = {files.name: Counter(_claims(files)["outcome"]) for files in papers}
    counts = {name: found for name, found in counts.items() if found}
    total = sum(counts.values(), Counter())
    columns = [*counts.values(), total]
    rows = [[o, *(str(column[o]) for column in columns)] for o, _ in total.most_common()]
    rows.append(["all", *(str(column.total()) for column in columns)])
    header = ["outcome", *counts, "all papers"]
    # The outcomes are sentences: on a phone each row is a card.
    return table(header, rows, "Outcomes of the claims by paper", left=len(header))


def _toctree(papers: Sequence[PaperFiles], others: Sequence[str]) -> str:
    entries = "\n".join(f"{files.name} <papers/{files.name}/index>" for files in papers)
    return (
        f"```{{toctree}}\n:hidden:\n:caption: Estimators\n\n{chr(10).join(ENTRIES)}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: Papers\n\n{entries}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: All papers\n\n{chr(10).join(others)}\n```\n"
    )
