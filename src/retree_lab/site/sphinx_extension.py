"""An extension of Sphinx: MathML, room for long cells, navigation, sentences for the search."""

from __future__ import annotations

import html
import json
import posixpath
import re
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.typing import ExtensionMetadata

from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.html import LONG, element
from retree_lab.site.blocks import bars
from retree_lab.site.social_picture import NAME as SOCIAL

_BARS = re.compile(r'<mo( class="mathopen")?>([|‖])</mo>')
_LEAD, _TAG = re.compile(r"<p[^>]*>(.*?)</p>", re.S), re.compile(r"<[^>]+>")
# What the pages of a folder are about, for titles that stand alone among the results of a search.
_ABOUT = {
    "guide": "decision trees in Python",
    "gallery": "decision trees in Python",
    "methods": "a decision-tree method",
    "papers": "the published numbers computed again",
}
# The longest sentence below a result of a search, in characters.
_SENTENCE = 160


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the renderer ``mathml``, which leaves equations to the browser; Sphinx calls this."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.add_search_language(_English)
    app.connect("doctree-read", _mark_long_cells)
    app.connect("autodoc-process-docstring", _keep_bars, priority=900)
    # Before and after the theme, which makes the navigation.
    app.connect("html-page-context", _Navigation(), priority=100)
    app.connect("html-page-context", _level_captions, priority=900)
    app.connect("html-page-context", _describe)
    app.connect("html-page-context", _lay_out)
    app.connect("build-finished", _write_first_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _English(SearchEnglish):
    """English; the stem of a word is found once for all pages."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stem = cache(super().stem)

    def stem(self, word: str) -> str:
        return self._stem(word)


def _keep_bars(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Let bars in docstrings be bars, and no substitutions."""
    lines[:] = [bars(line) for line in lines]


def mathml(tex: str, as_block: bool = False) -> str:
    """Return a formula as MathML, in which bars around a term are as high as the text.

    Browsers stretch them to the sum beside them, and only where they are known to open a term.
    """
    return _BARS.sub(r'<mo\1 stretchy="false">\2</mo>', tex2mathml(tex, as_block=as_block))


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    equation = mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="rt-equation" tabindex="0">{equation}</div>')
    raise nodes.SkipNode


def _mark_long_cells(app: Sphinx, document: nodes.document) -> None:
    for entry in document.findall(nodes.entry):
        length = len(entry.astext())
        if length > LONG:
            entry["classes"] = ["rt-long", *(["rt-longer"] if length > 5 * LONG else [])]


class _Navigation:
    """Opens the navigation at a page alone, and lets pages outside of it share one per folder.

    With all of its branches it had most of the bytes of a page, and took a fifth of the time.
    """

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def __call__(
        self, app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any
    ) -> None:
        make = context["toctree"]
        is_apart = "orphan" in (context.get("meta") or ())
        key = f"{posixpath.dirname(page)}/" if is_apart else page

        def shared(**options: Any) -> str:
            if key not in self._made:
                self._made[key] = make(**{**options, "collapse": True})
            return self._made[key]

        context["toctree"] = shared


def _level_captions(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> None:
    """Give the captions of the navigation the level that a heading must have."""
    tree, role = "furo_navigation_tree", 'role="heading"'
    context[tree] = context[tree].replace(role, f'{role} aria-level="2"')


def _describe(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None
) -> None:
    """Tell search engines and networks what a page is about: title, first sentence, picture."""
    folder = page.partition("/")[0]
    if document is not None and folder in _ABOUT:
        context["title"] = f"{context['title']}: {_ABOUT[folder]}"
    sentence = first_sentence(document) if document is not None else ""
    tags = {"og:title": context.get("title", ""), "og:description": sentence, "og:type": "website"}
    if (Path(app.srcdir) / "extra" / SOCIAL).exists():
        root = context["site_address"] or context["pathto"]("", 1).rstrip("/") or "."
        tags["og:image"] = f"{root}/{SOCIAL}"
    tags = {name: words for name, words in tags.items() if words}
    found = [("property", name, _TAG.sub("", words)) for name, words in tags.items()]
    # The start page has a description of its own.
    is_described = sentence and "landing" not in (context.get("meta") or ())
    found += [("name", "description", sentence)] if is_described else []
    paper = _paper_of(page)
    found += [] if paper is None else [("name", *one) for one in citation_tags(paper)]
    context["metatags"] = "".join(
        f'<meta {kind}="{name}" content="{html.escape(html.unescape(words))}">'
        for kind, name, words in found
    ) + context.get("metatags", "")
    if paper is not None:
        context["metatags"] += element("script", linked_data(paper), type="application/ld+json")


def _paper_of(page: str) -> Paper | None:
    """Return the paper that a page is the first page of, None if it is of none."""
    parts = page.split("/")
    is_first = len(parts) == 3 and (parts[0], parts[2]) == ("papers", "index")
    return load_paper(parts[1]) if is_first else None


def citation_tags(paper: Paper) -> list[tuple[str, str]]:
    """Return how the paper is cited, as programs for references read it."""
    found = [("citation_title", paper.title)]
    found += [("citation_author", name) for name in paper.authors.split(", ")]
    found += [("citation_publication_date", str(paper.year))] if paper.year else []
    found += [("citation_doi", paper.doi)] if paper.doi else []
    return found


def linked_data(paper: Paper) -> str:
    """Return of which article a page is a review, as search engines read it."""
    address = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    authors = [{"@type": "Person", "name": name} for name in paper.authors.split(", ")]
    article: dict[str, Any] = {
        **{"@type": "ScholarlyArticle", "name": paper.title, "author": authors},
        **({"alternateName": paper.original.title} if paper.original else {}),
        **({"datePublished": str(paper.year)} if paper.year else {}),
        **({"sameAs": address} if address else {}),
    }
    review = {"@context": "https://schema.org", "@type": "Review", "itemReviewed": article}
    return json.dumps(review, ensure_ascii=False).replace("<", "\\u003c")


def _lay_out(app: Sphinx, page: str, template: str, context: dict[str, Any], _: Any) -> str | None:
    """Return the layout of the start page, which is its own."""
    return "landing.html" if "landing" in (context.get("meta") or ()) else None


def _write_first_sentences(app: Sphinx, exception: Exception | None) -> None:
    """Write the beginning of each page as a script, which a page from a file can load."""
    if exception is not None or app.builder.format != "html":
        return
    found = {page: sentence for page in sorted(app.env.found_docs)
             if (sentence := first_sentence(app.env.get_doctree(page)))}  # fmt: skip
    content = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    path = Path(app.outdir) / "_static" / "first_sentences.js"
    path.write_text(f"window.retreeFirstSentences={content};\n", encoding="utf-8")


def first_sentence(document: nodes.document) -> str:
    """Return the first sentence of a page, cut where it is long, "" if it has no text."""
    for node in document.findall():
        if isinstance(node, nodes.raw):
            text = _LEAD.search(node.astext())
            words = html.unescape(_TAG.sub("", text[1])) if text else ""
        else:
            words = node.astext() if isinstance(node, nodes.paragraph) else ""
        if words.strip():
            sentence = re.split(r"(?<=[.!?])\s", " ".join(words.split()), maxsplit=1)[0]
            return textwrap.shorten(sentence, _SENTENCE, placeholder=" …")
    return ""
