"""C4.5 against J48 of two releases of Weka, whose thresholds differ."""

import gzip
import json
from pathlib import Path

import pytest
from real_sets import read_set

from retree import C45Classifier

FILE = Path(__file__).parents[2] / "reference" / "weka" / "sevenths.json.gz"
TREES = json.loads(gzip.decompress(FILE.read_bytes()))


@pytest.mark.parametrize("weka", ["3.9", "3.6"])
@pytest.mark.parametrize("name", TREES)
def test_tree_of_sevenths_is_that_of_j48(name, weka):
    X, y = read_set(name)
    X = X.set_axis([f"a{j}" for j in range(X.shape[1])], axis=1)
    numeric = X.select_dtypes("number").columns
    X[numeric] = X[numeric] / 7
    text = C45Classifier(pruning=None, weka=weka).fit(X, y).export_text(style="weka")
    assert f"J48 unpruned tree\n------------------\n\n{text}\n" == TREES[name][weka]


@pytest.mark.parametrize("name", TREES)
def test_releases_differ(name):
    assert TREES[name]["3.6"] != TREES[name]["3.9"]


def test_unknown_release_is_refused():
    with pytest.raises(ValueError, match=r"Invalid weka '3.7'"):
        C45Classifier(weka="3.7").fit([[0.0], [1.0]], [0, 1])
