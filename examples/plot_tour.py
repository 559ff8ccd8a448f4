"""# A tour of retree: C4.5, a pruning path, OC1 and a thinned forest

Each section fits one family of trees to one data set that comes with retree, and looks at the
result. Nothing is downloaded.
"""

# %%
# ## C4.5 with categorical features and missing values
#
# `vote` holds the votes of 435 members of the US Congress on 16 bills. All features are
# categorical and many votes are missing; C4.5 handles both without encoding or imputation.
import numpy as np
from matplotlib import pyplot as plt

from retree import C45Classifier
from retree_lab.datasets import load

X, y = load("vote", sources=["bundled"])
c45 = C45Classifier().fit(X, y)
c45

# %%
# The same tree in the format of Weka's J48:
print(c45.export_text(style="weka"))

# %%
# ## A pruning path
#
# Cost-complexity pruning gives a nested sequence of subtrees, one for each penalty
# `alpha` per leaf. We grow CART on half of `heart-c` and watch the error on the other half.
from sklearn.model_selection import train_test_split

from retree import CartClassifier
from retree.trees.pruning.cost_complexity import cost_complexity_path, prune_cost_complexity

X, y = load("heart-c", sources=["bundled"])
X, y = X[X.notna().all(axis=1)], y[X.notna().all(axis=1)]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
cart = CartClassifier(pruning=None).fit(X_train, y_train)
path = cost_complexity_path(cart.tree_)
full = cart.tree_
errors = []
for alpha in path.alphas:
    cart.tree_ = prune_cost_complexity(full, alpha)
    errors.append([1 - cart.score(X_train, y_train), 1 - cart.score(X_test, y_test)])

_, ax = plt.subplots()
for error, style, label in zip(
    np.transpose(errors), ["o--", "s-"], ["training", "held out"], strict=True
):
    ax.plot(path.n_leaves, error, style, label=label)
ax.set_xlabel("leaves")
ax.set_ylabel("error rate")
_ = ax.legend()

# %%
# ## An oblique tree
#
# OC1 tests weighted sums of the features. By default it holds out a tenth of the rows for pruning;
# the root says so.
from sklearn.datasets import load_iris

from retree import OC1Classifier

iris = load_iris()
oc1 = OC1Classifier(random_state=0).fit(iris.data, iris.target)
ax = oc1.plot(feature_names=iris.feature_names, class_names=iris.target_names)

# %%
# ## Thinning a scikit-learn random forest
#
# `ForestThinner` turns nodes that do not help the forest's vote into leaves. It takes a fitted
# scikit-learn forest and returns a smaller one with `predict` and `predict_proba`. On these data
# nearly all nodes help the vote, so few are removed. The accuracy changes because the thinned
# forest averages class shares that are counted on all training rows.
from sklearn.ensemble import RandomForestClassifier

from retree import ForestThinner

X, y = load("vehicle", sources=["bundled"])
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
forest = RandomForestClassifier(30, random_state=0).fit(X_train, y_train)
thinned = ForestThinner().thin(forest, X_train, y_train)
n_nodes = sum(member.tree_.node_count for member in forest.estimators_)
print(f"before: {n_nodes:5d} nodes, accuracy {forest.score(X_test, y_test):.3f}")
print(f"after:  {thinned.get_node_count():5d} nodes, accuracy {thinned.score(X_test, y_test):.3f}")
