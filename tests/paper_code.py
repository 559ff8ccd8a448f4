"""What stands in the Python files of the papers' folders."""

from types import ModuleType

from retree import paths
from retree.study.importing import load_file

PAPERS = paths.conf_dir() / "paper"


def paper_module(file: str) -> ModuleType:
    """Return a file of a paper, as ``pruning/kinds.py``."""
    return load_file(PAPERS / file)
