"""The static site: papers with their tables, folds and claims, methods, user guide and API."""

from retree_lab.site.build import build_site

__all__ = ["build_site"]
