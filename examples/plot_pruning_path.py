"""# The pruning path of a CART tree

Cost-complexity pruning gives a nested sequence of subtrees, one for each penalty `alpha` per leaf.
The error on the training rows can only grow along this path. The error on other rows is usually
higher at both ends of the path than in between.
"""

# %%
# ## The path
#
# We grow a full tree on half of `yeast` (1,484 proteins, ten classes), which comes with
# `retree_lab`, and prune it at every `alpha` at which it changes.
from sklearn.model_selection import train_test_split

from retree import CartClassifier
from retree.trees.pruning.cost_complexity import cost_complexity_path
from retree_lab.datasets import load

X, y = load("yeast", sources=["bundled"])
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
full = CartClassifier(pruning=None).fit(X_train, y_train)
path = cost_complexity_path(full.tree_)
print(f"{full.get_n_leaves()} leaves, {len(path.alphas)} subtrees")

# %%
# ## Error against size
trees = [
    CartClassifier(pruning="cost_complexity", pruning_params={"alpha": alpha}).fit(X_train, y_train)
    for alpha in path.alphas
]

from matplotlib import pyplot as plt

_, ax = plt.subplots()
for label, style, rows in (
    ("training rows", "o--", (X_train, y_train)),
    ("held-out rows", "s-", (X_test, y_test)),
):
    ax.plot(path.n_leaves, [1 - tree.score(*rows) for tree in trees], style, label=label)
ax.set_xlabel("leaves")
ax.set_ylabel("error rate")
_ = ax.legend()

# %%
# On held-out rows, the full tree and the smallest ones are wrong most often. In between, trees with
# few leaves do best.
#
# ## Choosing alpha
#
# If no `alpha` is given, it is chosen by cross-validation within the training rows. Accepting one
# standard error above the lowest error gives a smaller tree, which may be a little less accurate.
for rule, standard_errors in (("lowest error", 0.0), ("within one standard error", 1.0)):
    chosen = CartClassifier(
        pruning="cost_complexity",
        pruning_params={"standard_errors": standard_errors},
        random_state=0,
    ).fit(X_train, y_train)
    error = 1 - chosen.score(X_test, y_test)
    print(f"{rule}: {chosen.get_n_leaves()} leaves, error {error:.3f}")

# %%
# The smaller tree:
ax = chosen.plot()
