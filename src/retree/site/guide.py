"""The pages for users of the estimators: the guide, the gallery and the API."""

from __future__ import annotations

import shutil
from pathlib import Path

import retree
from retree import paths
from retree.reports.html import element, text
from retree.site import api
from retree.site.blocks import raw_markdown
from retree.site.examples import ScriptCell, run_script
from retree.site.paper_pages import element_image, png_size

ENTRIES = ("guide/index", "gallery/index", "api/index")


def write_guide(source: Path, copies: Path) -> None:
    """Write the pages of guide, gallery and API.

    Parameters
    ----------
    source : Path
        Folder of what Sphinx reads.
    copies : Path
        Folder of the files that the site has as they are; the gallery's pictures go there.
    """
    project = paths.project_dir()
    shutil.copytree(project / "docs" / "guide", source / "guide")
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


def write_api(source: Path) -> None:
    """Write the pages of the API into what Sphinx reads."""
    (source / "api").mkdir()
    (source / "api" / "index.rst").write_text(api.index_page())
    for name in retree.__all__:
        (source / "api" / f"{name}.rst").write_text(api.name_page(name))


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
