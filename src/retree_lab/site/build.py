"""Writing the pages, and letting Sphinx turn them into the site."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

import retree
from retree.errors import EXTRAS, RetreeError
from retree_lab import paths
from retree_lab.experiments.definition.method import Method
from retree_lab.provenance import provenance
from retree_lab.reports.agreement import published_numbers, read_comparisons
from retree_lab.reports.document import ToSource, ToTest
from retree_lab.reports.overview import write_overview
from retree_lab.reports.register import read_register
from retree_lab.site import guide, links, method_pages, start_page
from retree_lab.site.dataset_pages import known_sets, pages_of, write_dataset_pages
from retree_lab.site.explorer import write_explorer
from retree_lab.site.paper_pages import study_comparisons, write_paper, write_study_pages
from retree_lab.site.rendered_papers import PaperFiles, read_papers, rendered_names
from retree_lab.site.social_picture import draw_social_picture
from retree_lab.site.source_pages import write_source_pages
from retree_lab.study.importing import import_estimator

ASSETS = Path(__file__).resolve().parent / "assets"
LOG = "CHANGELOG.md"
# Every site has it; no other folder is ever replaced.
_MARK = "searchindex.js"

# Text on these backgrounds has a contrast of at least 4.5. Blue and vermilion, as in the figures,
# can be distinguished with any colour vision.
_LIGHT = {
    "rt-match": "#d5e8f7",
    "rt-close": "#fdf0dc",
    "rt-off": "#fbdcc8",
    "rt-unchecked": "#e8ebee",
    "rt-verdict-text": "#17222b",
    "rt-bar": "#0072b2",
}
_DARK = {
    "rt-match": "#12405f",
    "rt-close": "#4a3410",
    "rt-off": "#75340a",
    "rt-unchecked": "#2b333a",
    "rt-verdict-text": "#f3f6f8",
    "rt-bar": "#56b4e9",
}
_SCRIPTS = ("tables.js", "cell_notes.js", "copy.js", "printed.js", "landmarks.js", "snippets.js")
_CONFIG: dict[str, Any] = {
    "project": "retree",
    "html_title": "retree",
    "extensions": [
        *("sphinx.ext.autodoc", "numpydoc"),
        *("myst_parser", "retree_lab.site.sphinx_extension"),
    ],
    "numpydoc_show_class_members": False,
    "autodoc_typehints": "none",
    "add_module_names": False,
    "html_theme": "furo",
    "html_theme_options": {"light_css_variables": _LIGHT, "dark_css_variables": _DARK},
    "html_math_renderer": "mathml",
    "html_static_path": [str(ASSETS)],
    "templates_path": [str(ASSETS.with_name("templates"))],
    "html_search_scorer": str(ASSETS / "scorer.js"),
    "html_favicon": str(ASSETS / "favicon.svg"),
    "html_css_files": ["retree.css"],
    "html_js_files": [(name, {"defer": "defer"}) for name in _SCRIPTS],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_show_sphinx": False,
    "html_use_index": False,
    # Summaries are fetched, which a browser does not do from a file; see snippets.js.
    "html_show_search_summary": False,
    "default_role": "literal",
    "smartquotes": False,
    # A line of a paragraph may begin with "%", which MyST would take for a comment.
    "myst_disable_syntax": ["myst_line_comment"],
    # The levels are those of the files that pages are made of.
    "suppress_warnings": ["myst.header"],
}


def build_site(results: Path, output: Path, studies: Sequence[Path] = ()) -> Path:
    """Build the site of all papers that have a page in `results`, and of further studies.

    Without such a paper the site is of the studies alone.

    `output`: folder of the site. A former site there is replaced when the new one is whole.
    """
    _check_installed()
    _check_replaceable(output)
    with tempfile.TemporaryDirectory() as scratch:
        source, built = Path(scratch, "source"), Path(scratch, "site")
        source.mkdir()
        # Arrow's texts, the default, take a fifth of the time: names of columns are texts, too.
        with pd.option_context("mode.string_storage", "python"):
            write_sources(results, source, studies)
        run_sphinx(source, built, Path(scratch, "doctrees"))
        if output.exists():
            shutil.rmtree(output)
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(built, output)
    return output / "index.html"


def write_sources(results: Path, source: Path, studies: Sequence[Path] = ()) -> None:
    """Write what Sphinx reads: the pages, and under ``extra/files`` copies of the results.

    Studies are shown alone if `results` has no paper, as where retree was installed from a wheel.
    """
    (source / "extra" / "files").mkdir(parents=True)
    if studies and not rendered_names(results):
        _write_studies(studies, source)
    else:
        _write_papers(results, source, studies)


def _write_studies(studies: Sequence[Path], source: Path) -> None:
    """Write the pages of studies alone, and of the methods and estimators that they lead to."""
    found = write_study_pages(studies, source)
    comparisons = pd.concat([study_comparisons(files) for files in found], ignore_index=True)
    _write_methods(source / "methods", _used_methods(found), found, comparisons)
    guide.write_api(source)
    (source / "index.md").write_text(start_page.studies_page(found, comparisons))
    write_source_pages(_source_files(found), source)


def _write_papers(results: Path, source: Path, studies: Sequence[Path]) -> None:
    """Write the pages of all papers and of further studies, the guide and the gallery."""
    found, comparisons = read_papers(results), read_comparisons(results)
    register = read_register(comparisons, [files.paper for files in found])
    sets = known_sets(register)
    found = [replace(files, datasets=pages_of(sets, files.name)) for files in found]
    copies = source / "extra" / "files"
    draw_social_picture(found, comparisons, source / "extra")
    if not published_numbers(comparisons).empty:
        write_overview(results, copies)
    for files in found:
        write_paper(files, comparisons[comparisons["paper"] == files.name], source)
    _write_methods(source / "methods", links.load_methods(), found, comparisons)
    explorer = write_explorer(found, comparisons, register, source)
    others = ["findings", "speed", "growth", *explorer, "claims", "methods/index"]
    others += write_dataset_pages(sets, comparisons, found, source)
    rendered = list(found)
    if studies:
        others.append("studies/index")
        rendered += write_study_pages(studies, source)
    if (results / LOG).exists():
        others.append("changes")
        head, *entries = (results / LOG).read_text().rstrip().split("\n## ")
        (source / "changes.md").write_text("\n\n## ".join([head, *reversed(entries)]) + "\n")
    (source / "claims.md").write_text(start_page.claims_page(found))
    # Pages link to it before it is written.
    (source / "index.md").touch()
    guide.write_guide(source, copies)
    (source / "index.md").write_text(start_page.start_page(found, comparisons, others))
    write_source_pages(_source_files(rendered), source)


def _source_files(rendered: list[PaperFiles]) -> set[Path]:
    """Return the files of the public names, of the methods' estimators and of the claims' tests."""
    methods = [m for m in links.load_methods().values() if m.estimator is not None]
    led = {reference for files in rendered for reference in files.rendered.references}
    targets = {method.registered.target for method in methods}
    targets |= {reference.name for reference in led if isinstance(reference, ToSource)}
    things = [getattr(retree, name) for name in retree.__all__]
    things += [import_estimator(target) for target in targets]
    files = {file for thing in things if (file := links.source_file(thing)) is not None}
    tests = (Path(to.name.partition("::")[0]) for to in led if isinstance(to, ToTest))
    return files | {test for test in tests if (paths.project_dir() / test).is_file()}


def _used_methods(found: list[PaperFiles]) -> dict[str, Method]:
    """Return the methods of retree that items link to."""
    items = [item for files in found for item in files.paper.items.values()]
    pages = {links.method_page(key) for item in items for key in item.get("methods") or ()}
    return {k: m for k, m in links.load_methods().items() if links.method_page(k) in pages}


def _write_methods(
    folder: Path, known: Mapping[str, Method], found: list[PaperFiles], comparisons: pd.DataFrame
) -> None:
    folder.mkdir()
    equations = method_pages.read_equations()
    (folder / "index.rst").write_text(method_pages.index_page(known, found))
    for key, method in method_pages.own_pages(known).items():
        page = method_pages.method_page(method, known, found, comparisons, equations)
        (folder / f"{key}.rst").write_text(page)


def run_sphinx(source: Path, output: Path, doctrees: Path) -> None:
    """Let Sphinx build a site from the pages in `source`."""
    from sphinx.application import Sphinx
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace

    config = {**_CONFIG, "html_extra_path": [str(source / "extra")], "exclude_patterns": ["extra"]}
    config["html_context"] = _about()
    warnings = io.StringIO()
    nocolor()
    with docutils_namespace():
        app = Sphinx(
            source,
            None,
            output,
            doctrees,
            "html",
            confoverrides=config,
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build(force_all=True)
    if found := warnings.getvalue().strip():
        raise RetreeError(f"The site is not built, since Sphinx warns:\n{found}")
    (output / ".buildinfo").unlink(missing_ok=True)


def _about() -> dict[str, str | None]:
    """Return the facts about the project in the foot of each page."""
    commit = provenance()["commit"]
    return {
        "retree_version": retree.__version__,
        "licence": metadata("retree")["License-Expression"],
        "commit": commit and commit[:12],
        "commit_page": commit and links.commit_page(commit),
        "repository": links.repository(),
        "install": links.install_line(),
        "site_address": links.home(),
    }


def _check_installed() -> None:
    if missing := [name for name in EXTRAS["site"] if find_spec(name) is None]:
        raise RetreeError(f"The site needs {', '.join(missing)}: run pip install 'retree[site]'.")


def _check_replaceable(output: Path) -> None:
    if output.exists() and not output.is_dir():
        raise RetreeError(f"{output} is a file; choose a folder with --output.")
    if output.exists() and not (output / _MARK).exists() and any(output.iterdir()):
        raise RetreeError(f"{output} is not a site; choose another folder with --output.")
