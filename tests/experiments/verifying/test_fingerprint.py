"""Edits of sources trip the fingerprint, whatever they mean, and change no key."""

import importlib
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from toy_benchmark import make_datasets, make_experiment

from retree.errors import RetreeError
from retree_lab import paths
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning import keys
from retree_lab.experiments.planning.plan import plan_item
from retree_lab.experiments.verifying import fingerprint as module
from retree_lab.experiments.verifying.fingerprint import COMMON, fingerprint
from retree_lab.experiments.verifying.verified import FILE, note_verified, unverified
from retree_lab.study import registry
from retree_lab.study.folders import open_study

FILES = {
    "__init__.py": "from toypkg import left, right\n",
    "shared.py": "def add(a, b):\n    return a + b\n",
    "left.py": (
        "from sklearn.tree import DecisionTreeClassifier\n"
        "from toypkg.shared import add\n\n"
        "class Left(DecisionTreeClassifier):\n"
        "    def __init__(self, max_depth=2, random_state=None):\n"
        "        super().__init__(max_depth=max_depth, random_state=random_state)\n\n"
        "    def fit(self, X, y):\n"
        "        total = add(1, 2)\n"
        "        if total < 0:\n"
        "            raise ValueError('too small')\n"
        "        return super().fit(X, y)\n"
    ),
    "right.py": (
        "from typing import TYPE_CHECKING\nfrom . import shared\n"
        "if TYPE_CHECKING:\n    from toypkg import left\n\n"
        "def show():\n    import toypkg.plot\n\nclass Right:\n    x = shared.add(1, 2)\n"
    ),
    "plot.py": "WIDTH = 3\n",
}
# What of retree these import besides, and why it decides no result that keys do not tell apart.
MINE = "estimators.py:OneRule"
ELSEWHERE = {
    "retree_lab.datasets": "the hash of the data is in the key",
    "retree_lab.datasets.given_folds": "what a protocol reads is in the key",
    "retree.engine": "its functions are among the hashed sources of the core",
    "retree.errors": "an error is no result",
    "retree_lab.experiments.definition.method": "values without rules, which keys have",
    "retree_lab.experiments.planning.plan": "a cell's point, place and seed are in its key",
    "retree_lab.yaml_files": "reads values that keys have",
    "retree_lab.paths": "says where papers are",
    "retree_lab.provenance": "of a run, not of a cell",
    "retree_lab.study.folders": "says where a study is, and which modules may be imported",
    "retree_lab.study.own_sources": "what it finds is in the key",
    "retree.trees.node_tests": "packed and digested, and among the modules of each tree",
    "retree.trees.declaring": "what it finds is in the key",
    "retree.trees.pruning.fitting": "its defaults are in the key",
    "retree.trees.tree": "packed and digested, and among the modules of each tree",
}
CACHED = (module._fingerprint, module._source, module._imports, module.normalised_source)


def forget():
    for function in (*CACHED, keys.default_parameters):
        function.cache_clear()


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes a throw-away package, with some files changed."""
    folder = tmp_path / "toypkg"
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setitem(registry.ESTIMATORS, "left", registry.Registered("toypkg.left:Left"))
    monkeypatch.setitem(registry.ESTIMATORS, "right", registry.Registered("toypkg.right:Right"))

    def write(**changes):
        for name, text in FILES.items():
            (folder / name).write_text(changes.get(name.removesuffix(".py"), text))
        for name in [name for name in sys.modules if name.partition(".")[0] == "toypkg"]:
            monkeypatch.delitem(sys.modules, name)
        importlib.invalidate_caches()
        forget()

    yield write
    forget()


@pytest.fixture
def edit(write):
    """Return a function that edits the package and returns the fingerprints of its families."""

    def edit(**changes):
        write(**changes)
        return fingerprint("left").sources, fingerprint("right").sources

    return edit


def left_keys():
    experiment = make_experiment()
    item = replace(experiment.items[0], methods=(Method("left", "Left", "", "left"),))
    return [cell.key for cell in plan_item(experiment, item, make_datasets()).cells]


def test_editing_one_family_leaves_the_other(edit):
    left, right = edit()
    edited = edit(left=FILES["left.py"].replace("max_depth=2", "max_depth=3"))
    assert edited[0] != left
    assert edited[1] == right


def test_editing_shared_code_moves_both(edit):
    before = edit()
    after = edit(shared=FILES["shared.py"].replace("a + b", "b + a"))
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_comments_docstrings_and_layout_do_not_count(edit):
    text = '"""Shared."""\n\n\ndef add(a, b):\n    """Add."""\n    # why\n    return (a +\n  b)\n'
    assert edit() == edit(shared=text)


def test_imports_inside_functions_and_for_types_do_not_count(edit):
    before = edit()
    assert edit(plot="WIDTH = 4\n") == before


@pytest.mark.parametrize(("old", "new"), [("total", "the_sum"), ("too small", "is too small")])
def test_renaming_a_local_or_rewording_an_error_moves_no_key_but_trips(edit, old, new):
    before, planned = edit(), left_keys()
    after = edit(left=FILES["left.py"].replace(old, new))
    assert left_keys() == planned
    assert after[0] != before[0]


def test_moving_a_module_moves_no_key_but_trips(edit, monkeypatch):
    before, planned = edit(), left_keys()
    edit(shared=FILES["left.py"].replace("from toypkg.shared import add", "add = max"))
    moved = registry.Registered("toypkg.shared:Left")
    monkeypatch.setitem(registry.ESTIMATORS, "left", moved)
    assert left_keys() == planned
    assert fingerprint("left").sources != before[0]


def test_a_changed_default_is_a_changed_key(write):
    write()
    before = left_keys()
    write(left=FILES["left.py"].replace("max_depth=2", "max_depth=3"))
    assert not set(before) & set(left_keys())


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("retree_lab.experiments.planning.splits", "random_state=seed", "random_state=seed + 1"),
        ("retree_lab.experiments.running.compute", "predicted == y", "predicted != y"),
        (
            "retree_lab.experiments.running.batches",
            "declared.codes.astype(np.intp)",
            "declared.codes.astype(np.intp) * 2",
        ),
        ("retree_lab.experiments.planning.keys", "is None", "is not None"),
        (
            "retree_lab.experiments.running.responses",
            "(responses, None, y)",
            "(responses, None, y) + 1.0",
        ),
        ("retree_lab.study.scorers", "0.5, 1.5", "0.5, 2.5"),
        ("retree_lab.study.registry", "set_params(**deep)", "set_params()"),
    ],
)
def test_what_every_cell_passes_through_trips_every_estimator(monkeypatch, name, old, new):
    assert name in COMMON
    before = {estimator: fingerprint(estimator) for estimator in ("c45", "oc1")}
    text = module.normalised_source(name)
    assert old in text
    normalised = module.normalised_source

    def edited(module):
        return text.replace(old, new) if module == name else normalised(module)

    monkeypatch.setattr(module, "normalised_source", edited)
    module._fingerprint.cache_clear()
    for estimator, earlier in before.items():
        assert fingerprint(estimator).difference(earlier) == "sources changed"
    module._fingerprint.cache_clear()


def test_another_version_of_a_library_trips(tmp_path, monkeypatch):
    note_verified({"c45": 3}, ["toy"], tmp_path / FILE)
    assert unverified(["c45"], tmp_path) == []
    version = module.metadata.version
    monkeypatch.setattr(
        module.metadata, "version", lambda name: "9.9" if name == "numpy" else version(name)
    )
    module._fingerprint.cache_clear()
    (sentence,) = unverified(["c45"], tmp_path)
    module._fingerprint.cache_clear()
    assert sentence.startswith("c45: unverified since 2")
    assert sentence.endswith(f"(numpy {version('numpy')} -> 9.9)")


def test_another_version_of_the_estimator_is_unverified(tmp_path, monkeypatch):
    note_verified({"c45": 3}, ["toy"], tmp_path / FILE)
    version = registry.ESTIMATORS["c45"].version
    raised = replace(registry.ESTIMATORS["c45"], version=version + 1)
    monkeypatch.setitem(registry.ESTIMATORS, "c45", raised)
    assert f"(version {version} -> {version + 1})" in unverified(["c45"], tmp_path)[0]


def test_what_was_never_verified_is_said_only_where_results_are_known(tmp_path):
    assert unverified(["c45"], None) == unverified(["c45"], tmp_path) == []
    note_verified({"oc1": 1}, ["toy"], tmp_path / FILE)
    assert unverified(["c45", "oc1"], tmp_path) == ["c45: never verified"]


def test_an_edited_file_is_explained(tmp_path):
    (tmp_path / FILE).write_text('{"c45": {"date": 3}}')
    with pytest.raises(RetreeError, match="restore it with git checkout"):
        unverified(["c45"], tmp_path)


def test_real_estimator_is_made_of_its_rooms_but_not_of_the_experiments():
    modules = module.import_closure("retree.trees.structure.structure_trees")
    assert "retree.trees.tree" in modules
    rooms = {Path(name).parts[0] for name in module.engine_sources(modules)}
    assert rooms == {"cart", "core", "include", "pruning", "structure"}
    assert not any(
        name.startswith(("retree_lab.experiments", "retree_lab.datasets")) for name in modules
    )


def test_the_estimator_of_a_paper_is_made_of_what_it_imports_of_retree():
    file, _, _ = registry.ESTIMATORS["fr_id3"].target.rpartition(":")
    modules = module.import_closure(file)
    assert {file, "retree.arithmetic", str(Path(file).with_name("binary_trees.py"))} <= modules
    rooms = {Path(name).parts[0] for name in module.engine_sources(modules)}
    assert rooms == {"cart", "core", "include", "pruning"}


def test_a_study_is_made_of_the_files_beside_it_and_of_retree(tmp_path):
    (tmp_path / "estimators.py").write_text(
        "from retree import C45Classifier\nfrom . import left\nfrom .right import grow\n"
    )
    (tmp_path / "left.py").write_text("import retree.arithmetic\nimport numpy\n")
    (tmp_path / "right.py").write_text("def grow():\n    import retree.relief\n")
    modules = module.import_closure(str(tmp_path / "estimators.py"))
    mine = {str(tmp_path / name) for name in ("estimators.py", "left.py", "right.py")}
    assert {name for name in modules if name.endswith(".py")} == mine
    assert {"retree.arithmetic", "retree.trees.c45.c45_trees"} <= modules
    assert not {"numpy", "retree.relief"} & modules


def test_what_every_cell_passes_through_is_complete():
    imported = {
        found
        for name in COMMON
        for found in module._imports(name)
        if found.startswith(("retree.", "retree_lab.")) and found not in COMMON
    }
    assert imported == ELSEWHERE.keys()


def test_a_raised_version_trips_by_itself_only(monkeypatch):
    normalised = module.normalised_source("retree.trees.c45.c45_trees")
    assert "version=2" not in normalised
    assert "class ID3Classifier" in normalised


def test_a_copy_of_a_study_elsewhere_is_the_same(tmp_path):
    found = {}
    for place in ("here", "there"):
        study = tmp_path / place / "my_study"
        shutil.copytree(paths.project_dir() / "examples" / "classifiers", study)
        if place == "there":
            (study / "estimators.py").write_text((study / "estimators.py").read_text() + "\n#\n")
        open_study(study)
        assert registry.find_estimator(MINE).target.startswith(str(tmp_path / place))
        found[place] = fingerprint(MINE)
    assert found["here"] == found["there"]
    (study / "estimators.py").write_text((study / "estimators.py").read_text() + "\nX = 1\n")
    forget()
    assert fingerprint(MINE).difference(found["here"]) == "sources changed"
