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
    """OC1: oblique tests ``a @ x <= b`` from hill climbing with random jumps and restarts.

    Each node looks for the test of lowest impurity. Let it have n rows, which a test divides into
    sides L and R with L_i and R_i rows of class i. The impurities (appendix A of the paper), as
    shares of n, are

    - ``"twoing"``: the reciprocal of |L|/n |R|/n (sum_i abs(L_i/|L| - R_i/|R|))^2;
    - ``"gini"``: |L|/n (1 - sum_i (L_i/|L|)^2) plus the same for R;
    - ``"entropy"``: |L|/n times the entropy of the L_i/|L| in bits, plus the same for R; the paper
      takes the reciprocal of the information gain, which ranks tests in the same order;
    - ``"sum_minority"``: (|L| - max_i L_i)/n plus the same for R;
    - ``"max_minority"``: the greater of these two.

    The paper's sixth measure, the sum of variances, depends on the numbering of the classes and is
    left out. The search in a node (figures 3 and 4):

    1. The best axis-parallel test is found. It is used if no oblique test is better.
    2. Climbs start from this test and from `n_restarts` random hyperplanes. A climb perturbs one
       coefficient at a time. With v(x) = a @ x - b, row x changes sides at a_m = (a_m x_m - v(x)) /
       x_m. The new a_m is the middle between two neighbouring such numbers, those with the best
       cut, the lowest one where cuts tie. It is accepted if the impurity falls. If the impurity
       stays the same, it is accepted with probability `stagnation_probability`, reduced by a tenth
       of that for each perturbation since the last fall.
    3. When no coefficient changes any more, the best step along a random direction (a jump) is
       taken if the impurity falls, and climbing resumes. The search ends when `max_jumps` jumps in
       a row fail.

    The paper leaves some details open. Here the cut along a line is exact whatever the signs of
    x_m; the original assumes positive values. The constant term is perturbed first. A climb ends
    when every coefficient in turn has been tried without change. Random coefficients come from [-1,
    1), and the hyperplane goes through a random point of the rows' bounding box. The count of
    failed jumps restarts after each success. A search ends early if the node has two classes and a
    test separates them completely. Finally the threshold is moved to the middle between the nearest
    rows of both sides.

    Impurities that differ by less than 2^-37 are tied. An axis-parallel test then wins over an
    oblique one, the lowest feature over others, then the lowest threshold; of two hyperplanes the
    earlier one wins. Rows are sorted first, and each node has its own random numbers, so the tree
    depends on the data and `random_state`, but not on the order of the rows. With `normalise`,
    shifting a feature or rescaling it by a positive factor has no effect except for rounding. The
    order of the columns does matter.

    In a node of n rows, trying each of p coefficients once takes O(p n log n). A climb repeats this
    until no coefficient changes; the number of repetitions has no fixed bound.

    Parameters
    ----------
    n_restarts : int
        Number of random hyperplanes from which the search starts, in addition to the axis-parallel
        one.
    max_jumps : int
        Number of random jumps that must fail in a row before a search ends.
    order : {"sequential", "best_first", "random"}
        Which coefficient is perturbed next: "sequential" goes through them in order; "best_first"
        takes the one that lowers the impurity most, which takes a cut for each; "random" draws one,
        50 times.
    stagnation_probability : float
        Probability, in [0, 1], of accepting a change that keeps the impurity the same; P_stag in
        the paper.
    normalise : bool
        Whether the search uses features that are shifted and scaled to [0, 1] in each node. The
        original system does not, judging by the sizes of its trees, which match those with False.
    search : {"as_written", "original"}
        How hyperplanes are searched for. "as_written" is described above. "original" does what the
        OC1 program does, including its faults (`retree.trees.oblique.oblique_base.grow_original`).
        In that case `normalise` shifts features with values below 0 to minimum 0 in each node,
        without scaling them; `order` must be "sequential" and `stagnation_probability` 1. The
        program's own defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None
        Draws hyperplanes, directions and the rows that pruning holds out.

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
    """CART-LC: oblique tests ``a @ x <= b`` from deterministic cycles over the coefficients.

    In each node the search (figure 2 of Murthy et al.) starts with the best axis-parallel test. A
    cycle perturbs one feature after another, then the constant term. With v(x) = a @ x - b, the
    test becomes v(x) + t (x_m + g) <= 0 for the t, and the g in {-0.25, 0, 0.25}, with the lowest
    impurity, if that is an improvement. Cycles end when a whole cycle brings no gain, or after
    `max_cycles`. Finally the threshold is moved to the middle between the nearest rows of both
    sides, and the test is taken if it is better than the axis-parallel one.

    A row changes sides at t = -v(x) / (x_m + g). The cut along t is exact whatever the sign of x_m
    + g: the row leaves the left side at its t if x_m + g is positive, and enters it if x_m + g is
    negative.

    Impurities and ties are as in `OC1Classifier`; of tied g the first is taken. Growing is not
    random and does not depend on the order of the rows. With `normalise`, shifting a feature or
    rescaling it by a positive factor has no effect except for rounding.

    In a node of n rows a cycle over p features takes O(p n log n), and there are up to `max_cycles`
    cycles; `elimination` takes O(p^2 n log n).

    Parameters
    ----------
    max_cycles : int
        Maximum number of cycles.
    elimination : float or None
        beta of Breiman et al., in (0, 1]. The cost of dropping a feature is the loss of goodness
        when the constant term is then set to its best value. After the cycles, the feature with the
        lowest cost is dropped if that is less than beta times the highest cost, and so on. Then the
        cycles resume with the remaining features. None keeps all features.
    normalise : bool
        Whether the search uses features that are shifted and scaled in each node, to median 0 and
        interquartile range 1 (range 1 if the quartiles are equal). The original system does not,
        judging by the sizes of its trees, which match those with False.
    search : {"as_written", "original"}
        How hyperplanes are searched for. "as_written" is described above. "original" does what the
        OC1 program does, including its faults (`retree.trees.oblique.oblique_base.grow_original`).
        In that case `normalise` shifts features with values below 0 to minimum 0 in each node,
        which the program does not do for CART-LC, and `elimination` must be None. The program's own
        defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None
        Draws the rows that pruning holds out. Growing draws nothing, except that the original
        search draws among tied cuts.

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
