"""Write what c4.5rules of release 8 makes of our trees, which the tests compare with.

    python scripts/c45rules_reference.py PROGRAM DATASET ...

PROGRAM is c4.5rules, built from Quinlan's sources, which are not part of this repository.
"""

from __future__ import annotations

import gzip
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from retree import C45RulesClassifier
from retree.trees.tree import Tree, majority_class

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "reference" / "c45rules" / "rules.json.gz"
sys.path.insert(0, str(ROOT / "tests"))

_RULE = re.compile(r"Rule (\d+):\n((?:.*\n)*?)\t->  class c(\d+)  \[([\d.]+)%\]")


def binary_tree(tree: Tree, n_levels: Any) -> bytes:
    """Return a tree as release 8 writes it into its file of trees."""
    codes, blocks = majority_class(tree.value), [b"\n"]
    for i in range(tree.node_count):  # depth first, as in the file
        j, weight = int(tree.feature[i]), float(tree.weight[i])
        kind = 0 if tree.is_leaf[i] else 1 if n_levels[j] >= 0 else 2
        blocks.append(struct.pack("<hhff", kind, codes[i], weight, weight - tree.counts[i].max()))
        blocks.append(tree.counts[i].astype("<f4").tobytes())
        if kind:
            blocks.append(struct.pack("<hh", j, len(tree.children_of(i))))
        if kind == 2:
            blocks.append(struct.pack("<fff", *[float(tree.threshold[i])] * 3))
    return b"".join(blocks)


def write_files(stem: Path, model: C45RulesClassifier, rows: Any, codes: Any) -> None:
    """Write names, rows and tree as release 8 reads them."""
    n_levels = model.n_levels
    lines = [", ".join(f"c{c}" for c in range(len(model.classes_))) + ".\n"]
    for j, n in enumerate(n_levels):
        kind = "continuous" if n < 0 else ", ".join(f"v{k}" for k in range(n))
        lines.append(f"A{j}: {kind}.")
    stem.with_suffix(".names").write_text("\n".join(lines) + "\n")
    with stem.with_suffix(".data").open("w") as file:
        for row, code in zip(rows, codes, strict=True):
            texts = [
                repr(v) if n < 0 else f"v{v:g}" for v, n in zip(row.tolist(), n_levels, strict=True)
            ]
            cells = ["?" if np.isnan(v) else text for v, text in zip(row, texts, strict=True)]
            file.write(", ".join([*cells, f"c{code}"]) + ".\n")
    stem.with_suffix(".unpruned").write_bytes(binary_tree(model.tree_, n_levels))


def read_rules(text: str) -> dict[str, Any]:
    """Return what release 8 says of its last list of rules."""
    final = text[text.index("Final rules from tree 0:") :]
    dropped, rules = set(re.findall(r"Drop rule (\d+)", final)), []
    for number, body, code, accuracy in _RULE.findall(final):
        conditions = [line.split() for line in body.strip().splitlines()]
        tests = sorted([int(a[1:]), sign, float(v.strip("v"))] for a, sign, v in conditions)
        if number not in dropped:
            rules.append([tests, int(code), round(100 - float(accuracy), 1)])
    default = int(re.findall(r"Default class: c(\d+)", final)[-1])
    errors = int(re.findall(r"Tested \d+, errors (\d+)", final)[-1])
    return {"rules": rules, "default": default, "errors": errors}


def main(program: str, names: list[str]) -> None:
    """Write the file for some data sets."""
    from real_sets import read_set

    rules_of = {}
    for name in names:
        X, y = read_set(name)
        model = C45RulesClassifier().fit(X, y)
        codes = np.searchsorted(model.classes_, y)
        with tempfile.TemporaryDirectory() as folder:
            stem = Path(folder) / name
            write_files(stem, model, model.checked_rows(X), codes)
            done = subprocess.run([program, "-f", stem], capture_output=True, check=False)
        rules_of[name] = read_rules(done.stdout.decode())
    FILE.write_bytes(gzip.compress(json.dumps(rules_of).encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
