"""The pages of studies outside of the package: their rendered Markdown, as it is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from retree.errors import RetreeError
from retree.reports.fold_groups import FOLDS
from retree.site.fold_pages import APART
from retree.site.numbers import Names, with_tables

PAGE, SHOWN = "README.md", ("*.md", "*.csv", "*.csv.gz", "*.tex", "*.png", "*.svg", "*.json")
_INDEX = """\
# Studies

Studies outside of the package, each a folder of tables, data sets and methods, rendered by
`retree run --report --study DIR item=all`.

```{toctree}
"""


def find_rendered(study: Path) -> Path:
    """Return the folder of a study's rendered files, else that of a rendered part of it.

    Raises
    ------
    RetreeError
        If nothing of the study is rendered.
    """
    name = study.resolve().name
    folders = [study / "results" / name, study / "results" / "local" / name]
    found = next((folder for folder in folders if (folder / PAGE).is_file()), None)
    if found is None:
        raise RetreeError(
            f"Nothing of {study} is rendered: run retree run --report --study {study} item=all."
        )
    return found


def write_study_pages(studies: Sequence[Path], folder: Path) -> None:
    """Write the pages of `studies`, and the list of them, to `folder`.

    Parameters
    ----------
    studies : sequence of Path
        The folders of the studies.
    folder : Path
        Made here, as a part of what Sphinx reads.
    """
    folder.mkdir()
    for study in studies:
        rendered, own = find_rendered(study), folder / study.resolve().name
        own.mkdir()
        for path in (path for pattern in SHOWN for path in rendered.glob(pattern)):
            shutil.copyfile(path, own / path.name)
        page = (own / PAGE).read_text()
        (own / PAGE).unlink()
        items = sorted(path.stem for path in own.glob("*.md"))
        _write_folds(rendered / FOLDS, own)
        toctree = "\n".join(["```{toctree}", ":hidden:", "", *items, "```"])
        (own / "index.md").write_text(f"{page}\n{toctree}\n")
    names = "\n".join(f"{study.resolve().name}/index" for study in studies)
    (folder / "index.md").write_text(f"{_INDEX}\n{names}\n```\n")


def _write_folds(folds: Path, own: Path) -> None:
    """Write the pages of a study's folds, and let its tables lead there."""
    for path in own.glob("*.md"):
        path.write_text(_page(path))
    (own / FOLDS).mkdir()
    for path in folds.glob("*.md"):
        (own / FOLDS / path.name).write_text(APART + _page(path, every=True))


def _page(path: Path, every: bool = False) -> str:
    """Return a page with its tables as HTML; links that lead out of the results become words."""
    markdown = path.read_text()
    title = markdown.partition("\n")[0].removeprefix("# ")
    page = with_tables(markdown, title, Names(), every)
    return re.sub(r"\[([^\]]+)\]\(\.\./\.\./[^)]+\)", r"\1", page)
