from __future__ import annotations

import warnings
from contextlib import contextmanager

import pytest

from retree import paths
from retree.site.build import build_site, run_sphinx
from retree.site.rendered_papers import read_papers

RESULTS = paths.project_dir() / "results"


@pytest.fixture(scope="session")
def results():
    """The committed results."""
    return RESULTS


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


@pytest.fixture(scope="session")
def papers(results):
    """All papers with their pages, which take long to make."""
    return read_papers(results)


@pytest.fixture(scope="session")
def site(tmp_path_factory, results, papers):
    """The site of the committed results; building it fails on any warning of Sphinx."""
    with _without_warnings_of_myst(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("retree.site.build.read_papers", lambda _: papers)
        return build_site(results, tmp_path_factory.mktemp("built") / "site").parent
