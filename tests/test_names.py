"""Everything for users is importable from `retree`, and all that benchmarks import is there."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

from sklearn.base import BaseEstimator

import retree
from retree_lab import paths

# Where what people fit is defined; elsewhere estimators only stand in for one.
ROOMS = {"trees", "forests", "relief"}


def estimators():
    """Return the estimators that these packages define, without their base classes."""
    found = set()
    for info in pkgutil.walk_packages(retree.__path__, "retree."):
        if info.name.split(".")[1] not in ROOMS:
            continue
        for _, value in inspect.getmembers(importlib.import_module(info.name), inspect.isclass):
            if issubclass(value, BaseEstimator) and value.__module__.startswith("retree."):
                found.add(value)
    bases = {base for estimator in found for base in estimator.__mro__[1:]}
    return {estimator.__name__ for estimator in found - bases}


def test_every_estimator_is_importable_from_the_package():
    assert {"C45Classifier", "BaggingTreesClassifier", "ReliefF"} <= estimators()
    assert estimators() - set(retree.__all__) == set()


def test_every_name_of_the_package_can_be_imported():
    for name in retree.__all__:
        assert getattr(retree, name).__name__ == name
        assert name in dir(retree)


def test_benchmarks_import_what_there_is():
    code = (
        "import importlib, pathlib\n"
        "for file in pathlib.Path().glob('*.py'): importlib.import_module(file.stem)"
    )
    folder = paths.project_dir() / "benchmarks"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_estimators_load_little_of_scikit_learn():
    code = (
        "import sys, retree, retree.forests\n"
        "names = {*retree.__all__} - {'ReliefF', 'CMDTClassifier'}\n"
        "[getattr(retree, name) for name in names]\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("sklearn.") for name in done.stdout.split()}
    assert "base" in loaded
    assert not loaded & {"ensemble", "feature_selection", "metrics", "model_selection"}


def test_scripts_take_from_each_other_what_there_is():
    trees = {
        file.stem: ast.parse(file.read_text())
        for file in (paths.project_dir() / "scripts").glob("*.py")
    }
    lacking = []
    for script, tree in trees.items():
        used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        for node in used:
            if isinstance(node.value, ast.Name) and node.value.id in imported & trees.keys():
                module = node.value.id
                if node.attr not in top_names(trees[module]):
                    lacking.append(f"{script}: {module}.{node.attr}")
    assert lacking == []


def top_names(tree):
    """Return the names that a module has, as far as its source tells."""
    at_top = [node for part in tree.body for node in ast.walk(part) if isinstance(node, ast.Name)]
    names = {node.id for node in at_top if isinstance(node.ctx, ast.Store)}
    names |= {node.name for node in tree.body if hasattr(node, "name")}
    aliases = [a for node in tree.body if hasattr(node, "names") for a in node.names]
    return names | {(a.asname or a.name) for a in aliases if hasattr(a, "name")}
