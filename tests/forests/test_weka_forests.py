"""AdaBoost.M1 against Weka's, tree by tree, on the folds of Weka's Experimenter."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from retree import C45Classifier
from retree.datasets import load_dataset
from retree.experiments.weka_folds import weka_fold
from retree.forests import AdaBoostM1Classifier

FORESTS = pd.read_csv(Path(__file__).parents[1] / "reference" / "weka" / "boosted_forests.csv")
PRINTED = 1e-6  # betas are printed with six digits


@pytest.mark.parametrize(
    "forest", list(FORESTS.itertuples(index=False)), ids=lambda forest: f"{forest[0]}-{forest[1]}"
)
def test_forest_is_that_of_weka(forest):
    dataset = load_dataset(forest.dataset)
    X, y = pd.DataFrame(dataset.X), np.asarray(dataset.y)
    codes = np.unique(y, return_inverse=True)[1]
    train, test = weka_fold(codes, 10, forest.fold, seed=1, stratified=True)
    model = AdaBoostM1Classifier(C45Classifier(pruning=None)).fit(X.iloc[train], y[train])
    nodes, betas = zip(*(tree.split(":") for tree in forest.trees.split()), strict=True)
    assert [tree.node_count for tree in model.forest_.trees] == [int(n) for n in nodes]
    np.testing.assert_allclose(model.forest_.vote_weight, [float(b) for b in betas], atol=PRINTED)
    assert model.score(X.iloc[test], y[test]) == pytest.approx(forest.accuracy, abs=1e-12)
