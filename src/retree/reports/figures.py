"""What all figures have in common: colours, fonts, and files that are the same every time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retree.reports.files import write

# Matplotlib takes longer to import than all else, so that is done where a figure is drawn.
if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, which is distinct for any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "+", "x", "^", "s", "D")
# Colour, marker and dashes of the lines of a panel, each of which would do by itself.
LINES = tuple(zip(COLOURS, ("o", "^", "s", "D", "v", "P"), ("-", "--", "-.", ":", "-", "--"),
                  strict=True))  # fmt: skip
# Half a column of a printed page, in inches: figures are that wide, and no font is smaller than
# seven points there.
WIDTH = 3.35
PNG_DPI = 240
# A drawing has the colour of text on light and on dark pages, and no ground of its own.
_SVG_STYLE = (
    "svg{color:#000;fill:currentColor}@media (prefers-color-scheme:dark){svg{color:#dfe3e8}}"
)
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.0,
    "axes.titlesize": 7.0,
    "axes.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "axes.labelpad": 2.0,
    "axes.titlepad": 3.0,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.2,
    "lines.linewidth": 1.0,
    "lines.markersize": 2.6,
    "svg.hashsalt": "retree",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """Set the style that figures are made and saved in, whatever the user's own is."""
    from matplotlib import style as mpl_style

    with mpl_style.context(["default", _STYLE]):
        yield


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure `width` wide, by default half a page, and `height` high, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, base: Path) -> list[Path]:
    """Write `figure` as ``<base>.png`` and ``<base>.svg``, byte for byte the same every time.

    To be called in `style`, in which the figure was made.
    """
    paths = []
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        buffer = io.BytesIO()
        is_svg = suffix == ".svg"
        figure.savefig(
            buffer, format=suffix[1:], dpi=PNG_DPI, metadata=metadata, transparent=is_svg
        )
        found = buffer.getvalue()
        content = _for_any_page(found) if is_svg else _of_few_colours(found)
        paths.append(write(base.with_name(base.name + suffix), content))
    return paths


def _of_few_colours(png: bytes) -> bytes:
    """Return a picture in at most 256 colours, which takes a third of the bytes."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(buffer, format="png", optimize=True, dpi=(PNG_DPI, PNG_DPI))
    return buffer.getvalue()


def _for_any_page(svg: bytes) -> bytes:
    """Return a drawing of matplotlib in the colour of text, with the same ids every time.

    Matplotlib hashes the last bits of the places of panels, which are not the same every time.
    """
    text = svg.decode()
    hashed = dict.fromkeys(re.findall(r'id="([A-Za-z_]*[0-9a-f]{10})"', text))
    ids = {old: f"id{number}" for number, old in enumerate(hashed)}
    text = re.sub(r"[A-Za-z_]*[0-9a-f]{10}\b", lambda m: ids.get(m[0], m[0]), text)
    text = text.replace("#000000", "currentColor").replace("*{", f"{_SVG_STYLE}*{{", 1)
    return text.encode()


def draw_classes(
    axes: Axes,
    points: NDArray[np.float64],
    codes: NDArray[np.intp],
    names: Sequence[str] = (),
    size: float = 3.0,
    alpha: float = 1.0,
) -> None:
    """Draw points of the plane with a colour and a marker for each class.

    Shapes: `points` (n_samples, 2), `codes` (n_samples,).
    """
    for code in range(int(codes.max()) + 1):
        rows = points[codes == code]
        axes.plot(
            rows[:, 0],
            rows[:, 1],
            MARKERS[code],
            color=COLOURS[code],
            markerfacecolor="none",
            markersize=size,
            markeredgewidth=0.6,
            zorder=2,
            alpha=alpha,
            label=names[code] if names else None,
            rasterized=True,  # thousands of points as vectors make megabytes of svg
        )


def line_style(number: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the line `number` of a panel, for `Axes.plot`."""
    colour, marker, dashes = LINES[number % len(LINES)]
    return {"color": colour, "marker": marker, "linestyle": dashes}


def legend_below(figure: Figure, handles: Sequence[Artist], ncols: int = 1) -> None:
    """Put a legend of `handles`, which know their labels, below the panels of `figure`."""
    figure.legend(handles=list(handles), loc="outside lower center", ncols=ncols)


def bare_spines(axes: Axes) -> None:
    """Leave only the left and the lower border of `axes`."""
    axes.spines[["top", "right"]].set_visible(False)


def panel_letter(index: int) -> str:
    """Return ``(a)`` for 0, ``(b)`` for 1 and so on."""
    return f"({chr(ord('a') + index)})"
