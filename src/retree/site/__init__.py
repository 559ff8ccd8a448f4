"""The static site: what of each paper holds, its tables and figures, and its methods."""

from retree.site.build import build_site

__all__ = ["build_site"]
