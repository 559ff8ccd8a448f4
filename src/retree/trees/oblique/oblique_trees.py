"""OC1 and CART-LC, as Murthy et al. (1994) describe them."""

from __future__ import annotations

from typing import Literal

from retree import engine
from retree.trees.declaring import declare, parameter
from retree.trees.oblique.oblique_base import BaseObliqueClassifier, OriginalRule
from retree.trees.validation import none_or, number, one_of, whole

ORDERS = engine.choices("order")


@declare("oc1")
class OC1Classifier(BaseObliqueClassifier):
    """OC1: tests ``a @ x <= b`` found by hill climbing, random jumps and random restarts.

    In a node of n rows, sides L and R, of which n_i (L_i, R_i) are of class i, the test shall have
    the lowest impurity. The impurities, as shares of n (appendix A of the paper):

    - ``"twoing"``: the reciprocal of |L|/n |R|/n (sum_i abs(L_i/|L| - R_i/|R|))^2;
    - ``"gini"``: |L|/n (1 - sum_i (L_i/|L|)^2) + the same of R;
    - ``"entropy"``: |L|/n times the entropy of the L_i/|L| in bits + the same of R; the paper takes
      the reciprocal of the information gain, which orders tests alike;
    - ``"sum_minority"``: (|L| - max_i L_i)/n + the same of R;
    - ``"max_minority"``: the greater of these two.

    The paper's sixth measure, the sum of variances, depends on how classes are numbered and is left
    out. The search in a node (figures 3 and 4):

    1. The best axis-parallel test is found; it also remains where no oblique test is better.
    2. From it, and from `n_restarts` random hyperplanes, coefficients are perturbed one at a time.
       With v(x) = a @ x - b, row x changes sides where a_m = (a_m x_m - v(x)) / x_m. The new a_m is
       the middle between two neighbours among these numbers, by the best of all such cuts, the
       lowest of tied ones. It is taken if the impurity falls; if that stays, with probability
       `stagnation_probability`, less a tenth of it for each perturbation since the last fall.
    3. Where no coefficient changes any more, the best step along a random direction is taken if
       the impurity falls, and climbing resumes; the search ends when `max_jumps` in a row fail.

    Where the paper is open: the cut along a line is exact whatever the signs of x_m (the original
    presumes positive values); the constant term is perturbed first; a climb ends when every
    coefficient in turn has been tried without change; random coefficients come from [-1, 1), the
    hyperplane going through a random point of the rows' bounding box; jumps are counted anew after
    each success; a search ends early if two classes are parted. At last the threshold is put in the
    middle between the nearest rows of both sides.

    Ties have a rule: axis-parallel before oblique, lowest feature, lowest threshold; the earlier
    of two hyperplanes. Impurities that differ by less than 2^-37 are tied. Rows are sorted first
    and each node has random numbers of its own, so the tree depends on the data and `random_state`,
    not on the order of the rows. With `normalise`, shifts of features and changes of their
    (positive) scale do not matter but for rounding. The order of the columns does matter.

    In a node of n rows, trying each of p coefficients once takes O(p n log n); each climb does so
    until none changes, a number of times that has no bound of its own.

    Parameters
    ----------
    n_restarts : int
        Number of random hyperplanes from which a search starts besides the axis-parallel one.
    max_jumps : int
        Number of random jumps that must fail before a search ends.
    order : {"sequential", "best_first", "random"}
        Which coefficient is perturbed: one after the other; the one that lowers the impurity most,
        which costs a cut of each; or 50 times one that is drawn.
    stagnation_probability : float
        P_stag of the paper, in [0, 1].
    normalise : bool
        Whether the search sees features that are shifted and scaled to [0, 1] in each node. The
        original system does not do so, to judge by the sizes of its trees, which are those of
        False.
    search : {"as_written", "original"}
        How hyperplanes are searched for: as described above, or as the OC1 program does it, faults
        included (`retree.trees.oblique.oblique_base.grow_original`). Then `normalise` shifts
        features below 0 to minimum 0 in each node, without scaling them; `order` must be
        "sequential" and `stagnation_probability` 1.
        The program's own defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None
        Draws hyperplanes, directions and the rows that pruning keeps aside.

    References
    ----------
    Murthy S. K., Kasif S., Salzberg S. (1994). A system for induction of oblique decision trees.
    Journal of Artificial Intelligence Research 2, 1-32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import OC1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> OC1Classifier(random_state=0).fit(X, y).get_n_leaves()
    3
    """

    n_restarts: int = parameter(default=20, check=whole(0))
    max_jumps: int = parameter(default=5, check=whole(0))
    order: Literal["sequential", "best_first", "random"] = parameter(
        default="sequential", check=one_of(*ORDERS)
    )
    stagnation_probability: float = parameter(default=1.0, check=number(0, 1))

    _grows = "grow_oc1"
    _draws = True
    _scaling = "by_range"

    def _search(self) -> dict[str, int | float]:
        return {
            "order": ORDERS[self.order],
            "n_restarts": int(self.n_restarts),
            "max_jumps": int(self.max_jumps),
            "stagnation_probability": float(self.stagnation_probability),
        }

    def _original_rule(self) -> OriginalRule:
        if self.order != "sequential" or self.stagnation_probability != 1.0:
            raise ValueError(
                'search="original" has one way of climbing: set order="sequential" and '
                "stagnation_probability=1.0."
            )
        return self._rule_of_original(n_restarts=self.n_restarts, max_jumps=self.max_jumps)


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
