"""Pages of source files with numbered lines, to which estimators and tests link."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from retree_lab import paths
from retree_lab.provenance import provenance
from retree_lab.reports.html import element, link, text
from retree_lab.site.blocks import raw_markdown
from retree_lab.site.links import commit_page, repository


def write_source_pages(files: Iterable[Path], source: Path) -> None:
    """Write a page for each source file.

    `source`: folder of what Sphinx reads; the pages go below ``source/`` there.
    """
    commit = provenance()["commit"]
    for file in sorted(set(files)):
        page = source / "source" / file.with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_page(file, commit))


def _page(file: Path, commit: str | None) -> str:
    return "\n".join(
        [
            "---\norphan: true\nnosearch: true\nhide-toc: true\n---\n",
            f"# {file.as_posix()}\n",
            raw_markdown(element("p", _origin(file, commit))),
            raw_markdown(_highlighted((paths.project_dir() / file).read_text(), str(file))),
        ]
    )


def _origin(file: Path, commit: str | None) -> str:
    """Say which commit the file comes from, with links if the repository is known."""
    if commit is None:
        return "The file as it was when this site was built."
    name = element("code", text(commit[:12]))
    if page := commit_page(commit):
        blob = f"{repository()}/blob/{commit}/{file.as_posix()}"
        return f"At commit {link(page, commit[:12])}; {link(blob, 'in the repository')}."
    return f"At commit {name}."


def _highlighted(code: str, label: str) -> str:
    """Return Python code in colours, each line with an anchor such as ``L-12``."""
    # Sphinx brings it, which only the site needs.
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    form = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, wrapcode=True)
    content = highlight(code, PythonLexer(), form)
    return element("div", content, class_="rt-code", role="region", tabindex=0, aria_label=label)
