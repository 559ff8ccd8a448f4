"""Measure how time and memory of a fit grow with rows and columns, scikit-learn's included.

Usage: python growth.py [--rows 1000 10000] [--columns 10 100] [--limit SECONDS] [--output FOLDER]
[--families C4.5rules ...], which measures only these and keeps the others from FOLDER/growth.csv.
Each fit runs in its own process, with one thread. Rows vary at 20 columns, columns at 1,000 rows.
A size and all larger ones are left out if the fit exceeds the limit, or would if it grew in
proportion. Writes growth.csv, growth.svg and growth.md with the exponents: the slopes of log time
over log size between the two largest fits. With the default limit this takes six minutes on an
otherwise idle processor.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from retree_lab.reports import figures

ROWS, COLUMNS = 1_000, 20
STARTING = 10  # seconds for what comes before a fit
AXES = ("rows", "columns")
WHAT = """\
Rows vary at 20 columns, columns at 1,000 rows; the two classes depend on a noisy sum of five
columns. An exponent is the slope of log time over log size between the two largest fits. Sorting
makes it a little more than 1. Three methods need more by design: the time of a rotation grows with
the square of the columns (trees in latent space), Relief-F compares all rows of a node with each
other (CMDT; `n_samples` limits that), and C4.5rules tries each of its rules on all rows. Other work
on the machine lengthens the times and shifts the exponents."""
REFERENCE = "scikit-learn"
FAMILIES = {
    "C4.5": "retree.C45Classifier()",
    "CART": "retree.CartClassifier()",
    "OC1": "retree.OC1Classifier(random_state=0)",
    "structure purity (Gini)": "retree.StructurePurityClassifier()",
    REFERENCE: "sklearn.tree.DecisionTreeClassifier(random_state=0)",
    "ID3": "retree.ID3Classifier()",
    "REPTree": "retree.REPTreeClassifier(random_state=0)",
    "CART-LC": "retree.CartLCClassifier()",
    "latent, local": "retree.LocalSVDTreeClassifier()",
    "latent, global": "retree.GlobalSVDTreeClassifier()",
    "CMDT": "retree.CMDTClassifier(random_state=0)",
    "Segment+C4.5": "retree.SegmentC45Classifier()",
    "SPES": "retree.SPESClassifier()",
    "SPCE": "retree.SPCEClassifier()",
    "C4.5rules": "retree.C45RulesClassifier()",
    "bagging, 10 trees": "retree.BaggingTreesClassifier(n_estimators=10, random_state=0)",
    "boosting, 10 trees": "retree.AdaBoostM1Classifier(n_estimators=10, random_state=0)",
    "thinning of 10 trees": "retree.ThinnedForestClassifier(n_estimators=10, random_state=0)",
}
N_COLOURED = 5  # the first ones; the others are grey
# Two classes of a noisy sum, so that trees keep growing with the rows.
FIT = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_CPU, ({most}, {most}))
import numpy as np, retree, sklearn.tree
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, {columns}))
y = (X[:, :5].sum(axis=1) + rng.normal(size={rows}) > 0).astype(int)
model = {model}
model.fit(X[:64], y[:64])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began, fits, seconds = time.process_time(), 0, 0.0
# Clocks of processors may tick every hundredth of a second only.
while seconds < 0.3:
    model.fit(X, y)
    fits, seconds = fits + 1, time.process_time() - began
seconds /= fits
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([seconds, (after - before) / 1024, X.nbytes / 2**20]))
"""


def fit(model: str, rows: int, columns: int, limit: float) -> list[float] | None:
    """Return CPU seconds, megabytes more and those of the data; None if it takes too long."""
    code = FIT.format(model=model, rows=rows, columns=columns, most=int(limit) + STARTING)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return None
    if done.returncode:
        print(f"{model}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    found: list[float] = json.loads(done.stdout)
    return found


def measure(
    families: Sequence[str], rows: Sequence[int], columns: Sequence[int], limit: float
) -> Iterator[list[object]]:
    """Yield a row for each fit."""
    for name, axis in itertools.product(families, AXES):
        before = (0.0, 1)
        for size in rows if axis == "rows" else columns:
            n, p = (size, COLUMNS) if axis == "rows" else (ROWS, size)
            is_hopeless = before[0] * size / before[1] > limit
            found = None if is_hopeless else fit(FAMILIES[name], n, p, limit)
            if found is None:
                print(f"{name:<21}{n:>9,} x {p:<6} left out, and all larger ones", flush=True)
                yield [name, axis, n, p, *[np.nan] * 3, date.today().isoformat(), limit]
                break
            print(f"{name:<21}{n:>9,} x {p:<6}{found[0]:9.3f} s {found[1]:8.1f} MB", flush=True)
            yield [name, axis, n, p, *found, date.today().isoformat(), limit]
            before = (found[0], size)


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Return the slope between the two largest fits of each family, by axis."""
    slopes = {}
    for (family, axis), some in table.dropna().groupby(["family", "axis"], sort=False):
        last = some.sort_values(axis).tail(2)
        if len(last) == 2:
            ratios = last[["seconds", axis]].to_numpy()
            slopes[family, axis] = np.divide(*np.log(ratios[1] / ratios[0]))
    found = {axis: {f: s for (f, a), s in slopes.items() if a == axis} for axis in AXES}
    return pd.DataFrame(found, index=list(FAMILIES), dtype=float)


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw the times over rows and over columns; a legend names the coloured lines."""
    with figures.style():
        figure = figures.new_figure(3.2)
        panels = figure.subplots(1, 2, sharey=True)
        for ax, axis in zip(panels, AXES, strict=True):
            draw_axis(ax, table[(table["axis"] == axis)].dropna(), axis)
        figures.legend_below(figure, panels[0].get_legend_handles_labels()[0], ncols=2)
        times = 10 ** exponents(table)
        rows, columns = (times[axis].drop(REFERENCE).dropna() for axis in AXES)
        finding = (
            f"Ten times the rows take {rows.median():.0f} times as long in the median of "
            f"{len(rows)} methods, {times['rows'][REFERENCE]:.0f} in {REFERENCE}, and at most "
            f"{rows.max():.0f}, in {rows.idxmax()}; ten times the columns take "
            f"{columns.median():.0f} times as long"
        )
        seen = (
            f"Lines of CPU seconds over rows and over columns, on logarithmic axes, of {len(rows)} "
            f"methods and {REFERENCE}. Ten times the columns take {columns.median():.0f} times as "
            f"long in the median, and at most {columns.max():.0f}, in {columns.idxmax()}."
        )
        figures.save_figure(figures.conclude(figure, finding, seen), path.with_suffix(""))


def draw_axis(ax: Axes, table: pd.DataFrame, axis: str) -> None:
    """Draw a line for each family, the grey ones first and with one name."""
    for number, family in reversed(list(enumerate(FAMILIES))):
        some = table[table["family"] == family]
        is_coloured = number < N_COLOURED
        look = figures.line_style(number) if is_coloured else {"color": "0.6", "linewidth": 0.7}
        others = {"label": "the others"} if number == N_COLOURED else {}
        named = {"label": family} if is_coloured else others
        ax.loglog(some[axis], some["seconds"], **look, **named)
    sizes = sorted(table[axis].unique())
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=30)
    powers = range(-3, 4)
    ax.set_yticks([10.0**k for k in powers], [f"{10.0**k:,.{max(0, -k)}f} s" for k in powers])
    ax.minorticks_off()
    figures.bare_spines(ax)
    ax.set_xlabel(axis)
    ax.set_title(f"CPU seconds, {COLUMNS} columns" if axis == "rows" else f"{ROWS:,} rows")


def page(table: pd.DataFrame) -> str:
    """Return the exponents, the largest fits and what was left out as Markdown."""
    slopes = exponents(table)
    left_out = table[table["seconds"].isna()]
    days = table.groupby("date", sort=True)["family"].unique()
    usual = days.map(len).idxmax()
    others = [f"{', '.join(own)} on {day}" for day, own in days.items() if day != usual]
    lines = ["# How fits grow", "", "Generated by `benchmarks/growth.py` on a machine with"]
    lines += [f"{os.cpu_count()} processors, {'; '.join([usual, *others])}.", "", WHAT, ""]
    lines += ["![CPU seconds over rows and over columns](growth.svg)", ""]
    lines += [
        "| family | exponent of rows | of columns | largest fit | seconds | extra MB "
        "| times the data |"
    ]
    lines += ["| :-- | --: | --: | --: | --: | --: | --: |"]
    for family, some in table.dropna().groupby("family", sort=False):
        most = some.loc[(some["rows"] * some["columns"]).idxmax()]
        slope = [slopes.at[family, axis] for axis in AXES]
        lines.append(
            f"| {family} | {slope[0]:.2f} | {slope[1]:.2f} "
            f"| {most['rows']:,} x {most['columns']:,} | {most['seconds']:.2f} "
            f"| {most['megabytes']:,.0f} | {most['megabytes'] / most['data_megabytes']:.1f} |"
        )
    lines += ["", "One thread."]
    lines += ["Times from different days are from different machines."] * bool(others)
    lines += [
        "A fit is stopped if it exceeds its time limit. It is not tried if it would exceed it in",
        "proportion to the one before; larger fits are not tried either. These are missing:"
        if len(left_out)
        else "proportion to the one before; larger fits are not tried either. None is missing.",
        "",
    ]
    lines += [
        f"- {row.family}: {row.rows:,} x {row.columns:,}, over {row.limit:g} CPU seconds"
        for row in left_out.itertuples()
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--columns", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--limit", type=float, default=15.0)
    parser.add_argument("--output", type=Path, default=Path())
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    args = parser.parse_args()
    names = ["family", "axis", "rows", "columns", "seconds", "megabytes", "data_megabytes"]
    names += ["date", "limit"]
    found = measure(args.families, args.rows, args.columns, args.limit)
    table = pd.DataFrame(list(found), columns=names)
    if set(args.families) < set(FAMILIES):
        known = pd.read_csv(args.output / "growth.csv")
        kept = known[~known["family"].isin(args.families)]
        table = pd.concat([kept, table], ignore_index=True)
        table = table.sort_values(
            "family", key=lambda f: f.map(list(FAMILIES).index), kind="stable"
        )
    args.output.mkdir(parents=True, exist_ok=True)
    table.to_csv(args.output / "growth.csv", index=False, float_format="%.4g")
    draw(table, args.output / "growth.svg")
    (args.output / "growth.md").write_text(page(table), encoding="utf-8")
    print(exponents(table).round(2).to_string())


if __name__ == "__main__":
    main()
