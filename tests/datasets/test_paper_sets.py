"""The sets of latent_space, forest_thinning, cmdt and pruning, as they are bundled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from retree_lab.datasets import load

# Rows, numeric columns, category columns, classes, missing cells.
SETS = {
    # Table 1 of latent_space prints 266 rows of spectf and 989 of vowel.
    "spectf": (267, 44, 0, 2, 0),
    "bupa": (345, 6, 0, 2, 0),
    "pima": (768, 8, 0, 2, 0),
    "vehicle": (846, 18, 0, 4, 0),
    "vowel": (990, 10, 0, 11, 0),
    "satellite": (4435, 36, 0, 6, 0),
    "gauss_2D": (5000, 2, 0, 2, 0),
    "waveform": (5000, 21, 0, 3, 0),
    "waveformnoise": (5000, 40, 0, 3, 0),
    "twonorm": (7400, 20, 0, 2, 0),
    "ringnorm": (7400, 20, 0, 2, 0),
    "threenorm": (7400, 20, 0, 2, 0),
    # forest_thinning
    "australian_nominal": (690, 6, 8, 2, 0),
    "australian_categories": (690, 6, 8, 2, 0),
    "backache": (180, 6, 26, 2, 0),
    "backache_no_id": (180, 5, 26, 2, 0),
    "balance-scale": (625, 4, 0, 3, 0),
    "breast-cancer": (286, 0, 9, 2, 9),
    "cars": (406, 6, 1, 3, 14),
    "credit-rating": (690, 6, 9, 2, 67),
    "credit-rating_weka": (690, 6, 9, 2, 67),
    "german-credit": (1000, 7, 13, 2, 0),
    "ecoli": (336, 7, 0, 8, 0),
    "hayes-roth": (160, 0, 4, 3, 0),
    "heart-c": (303, 6, 7, 2, 7),
    "horse-colic": (368, 7, 15, 2, 1927),
    "ionosphere": (351, 34, 0, 2, 0),
    "iris": (150, 4, 0, 3, 0),
    "lymphography": (148, 3, 15, 4, 0),
    "page-blocks": (5473, 10, 0, 5, 0),
    "prnn-fglass": (214, 9, 0, 6, 0),
    "vote": (435, 0, 16, 2, 392),
    # cmdt and pruning
    "zoo": (101, 1, 15, 7, 0),
    "zoo_nominal": (101, 0, 16, 7, 0),
    "car": (1728, 0, 6, 4, 0),
    "tic-tac-toe": (958, 0, 9, 2, 0),
    "balance-scale_nominal": (625, 0, 4, 3, 0),
    "abalone": (4177, 7, 1, 3, 0),
    "cmc": (1473, 2, 7, 3, 0),
    "hepatitis": (155, 6, 13, 2, 167),
    "nursery": (12960, 0, 8, 5, 0),
}


ORDERED = ("australian_nominal", "credit-rating_weka")


@pytest.mark.parametrize("name", SETS)
def test_types_levels_and_missing_cells(name: str, cache_folder: Path) -> None:
    X, y = load(name, sources=["bundled"])
    rows, numeric, nominal, classes, missing = SETS[name]
    categories = X.select_dtypes("category")
    numbers = X.select_dtypes(exclude="category")
    assert (len(X), numbers.shape[1], categories.shape[1]) == (rows, numeric, nominal)
    assert set(numbers.dtypes) <= {np.dtype("float64")}
    assert y.nunique() == classes
    assert X.isna().sum().sum() == missing
    for column in categories:
        levels = X[column].cat.categories.tolist()
        assert name in ORDERED or levels == sorted(levels)
        assert all(isinstance(level, str) for level in levels)


@pytest.mark.parametrize(
    ("name", "unused"),
    [
        ("australian_nominal", {"A6": ["6"]}),
        (
            "breast-cancer",
            {
                "age": ["10-19", "80-89", "90-99"],
                "tumor-size": ["55-59"],
                "inv-nodes": ["18-20", "21-23", "27-29", "30-32", "33-35", "36-39"],
            },
        ),
        ("credit-rating", {"A4": ["t"]}),
        ("german-credit", {"purpose": ["A47"], "personal_status": ["A95"]}),
        ("vote", {}),
    ],
)
def test_declared_levels_that_no_row_has(
    name: str, unused: dict[str, list[str]], cache_folder: Path
) -> None:
    X, _ = load(name, sources=["bundled"])
    found = {
        c: sorted(set(X[c].cat.categories) - set(X[c].dropna()))
        for c in X.select_dtypes("category")
    }
    assert {column: levels for column, levels in found.items() if levels} == unused


def test_abalone_has_three_groups_of_rings(cache_folder: Path) -> None:
    rings = load("abalone", raw=True, sources=["bundled"])[1].astype(int)
    _, y = load("abalone", sources=["bundled"])
    expected = pd.cut(rings, [0, 8, 10, 29], labels=["1", "2", "3"])
    assert y.tolist() == expected.tolist()
    assert y.value_counts().to_dict() == {"1": 1407, "2": 1323, "3": 1447}


def test_german_credit_is_german_with_its_categories(cache_folder: Path) -> None:
    codes, _ = load("german", sources=["bundled"])
    X, _ = load("german-credit", sources=["bundled"])
    for column in X.select_dtypes("category"):
        occurring = X[column].cat.remove_unused_categories()
        np.testing.assert_array_equal(occurring.cat.codes, codes[column])
