"""Relief-F against scikit-rebate's on numeric data."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_iris
from skrebate import ReliefF as Rebate

from retree.relief import ReliefF
from retree_lab.datasets import make_waveform

# Two classes, or more of nearly equal size; on wine, whose three are not, the ranks differ a little
# (0.978).
PROBLEMS = {
    "iris": lambda: load_iris(return_X_y=True),
    "breast_cancer": lambda: [part[:250] for part in load_breast_cancer(return_X_y=True)],
    "waveform": lambda: make_waveform(300, random_state=0),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n_neighbors", [5, 10])
def test_ranks_are_those_of_scikit_rebate(name, n_neighbors):
    X, y = PROBLEMS[name]()
    X, y = np.asarray(X, float), np.unique(y, return_inverse=True)[1]
    ours = ReliefF(n_neighbors=n_neighbors).fit(X, y).feature_weights_
    theirs = Rebate(n_neighbors=n_neighbors, n_jobs=1).fit(X, y).feature_importances_
    assert spearmanr(ours, theirs).statistic >= 0.99
    np.testing.assert_allclose(ours, theirs, atol=0.01)
    if name == "breast_cancer":
        # Two classes and no ties: the same numbers.
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
