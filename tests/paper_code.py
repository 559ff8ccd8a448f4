"""Where the papers' folders are."""

from retree_lab import paths

PAPERS = paths.conf_dir() / "paper"
