"""The pages of studies outside of the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree.reports.rendered_tables import read_folder
from retree.site.paper_folder import write_paper
from retree.site.rendered_papers import PAGE, PaperFiles, read_study
from retree.study.folders import open_study

_INDEX = """\
# Studies

Studies outside of the package, each a folder of tables, data sets and methods, rendered by
`retree run --report --study DIR item=all`.

```{toctree}
"""


def find_rendered(study: Path) -> Path:
    """Return the folder of a study's rendered files, else that of a rendered part of it."""
    name = study.resolve().name
    folders = [study / "results" / name, study / "results" / "local" / name]
    found = next((folder for folder in folders if (folder / PAGE).is_file()), None)
    if found is None:
        raise RetreeError(
            f"Nothing of {study} is rendered: run retree run --report --study {study} item=all."
        )
    return found


def write_study_pages(studies: Sequence[Path], source: Path) -> list[PaperFiles]:
    """Write the pages of `studies`, and the list of them, and return what they are made of."""
    rendered = [find_rendered(study) for study in studies]
    found = [
        read_study(open_study(study), folder.parent)
        for study, folder in zip(studies, rendered, strict=True)
    ]
    for files in found:
        write_paper(files, study_comparisons(files), source)
    names = "\n".join(f"{files.name}/index" for files in found)
    (source / "studies" / "index.md").write_text(f"{_INDEX}\n{names}\n```\n")
    return found


def study_comparisons(files: PaperFiles) -> pd.DataFrame:
    """Return the cells of all numeric tables of a study, behind ``paper`` and ``item``."""
    return read_folder(files.folder).assign(paper=files.name)
