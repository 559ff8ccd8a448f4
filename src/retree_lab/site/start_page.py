"""The start page, and the page of all claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from retree_lab import paths
from retree_lab.experiments.definition.item import NESTED
from retree_lab.reports.agreement import (
    count_headlines,
    headline_words,
    is_judged_accuracy,
    published_numbers,
    read_table,
)
from retree_lab.reports.agreement.headlines import APART_RULE, Evidence, Headline
from retree_lab.reports.agreement.pictures import HEIGHT, WIDTH, panel
from retree_lab.reports.claims import COLUMNS, answers_table
from retree_lab.reports.comparison import NEAR_POINTS, Word, claim_word
from retree_lab.reports.document import (
    Bullets,
    Document,
    Entry,
    Phrase,
    Prose,
    Table,
    TableCell,
    ToAddress,
)
from retree_lab.reports.figures import svg_size
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.html import HtmlWriter, element, link, text
from retree_lab.reports.item_page import citation
from retree_lab.reports.page_template import FILTERS
from retree_lab.site import links
from retree_lab.site.blocks import element_image, markdown_table, raw_markdown
from retree_lab.site.guide import ENTRIES, TREE
from retree_lab.site.landing_pictures import find_gains, gains_picture, word_bar
from retree_lab.site.paper_pages import COUNT_HEADS, count_cells, words_page
from retree_lab.site.rendered_papers import PaperFiles
from retree_lab.yaml_files import read_yaml

_SENTENCE = "We checked {n} papers on decision trees, number by number"
_LEAD = (
    "Do published tables hold up when someone else recomputes them? We show each published number "
    "next to ours. One answer: methods whose parameters were tuned on the test rows look better "
    "than they are."
)
_ORDER = (
    f"Papers are sorted by year. “Within {NEAR_POINTS:g} point” is the share of accuracies at most "
    f"{NEAR_POINTS:g} point from ours, next to what an exact rerun with other folds would reach. "
    f"{APART_RULE} Each dot is an accuracy or error, with the published value on the x-axis and "
    "ours on the y-axis."
)
_WORDS = " ".join(f"{word.capitalize()}: {word.meaning}." for word in Word)
_DOORS = (
    ("explorer.html", "Check a number", "Look up {numbers:,} published numbers and {claims} "
     "claims, each with its folds and the command that shows it. Or "
     + link("guide/check_table.html", "check your own table") + ": which numbers are impossible, "
     "and " + link("guide/identify.html", "which program produced them") + "?"),
    ("estimators.html", "Trees for Python", "C4.5 (Weka's J48), CART, OC1, REPTree and others as "
     "scikit-learn estimators. Limits: a random forest is usually more accurate than one tree; see "
     "the " + link("guide/peers.html", "comparison with other packages") + "."),
    ("guide/replicate.html", "Replicate a table", "Put a published table and its methods into a "
     "folder, and retree plans, runs and judges it."),
)  # fmt: skip
_SOFTWARE = ("speed", "growth", "changes")
_CODE = """\
from retree import C45Classifier
from sklearn.datasets import load_iris
iris = load_iris(as_frame=True)
tree = C45Classifier().fit(iris.data, iris.target_names[iris.target])
"""


def start_page(
    papers: Sequence[PaperFiles], comparisons: pd.DataFrame, others: Sequence[str]
) -> str:
    """Return the start page as Markdown: a picture beside three doors, and a card for each paper.

    The page has a layout of its own, ``templates/landing.html``.
    """
    found = [files.evidence(comparisons) for files in papers]
    n_papers = sum(bool(own.counts["published"]) for own in found)
    homes = {files.name: files for files in papers}
    cards = [_card(homes[own.paper.name], own, comparisons) for own in found]
    n_claims = sum(len(claims_of(files)) for files in papers)
    total = {"numbers": sum(own.counts["published"] for own in found), "claims": n_claims}
    doors = element("div", "".join(_door(*door, total) for door in _DOORS), class_="rt-doors")
    parts = [
        "---\nlanding: true\n---\n",
        f"# {_SENTENCE.format(n=FILTERS['word'](n_papers))}\n",
        raw_markdown(
            element("p", text(_LEAD), class_="rt-lead")
            + element("div", _gains(homes) + doors, class_="rt-first")
            + element("h2", "Do the results hold?", id="papers")
            + _folded("How to read the cards", f"<p>{text(_ORDER)}</p><p>{text(_WORDS)}</p>")
            + element("div", "".join(cards), class_="rt-cards")
        ),
        _toctree(papers, others),
    ]
    return "\n".join(parts)


def _gains(papers: Mapping[str, PaperFiles]) -> str:
    """Return the picture that ``conf/site/start.yaml`` describes, "" if it is not rendered."""
    chosen = read_yaml(paths.conf_dir() / "site" / "start.yaml")
    files, metric = papers.get(chosen["paper"]), chosen["metric"]
    if files is None or not (path := files.folder / f"{chosen['table']}.csv").is_file():
        return ""
    numbers = read_table(path, ())
    gains = {
        method: find_gains(numbers, metric, method, chosen["baseline"])
        for method in chosen["methods"]
    }
    to = link(f"{files.home}/{chosen['item']}.html", f"{files.called}, all methods")
    runs = [
        int(numbers.loc[numbers["metric"] == name, "n_replicates"].max())
        for name in (metric, f"{metric}_{NESTED}")
    ]
    said = chosen["caption"].format(*runs, n=numbers["dataset"].nunique())
    caption = element("figcaption", f"{text(said)} {to}")
    head = element("h2", text(chosen["title"]))
    return element(
        "figure", head + gains_picture(gains, chosen["methods"]) + caption, class_="rt-gains"
    )


def _card(files: PaperFiles, own: Evidence, comparisons: pd.DataFrame) -> str:
    """Return the card of a paper: its verdict, counts and accuracies."""
    head = element("h3", link(f"{files.home}/index.html", files.called))
    parts = [head, element("p", text(files.paper.title), class_="rt-title")]
    parts += [element("p", text(own.verdict))] if own.verdict else []
    if own.counts["published"] and own.counts["judged"]:
        parts.append(word_bar(own.counts))
    if own.headlines:
        dots = _dots(comparisons[comparisons["paper"] == files.name])
        parts.append(_folded("Accuracies", "".join(map(_measures, own.headlines)) + dots))
    return element("article", "".join(parts), class_="rt-card")


def _folded(title: str, content: str) -> str:
    return element("details", element("summary", text(title)) + content)


def _measures(row: Headline) -> str:
    near = f"<b>{row.near_words}</b> a rerun with other folds: {row.possible_words}"
    entries = {f"within {NEAR_POINTS:g} point": near, "checked of published": row.coverage}
    pairs = "".join(f"<div><dt>{k}</dt><dd>{said}</dd></div>" for k, said in entries.items())
    head = element("h4", text(row.part.capitalize())) if row.part else ""
    return head + element("dl", pairs)


def _dots(cells: pd.DataFrame) -> str:
    own = published_numbers(cells)
    drawn = panel(own[is_judged_accuracy(own)])
    label = "Our accuracies (y-axis) against the published ones (x-axis)"
    return (
        f'<svg class="rt-dots" viewBox="0 14 {WIDTH} {HEIGHT - 14}" role="img" '
        f'aria-label="{label}">{drawn}</svg>'
    )


def _door(to: str, title: str, words: str, total: Mapping[str, int]) -> str:
    shown = _install_and_fit() if to.startswith("estimators") else ""
    said = element("p", words.format(**total))
    return element("div", element("h3", link(to, title)) + said + shown)


def _install_and_fit() -> str:
    """Return how to install and fit, with the fitted tree."""
    lines = (element("pre", text(some), tabindex=0) for some in (links.install_line(), _CODE))
    size = svg_size(paths.project_dir() / "docs" / TREE)
    return "".join(lines) + element_image(f"files/{TREE}", "The tree of these lines", *size)


def studies_page(studies: Sequence[PaperFiles], comparisons: pd.DataFrame) -> str:
    """Return the start page of a site of studies alone as Markdown; arguments as `start_page`."""
    return "\n".join(
        [
            "# Results\n",
            markdown_table(_papers_table(studies, comparisons), "Studies"),
            _list(_findings(studies, comparisons)),
            raw_markdown(element("p", text(_WORDS))),
            "Click a number for its folds.\n",
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


def _papers_table(papers: Sequence[PaperFiles], comparisons: pd.DataFrame) -> Table:
    counts = count_headlines(comparisons, ["paper"]).set_index("paper").to_dict("index")
    rows: list[list[Entry]] = []
    for files in papers:
        about = citation(files.paper)
        rows.append([TableCell(paper_link(files)), about, *count_cells(counts.get(files.name))])
    return Table(["paper", "what it is", *COUNT_HEADS], rows, left=2)


def _toctree(papers: Sequence[PaperFiles], others: Sequence[str]) -> str:
    entries = [f"{files.called} <papers/{files.name}/index>" for files in papers]
    groups = {
        "Estimators": ENTRIES,
        "Papers": entries,
        "All papers": [name for name in others if name not in _SOFTWARE],
        "Software": [name for name in others if name in _SOFTWARE],
    }
    return "\n".join(
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{chr(10).join(names)}\n```\n"
        for caption, names in groups.items()
        if names
    )


def claims_page(papers: Sequence[PaperFiles]) -> str:
    """Return the page of all claims as Markdown; our own statements stand apart."""
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Claims\n",
            "The papers' statements about their tables, checked on the published and on the "
            "reproduced numbers. Each paper's page of claims has the numbers behind the answers. "
            "A claim about the published tables alone has no answer “here”; only claims about "
            "numbers that we also have with honest selection are answered by these.\n",
            markdown_table(claim_answers(papers), "Answers for the claims of each paper"),
            "## Claims of the papers\n",
            markdown_table(_claims_table("claim", papers, ours=""), "Every claim"),
            "## Our own statements\n",
            "The papers do not make these statements, and they are not counted above.\n",
            markdown_table(_claims_table("statement", papers, ours="yes"), "Every statement"),
        ]
    )


def paper_link(files: PaperFiles, page: str = "index") -> Phrase:
    """Return the name of a paper as a link to one of its pages."""
    return Phrase(files.called, ToAddress(f"{files.home}/{page}.html"))


def _claims_table(what: str, papers: Sequence[PaperFiles], ours: str) -> Table:
    rows: list[list[Entry]] = []
    for files in papers:
        for claim in claims_of(files, ours).to_dict("records"):
            rows.append(
                [
                    claim_word(claim["published"]) or BLANK,
                    TableCell(Phrase(claim_word(claim["here"]), strong=True)),
                    claim_word(claim["nested"]),
                    claim["text"],
                    TableCell((paper_link(files, "claims"), f", {claim['place']}")),
                    TableCell(files.rendered.checks.get(claim["claim"], claim["check"])),
                ]
            )
    header = [*(head for head, _ in COLUMNS.values()), what, "place", "how it is checked"]
    return Table(header, rows, left=len(header))


def claims_of(files: PaperFiles, ours: str = "") -> pd.DataFrame:
    """Return the judged claims of a paper or, with "yes", our own statements on it."""
    if files.claims is None:
        return pd.DataFrame(columns=["text", *COLUMNS, "place", "check", "ours"])
    return files.claims[files.claims["ours"] == ours]


def claim_answers(papers: Sequence[PaperFiles]) -> Table:
    """Return how many claims of each paper, without our own statements, have which answers."""
    every = {files.called: files.claims for files in papers if files.claims is not None}
    total = {"all papers": pd.concat(every.values())} if len(every) > 1 else {}
    table = answers_table(every | total)
    # There are more papers than answers.
    (_, *answers), *rows = zip(table.header, *table.rows, strict=True)
    return Table(["paper", *answers], rows, left=1 + len(answers))
