"""What five users do with the wheels alone, in an empty folder.

The author of a method, someone who sweeps, one with a cluster, a data scientist, and one with a
table of a paper. `check_wheel` calls them.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class User:
    """Someone who has only the wheels: the programs of their environment, and a folder."""

    programs: Path
    folder: Path

    def retree(self, *arguments: str, says: str = "", code: int = 0) -> str:
        """Call a command, which must end with a code and say something, and print its time."""
        return self.call("retree", *arguments, says=says, code=code)

    def call(self, program: str, *arguments: str, says: str = "", code: int = 0) -> str:
        """Call a program, and return what it says."""
        started = time.monotonic()
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        said, words = done.stdout + done.stderr, " ".join(arguments[:9])
        require(done.returncode == code and says in said, f"{words}: {done.returncode}\n{said}")
        if program == "retree":
            print(f"retree {words}: {time.monotonic() - started:.0f} s", flush=True)
        return said

    def environment(self) -> dict[str, str]:
        """Return the variables of their programs, which know nothing of the repository."""
        theirs = {"RETREE_OFFLINE": "1", "XDG_CACHE_HOME": str(self.folder.parent / "cache")}
        ours = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "RETREE_DATA")}
        return {**ours, **theirs}

    def write(self, files: Mapping[str, str]) -> None:
        """Write files into the folder."""
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a csv file."""
        with (self.folder / name).open(newline="") as file:
            return list(csv.DictReader(file))


def require(truth: Any, what: str) -> None:
    """Exit with a message unless something is true."""
    if not truth:
        raise SystemExit(f"Not so: {what}")


METHOD = {
    "mine/paper.yaml": """\
title: A method of mine
authors: Me
reference: Not published
grid: {depth: [1, 3]}
items:
  table1:
    kind: metric_table
    caption: Accuracy and the error on the worst class
    protocol: cv5
    datasets: [wine, glass]
    methods: [mine, reptree, c45_pruned]
    metrics: [accuracy, "estimators.py:worst_class_error"]
    select: [best_test, nested]
  ranks:
    kind: rank_diagram
    caption: Ranks
    protocol: cv5
    datasets: [wine, glass, iris]
    methods: [mine, reptree, c45_pruned]
    metrics: ["estimators.py:worst_class_error"]
""",
    "mine/methods/mine.yaml": """\
mine: {name: Mine, estimator: "estimators.py:Mine", tune: [depth]}
""",
    "mine/estimators.py": """\
import numpy as np
from sklearn.tree import DecisionTreeClassifier


class Mine(DecisionTreeClassifier):
    def __init__(self, depth=2):
        super().__init__(random_state=0)
        self.depth = depth

    def fit(self, X, y):
        self.max_depth = self.depth
        return super().fit(X, y)


def worst_class_error(y_true, y_pred):
    return max(np.mean(y_pred[y_true == c] != c) for c in np.unique(y_true))
""",
}


def author(user: User) -> None:
    """Try a method and a metric of one's own, honestly chosen, beside others and a paper's."""
    user.write(METHOD)
    user.retree("methods", "reptree", says="reptree")
    user.retree("check", "mine", says="smaller is better: estimators.py:worst_class_error")
    user.retree("run", "--report", "-j", "1", "--study", "mine", "item=all", says="table1.md")
    rows = user.rows("mine/results/mine/table1.csv")
    honest = {row["metric"] for row in rows if row["metric"].endswith("_nested")}
    require(len(honest) == 2, f"both metrics are chosen inside the folds, too: {honest}")
    page = (user.folder / "mine/results/mine/ranks.md").read_text()
    require("lowest" in page, f"the best rank is that of the lowest error:\n{page}")
    user.retree("show", "--study", "mine", "table1", "glass", "mine", says="depth")
    source = user.folder / "mine/estimators.py"
    source.write_text(source.read_text().replace("random_state=0", "random_state=1"))
    user.retree("plan", "--study", "mine", "item=table1", says="for other sources of the estimator")
    words = ["compare", "mine/estimators.py:Mine", "--with", "structure_purity", "-j", "1"]
    words += ["datasets=[sonar,bupa]", "method.depth=3", "--page", "beside.html"]
    user.retree(*words, says="BNM+Gini")
    params = {row["params"] for row in user.rows("beside.csv") if row["method"] == "own"}
    require(params == {'{"depth": 3}'}, f"the folds have the parameter: {params}")
    page = (user.folder / "beside.html").read_text()
    require("<table" in page and 'src="' not in page, "the page is one file")


def sweeper(user: User) -> None:
    """Sweep over two parameters, again, and with words of Hydra's."""
    sweep = ["run", "-m", "--report", "-j", "1", "dataset=sonar"]
    grid = [*sweep, "method.omega2=0.01,0.02", "method.k=2,5"]
    user.retree(*grid, says="Chosen inside the training folds")
    user.retree(*grid, says="0 cells computed")
    results = user.folder / "results/local/structure_purity"
    rows = user.rows("results/local/structure_purity/sweep.csv")
    require({row["metric"] for row in rows} >= {"accuracy", "leaves"}, "the sweep has metrics")
    for name in ("sweep.md", "sweep_sonar.svg"):
        require((results / name).is_file(), f"{name} is written")
    ignored = user.folder / "results/.store/.gitignore"
    require(ignored.read_text() == "*\n", "the store ignores itself")
    user.retree("plan", "-m", "dataset=glob(monk*)", "method=j48", "method.min_cases=range(1,4)")
    user.retree(*sweep, "method.k=2,foo", says="method.k=2,foo: k must be", code=2)
    user.retree("run", "-m", "--cfg", "job", *grid[5:], says="omega2: 0.02")
    for name in ("hydra/launcher=joblib", "hydra/sweeper=optuna"):
        user.retree("run", "-m", name, *grid[5:], says="Hydra's own command line", code=2)


SMALL = {
    "small/paper.yaml": """\
title: Small
authors: Me
reference: Not published
items:
  table1:
    kind: metric_table
    caption: Accuracy
    protocol: cv5
    datasets: [iris, wine]
    methods: [j48, weka_bagging]
    metrics: [accuracy]
""",
    "small/methods/some.yaml": """\
weka_bagging: {name: Bagged, estimator: bagging, n_estimators: 5}
""",
}


def cluster(user: User) -> None:
    """Compute with each backend alike, and store nothing that other code computed."""
    user.write(SMALL)
    run = ["run", "--report", "--study", "small", "item=all"]
    for name in ("loky", "threading"):
        user.retree(*run, f"execution.backend={name}", "-j", "2", *_places(name))
    with _dask(user, user.environment()) as address:
        user.retree(*run, "execution=dask", f"execution.address={address}", *_places("dask"))
    first, *others = (
        (user.folder / name / "small/table1.csv").read_bytes()
        for name in ("loky", "threading", "dask")
    )
    require(all(other == first for other in others), "backends give the same table")
    edited = user.folder / "edited"
    program = "import retree_lab; print(retree_lab.__path__[0])"
    shutil.copytree(user.call("python", "-c", program).strip(), edited / "retree_lab")
    with (edited / "retree_lab/__init__.py").open("a") as file:
        file.write("\nEDITED = True\n")
    with _dask(user, {**user.environment(), "PYTHONPATH": str(edited)}) as address:
        words = [*run, "execution=dask", f"execution.address={address}", *_places("refused")]
        user.retree(*words, says="runs another retree", code=1)


def _places(name: str) -> list[str]:
    return [f"results={name}", f"store={name}/cells.sqlite"]


@contextmanager
def _dask(user: User, environment: Mapping[str, str]) -> Iterator[str]:
    """Start a scheduler and a worker, and yield the scheduler's address."""
    program = (
        "import time\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    options = dict(n_workers=1, threads_per_worker=1, dashboard_address=None)\n"
        "    with LocalCluster(**options) as cluster:\n"
        "        print(cluster.scheduler_address, flush=True)\n"
        "        time.sleep(600)\n"
    )
    (user.folder / "cluster.py").write_text(program)
    command = [user.programs / "python", "cluster.py"]
    with subprocess.Popen(
        command,
        cwd=user.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield (process.stdout.readline() if process.stdout else "").strip()
        finally:
            process.terminate()


SCIENTIST = """
import json, pickle, sqlite3
import numpy as np, pandas as pd
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
assert tree.export_text() and tree.explain(X.iloc[:1])
frame = pd.DataFrame({"ward": pd.Categorical(list("abca") * 20), "age": [30, None, 50, 41] * 20})
seen = np.array(["no", "yes", "no", "no"] * 20)
assert C45Classifier(min_cases=1).fit(frame, seen).score(frame, seen) == 1
search = GridSearchCV(make_pipeline(StandardScaler(), OC1Classifier(random_state=0)),
                      {"oc1classifier__max_depth": [1, 3]}, cv=3, n_jobs=2).fit(X, y)
assert search.best_score_ > 0.9
assert cross_val_score(BaggingTreesClassifier(random_state=0), X, y, cv=3).mean() > 0.9
base = sqlite3.connect(":memory:")
X.assign(id=range(len(X))).to_sql("flowers", base, index=False)
found = pd.read_sql(tree.export_sql("flowers", keys=["id"]), base).sort_values("id")
assert (found.iloc[:, -1].to_numpy() == tree.predict(X)).all(), found.columns
print("as expected")
"""


def scientist(user: User) -> None:
    """Use the trees as any estimator of scikit-learn's, and take them elsewhere."""
    user.write({"use.py": SCIENTIST})
    user.call("python", "-W", "error", "use.py", says="as expected")


TABLE = {
    "table.md": """\
| data set | C4.5 | 1R | boosted C4.5 | Mystery |
| :-- | --: | --: | --: | --: |
| iris | 5.9 | 6.5 | 5.0 | 4.1 |
| glass | 31.7 | 42.1 ± 2 | 22.7 | 30 |
| letter | 13.8 | | 3.3 | 9 |
""",
    "table.tex": r"""
\begin{tabular}{lrrrr}
data set & C4.5 & 1R & boosted C4.5 & Mystery \\ \hline
iris & 5.9 & 6.5 & 5.0 & 4.1 \\
glass & 31.7 & $42.1 \pm 2$ & \textbf{22.7} & 30 \\
letter & 13.8 & & 3.3 & 9 \\
\end{tabular}
""",
    "table.csv": "data set,C4.5,1R,boosted C4.5,Mystery\niris,5.9,6.5,5.0,4.1\n"
    "glass,31.7,42.1 (2),22.7,30\nletter,13.8,,3.3,9\n",
}


def table(user: User) -> None:
    """Bring a published table, as it was printed, to a page that judges its numbers."""
    user.write(TABLE)
    made = set()
    for name in TABLE:
        study = name.replace(".", "_")
        options = ["--metric", "error", "--protocol", "cv10"]
        user.retree("init", study, "--from", name, *options, says="methods/table.yaml: Mystery")
        made.add((user.folder / study / "published.csv").read_text())
    require(len(made) == 1, f"each form gives the same numbers: {made}")
    long = (made.pop().splitlines(keepends=True))[:5]
    user.write({"long.csv": "".join(long)})
    user.retree("init", "long", "--from", "long.csv", says="C4.5 (c45_pruned)")
    methods = user.folder / "table_md/methods/table.yaml"
    methods.write_text(methods.read_text().replace('"n_estimators": 100', '"n_estimators": 5'))
    user.retree("check", "table_md", says="letter stays blank: This data set of 20,000 rows")
    user.retree("run", "--report", "-j", "1", "--study", "table_md", "item=all", says="table1.md")
    rows = user.rows("table_md/results/table_md/table1.csv")
    judged = {(row["dataset"], row["method"]) for row in rows if row["reproduced"]}
    require(len(judged) == 6, f"three methods on two data sets have numbers: {judged}")
    published = sum(row["published"] != "" for row in rows)
    require(published == 11, f"no published number is lost: {published} of 11")
    user.retree("audit", "table.md", "--metric", "error", says="Nothing impossible")
    user.retree("identify", "table.md", "--metric", "error", says="learner", code=1)


REPLAYS: tuple[Callable[[User], None], ...] = (author, sweeper, cluster, scientist, table)
