"""# C4.5 with missing values and categorical features

`vote` holds the votes of 435 members of the US Congress on 16 bills. Every feature is categorical,
and members who did not vote leave missing values. C4.5 needs no encoding and no imputation.
"""

# %%
# ## The data
from sklearn.model_selection import train_test_split

from retree import C45Classifier
from retree_lab.datasets import load

X, y = load("vote", sources=["bundled"])
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
print(f"{len(X)} rows, {X.isna().sum().sum()} missing values")
X.head()

# %%
# ## The tree
#
# A row whose tested value is missing goes down every branch, with a part of its weight: the share
# of the training rows in that branch. The counts in the leaves may therefore be fractions.
c45 = C45Classifier().fit(X_train, y_train)
c45

# %%
# ## Predictions without the most important vote
#
# We hide the vote at the root for all held-out members. Their predictions are then averages over
# the branches of the root, so the tree is less certain.
feature = X.columns[c45.tree_.feature[0]]
hidden = X_test.assign(**{feature: None})
for name, rows in (("as they are", X_test), (f"without {feature}", hidden)):
    sure = c45.predict_proba(rows).max(axis=1).mean()
    print(f"{name}: accuracy {c45.score(rows, y_test):.3f}, average probability {sure:.3f}")

# %%
# ## How much does it cost to hide votes?
#
# We hide a growing share of the test votes at random, and watch the accuracy.
import numpy as np
from matplotlib import pyplot as plt

rng = np.random.default_rng(0)
shares = np.linspace(0, 0.9, 10)
scores = [c45.score(X_test.mask(rng.random(X_test.shape) < share), y_test) for share in shares]

_, ax = plt.subplots()
ax.plot(100 * shares, scores, "o-")
ax.set_xlabel("hidden votes in %")
_ = ax.set_ylabel("accuracy on held-out members")
