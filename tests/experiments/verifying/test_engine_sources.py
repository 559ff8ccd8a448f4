"""Every file of the engine is among what some estimator's results depend on."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from retree import engine
from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.experiments.verifying import fingerprint as module
from retree_lab.study.registry import ESTIMATORS

ENGINE = paths.project_dir() / "src" / "engine"
SUFFIXES = (".cpp", ".hpp", ".h")
CALL = re.compile(r"\bcall\(\s*\"(\w+)\"")
OWN = sorted(name for name, known in ESTIMATORS.items() if known.target.startswith("retree."))


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the engine's sources."""
    return shutil.copytree(ENGINE, tmp_path_factory.mktemp("copy") / "engine")


def listed(folder):
    """The files of an engine as its build lists them."""
    output = folder.parent / "sources.txt"
    places = [str(Path(sys.executable).parent), *sys.path]
    cmake = shutil.which("cmake", path=":".join(places)) or shutil.which("cmake")
    options = [f"-DENGINE={folder}", f"-DOUTPUT={output}"]
    subprocess.run([cmake, *options, "-P", str(ENGINE / "sources.cmake")], check=True)
    lines = (line.split() for line in output.read_text().splitlines())
    return {name: engine.Source(digest, tuple(rest)) for digest, name, *rest in lines}


@pytest.fixture(scope="module")
def before(copied):
    return listed(copied)


@pytest.fixture(scope="module")
def edited(before, copied):
    """The same files after an edit of each."""
    for name in before:
        path = copied / name
        path.write_text(path.read_text() + "\n// edited\n")
    return listed(copied)


@pytest.fixture(scope="module")
def closures():
    """The modules of each estimator."""
    return {name: module.import_closure(ESTIMATORS[name].target.partition(":")[0]) for name in OWN}


@pytest.fixture(scope="module")
def tripped(before, edited, closures):
    """The estimators that see an edit, by the file that is edited."""
    found = {file: set() for file in before}
    with pytest.MonkeyPatch.context() as patch:
        for name, modules in closures.items():
            patch.setattr(module, "sources", lambda: before)
            then = module.engine_sources(modules)
            patch.setattr(module, "sources", lambda: edited)
            now = module.engine_sources(modules)
            for file in then:
                if then[file] != now[file]:
                    found[file].add(name)
    return found


def test_the_build_lists_every_file_of_the_engine(before):
    assert set(before) == {
        path.relative_to(ENGINE).as_posix()
        for s in SUFFIXES
        for path in ENGINE.rglob(f"*{s}")
        if path.parent.name != "testing"
    }
    assert engine.sources() == before


def test_an_edit_of_any_file_trips_an_estimator(tripped):
    assert [file for file, names in tripped.items() if not names] == []


@pytest.mark.parametrize(
    ("file", "trips", "leaves"),
    [
        ("clustering/clusters.cpp", {"cmdt"}, {"c45", "oc1", "structure_purity"}),
        ("relief/missing.cpp", {"cmdt"}, {"c45", "cart"}),
        ("latent/latent.cpp", {"global_svd", "local_svd"}, {"c45", "cmdt"}),
        ("forests/contribution.cpp", {"thinned_forest"}, {"c45", "id3"}),
        ("oblique/line_bins.cpp", {"oc1", "cart_lc"}, {"cart"}),
        ("core/presort.hpp", set(OWN), set()),
    ],
)
def test_an_edit_trips_those_that_need_the_file(file, trips, leaves, tripped):
    assert trips <= tripped[file]
    assert not leaves & tripped[file]


def test_what_an_estimator_calls_is_in_files_that_it_sees(before, closures):
    texts = {name: (ENGINE / name).read_text() for name in before if name.endswith(".cpp")}
    for name, modules in closures.items():
        sources = (module._source(some) for some in modules)
        python = "\n".join(source.read_text() for source in sources if source)
        seen = "\n".join(texts[file] for file in texts.keys() & module.engine_sources(modules))
        called = set(CALL.findall(python))
        assert called, name
        assert {one for one in called if f" retree_{one}(" not in seen} == set(), name


def test_an_include_of_a_file_that_is_not_there_is_said(before, closures, monkeypatch):
    lacking = {name: source for name, source in before.items() if name != "relief/relief.hpp"}
    monkeypatch.setattr(module, "sources", lambda: lacking)
    with pytest.raises(RetreeError, match=r"includes relief/relief\.hpp, which is not there"):
        module.engine_sources(closures["cmdt"])
