"""The pages for users of the estimators: the guide, the gallery and the API."""

from __future__ import annotations

import inspect
import posixpath
import re
from pathlib import Path
from typing import Any

import retree
from retree import paths
from retree.reports.document import Entry, Table, TableCell
from retree.reports.html_elements import element, text
from retree.reports.references import ToAddress
from retree.site.blocks import (
    element_image,
    png_size,
    raw_markdown,
    raw_rst,
    rst_section,
    rst_table,
    rst_title,
)
from retree.site.examples import ScriptCell, run_script
from retree.site.links import source_of

ENTRIES = ("estimators", "guide/index", "gallery/index", "api/index")
TEXTS = ("findings.md", "estimators.md")
_LINK = re.compile(r"\[(?P<words>[^][]*)\]\((?P<to>\.\./[^)#:]*)(?:#[^)]*)?\)")
# Where files of the repository are on the site.
_PLACES = (
    (r"results/README\.md", "index.md"),
    (r"results/(\w+)/README\.md", r"papers/\1/index.md"),
    (r"results/(\w+)/(\w+)\.(?:md|png)", r"papers/\1/\2.md"),
    (r"results/(\w+\.png)", r"extra/files/\1"),
    (r"conf/.+", "conf"),
    (r"examples/(plot_\w+)\.(?:py|ipynb)", r"gallery/\1.md"),
)


def write_guide(source: Path, copies: Path) -> None:
    """Write the pages of findings, guide, gallery and API.

    `copies`: folder of the files that the site has as they are; the gallery's pictures go there.
    """
    project = paths.project_dir()
    write_api(source)
    (source / "gallery").mkdir()
    (copies / "gallery").mkdir()
    cards = []
    for script in sorted((project / "examples").glob("plot_*.py")):
        cells = run_script(script)
        page = _example_page(cells, script, copies / "gallery")
        (source / "gallery" / f"{script.stem}.md").write_text(page)
        cards.append(_card(cells, script, copies / "gallery"))
    (source / "gallery" / "index.md").write_text(_gallery_page(cards))
    write_texts(project / "docs", source)


def write_texts(docs: Path, source: Path) -> None:
    """Write findings, estimators and guide, with links to results and examples as on the site."""
    texts = [*(docs / name for name in TEXTS), *sorted((docs / "guide").rglob("*.md"))]
    for path in texts:
        (source / path.relative_to(docs)).parent.mkdir(parents=True, exist_ok=True)
    for picture in (docs / "guide").rglob("*.svg"):
        copy = source / picture.relative_to(docs)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(picture.read_bytes())
    for path in texts:
        page = path.relative_to(docs)
        (source / page).write_text(site_links(path.read_text(), page, source))


def site_links(text: str, page: Path, source: Path) -> str:
    """Return a text of ``docs`` with links to where results and examples are on the site.

    `source`: folder of what Sphinx reads. Links to pages that it lacks become words.
    """
    folder = page.parent.as_posix()

    def moved(match: re.Match[str]) -> str:
        there = posixpath.normpath(posixpath.join("docs", folder, match["to"]))
        for pattern, where in _PLACES:
            if re.fullmatch(pattern, there):
                there = re.sub(pattern, where, there)
                if not (source / there).exists():
                    return match["words"]
                return f"[{match['words']}]({posixpath.relpath(there, folder)})"
        return match[0]

    return _LINK.sub(moved, text)


def write_api(source: Path) -> None:
    """Write the pages of the API into what Sphinx reads."""
    (source / "api").mkdir()
    (source / "api" / "index.rst").write_text(api_index())
    for name in retree.__all__:
        (source / "api" / f"{name}.rst").write_text(api_page(name))


def _gallery_page(cards: list[str]) -> str:
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Gallery\n",
            "Scripts from the folder `examples`, run when this site was built.\n",
            raw_markdown(element("div", "\n".join(cards), class_="rt-gallery")),
        ]
    )


def _card(cells: list[ScriptCell], script: Path, pictures: Path) -> str:
    """Return the title of an example with its last picture, both of which lead to its page."""
    title = cells[0].source.partition("\n")[0].removeprefix("# ")
    image = ""
    if own := sorted(pictures.glob(f"{script.stem}_*.png")):
        alt = f"A figure of the example: {title}"
        image = element_image(f"../files/gallery/{own[-1].name}", alt, *png_size(own[-1]))
    caption = element("figcaption", text(title))
    shown = element("a", image + caption, href=f"{script.stem}.html")
    return element("figure", shown, class_="rt-figure")


def _example_page(cells: list[ScriptCell], script: Path, pictures: Path) -> str:
    """Return the page of an example: text, code and what the code shows, in Markdown."""
    parts, n_pictures, title = ["---\norphan: true\n---\n"], 0, script.stem
    for cell in cells:
        if cell.output is None:
            title = cell.source.partition("\n")[0].lstrip("# ")
            parts.append(cell.source + "\n")
            continue
        parts.append(f"```python\n{cell.source}\n```\n")
        if cell.output.svg is not None:
            parts.append(raw_markdown(element("figure", cell.output.svg, class_="rt-figure")))
        elif cell.output.text:
            parts.append(f"```text\n{cell.output.text}\n```\n")
        for png in cell.output.pictures:
            n_pictures += 1
            path = pictures / f"{script.stem}_{n_pictures}.png"
            path.write_bytes(png)
            image = element_image(f"../files/gallery/{path.name}", title, *png_size(path))
            parts.append(raw_markdown(element("figure", image, class_="rt-figure")))
    return "\n".join(parts)


def api_index() -> str:
    """Return the list of all public names in reStructuredText."""
    rows: list[list[Entry]] = [
        [TableCell(name, to=ToAddress(f"{name}.html")), _first_line(name)]
        for name in retree.__all__
    ]
    return "\n".join(
        [
            ":hide-toc: true\n",
            rst_title("API"),
            "Everything here is imported from ``retree``.\n",
            rst_table(Table(["name", "what it is"], rows, left=2), "Public names"),
        ]
    )


def api_page(name: str) -> str:
    """Return the page of a public name in reStructuredText; autodoc and numpydoc fill it."""
    thing = getattr(retree, name)
    kind = "class" if inspect.isclass(thing) else "function"
    where = element("code", text(f"{thing.__module__}.{thing.__qualname__}"))
    page = source_of(thing)
    source = where if page is None else element("a", where, href=f"../{page}")
    parts = [":orphan:\n", rst_title(name), f".. auto{kind}:: retree.{name}"]
    methods = _methods(thing) if inspect.isclass(thing) else []
    parts += ["", *(f"   .. automethod:: {method}" for method in methods), ""]
    return "\n".join([*parts, rst_section("Source", raw_rst(element("p", source)))])


def _first_line(name: str) -> str:
    return (inspect.getdoc(getattr(retree, name)) or "").partition("\n")[0].replace("``", "")


def _methods(thing: type[Any]) -> list[str]:
    """Return the names of the public methods of retree, inherited ones too."""
    return [
        name
        for name, method in inspect.getmembers(thing, inspect.isfunction)
        if not name.startswith("_") and method.__module__.startswith("retree.") and method.__doc__
    ]
