"""What estimators do alone, without extras and laboratory; `scripts/check_core.py` runs it."""

import importlib.util
import time

started = time.perf_counter()
from retree import C45Classifier  # noqa: E402

print(f"Import of an estimator: {time.perf_counter() - started:.2f} s.")
import numpy as np  # noqa: E402

import retree  # noqa: E402

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
fitted = 0
for name in retree.__all__:
    if name.endswith("Classifier") and name != "FittedForestClassifier":
        predicted = getattr(retree, name)().fit(X, y).predict(X)
        assert np.mean(predicted == y) > 0.6, f"{name} has learnt nothing."
        fitted += 1
print(f"{fitted} estimators of {len(retree.__all__)} names fitted.")
tree = C45Classifier().fit(X, y)
tree.export_text(), tree.export_graphviz(), tree._repr_mimebundle_()
said = ""
try:
    tree.plot()
except ImportError as error:
    said = str(error)
assert "pip install 'retree[plot]'" in said, f"matplotlib is there, or drawing says {said!r}."
assert not importlib.util.find_spec("retree_lab"), "This is not the core alone."
