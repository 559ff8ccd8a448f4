"""The figures of papers and examples on the site."""

from __future__ import annotations

import struct
from pathlib import Path

from retree.errors import RetreeError
from retree.reports.document import Figure
from retree.reports.html_elements import element, text
from retree.site.rendered_papers import PaperFiles


def picture(files: PaperFiles, path: Path, alt: str, root: str = "../../") -> str:
    """Return a figure of a paper, as the drawing for light and dark pages if there is one."""
    drawing = path.with_suffix(".svg")
    shown = drawing if drawing in all_files(files) else path
    source = f"{root}{files.copies}/{shown.name}"
    image = element_image(source, alt, *png_size(path))
    caption = element("figcaption", text(alt))
    return element("figure", element("a", image, href=source) + caption, class_="rt-figure")


def element_image(source: str, alt: str, width: int, height: int) -> str:
    """Return an image, of which the browser knows the size before it has it."""
    attributes = f'alt="{text(alt)}" width="{width}" height="{height}" loading="lazy"'
    return f'<img src="{source}" {attributes}>'


def png_size(path: Path) -> tuple[int, int]:
    """Return width and height of a png in pixels."""
    head = path.read_bytes()[:24]
    if len(head) < 24 or not head.startswith(b"\x89PNG"):
        raise RetreeError(f"{path} is no picture; render its item anew with retree report.")
    width, height = struct.unpack(">II", head[16:])
    return width, height


def figure_of(files: PaperFiles, figure: Figure, root: str) -> str:
    """Return a figure of a document, "" if it was not drawn."""
    path = files.folder / figure.file
    return picture(files, path, figure.caption, root) if path.is_file() else ""


def all_files(files: PaperFiles) -> list[Path]:
    """Return the files of a paper's folder of results."""
    return [path for path in files.folder.iterdir() if path.is_file()]
