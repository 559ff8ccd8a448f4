import pickle
import sqlite3

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import retree
from retree import BaggingTreesClassifier, C45Classifier, OC1Classifier

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
tree = C45Classifier().fit(X, y)
assert (pickle.loads(pickle.dumps(tree)).predict(X) == tree.predict(X)).all()
again = retree.from_json(tree.to_json())
assert (again.predict(X) == tree.predict(X)).all()
# scikit-learn's trees round to float32.
rounded = X.astype("float32")
other = C45Classifier().fit(rounded, y)
assert (other.to_sklearn().predict(rounded) == other.predict(rounded)).all()
tree.export_html().write("tree.html")
assert tree.export_text()
assert tree.explain(X.iloc[:1])
frame = pd.DataFrame({"ward": pd.Categorical(list("abca") * 20), "age": [30, None, 50, 41] * 20})
seen = np.array(["no", "yes", "no", "no"] * 20)
assert C45Classifier(min_cases=1).fit(frame, seen).score(frame, seen) == 1
search = GridSearchCV(
    make_pipeline(StandardScaler(), OC1Classifier(random_state=0)),
    {"oc1classifier__max_depth": [1, 3]},
    cv=3,
    n_jobs=2,
).fit(X, y)
assert search.best_score_ > 0.9
assert cross_val_score(BaggingTreesClassifier(random_state=0), X, y, cv=3).mean() > 0.9
base = sqlite3.connect(":memory:")
X.assign(id=range(len(X))).to_sql("flowers", base, index=False)
rows = pd.read_sql(tree.export_sql("flowers", keys=["id"]), base).sort_values("id")
assert (rows.iloc[:, -1].to_numpy() == tree.predict(X)).all(), rows.columns
print("as expected")
