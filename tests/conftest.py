from __future__ import annotations

import gc
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress

import pytest
import tiny_paper
from hypothesis import HealthCheck, settings

from retree_lab import paths
from retree_lab.experiments.storing import store_file
from retree_lab.study import folders

# Of properties that do not say how many examples they try. However slow, a machine fails no test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=20, **PATIENT)
settings.register_profile("thorough", max_examples=500, **PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Files of few tests that take long, the longest first: handed out last, they would leave a process
# without work.
LONG = ("test_recipes", "test_faults", "test_dask", "test_run_plans", "test_replayed_study")
LONG += ("test_locale", "test_fair_trees", "test_long_calls")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def pytest_collection_finish():
    """Let the garbage collector look for cycles less often, and never at modules and tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out tests by file: those that make the site first, long ones, and pages one by one."""
    from xdist.scheduler import LoadFileScheduling

    class SiteFirst(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            if "/site/" not in file:
                return file
            return nodeid if "in_browser" in file else "site"

        def _assign_work_unit(self, node):
            # Pages are shown last, when the site is there and every process has time.
            def place(scope):
                at = next((i for i, name in enumerate(LONG) if name in scope), len(LONG))
                return scope != "site", "in_browser" in scope, at

            first = min(self.workqueue, key=place)
            self.workqueue.move_to_end(first, last=False)
            super()._assign_work_unit(node)

    return SiteFirst(config, log) if config.option.dist == "loadfile" else None


@pytest.fixture(autouse=True, scope="module")
def no_study_is_open() -> Iterator[None]:
    """A study that one module opens has no name in the next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retree_lab.study.folders._opened", {})
        yield


@pytest.fixture(autouse=True)
def studies_close_after_the_test(no_study_is_open) -> Iterator[None]:
    """A study that one test opens has no name in the next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("retree_lab.study.folders._opened", dict(folders._opened))
        yield


@pytest.fixture(autouse=True, scope="session")
def offline() -> Iterator[None]:
    """Tests use the bundled data sets; those of the servers' clients say so themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RETREE_OFFLINE", "1")
        patch.delenv("RETREE_MIRROR", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def stores_wait_for_no_disk() -> Iterator[None]:
    """No test cuts the power; processes that are killed lose no more than otherwise."""

    def open_quickly(*args, **options):
        database = connect(*args, **options)
        with suppress(sqlite3.Error):  # A damaged file says so where the program reads it.
            database.execute("PRAGMA synchronous = OFF")
        return database

    connect = store_file._open
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_file, "_open", open_quickly)
        yield


@pytest.fixture(scope="session")
def chromium():
    """The browser of all tests of a process, in which playwright can be started once."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is on the PATH, so no page is looked at")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tiny_conf(tmp_path_factory):
    """A configuration with the paper ``tiny``."""
    return tiny_paper.write_configuration(tmp_path_factory.mktemp("conf"))


@pytest.fixture(scope="session")
def tiny_folder(tiny_conf, tmp_path_factory):
    """A folder with a store and all that is rendered of the paper ``tiny``."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(paths, "conf_dir", lambda: tiny_conf)
        patch.setenv("RETREE_DATA", str(folder / "data"))
        tiny_paper.render_all()
    return folder


@pytest.fixture
def tiny_clone(tiny_folder, tiny_conf, tmp_path, monkeypatch):
    """The same folder without its store, entered."""
    shutil.copytree(tiny_folder / "results" / "tiny", tmp_path / "results" / "tiny")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "conf_dir", lambda: tiny_conf)
    monkeypatch.setenv("RETREE_DATA", str(tmp_path / "data"))
    return tmp_path
