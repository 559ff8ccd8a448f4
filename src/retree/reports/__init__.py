"""Tables, figures and pages from stored results; nothing is computed but means and tests."""

from retree.reports.claims.overview import all_claims, claims_overview
from retree.reports.console import show_table
from retree.reports.kinds import RENDERERS, render
from retree.reports.page import write_page

__all__ = ["RENDERERS", "all_claims", "claims_overview", "render", "show_table", "write_page"]
