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

WRITTEN = Path(__file__).resolve().parents[1] / "tests" / "replays"


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

    def take(self, *names: str) -> None:
        """Copy files and folders that the user has written before, from ``tests/replays``."""
        for name in names:
            source = WRITTEN / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name)
            else:
                shutil.copy(source, self.folder)

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a csv file."""
        with (self.folder / name).open(newline="") as file:
            return list(csv.DictReader(file))


def require(truth: Any, what: str) -> None:
    """Exit with a message unless something is true."""
    if not truth:
        raise SystemExit(f"Not so: {what}")


def author(user: User) -> None:
    """Try a method and a metric of one's own, honestly chosen, beside others and a paper's."""
    user.take("mine")
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


def cluster(user: User) -> None:
    """Compute with each backend alike, and store nothing that other code computed."""
    user.take("small")
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
    user.take("cluster.py")
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


def scientist(user: User) -> None:
    """Use the trees as any estimator of scikit-learn's, and take them elsewhere."""
    user.take("use.py")
    user.call("python", "-W", "error", "use.py", says="as expected")


def table(user: User) -> None:
    """Bring a published table, as it was printed, to a page that judges its numbers."""
    forms, made = ("table.md", "table.tex", "table.csv"), set()
    user.take(*forms)
    for name in forms:
        study = name.replace(".", "_")
        options = ["--metric", "error", "--protocol", "cv10"]
        user.retree("init", study, "--from", name, *options, says="methods/table.yaml: Mystery")
        made.add((user.folder / study / "published.csv").read_text())
    require(len(made) == 1, f"each form gives the same numbers: {made}")
    long = (made.pop().splitlines(keepends=True))[:5]
    (user.folder / "long.csv").write_text("".join(long))
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
