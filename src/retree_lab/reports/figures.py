"""Colours, fonts and words of all figures, and files that are always the same.

A figure has a finding above it and a sentence on what is seen, both computed: `conclude` takes
them, the file keeps them, and `seen` reads them from there for pages.
"""

from __future__ import annotations

import html
import io
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree_lab.reports.files import write

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
# Inches. All figures are that narrow, so that no letter is smaller than nine pixels on a phone.
WIDTH = 3.35
_PIXELS = 2  # for a point: how large a drawing is where there is room
_TITLE_WIDTH = 44  # characters
# A drawing has the colour of text on light and on dark pages, and no ground of its own.
_SVG_STYLE = (
    "<style>svg{color:#000;fill:currentColor}"
    "@media(prefers-color-scheme:dark){svg{color:#dfe3e8}}</style>"
)
_HEAD = re.compile(r'<svg .*?width="([\d.]+)pt" height="([\d.]+)pt".*?</metadata>', re.S)
_WORDS = re.compile(r"<title>(.*?)</title>\s*<desc>(.*?)</desc>", re.S)
_SIZE = re.compile(r'<svg [^>]*?width="(\d+)[^"]*" height="(\d+)')
_TEXTS = ("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize")
_TICKS = ("xtick", "ytick")
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    **dict.fromkeys([*_TEXTS, *(f"{tick}.labelsize" for tick in _TICKS)], 7.0),
    **dict.fromkeys(["axes.linewidth", *(f"{tick}.major.width" for tick in _TICKS)], 0.6),
    **dict.fromkeys([f"{tick}.major.size" for tick in _TICKS], 2.5),
    **dict.fromkeys(["axes.labelpad", *(f"{tick}.major.pad" for tick in _TICKS)], 2.0),
    "axes.titlepad": 3.0,
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


def new_figure(height: float) -> Figure:
    """Return an empty figure, half a page wide and `height` high, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), layout="constrained")


def conclude(figure: Figure, finding: str, seen: str) -> Figure:
    """Write a finding above `figure`, keep what is `seen` for readers without eyes, and return it.

    Both are of the data: words that are typed in may be wrong tomorrow.
    """
    figure.suptitle(
        textwrap.fill(finding, _TITLE_WIDTH, break_on_hyphens=False),
        x=0.02,
        ha="left",
        weight="bold",
    )
    figure.set_label(seen)
    return figure


def save_figure(figure: Figure, base: Path, *, pdf: bool = False) -> list[Path]:
    """Write `figure` as ``<base>.svg``, byte for byte the same every time.

    To be called in `style`, in which the figure was made. `pdf`: whether to write one for LaTeX,
    too.
    """
    paths = [write(base.with_name(f"{base.name}.svg"), as_svg(figure).encode())]
    if pdf:
        buffer = io.BytesIO()
        figure.savefig(buffer, format="pdf", metadata={"CreationDate": None})
        paths.append(write(base.with_name(f"{base.name}.pdf"), buffer.getvalue()))
    return paths


def as_svg(figure: Figure) -> str:
    """Return a figure as a drawing in the colour of text, with its words and with stable ids.

    Matplotlib hashes the last bits of the places of panels, which are not the same every time.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None}, transparent=True)
    text = buffer.getvalue()
    hashed = dict.fromkeys(re.findall(r'id="([A-Za-z_]*[0-9a-f]{10})"', text))
    ids = {old: f"id{number}" for number, old in enumerate(hashed)}
    text = re.sub(r"[A-Za-z_]*[0-9a-f]{10}\b", lambda m: ids.get(m[0], m[0]), text)
    text = text.replace("#000000", "currentColor")
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    finding = " ".join(next(filter(None, titles), "").split())
    return _HEAD.sub(lambda head: _head(head, finding, str(figure.get_label())), text, count=1)


def _head(match: re.Match[str], finding: str, seen: str) -> str:
    """Return the beginning of a drawing that has a size in pixels, and words."""
    width, height = (round(_PIXELS * float(points)) for points in match.groups())
    view = f'viewBox="0 0 {match[1]} {match[2]}"'
    size = f'width="{width}" height="{height}" {view}'
    words = f"<title>{html.escape(finding)}</title>\n <desc>{html.escape(seen)}</desc>"
    links = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {links} {size} role="img">\n {words}\n {_SVG_STYLE}'


def seen(path: Path) -> str:
    """Return the alternative text of a drawing: its finding and its content; "" if it has none."""
    return ". ".join(filter(None, _words_of(path)))


def finding(path: Path) -> str:
    """Return the finding that a drawing shows, "" if it has none."""
    return _words_of(path)[0]


def _words_of(path: Path) -> tuple[str, str]:
    words = _WORDS.search(path.read_text()) if path.is_file() else None
    return ("", "") if words is None else (html.unescape(words[1]), html.unescape(words[2]))


def svg_size(path: Path) -> tuple[int, int]:
    """Return width and height of a drawing in its unit, pixels or points."""
    if (size := _SIZE.search(path.read_text())) is None:
        raise RetreeError(f"{path} is not a picture; render its item again with retree report.")
    return int(size[1]), int(size[2])


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


def draw_dots(
    axes: Axes, names: Sequence[str], marks: Mapping[str, Sequence[float]]
) -> list[Artist]:
    """Draw a row for each of `names`, with a dot of its own look for each of `marks`.

    Returns the artists that a legend is made of.
    """
    handles: list[Artist] = []
    for number, (label, values) in enumerate(marks.items()):
        look = {**line_style(number), "linestyle": "none", "markersize": 3.5}
        look |= {"markerfacecolor": "none"} if number else {}
        handles += axes.plot(values, range(len(names)), label=label, **look)
    label_rows(axes, names)
    return handles


def label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of a panel, the first one on top, with a faint line along each."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.hlines(range(len(names)), 0, 1, transform=axes.get_yaxis_transform(), color="0.5",
                alpha=0.25, linewidth=0.4, zorder=0)  # fmt: skip


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Return sorted heights of labels moved apart, so that at least `gap` is between two."""
    places = list(heights)
    for _ in range(100):
        for i in range(len(places) - 1):
            if (lacking := gap - (places[i + 1] - places[i])) > 1e-6:
                places[i] -= lacking / 2
                places[i + 1] += lacking / 2
    return places


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
