"""# scikit-learn's trees, and what ties change

`CartClassifier` grows the same tree as scikit-learn's `DecisionTreeClassifier` as long as one split
is better than all others. If two splits are equally good, scikit-learn picks one of them at random,
and retree picks the first by a documented rule. Ties are common in small nodes: a fully grown tree
has many, and a tree with 20 rows in each leaf has hardly any.
"""

# %%
# ## Trees without ties
#
# With at least 20 rows in each leaf, no two splits of these data sets are equally good. Both
# libraries then give the same predictions on every fold.
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from retree import CartClassifier
from retree_lab.datasets import load

folds = StratifiedKFold(10, shuffle=True, random_state=0)
pima = load("pima", sources=["bundled"])
data = {
    "iris": load_iris(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "pima": (pima[0].to_numpy(float), pima[1].to_numpy()),
}


def equal_folds(X, y, one, other):
    """Return on how many folds two trees give the same predictions."""
    count = 0
    for train, test in folds.split(X, y):
        predicted = (tree.fit(X[train], y[train]).predict(X[test]) for tree in (one, other))
        count += np.array_equal(*predicted)
    return count


for name, (X, y) in data.items():
    ours = CartClassifier(pruning=None, min_samples_leaf=20)
    theirs = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    print(f"{name}: the same predictions on {equal_folds(X, y, ours, theirs)} of 10 folds")

# %%
# ## Trees with ties
#
# The smaller the leaves, the more ties. retree then differs from scikit-learn about as often as
# scikit-learn differs from itself with another `random_state`.
from matplotlib import pyplot as plt

sizes = [1, 2, 5, 10, 20]
figure, axes = plt.subplots(1, 3, sharey=True, layout="constrained")
for ax, (name, (X, y)) in zip(axes, data.items(), strict=True):
    trees = {
        "retree and scikit-learn": lambda size: CartClassifier(pruning=None, min_samples_leaf=size),
        "scikit-learn, another random_state": lambda size: DecisionTreeClassifier(
            min_samples_leaf=size, random_state=1
        ),
    }
    for (label, tree), style in zip(trees.items(), ["o-", "s--"], strict=True):
        counts = [
            equal_folds(
                X, y, tree(size), DecisionTreeClassifier(min_samples_leaf=size, random_state=0)
            )
            for size in sizes
        ]
        ax.plot(range(len(sizes)), counts, style, label=label)
    ax.set(title=name, ylim=(-0.5, 10.5))
    ax.set_xticks(range(len(sizes)), sizes)
axes[1].set_xlabel("minimum rows in a leaf")
axes[0].set_ylabel("folds with equal predictions")
_ = figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)

# %%
# ## A closer look at a tie
#
# With a depth of one there is a single split. Splits on two features of iris are equally good:
# scikit-learn takes either, depending on `random_state`, and retree always takes the first.
X, y = load_iris(return_X_y=True)
print(CartClassifier(pruning=None, max_depth=1).fit(X, y).export_text())
for seed in range(6):
    root = DecisionTreeClassifier(max_depth=1, random_state=seed).fit(X, y).tree_
    print(f"random_state={seed}: x[{root.feature[0]}] <= {root.threshold[0]:.2f}")
