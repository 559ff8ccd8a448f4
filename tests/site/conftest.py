from __future__ import annotations

import fcntl
import hashlib
import json
import pickle
import shutil
import warnings
from contextlib import contextmanager
from importlib.metadata import distributions
from pathlib import Path

import pytest

from retree_lab import paths
from retree_lab.site import build, guide, links
from retree_lab.site.build import build_site, run_sphinx
from retree_lab.site.explorer import DATA
from retree_lab.site.rendered_papers import read_papers
from retree_lab.study.importing import know_packages, own_packages

RESULTS = paths.project_dir() / "results"
TESTS = paths.project_dir() / "tests"
# Papers whose site is made in seconds: with claims, ranks, replicates, numbers that somebody else
# copied, and one without published numbers.
FEW = ("murthy1994", "breiman1996", "pruning")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that need the site of all papers, before others are chosen by their marks."""
    for item in items:
        asked = getattr(getattr(item, "callspec", None), "params", {}).get("results", "all")
        if asked == "all" and {"site", "papers"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("whole_site")


@pytest.fixture(scope="session")
def results(request, kept):
    """The committed results, of a few papers where a test asks for these."""

    def make(folder):
        for name in FEW:
            shutil.copytree(RESULTS / name, folder / name)

    if getattr(request, "param", "all") == "all":
        return RESULTS
    return kept("few_results", make, *(f"results/{name}" for name in FEW))


@contextmanager
def _without_warnings_of_myst():
    """MyST calls what Sphinx is going to remove, which is theirs to mend."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'myst_parser", PendingDeprecationWarning)
        warnings.filterwarnings("ignore", "'myst_parser", DeprecationWarning)
        yield


@pytest.fixture
def sphinx(tmp_path):
    """Make a site of the pages in a folder."""

    def make(source):
        with _without_warnings_of_myst():
            run_sphinx(source, tmp_path / "made", tmp_path / "doctrees")
        return tmp_path / "made"

    return make


def _digest(*names):
    """Return a digest of files of the project and of the installed packages."""
    found = hashlib.sha256(
        repr(sorted(str(d.metadata["Name"]) + d.version for d in distributions())).encode()
    )
    for name in names:
        root = paths.project_dir() / name
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if (
                path.is_file()
                and path.suffix not in (".pyc", ".sqlite")
                and ".store" not in path.parts
            ):
                found.update(str(path.relative_to(paths.project_dir())).encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


@pytest.fixture(scope="session")
def kept(request):
    """Return a folder for what takes long to make, which is made where it is not there already.

    It stands in pytest's cache under a digest of all that it is made of; older ones are removed.
    """

    def folder(name, make, *made_of):
        home = request.config.cache.mkdir(f"retree_{name}")
        own, new = home / _digest(*made_of), home / "new"
        with (home / "lock").open("w") as lock:
            # Another process of this run may be making it.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not own.exists():
                for other in filter(Path.is_dir, home.iterdir()):
                    shutil.rmtree(other)
                make(new)
                new.rename(own)
        return own

    return folder


@pytest.fixture(scope="session")
def papers(results, kept):
    """All papers with their pages, which take long to make."""

    def make(folder):
        made = read_papers(results)
        folder.mkdir()
        (folder / "papers.pickle").write_bytes(pickle.dumps((own_packages(), pickle.dumps(made))))

    folder = kept(f"papers{_of(results)}", make, "src", "conf", "data/sets", "results")
    packages, made = pickle.loads((folder / "papers.pickle").read_bytes())
    know_packages(packages)
    return pickle.loads(made)


@pytest.fixture(scope="session")
def site(request, results, kept):
    """The site of the committed results; building it fails on any warning of Sphinx."""

    def make(folder):
        papers = request.getfixturevalue("papers")
        with _without_warnings_of_myst(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("retree_lab.site.build.read_papers", lambda _: papers)
            if results != RESULTS:
                _leave_out_the_guide(patch, papers)
            build_site(results, folder)

    tests = (f"tests/{path.name}" for path in TESTS.iterdir() if path.name != "site")
    made_of = ("src", "conf", "data/sets", "results", "docs", "examples", "pyproject.toml", *tests)
    return kept(f"site{_of(results)}", make, *made_of)


def _of(results):
    return "" if results == RESULTS else "_of_few"


def _leave_out_the_guide(patch, papers):
    """Leave out what is alike in any site, and most of its pages."""

    def write(source, _):
        guide.write_api(source)
        for name in {*guide.ENTRIES, *(Path(text).stem for text in guide.TEXTS)} - {"api/index"}:
            (source / name).parent.mkdir(exist_ok=True)
            (source / f"{name}.md").write_text(f"# {name}\n")

    used = build._used_methods(papers)
    patch.setattr(guide, "write_guide", write)
    patch.setattr(links, "load_methods", lambda: used)
    patch.setattr("retree.__all__", ["C45Classifier"])


@pytest.fixture
def open_page(chromium, site):
    """Open a page of the site, with what the browser complains of in ``page.complaints``."""
    contexts = []

    def opened(name, **options):
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("requestfailed", lambda request: page.complaints.extend(_failure(request)))
        file, mark, place = name.partition("#")
        page.goto((site / file).as_uri() + mark + place)
        return page

    yield opened
    for context in contexts:
        context.close()


def _failure(request):
    """Return what failed; leaving a page ends the loading of pictures below the screen."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.url}: {request.failure}"]


@pytest.fixture(scope="session")
def explored(site):
    """What the explorer of the site shows."""
    return json.loads((site / "files" / DATA).read_text().partition("=")[2].rstrip(";\n"))
