"""# Thinning a bagged forest

`ForestThinner` turns a node into a leaf if the subtree below it does not help the forest's vote.
`AccuracyThinner` does so as long as the forest classifies at least as many training rows correctly.
Neither changes the original forest. With its default parameters, `ForestThinner` follows the
definitions of the paper, which allow few nodes to be removed.
"""

# %%
# ## Three forests
from sklearn.model_selection import train_test_split

from retree import AccuracyThinner, BaggingTreesClassifier, ForestThinner
from retree_lab.datasets import load

X, y = load("vehicle", sources=["bundled"])
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
bagging = BaggingTreesClassifier(n_estimators=30, random_state=0).fit(X_train, y_train)
forests = {
    "bagging": bagging,
    "ForestThinner": ForestThinner().thin(bagging, X_train, y_train),
    "AccuracyThinner": AccuracyThinner().thin(bagging, X_train, y_train),
}
for name, forest in forests.items():
    print(f"{name:<16}{forest.get_node_count():5d} nodes")

# %%
# ## Size against accuracy
from matplotlib import pyplot as plt

_, ax = plt.subplots()
for (name, forest), marker in zip(forests.items(), "os^", strict=True):
    ax.plot(forest.get_node_count(), forest.score(X_test, y_test), marker, label=name)
ax.set_xlabel("nodes in all trees")
ax.set_ylabel("accuracy on held-out rows")
ax.margins(0.1)
ax.set_xlim(left=0)
ax.set_ylim(0.6, 0.8)
_ = ax.legend()
