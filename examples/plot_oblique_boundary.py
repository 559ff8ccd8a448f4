"""# An oblique tree and its boundary

A test on one feature cuts parallel to an axis. OC1 tests weighted sums of the features, so one test
can follow a slanted boundary for which an ordinary tree needs a staircase of tests.
"""

# %%
# ## Two trees
#
# The class of a point depends on which side of a slanted line it lies. About 5 % of the points are
# mislabelled. Both trees are pruned by cost complexity.
import numpy as np

from retree import CartClassifier, OC1Classifier

rng = np.random.default_rng(0)
X = rng.uniform(size=(600, 2))
y = (X[:, 0] + 2 * X[:, 1] > 1.5) ^ (rng.random(600) < 0.05)
trees = {
    "CART": CartClassifier(pruning="cost_complexity", random_state=0),
    "OC1": OC1Classifier(pruning="cost_complexity", random_state=0),
}
for name, tree in trees.items():
    tree.fit(X[:300], y[:300])
    accuracy = tree.score(X[300:], y[300:])
    print(f"{name}: {tree.get_n_leaves()} leaves, accuracy on held-out points {accuracy:.3f}")

# %%
# ## Their regions
from matplotlib import pyplot as plt

across, up = np.meshgrid(np.linspace(0, 1, 200), np.linspace(0, 1, 200))
points = np.column_stack([across.ravel(), up.ravel()])
figure, axes = plt.subplots(1, 2, sharey=True)
for ax, (name, tree) in zip(axes, trees.items(), strict=True):
    ax.contourf(
        across,
        up,
        tree.predict(points).reshape(across.shape),
        levels=1,
        colors=["tab:blue", "tab:orange"],
        alpha=0.3,
    )
    for label, marker in ((False, "o"), (True, "^")):
        ax.scatter(*X[:300][y[:300] == label].T, s=6, marker=marker, label=f"class {label}")
    ax.plot([0, 1], [0.75, 0.25], "k--", linewidth=1)
    ax.set_title(f"{name}, {tree.get_n_leaves()} leaves")
    ax.set_xlabel("x[0]")
axes[0].set_ylabel("x[1]")
_ = figure.legend(
    *ax.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2
)

# %%
# The dashed line is the true boundary. The tests of OC1 are close to it:
print(trees["OC1"].export_text())
