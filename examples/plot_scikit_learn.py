"""# The same tree as scikit-learn's

`CartClassifier` grows the trees of scikit-learn's `DecisionTreeClassifier` wherever one split is
better than all others. Where two splits are equally good, scikit-learn draws one of them and
retree takes the first, by a rule in the documentation.
"""

# %%
# ## Fold by fold
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from retree import CartClassifier

folds = StratifiedKFold(10, shuffle=True, random_state=0)
data = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
results = {}
for name, load in data.items():
    X, y = load(return_X_y=True)
    scores = []
    for train, test in folds.split(X, y):
        trees = [CartClassifier(pruning=None)]
        trees += [DecisionTreeClassifier(random_state=seed) for seed in (0, 1)]
        scores.append([tree.fit(X[train], y[train]).score(X[test], y[test]) for tree in trees])
    results[name] = ours, theirs, again = np.transpose(scores)
    print(
        f"{name}: accuracy as scikit-learn's on {(ours == theirs).sum()} of 10 folds; "
        f"scikit-learn with another random_state: {(theirs == again).sum()} of 10"
    )

# %%
# ## The accuracies
#
# Points on the line are folds with the same accuracy.
from matplotlib import pyplot as plt

_, ax = plt.subplots(figsize=(4.5, 4.5))
ax.axline((1, 1), slope=1, color="0.6", linewidth=1)
for (name, scores), marker in zip(results.items(), "os^", strict=True):
    ax.plot(*scores[:2], marker, label=name, alpha=0.7)
ax.set_xlabel("accuracy of CartClassifier")
ax.set_ylabel("accuracy of DecisionTreeClassifier")
_ = ax.legend()

# %%
# ## A tie, looked at
#
# With a depth of one there is a single split. Splits on two features of iris are equally good:
# scikit-learn takes either, depending on `random_state`, and retree always the first.
X, y = load_iris(return_X_y=True)
print(CartClassifier(pruning=None, max_depth=1).fit(X, y).export_text())
for seed in range(6):
    root = DecisionTreeClassifier(max_depth=1, random_state=seed).fit(X, y).tree_
    print(f"random_state={seed}: x[{root.feature[0]}] <= {root.threshold[0]:.2f}")
