"""What all figures have in common: colours, fonts, and files that are the same every time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import style as mpl_style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from retree.reports.files import write

# Okabe and Ito's palette, told apart with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "+", "x", "^", "s", "D")
PNG_DPI = 150
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "svg.hashsalt": "retree",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """Set the style that figures are made and saved in, whatever the user's own is."""
    with mpl_style.context(["default", _STYLE]):
        yield


def save_figure(figure: Figure, base: Path) -> list[Path]:
    """Write `figure` as ``<base>.png`` and ``<base>.svg``, byte for byte the same every time.

    To be called in `style`, in which the figure was made.

    Returns
    -------
    list of Path
        The two files.
    """
    paths = []
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix[1:], dpi=PNG_DPI, metadata=metadata)
        paths.append(write(base.with_name(base.name + suffix), buffer.getvalue()))
    return paths


def draw_classes(
    axes: Axes,
    points: NDArray[np.float64],
    codes: NDArray[np.intp],
    names: Sequence[str] = (),
    size: float = 3.0,
) -> None:
    """Draw points of the plane with a colour and a marker for each class.

    Parameters
    ----------
    axes : Axes
    points : ndarray of shape (n_samples, 2)
    codes : ndarray of shape (n_samples,)
        Class codes.
    names : sequence of str, optional
        Names of the classes, for a legend.
    size : float, default=3.0
        Size of the markers in points.
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
            label=names[code] if names else None,
            rasterized=True,  # thousands of points as vectors make megabytes of svg
        )


def bare_spines(axes: Axes) -> None:
    """Leave only the left and the lower border of `axes`."""
    axes.spines[["top", "right"]].set_visible(False)


def panel_letter(index: int) -> str:
    """Return ``(a)`` for 0, ``(b)`` for 1 and so on."""
    return f"({chr(ord('a') + index)})"
