"""# How a published number is judged

We compare a published number with our own replicates, each of the same protocol with other folds.
"""

# %%
# ## Replicates and their interval
#
# We run 5-fold cross-validation of C4.5 on `sonar` 12 times. A published number inside the interval
# agrees; a number outside differs, whether it is better or worse.
import numpy as np
from matplotlib import pyplot as plt
from sklearn.model_selection import StratifiedKFold, cross_val_score

from retree import C45Classifier
from retree_lab.datasets import load
from retree_lab.statistics.intervals import predict

X, y = load("sonar", sources=["bundled"])
means = np.array(
    [
        cross_val_score(
            C45Classifier(), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=seed)
        ).mean()
        for seed in range(12)
    ]
)
low, high = predict(means).interval(0.0001)
inside, outside = (low + 2 * high) / 3, high + (high - low) / 4
_, ax = plt.subplots()
ax.axvspan(low, high, alpha=0.2, label="95 % interval of one more replicate")
ax.plot(means, np.linspace(0.1, 0.9, len(means)), "o", label="our replicates")
for value, word in ((inside, "agrees"), (outside, "differs")):
    ax.axvline(value, color="black", linewidth=1)
    ax.annotate(word, (value, 0.5), (4, 0), textcoords="offset points", va="center")
ax.set(xlabel="mean accuracy over five folds;\nthe two lines are made-up published numbers")
ax.set_xlim(right=outside + (high - low) / 4)
ax.set_yticks([])
ax.set_ylim(0, 1.5)
_ = ax.legend(loc="upper left")
