"""The three methods by their names in the reference, and random parameters for them."""

import pytest
from hypothesis import strategies as st

from retree.trees.structure.structure_trees import (
    SegmentC45Classifier,
    SPCEClassifier,
    SPESClassifier,
)

METHODS = {"segment": SegmentC45Classifier, "spes": SPESClassifier, "spce": SPCEClassifier}
every_method = pytest.mark.parametrize("method", METHODS)

parameters = st.fixed_dictionaries(
    {
        "method": st.sampled_from(sorted(METHODS)),
        "k": st.integers(1, 8),
        "alpha": st.sampled_from([0.0, 0.1, 0.5, 0.8, 1.0]),
        "normalisation": st.sampled_from(["spes1", "spes2"]),
        "segment_attribute": st.sampled_from(["best", "split"]),
        "ties": st.sampled_from(["attribute", "rank"]),
        "small_child": st.sampled_from(["keep", "leaf", "skip"]),
        "min_samples_leaf": st.integers(1, 4),
    }
)


def estimator_of(method, **params):
    """Return the estimator of a method with those of the parameters that it has."""
    model = METHODS[method]()
    lacks = {"alpha", "normalisation", "ties"} - set(model.get_params())
    return model.set_params(**{name: params[name] for name in params if name not in lacks})


def grown(X, y, params, **others):
    """Return the tree of a method."""
    return estimator_of(**(params | others)).fit(X, y).tree_
