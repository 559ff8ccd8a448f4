"""Where configuration, data and checksums live, in a checkout and in an installed package."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]
# The Python of the papers.
PAPERS = Path(__file__).resolve().parent / "papers"


@cache
def is_checkout() -> bool:
    """Whether retree runs from its repository."""
    return (_CHECKOUT / "conf" / "config.yaml").is_file()


@cache
def project_dir() -> Path:
    """Return the folder of ``conf/`` and ``data/``: the checkout, or one in this package."""
    return _CHECKOUT if is_checkout() else Path(__file__).parent / "project"


def conf_dir() -> Path:
    """Return the root of the Hydra configuration."""
    return project_dir() / "conf"


def study_reference() -> Path:
    """Return the page that has every key of a study."""
    return project_dir() / "docs" / "guide" / "studies.md"


def checksums_file() -> Path:
    """Return the tracked table of data checksums."""
    return project_dir() / "data" / "checksums.csv"


def sets_dir() -> Path:
    """Return the folder of the bundled data sets."""
    return project_dir() / "data" / "sets"


def data_dir() -> Path:
    """Return the cache of fetched data: ``RETREE_DATA``, else ``data/`` or the user's cache."""
    if chosen := os.environ.get("RETREE_DATA"):
        return Path(chosen)
    if is_checkout():
        return _CHECKOUT / "data"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "retree"
