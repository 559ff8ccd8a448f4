"""What the paper on CMDT says of its data sets."""

from retree_lab.study import catalogue


def test_abalone_counts_to_29_rings():
    raw = catalogue.find("abalone").raw
    rings = sorted(map(int, raw.classes))
    # 29 is the greatest number of rings; no abalone has 28, so 28 classes occur.
    assert (rings[0], rings[-1], len(rings)) == (1, 29, 28)
    assert set(range(1, 30)) - set(rings) == {28}
