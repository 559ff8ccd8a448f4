"""The multi-comparison matrix, recomputed pair by pair with numpy and scipy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from retree_lab.statistics import comparison_matrix


def values(seed, n_datasets=15, names="ABCD"):
    drawn = np.random.default_rng(seed).normal(size=(n_datasets, len(names)))
    return pd.DataFrame(drawn.round(2), columns=list(names))


@pytest.mark.parametrize("greater_is_better", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_every_pair_by_hand(seed, greater_is_better):
    table = values(seed)
    found = comparison_matrix(table, greater_is_better)
    assert len(found) == 4 * 3
    for row in found.to_dict("records"):
        a, b = table[row["method"]].to_numpy(), table[row["other"]].to_numpy()
        assert row["difference"] == pytest.approx(a.mean() - b.mean())
        assert (row["mean"], row["other_mean"]) == pytest.approx((a.mean(), b.mean()))
        higher, lower = int((a > b).sum()), int((a < b).sum())
        assert (row["wins"], row["losses"]) == (
            (higher, lower) if greater_is_better else (lower, higher)
        )
        assert row["wins"] + row["ties"] + row["losses"] == row["n_datasets"] == 15
        expected = stats.wilcoxon(a.round(2), b.round(2), zero_method="zsplit")
        if len(set(np.abs((a - b).round(9)))) == 15 and (a != b).all():
            assert row["wilcoxon_p"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_the_best_mean_is_first(greater_is_better):
    found = comparison_matrix(values(5), greater_is_better)
    means = found.drop_duplicates("method")["mean"]
    assert means.is_monotonic_decreasing if greater_is_better else means.is_monotonic_increasing


def test_the_wilcoxon_test_of_a_published_example():
    """Demšar (2006), Table 2: C4.5 with its m tuned against C4.5, p = 0.0219 by signed ranks."""
    c45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.94, 0.619, 0.972,
           0.957]  # fmt: skip
    tuned = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666,
             0.981, 0.978]  # fmt: skip
    found = comparison_matrix(pd.DataFrame({"C4.5": c45, "C4.5+m": tuned}))
    first = found.iloc[0]
    assert (first["method"], first["wins"], first["ties"], first["losses"]) == ("C4.5+m", 10, 2, 2)
    # The paper has the sum of ranks R = 12, which is below the critical 21 at 5 %.
    assert first["wilcoxon_p"] < 0.05


@settings(max_examples=6)
@given(st.integers(0, 1000))
def test_a_further_method_changes_no_pair(seed):
    """What ranks lack: two methods are compared alike, whatever others there are."""
    table = values(seed, 8, "ABC")
    alone = comparison_matrix(table[["A", "B"]]).set_index(["method", "other"])
    among = comparison_matrix(table).set_index(["method", "other"])
    pd.testing.assert_frame_equal(alone.sort_index(), among.loc[alone.index].sort_index())


def test_the_two_halves_mirror_each_other():
    found = comparison_matrix(values(7)).set_index(["method", "other"])
    for a, b in found.index:
        there, back = found.loc[(a, b)], found.loc[(b, a)]
        assert there["difference"] == pytest.approx(-back["difference"])
        assert (there["wins"], there["losses"]) == (back["losses"], back["wins"])
        assert there["wilcoxon_p"] == pytest.approx(back["wilcoxon_p"])


def test_incomplete_data_sets_are_left_out():
    table = values(1)
    table.loc[3, "A"] = np.nan
    expected = comparison_matrix(table.drop(index=3))
    pd.testing.assert_frame_equal(comparison_matrix(table), expected)
