"""OC1: oblique decision trees by hill climbing with random restarts (Murthy et al. 1994)."""

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
from retree.trees.oblique.oblique_base import BY_RANGE, BaseObliqueClassifier, Nodes
from retree.trees.oblique.original import OriginalRule
from retree.trees.smoothing import Smoothing
from retree.trees.validation import check_choice

# By the numbers that the engine has for them (src/engine/oblique/oc1.hpp).
ORDERS = {"sequential": 0, "best_first": 1, "random": 2}


class OC1Classifier(BaseObliqueClassifier):
    """OC1: tests ``a @ x <= b`` found by hill climbing, random jumps and random restarts.

    In a node of n rows, sides L and R, of which n_i (L_i, R_i) are of class i, the test shall have
    the least impurity. The impurities, as shares of n (appendix A of the paper):

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
    criterion : {"twoing", "gini", "entropy", "sum_minority", "max_minority"}, default="twoing"
        The impurity.
    n_restarts : int, default=20
        Number of random hyperplanes from which a search starts besides the axis-parallel one.
    max_jumps : int, default=5
        Number of random jumps that must fail before a search ends.
    order : {"sequential", "best_first", "random"}, default="sequential"
        Which coefficient is perturbed: one after the other; the one that lowers the impurity most,
        which costs a cut of each; or 50 times one that is drawn.
    stagnation_probability : float, default=1.0
        P_stag of the paper, in [0, 1].
    normalise : bool, default=True
        Whether the search sees features that are shifted and scaled to [0, 1] in each node. The
        original system does not do so, to judge by the sizes of its trees, which are those of
        False.
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
        features below 0 to minimum 0 in each node, without scaling them; `order` must be
        "sequential" and `stagnation_probability` 1.
        The program's own defaults are ``min_samples_split=2`` and ``max_depth=51``.
    random_state : int, RandomState or None, default=None
        Draws hyperplanes, directions and the rows that pruning keeps aside.
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

    _scaling = BY_RANGE

    def __init__(
        self,
        criterion: str = "twoing",
        n_restarts: int = 20,
        max_jumps: int = 5,
        order: str = "sequential",
        stagnation_probability: float = 1.0,
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
        self.n_restarts = n_restarts
        self.max_jumps = max_jumps
        self.order = order
        self.stagnation_probability = stagnation_probability
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
        check_choice("order", self.order, ORDERS)
        check_scalar(self.n_restarts, "n_restarts", Integral, min_val=0)
        check_scalar(self.max_jumps, "max_jumps", Integral, min_val=0)
        check_scalar(
            self.stagnation_probability, "stagnation_probability", Real, min_val=0, max_val=1
        )
        return {
            "order": ORDERS[self.order],
            "n_restarts": int(self.n_restarts),
            "max_jumps": int(self.max_jumps),
            "stagnation_probability": float(self.stagnation_probability),
        }

    def _original_rule(self) -> OriginalRule:
        if self.order != "sequential" or self.stagnation_probability != 1.0:
            raise ValueError(
                'search="original" climbs in one way: set order="sequential" and '
                "stagnation_probability=1.0."
            )
        return self._rule_of_original(n_restarts=self.n_restarts, max_jumps=self.max_jumps)

    def _grow_nodes(
        self, sample: Sample, n_classes: int, rule: Mapping[str, int | float], seed: int
    ) -> Nodes:
        return engine.call("grow_oc1", *sample[:3], n_classes, SimpleNamespace(**rule), seed)
