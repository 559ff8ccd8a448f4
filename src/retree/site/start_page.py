"""The start page, and the page of all claims."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from retree.reports.claims.claim_tables import answers_table
from retree.reports.document import Bullets, Document, Entry, Phrase, Prose, Table, TableCell
from retree.reports.files import item_title
from retree.reports.formatting import BLANK, INTERVAL_RULE, rules_of_metrics
from retree.reports.headlines import count_headlines, headline_words, published_numbers
from retree.reports.html import HtmlWriter
from retree.reports.references import ToAddress
from retree.site import links
from retree.site.blocks import markdown_table, raw_markdown
from retree.site.guide import ENTRIES
from retree.site.paper_pages import COUNT_HEADS, count_cells, words_page
from retree.site.rendered_papers import PaperFiles
from retree.statistics import Verdict

_DISTANCES = (
    "How far published values are from ours, in standard deviations of one replicate, beside how "
    "far our own replicates are from each other; by chance alone, the shapes would be equal"
)


def start_page(
    papers: Sequence[PaperFiles], comparisons: pd.DataFrame, readme: str, others: Sequence[str]
) -> str:
    """Return the start page as Markdown: README, with links as on the site, and what is counted."""
    parts = [
        readme,
        "## Agreement by paper\n",
        f"![{_DISTANCES}](extra/files/distances.png)\n",
        markdown_table(_papers_table(papers, comparisons), "Papers"),
        _list(_rules(comparisons)),
        "## Claims\n",
        "Each sentence of a paper that can be checked is checked on the published tables and on "
        "the reproduced ones; see [all claims](claims.md).\n",
        markdown_table(claim_answers(papers), "Answers on the claims by paper"),
        "## Tables\n",
        markdown_table(_tables_table(papers, comparisons), "Tables of all papers"),
        _toctree(papers, others),
    ]
    return "\n".join(parts)


def studies_page(studies: Sequence[PaperFiles], comparisons: pd.DataFrame) -> str:
    """Return the start page of a site of studies alone as Markdown; arguments as `start_page`."""
    return "\n".join(
        [
            "# Results\n",
            markdown_table(_papers_table(studies, comparisons), "Studies"),
            _list(_findings(studies, comparisons)),
            _list(_rules(comparisons)),
            "Every number in a table leads to its folds.\n",
            "```{toctree}\n:hidden:\n\nstudies/index\nmethods/index\napi/index\n```\n",
        ]
    )


def _list(sentences: Sequence[Prose]) -> str:
    document = Document([], [Bullets(sentences)])
    return "\n".join(raw_markdown(s.content) for s in HtmlWriter(links.find).sections(document))


def _findings(studies: Sequence[PaperFiles], comparisons: pd.DataFrame) -> list[Prose]:
    """Return, per study, how much of its tables is reproduced, and what says more."""
    sentences: list[Prose] = []
    for files in studies:
        own = count_headlines(comparisons[comparisons["paper"] == files.name], [])
        said = headline_words(own.to_dict("records")[0], files.paper.not_judged)
        name = Phrase(files.called, ToAddress(f"{files.home}/index.html"), strong=True)
        sentences.append((name, f": {said}.", *_more(files)))
    return sentences


def _more(files: PaperFiles) -> tuple[str | Phrase, ...]:
    """Return links to the page of the study in words and to its own claims, if there are any."""
    found: list[str | Phrase] = []
    if (words := words_page(files)) is not None:
        found += [" ", Phrase("In words", ToAddress(f"{words}.html")), "."]
    if n_claims := len(claims_of(files)):
        claims = Phrase(f"{n_claims} claims", ToAddress(f"{files.home}/claims.html"))
        found += [" ", claims, "."]
    return tuple(found)


def _rules(comparisons: pd.DataFrame) -> list[str]:
    """Return when a number agrees, by intervals and by the folds of one run."""
    found = published_numbers(comparisons)
    by_interval = found["low"].notna()
    explained = (comparisons["verdict"] == Verdict.EXPLAINED).any()
    known = "A number is a known misprint if the paper is known to be wrong there, with the reason."
    rules = [INTERVAL_RULE] * bool(by_interval.any()) + [known] * bool(explained)
    return [*rules, *rules_of_metrics(found.loc[~by_interval, "metric"])]


def _papers_table(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> Table:
    counts = count_headlines(comparisons, ["paper"]).set_index("paper").to_dict("index")
    rows: list[list[Entry]] = []
    for files in papers:
        about = f"{files.paper.title}. {files.paper.authors}. {files.paper.reference}."
        rows.append([TableCell(paper_link(files)), about, *count_cells(counts.get(files.name))])
    return Table(["paper", "what it is", *COUNT_HEADS], rows, left=2)


def _tables_table(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> Table:
    called = {files.name: files.called for files in papers}
    rows: list[list[Entry]] = []
    for row in count_headlines(comparisons, ["paper", "item"]).to_dict("records"):
        home, item = f"papers/{row['paper']}", row["item"]
        name = TableCell(item_title(item), to=ToAddress(f"{home}/{item}.html"))
        paper = TableCell(called[row["paper"]], to=ToAddress(f"{home}/index.html"))
        rows.append([name, paper, *count_cells(row)])
    return Table(["table", "paper", *COUNT_HEADS], rows, left=2)


def _toctree(papers: Sequence[PaperFiles], others: Sequence[str]) -> str:
    entries = "\n".join(f"{files.called} <papers/{files.name}/index>" for files in papers)
    return (
        f"```{{toctree}}\n:hidden:\n:caption: Estimators\n\n{chr(10).join(ENTRIES)}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: Papers\n\n{entries}\n```\n\n"
        f"```{{toctree}}\n:hidden:\n:caption: All papers\n\n{chr(10).join(others)}\n```\n"
    )


def claims_page(papers: Sequence[PaperFiles]) -> str:
    """Return the page of all claims as Markdown; our own statements stand apart."""
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Claims\n",
            "What the papers say of their tables, checked on the published and on the reproduced "
            "numbers. The page of a paper's claims has the numbers that decide.\n",
            markdown_table(claim_answers(papers), "Answers on the claims by paper"),
            "## Claims of the papers\n",
            markdown_table(_claims_table("claim", papers, ours=""), "Every claim"),
            "## Our own statements\n",
            "The papers do not make these statements, and they are not counted above.\n",
            markdown_table(_claims_table("statement", papers, ours="yes"), "Every statement"),
        ]
    )


def paper_link(files: PaperFiles, page: str = "index") -> Phrase:
    """Return what readers call a paper, as a link to one of its pages."""
    return Phrase(files.called, ToAddress(f"{files.home}/{page}.html"))


def _claims_table(what: str, papers: Sequence[PaperFiles], ours: str) -> Table:
    rows: list[list[Entry]] = []
    for files in papers:
        for claim in claims_of(files, ours).to_dict("records"):
            rows.append(
                [
                    claim["published"] or BLANK,
                    TableCell(Phrase(claim["here"], strong=True)),
                    claim["text"],
                    TableCell((paper_link(files, "claims"), f", {claim['place']}")),
                    TableCell(files.rendered.checks.get(claim["claim"], claim["check"])),
                ]
            )
    header = ["in the paper", "here", what, "place", "how it is checked"]
    return Table(header, rows, left=len(header))


def claims_of(files: PaperFiles, ours: str = "") -> pd.DataFrame:
    """Return the judged claims of a paper or, with "yes", our own statements on it."""
    if files.claims is None:
        return pd.DataFrame(columns=["text", "published", "here", "place", "check", "ours"])
    return files.claims[files.claims["ours"] == ours]


def claim_answers(papers: Sequence[PaperFiles]) -> Table:
    """Return how many claims of each paper, without our own statements, have which answers."""
    every = {files.called: files.claims for files in papers if files.claims is not None}
    total = {"all papers": pd.concat(every.values())} if len(every) > 1 else {}
    return answers_table(every | total)
