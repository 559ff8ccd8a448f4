"""The study that compares other packages: its data sets, and what it encodes for whom."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from retree_lab.datasets import load

ROOT = Path(__file__).parents[2]
STUDY = yaml.safe_load((ROOT / "examples" / "peers" / "paper.yaml").read_text())
ESTIMATORS = runpy.run_path(str(ROOT / "examples" / "peers" / "estimators.py"))
WEKA = runpy.run_path(str(ROOT / "examples" / "peers" / "weka_j48.py"))
LATER = ("breast_w", "breast_w_complete", "housing", "segment", "wine")
ROWS = pd.DataFrame(
    {"ward": pd.Categorical(["a", "b", None, "a"], ["a", "b", "c"]), "age": [0.1, np.nan, 3, 4]}
)
# The study has the original of the first, which is bundled too; the others came to retree later.
VERSIONS = {"australian", *LATER}


def test_the_sets_are_those_of_the_rule():
    index = pd.read_csv(ROOT / "data" / "sets" / "index.csv").query("n_instances <= 2000")
    rarest = [
        min(map(int, re.findall(r"=(\d+)\b", n.partition("Classes:")[2].partition(". ")[0])))
        for n in index["note"]
    ]
    index = index[(np.array(rarest) >= 5) & ~index["name"].isin(VERSIONS)]
    shapes = sorted(len(load(name)[0]) for name in STUDY["shared"]["data"])
    assert shapes == sorted(index["n_instances"].nlargest(20))


@pytest.mark.parametrize("package", ["c50py", "lightgbm", "imodels", "obliquetree"])
def test_a_package_that_is_not_installed_is_named_with_the_remedy(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package} is missing: pip install 'retree\[peers\]'"):
        ESTIMATORS["imported"](package)


@pytest.mark.parametrize("name", ["OC1", "SklearnTree"])
def test_levels_and_missing_values_are_encoded_on_the_training_rows(name):
    model = ESTIMATORS[name](random_state=0).fit(ROWS, np.array(list("xyxy")))
    later = pd.DataFrame({"ward": pd.Categorical(["c"]), "age": [np.nan]})
    assert model.predict_proba(later).sum() == 1
    assert model.predict(later)[0] in ("x", "y")
    # Levels a, b and missing, and the age; c was not there.
    assert model.encoder_.transform(later).shape == (1, 4)
    assert not model.encoder_.transform(later)[0, :3].any()


def test_rows_for_weka_are_written_in_full():
    text = WEKA["arff_text"](ROWS, [0, 1, 1, 0], 2, [3, None])
    assert text.splitlines()[1:] == [
        "@attribute a0 {0,1,2}",
        "@attribute a1 numeric",
        "@attribute a2 {0,1}",
        "@data",
        *("0,0.1,0", "1,?,1", "?,3.0,1", "0,4.0,0"),
    ]
