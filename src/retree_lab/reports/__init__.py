"""Tables, figures and pages from stored results; nothing is computed but means and tests."""

from retree_lab.reports.claims import all_claims, claims_overview
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.paper_pages import write_item, write_page
from retree_lab.reports.summary import show_table

__all__ = ["ItemReport", "all_claims", "claims_overview", "show_table", "write_item", "write_page"]
