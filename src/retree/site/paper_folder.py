"""Writing all pages of a paper, or of a study, and the copies of its files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.site.fold_page_files import write_folds
from retree.site.paper_pages import item_page, paper_page
from retree.site.pictures import all_files
from retree.site.rendered_papers import PaperFiles


def write_paper(files: PaperFiles, comparisons: pd.DataFrame, source: Path) -> None:
    """Write the pages of a paper, and copies of its files.

    `comparisons`: the cells of all its tables, as from
    `retree.reports.rendered_tables.read_comparisons`.
    """
    folder, copies = source / files.home, source / "extra" / files.copies
    for made in (folder, copies):
        made.mkdir(parents=True)
    (folder / "index.md").write_text(paper_page(files, comparisons))
    for item in files.items:
        (folder / f"{item.name}.md").write_text(item_page(files, item))
    write_folds(files, folder)
    for path in all_files(files):
        (copies / path.name).write_bytes(path.read_bytes())
