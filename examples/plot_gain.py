"""# Gain and gain ratio

There are three common measures of how mixed two classes are. C4.5 does not choose splits by gain
alone: among uninformative features, gain prefers those with many values.
"""

# %%
# ## How mixed is a node?
#
# All three measures are 0 in a pure node, and highest if both classes are equally frequent.
import numpy as np
from matplotlib import pyplot as plt

share = np.linspace(0.001, 0.999, 200)
measures = {
    "entropy, halved": -(share * np.log2(share) + (1 - share) * np.log2(1 - share)) / 2,
    "Gini index": 1 - share**2 - (1 - share) ** 2,
    "error": 1 - np.maximum(share, 1 - share),
}
_, ax = plt.subplots()
for (name, values), dashes in zip(measures.items(), ("-", "--", ":"), strict=True):
    ax.plot(share, values, dashes, label=name)
ax.set(xlabel="share of the first class", ylabel="measure")
_ = ax.legend()

# %%
# ## Uninformative features
#
# We draw random features with 2 to 50 values, and classes that do not depend on them. Each point
# is the mean over 200 draws of 100 rows.


def entropy(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log2(shares)).sum())


def gain(feature, labels):
    parts = [labels[feature == value] for value in np.unique(feature)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts)


rng = np.random.default_rng(0)
counts = [2, 3, 5, 10, 20, 50]
gains, ratios = [], []
for count in counts:
    draws = [(rng.integers(count, size=100), rng.integers(2, size=100)) for _ in range(200)]
    gains.append(np.mean([gain(*draw) for draw in draws]))
    ratios.append(np.mean([gain(*draw) / entropy(draw[0]) for draw in draws]))
_, ax = plt.subplots()
ax.plot(counts, gains, "o-", label="gain")
ax.plot(counts, ratios, "s--", label="gain ratio")
ax.set(xlabel="values of a random feature", ylabel="mean over 200 draws")
_ = ax.legend()
