"""Claims on ROCKFlows's published accuracies, and on the splits they are of."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr, wilcoxon

from retree_lab import paths
from retree_lab.datasets import load_dataset
from retree_lab.papers.rockflows import datasets

FOLDER = paths.conf_dir() / "paper" / "rockflows"


@pytest.fixture(scope="module")
def published():
    """Accuracies by data set, in columns by table and learner."""
    table = pd.read_csv(FOLDER / "published.csv")
    table = table[table["table"].isin(["splits", "blocks"])]
    return table.pivot_table(index="dataset", columns=["table", "method"], values="value")


def test_blocks_and_splits_differ_significantly_for_each_learner(published):
    losses = (published["blocks"] - published["splits"]).dropna()
    assert losses.shape == (99, 8)  # the blocks of two sets predict another column than the class
    assert (losses.mean() < -0.04).all()
    assert all(wilcoxon(losses[name]).pvalue < 0.001 for name in losses)


def test_ranking_of_the_learners_hardly_depends_on_the_protocol(published):
    known = published.dropna()
    splits, blocks = (
        known[name].rank(axis=1, ascending=False).mean() for name in ("splits", "blocks")
    )
    assert (splits - blocks).abs().max() < 0.6
    assert list(splits.sort_values().index[:2]) == list(blocks.sort_values().index[:2])
    assert spearmanr(splits, blocks).statistic > 0.9


def test_loss_grows_with_how_sorted_the_file_is(published):
    index = pd.read_csv(datasets.index_dir() / "index.csv").set_index("set")["sorted"].dropna()
    losses = (published["blocks", "J48"] - published["splits", "J48"]).dropna()
    known = losses.index.intersection(index.index)
    found = spearmanr(index[known], losses[known])
    assert found.statistic < -0.3
    assert found.pvalue < 0.001


def test_published_splits_are_no_partition():
    bundled = pd.read_csv(datasets.index_dir() / "index.csv").query("bundled == 'yes'")["set"]
    assert len(bundled) >= 10
    for name in bundled:
        places = load_dataset(datasets.PREFIX + name, sources=["bundled"]).groups
        times_tested = (places < 0).sum(axis=1)
        assert places.shape[1] == 4
        assert (times_tested == 0).any()
        assert (times_tested > 1).any()
        # Each is a random split by itself: no row is in both parts, and none is twice in one.
        assert ((places > 0) | (places < 0)).all()
        for column in places.T:
            for sign in (1, -1):
                own = np.sort(sign * column[sign * column > 0])
                assert (own == np.arange(1, len(own) + 1)).all()
