"""Type checkers of users know the parameters of estimators, and their choices."""

import re
import subprocess
import sys
from typing import Literal, get_args, get_origin

import pytest

import retree
from retree.trees.pruning.fitting import check_pruning
from retree.trees.validation import one_of

CLASSES = [value for n in retree.__all__ if isinstance(value := getattr(retree, n), type)]
WRONG = """
from retree import BaggingTreesClassifier, C45Classifier, CartClassifier, ReliefF, from_json
C45Classifier(min_casse=3)
C45Classifier(pruning="foo")
C45Classifier(fill_missing="median")
CartClassifier(criterion="ginni")
BaggingTreesClassifier(vote="vots")
ReliefF(n_neighbours=3)
number: int = from_json("{}")
"""


def choices(cls, name):
    """Return what the annotation of a field lists."""
    home = next(base for base in cls.__mro__ if name in vars(base).get("__annotations__", {}))
    hint = eval(vars(home)["__annotations__"][name], vars(sys.modules[home.__module__]))
    listed = [part for part in (hint, *get_args(hint)) if get_origin(part) is Literal]
    return {choice for part in listed for choice in get_args(part)}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_annotations_list_what_is_checked(cls):
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        if isinstance(check := field.metadata.get("check"), one_of):
            assert choices(cls, name) == set(check.valid) - {None}, name


def test_annotations_list_the_prunings():
    for name in choices(retree.C45Classifier, "pruning"):
        check_pruning(name)
    with pytest.raises(ValueError, match="foo") as refused:
        check_pruning("foo")
    listed = set(re.findall("'([a-z_]+)'", str(refused.value))) - {"foo"}
    assert listed == choices(retree.C45Classifier, "pruning")


@pytest.mark.slow
def test_a_strict_type_checker_sees_each_misspelt_parameter(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    lines = [int(n) for n in re.findall(r"^program.py:(\d+): error", done.stdout, re.M)]
    assert lines == list(range(3, 10)), done.stdout
