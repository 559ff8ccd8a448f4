"""The picture of a page where a link to it is shown elsewhere: the slope of the start page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree_lab import paths
from retree_lab.reports.figures import WIDTH, style
from retree_lab.reports.kinds.rank_figures import draw_ranks, ranks_in
from retree_lab.yaml_files import read_yaml

NAME = "social.png"
_SIZE = (1200, 630)  # pixels, as networks show it


def draw_social_picture(results: Path, folder: Path) -> None:
    """Draw the ranks that the start page shows as a png, unless they are not rendered."""
    start = read_yaml(paths.conf_dir() / "site" / "start.yaml")
    base = results / start["paper"] / start["item"]
    files = [base.with_name(f"{base.name}{suffix}.csv") for suffix in ("", "_tests")]
    if not all(file.exists() for file in files):
        return
    with style():
        figure = draw_ranks(ranks_in(pd.read_csv(files[0]), pd.read_csv(files[1])))
        figure.set_size_inches(1.5 * WIDTH, 1.5 * WIDTH * _SIZE[1] / _SIZE[0])
        figure.savefig(folder / NAME, dpi=_SIZE[0] / (1.5 * WIDTH), metadata={"Software": None})
