"""ID3 (Quinlan 1986): information gain, one branch per level."""

from __future__ import annotations

from retree.trees.c45.growing import C45Rule, InformationTreeClassifier
from retree.trees.declaring import declare
from retree.trees.validation import NO_LIMIT, depth_limit, thread_count


@declare("id3", version=2)
class ID3Classifier(InformationTreeClassifier):
    """ID3: the test with the highest information gain, until a node is pure or no test gains.

    A categorical feature is tested with a branch for each of its levels, so it is of no more use
    below. Quinlan's ID3 knows categorical features only; here a numeric one is tested against its
    threshold with the highest gain, without the corrections of C4.5, and may be tested again. The
    first feature is taken where gains tie; gains that differ by less than 1e-6 bits are tied, and
    no threshold stands between values closer than 1e-5, so scale features of a smaller range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, as
    in C4.5. A level that was unknown in `fit` counts as missing.

    References
    ----------
    Quinlan J. R. (1986). Induction of decision trees. Machine Learning 1, 81-106.

    Examples
    --------
    >>> import pandas as pd
    >>> from retree import ID3Classifier
    >>> outlook = ["sunny", "sunny", "overcast", "rain", "rain", "overcast"]
    >>> X = pd.DataFrame({"outlook": pd.Categorical(outlook)})
    >>> ID3Classifier().fit(X, ["no", "no", "yes", "yes", "no", "yes"]).get_n_leaves()
    3
    """

    def _rule(self) -> C45Rule:
        return C45Rule(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            by_gain=True,
            max_depth=depth_limit(self.max_depth),
            n_threads=thread_count(self.n_jobs),
        )
