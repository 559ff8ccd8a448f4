"""CART-LC: linear combinations in CART (Breiman et al. 1984), as the OC1 system has them."""

from __future__ import annotations

from retree.trees.declaring import declare, parameter
from retree.trees.oblique.oblique_base import BaseObliqueClassifier, OriginalRule
from retree.trees.validation import none_or, number, whole


@declare("cart_lc")
class CartLCClassifier(BaseObliqueClassifier):
    """CART-LC: tests ``a @ x <= b`` found by a deterministic cycle over the coefficients.

    In each node the search (figure 2 of Murthy et al.) begins with the best axis-parallel test. A
    cycle perturbs the features in turn: with v(x) = a @ x - b, the test becomes v(x) + t (x_m + g)
    <= 0 for the t and the g in {-0.25, 0, 0.25} with the lowest impurity, if that is lower; then
    the constant term. Cycles end when a whole one is no gain, or after `max_cycles`. At last the
    threshold is put in the middle between the nearest rows of both sides, and the test is taken if
    it is better than the axis-parallel one.

    A row changes sides at t = -v(x) / (x_m + g). The cut along t is exact whatever the signs of
    x_m + g: a row leaves the left side at its t if that is positive, and enters it if negative.

    Impurities and ties are as in `OC1Classifier`; of tied g the first is taken. Growing depends
    neither on chance nor on the order of the rows, nor, with `normalise`, on shifts of features
    or changes of their (positive) scale but for rounding.

    In a node of n rows a cycle over p features takes O(p n log n), and there may be `max_cycles`;
    `elimination` takes O(p^2 n log n).

    Parameters
    ----------
    max_cycles : int
        Maximum number of cycles.
    elimination : float or None
        beta of Breiman et al., in (0, 1]: after the cycles the feature is dropped without which
        the best constant term loses least, if that is less than beta times what the most important
        feature costs; and so on. Then the cycles resume with those left. None keeps all.
    normalise : bool
        Whether the search sees features that are shifted and scaled in each node, to median 0
        and distance 1 of the quartiles (of the ends, where the quartiles are equal). The original
        system does not do so, to judge by the sizes of its trees, which are those of False.
    search : {"as_written", "original"}
        How hyperplanes are searched for: as described above, or as the OC1 program does it, faults
        included (`retree.trees.oblique.oblique_base.grow_original`). Then `normalise` shifts
        features below 0 to minimum 0 in each node, which the program does not do here, and
        `elimination` must be None.
        The program's own defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None
        Draws the rows that pruning keeps aside; growing draws nothing, but the original search
        the cut among tied ones.

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

    max_cycles: int = parameter(default=100, check=whole(1))
    elimination: float | None = parameter(default=None, check=none_or(number(0, 1, "right")))

    _grows = "grow_cart_lc"
    _scaling = "by_quartiles"

    def _search(self) -> dict[str, int | float]:
        return {"max_cycles": int(self.max_cycles), "elimination": float(self.elimination or 0.0)}

    def _original_rule(self) -> OriginalRule:
        if self.elimination is not None:
            raise ValueError('search="original" drops no features: set elimination=None.')
        return self._rule_of_original(is_cart=True, max_cycles=self.max_cycles)
