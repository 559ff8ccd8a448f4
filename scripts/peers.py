"""Compare the numbers of docs/guide/peers.md with its csv files; ``--write`` puts them there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "peers.md"
FOLDER = PAGE.with_suffix("")
CONTROL = "scikit-learn's tree"
OURS = ("C4.5 (pruned)", "CART, pruned", "OC1", "thinned AdaBoost")
RANKS = {"accuracy": "ranks", "log loss": "ranks_log_loss"}
LEVEL = 0.05
_PART = "<!-- {} -->\n"


def read(name: str) -> pd.DataFrame:
    """Return a csv file of the page."""
    return pd.read_csv(FOLDER / f"{name}.csv")


def overview() -> str:
    """Return the table of means, average ranks and ratios of times, by rank of accuracy."""
    scores = read("scores").query("dataset != 'MEAN'")
    means = scores.pivot_table("reproduced", "method", "metric", sort=False)
    ranks = {metric: read(name).set_index("method") for metric, name in RANKS.items()}
    times = ratios()
    lines = [
        "| method | accuracy | rank | log loss | rank | leaves | fit | predict |",
        f"| :-- |{' --: |' * 7}",
    ]
    for name in ranks["accuracy"].sort_values("average_rank").index:
        label = f"**{name}**" if name in OURS else name
        numbers = [
            f"{means.loc[name, 'accuracy']:.3f}",
            f"{ranks['accuracy'].loc[name, 'average_rank']:.1f}",
            f"{-means.loc[name, 'neg_log_loss']:.2f}",
            f"{ranks['log loss'].loc[name, 'average_rank']:.1f}",
            f"{means.loc[name, 'leaves']:.0f}",
            *(f"{value:.2g}" if name in times.index else "" for value in _times(times, name)),
        ]
        lines.append(f"| {label} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def _times(times: pd.DataFrame, name: str) -> list[float]:
    return list(times.loc[name]) if name in times.index else [np.nan, np.nan]


def ratios() -> pd.DataFrame:
    """Return the geometric means of the times over those of scikit-learn's tree."""
    times = read("times").set_index(["method", "dataset"])
    logs = np.log(times) - np.log(times.loc[CONTROL])
    return np.exp(logs.groupby("method").mean())


def behind() -> str:
    """Return who has the better average rank than each method of retree, by metric."""
    lines = []
    for metric, name in RANKS.items():
        pairs = read(f"{name}_pairs")
        for ours in OURS:
            lost = pairs[pairs["worse"] == ours]
            names = [_name(row) for row in lost.to_dict("records") if row["better"] not in OURS]
            lines.append(f"- By {metric}, {ours} is behind {', '.join(names) or 'none of them'}.")
    times = ratios()
    for column in ("fit", "predict"):
        slower = [f"{n} ({times.loc[n, column]:.2g})" for n in OURS if times.loc[n, column] > 1]
        lines.append(
            f"- Slower than scikit-learn's tree to {column}: {', '.join(slower) or 'none'}."
        )
    return "\n".join(lines)


def _name(row: dict[str, object]) -> str:
    star = "*" if float(str(row["wilcoxon_p_holm"])) < LEVEL else ""
    return f"{row['better']} ({row['wins']}–{row['ties']}–{row['losses']}){star}"


def against_control() -> str:
    """Return how each method of retree does against scikit-learn's tree."""
    lines = [f"| | {' | '.join(RANKS)} |", "| :-- | :-- | :-- |"]
    frames = [read(name).set_index("method") for name in RANKS.values()]
    for ours in OURS:
        cells = [
            "{wins:.0f}–{ties:.0f}–{losses:.0f}, p = {wilcoxon_p_holm:.2g}".format(
                **frame.loc[ours]
            )
            for frame in frames
        ]
        lines.append(f"| {ours} | {' | '.join(cells)} |")
    return "\n".join(lines)


def written(text: str) -> str:
    """Return the page with today's numbers between its marks."""
    parts = {"overview": overview, "control": against_control, "behind": behind}
    for name, part in parts.items():
        start, end = _PART.format(name), _PART.format("end")
        pattern = f"{re.escape(start)}.*?{re.escape(end)}"
        found = f"{start}\n{part()}\n\n{end}"
        text = re.sub(pattern, lambda _, found=found: found, text, flags=re.S)
    return text


def main(arguments: list[str]) -> int:
    """Print whether the page is as the csv files are; return 1 if it is not."""
    old = PAGE.read_text()
    new = written(old)
    if arguments == ["--write"]:
        PAGE.write_text(new)
    elif old != new:
        print("docs/guide/peers.md is not as its csv files: run python scripts/peers.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
