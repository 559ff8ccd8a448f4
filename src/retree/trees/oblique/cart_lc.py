"""CART-LC: linear combinations in CART (Breiman et al. 1984), as the OC1 system has them."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any

from numpy.random import RandomState
from sklearn.utils import check_scalar

from retree import engine
from retree.trees.class_weights import ClassWeight
from retree.trees.mixed import Sample
from retree.trees.oblique.oblique_base import BY_QUARTILES, BaseObliqueClassifier, Nodes
from retree.trees.oblique.original import OriginalRule
from retree.trees.smoothing import Smoothing


class CartLCClassifier(BaseObliqueClassifier):
    """CART-LC: tests ``a @ x <= b`` found by a deterministic cycle over the coefficients.

    In each node the search (figure 2 of Murthy et al.) begins with the best axis-parallel test. A
    cycle perturbs the features in turn: with v(x) = a @ x - b, the test becomes v(x) + t (x_m +
    g) <= 0 for the t and the g in {-0.25, 0, 0.25} of least impurity, if that is less; then the
    constant term. Cycles end when a whole one is no gain, or after `max_cycles`. At last the
    threshold is put in the middle between the nearest rows of both sides, and the test is taken
    if it is better than the axis-parallel one.

    A row changes sides at t = -v(x) / (x_m + g). The cut along t is exact whatever the signs of
    x_m + g: a row leaves the left side at its t if that is positive, and enters it if negative.

    Impurities and ties are as in `OC1Classifier`; of tied g the first is taken. Growing depends
    neither on chance nor on the order of the rows, nor, with `normalise`, on shifts of features
    or changes of their (positive) scale but for rounding.

    In a node of n rows a cycle over p features takes O(p n log n), and there may be `max_cycles`;
    `elimination` takes O(p^2 n log n).

    Parameters
    ----------
    criterion : {"twoing", "gini", "entropy", "sum_minority", "max_minority"}, default="twoing"
        The impurity.
    max_cycles : int, default=100
        Greatest number of cycles.
    elimination : float or None, default=None
        beta of Breiman et al., in (0, 1]: after the cycles the feature is dropped without which
        the best constant term loses least, if that is less than beta times what the most important
        feature costs; and so on. Then the cycles resume with those left. None keeps all.
    normalise : bool, default=True
        Whether the search sees features that are shifted and scaled in each node, to median 0
        and distance 1 of the quartiles (of the ends, where the quartiles are equal). The original
        system does not do so, to judge by the sizes of its trees, which are those of False.
    min_rows_per_feature : float, default=2.0
        A node of no more rows than this many a feature gets an axis-parallel test.
    min_samples_split : int, default=4
        A node of fewer rows is a leaf. With 4, axis-parallel trees have the leaves of the original.
    max_depth : int or None, default=50
        Greatest depth.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None, \
        default="cost_complexity"
        How the tree is pruned.
    pruning_params : dict or None, default=None
        Parameters of the pruning, see `retree.trees.pruning.fitting.grow_pruned`. None is, for
        "cost_complexity", OC1's own: ``{"validation_fraction": 0.1}``.
    search : {"as_written", "original"}, default="as_written"
        How hyperplanes are searched for: as described above, or as the OC1 program does it, faults
        included (`retree.trees.oblique.original.grow_original`). Then `normalise` shifts
        features below 0 to minimum 0 in each node, which the program does not do here, and
        `elimination` must be None.
        The program's own defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None, default=None
        Draws the rows that pruning keeps aside; growing draws nothing, but the original search
        the cut among tied ones.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves before pruning, at least 2. The tree then grows best first: the
        node whose test lowers the impurity of the whole tree most is split next, the first in the
        order of nodes where these tie. It goes by the twoing value or the entropy where that is the
        criterion, by the Gini index otherwise.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
        Leaves of a tree grown to its end are pure, and no weight changes what a pure leaf predicts.
    fill_missing : {"common", "mean"} or None, default=None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean. None refuses them.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Breiman L., Friedman J. H., Olshen R. A., Stone C. J. (1984). Classification and Regression
    Trees. Wadsworth. Section 5.2.

    Murthy S. K., Kasif S., Salzberg S. (1994). A system for induction of oblique decision trees.
    Journal of Artificial Intelligence Research 2, 1-32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import CartLCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CartLCClassifier(pruning=None).fit(X, y).get_n_leaves()
    6
    """

    _scaling = BY_QUARTILES

    def __init__(
        self,
        criterion: str = "twoing",
        max_cycles: int = 100,
        elimination: float | None = None,
        normalise: bool = True,
        min_rows_per_feature: float = 2.0,
        min_samples_split: int = 4,
        max_depth: int | None = 50,
        pruning: str | None = "cost_complexity",
        pruning_params: Mapping[str, Any] | None = None,
        search: str = "as_written",
        random_state: int | RandomState | None = None,
        smoothing: Smoothing = None,
        max_leaf_nodes: int | None = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_cycles = max_cycles
        self.elimination = elimination
        self.normalise = normalise
        self.min_rows_per_feature = min_rows_per_feature
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.pruning = pruning
        self.pruning_params = pruning_params
        self.search = search
        self.random_state = random_state
        self.smoothing = smoothing
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight
        self.fill_missing = fill_missing

    def _checked_search(self) -> dict[str, int | float]:
        check_scalar(self.max_cycles, "max_cycles", Integral, min_val=1)
        if self.elimination is not None:
            check_scalar(self.elimination, "elimination", Real, min_val=0, max_val=1,
                         include_boundaries="right")  # fmt: skip
        return {
            "max_cycles": int(self.max_cycles),
            "elimination": float(self.elimination or 0.0),
        }

    def _original_rule(self) -> OriginalRule:
        if self.elimination is not None:
            raise ValueError('search="original" drops no features: set elimination=None.')
        return self._rule_of_original(is_cart=True, max_cycles=self.max_cycles)

    def _grow_nodes(
        self, sample: Sample, n_classes: int, rule: Mapping[str, int | float], seed: int
    ) -> Nodes:
        return engine.call("grow_cart_lc", *sample[:3], n_classes, SimpleNamespace(**rule))
