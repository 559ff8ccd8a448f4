"""Models as a C file that needs nothing but the standard library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from retree.trees.interchange.model import Model
from retree.trees.interchange.nodes import (
    EachLevel,
    Nearest,
    Node,
    Oblique,
    Subset,
    Threshold,
    nodes_of,
)
from retree.trees.interchange.values import plain_classes, plain_levels

_START = """\
/* A model of retree. A row has a double for each feature, in this order:
{features}
   A missing value is NAN. A categorical feature holds what {name}_level returns of its level.
   Compile this with IEEE arithmetic: without -ffast-math, and with -ffp-contract=off. */
#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "Compile this without -ffast-math, which loses missing values."
#endif
#if FLT_EVAL_METHOD != 0
#error "Compile this for arithmetic in double precision, for example with -msse2."
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
"""

_STRUCTS = """
typedef struct { int feature, level; } _column;
typedef struct { long test, first; int n_children; } _node; /* of a leaf: its values */
typedef struct { long node; int gets_part; double part; } _child; /* of a row without a value */
typedef struct { int kind, column, count, n_slots; long start, positions; double number; } _test;
typedef struct { int column; double coefficient; } _term;
typedef struct { int column, is_categorical, slot; double weight, offset, scale; } _measure;
"""

_LEVEL = """
/* Returns the number that stands for a level in UTF-8, NAN if the feature has no such level. */
double {name}_level(int feature, const char *label) {{
    int k;
    for (k = 0; k < (int)(sizeof _levels / sizeof *_levels); ++k)
        if (_levels[k].feature == feature && strcmp(_levels[k].label, label) == 0)
            return _levels[k].code;
    return NAN;
}}
"""

_CLASSIFIER = """
const char *const {name}_classes[] = {{{classes}}};

/* Writes the class shares of a row, in the order of the classes. */
void {name}_predict_proba(const double *row, double *shares) {{ _predict(row, shares); }}

/* Returns the position of the class of a row. */
int {name}_predict(const double *row) {{
    double shares[_N_VALUES];
    _predict(row, shares);
    return _majority(shares);
}}
"""

_REGRESSOR = """
/* Returns the prediction for a row. */
double {name}_predict(const double *row) {{
    double value[_N_VALUES];
    _predict(row, value);
    return value[0];
}}
"""


def c_code(model: Model, name: str) -> str:
    """Return the source of a C99 file that predicts as a model does."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"name must be letters, digits and _ for a name in C, got {name!r}.")
    tables = _Tables()
    roots = [tables.add(nodes) for nodes in nodes_of(model)]
    features = [_comment(each) for each in model.feature_names]
    n_values = model.values[0].shape[1]
    sizes = {"N_COLUMNS": len(model.columns), "N_VALUES": n_values, "N_TREES": len(roots),
             "VOTES": int(model.votes), "IS_FOREST": int(model.total is not None),
             "TOTAL": number(model.total or 1.0)}  # fmt: skip
    columns = [(j, -1 if level is None else level) for j, level in model.columns]
    parts = [
        _START.format(name=name, features="\n".join(f"     {each}" for each in features)),
        *(f"#define _{key} {value}" for key, value in sizes.items()),
        _STRUCTS,
        _array("_column", "_columns", columns),
        _array("long", "_roots", roots),
        _array("double", "_weights", model.weights.tolist()),
        *tables.arrays(),
        files(__package__).joinpath("walker.c").read_text(),
    ]
    if levels := _levels(model):
        record = "struct { int feature, code; const char *label; }"
        parts += [_array(record, "_levels", levels), _LEVEL.format(name=name)]
    end, classes = _REGRESSOR, []
    if model.classes is not None:
        end, classes = _CLASSIFIER, [_string(each) for each in plain_classes(model.classes)]
    return "\n".join([*parts, end.format(name=name, classes=", ".join(classes))])


class _Tables:
    """The nodes of all trees, with what they refer to by position."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int]] = []
        self.children: list[tuple[int, int, float]] = []
        self.tests: list[tuple[Any, ...]] = []
        self.values: list[float] = []
        self.subsets: list[int] = []
        self.terms: list[tuple[int, float]] = []
        self.measures: list[tuple[Any, ...]] = []
        self.positions: list[float] = []

    def add(self, nodes: list[Node]) -> int:
        """Add a tree and return the number of its root."""
        root = len(self.nodes)
        for node in nodes:
            if node.test is None:
                self.nodes.append((0, len(self.values), 0))
                self.values += node.value
                continue
            self.nodes.append((len(self.tests), len(self.children), len(node.children)))
            self.tests.append(self._test(node))
            for child, part in zip(node.children, node.parts, strict=True):
                self.children.append((root + child, int(part is not None), part or 0.0))
        return root

    def _test(self, node: Node) -> tuple[Any, ...]:
        """Return kind, column, count, slots, start, first position and number of a test."""
        match node.test:
            case Threshold(column, at_most):
                return 0, column, 0, 0, 0, 0, at_most
            case Subset(column, levels):
                self.subsets += levels
                return 1, column, len(levels), 0, len(self.subsets) - len(levels), 0, 0.0
            case EachLevel(column):
                return 2, column, 0, 0, 0, 0, 0.0
            case Oblique(terms, at_most):
                self.terms += terms
                return 3, 0, len(terms), 0, len(self.terms) - len(terms), 0, at_most
            case Nearest(metric, gamma, columns, centres):
                start, first = len(self.measures), len(self.positions)
                self.measures += [
                    (c.column, int(c.is_categorical), c.slot, c.weight, c.offset, c.scale)
                    for c in columns
                ]
                self.positions += [value for centre in centres for value in centre]
                return 4, metric, len(columns), len(centres[0]), start, first, gamma
        raise TypeError(f"There is no code for {node.test!r}.")

    def arrays(self) -> Iterable[str]:
        """Yield the declaration of each table."""
        types = {"nodes": "_node", "children": "_child", "tests": "_test", "values": "double",
                 "subsets": "int", "terms": "_term", "measures": "_measure",
                 "positions": "double"}  # fmt: skip
        for name, kind in types.items():
            yield _array(kind, f"_{name}", getattr(self, name))


def _levels(model: Model) -> list[tuple[int, int, Any]]:
    """Return feature, code and text of each level."""
    found = []
    for j, levels in enumerate(model.levels):
        if levels is not None:
            texts = enumerate(plain_levels(model.feature_names[j], levels))
            found += [(j, code, str(text)) for code, text in texts]
    return found


def _array(kind: str, name: str, values: Sequence[Any]) -> str:
    """Return the declaration of an array, of one zero if it is empty, as C wants."""
    zero = "0" if kind in ("double", "int") else "{0}"
    lines = [f"    {_literal(value)}," for value in values] or [f"    {zero},"]
    return "\n".join([f"static const {kind} {name}[] = {{", *lines, "};"])


def _literal(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{{{', '.join(map(_literal, value))}}}"
    if isinstance(value, str):
        return _string(value)
    return number(value) if isinstance(value, float) else str(value)


def number(value: float) -> str:
    """Return a literal that is exactly this double."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else f"{'-' * (value < 0)}INFINITY"
    return value.hex()


def _string(label: Any) -> str:
    """Return the literal of a text in UTF-8; bytes that may mean something in C are numbers."""
    text = str(label)
    if "\0" in text:
        raise ValueError(f"The label {text!r} has a null character, with which texts end in C.")
    try:
        coded = text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"The label {text!r} is no text that UTF-8 can hold.") from None
    safe = [
        chr(c) if c < 128 and (chr(c).isalnum() or c in b" _.,:-+") else f"\\{c:03o}" for c in coded
    ]
    return f'"{"".join(safe)}"'


def _comment(name: str) -> str:
    """Return a name that cannot end a comment."""
    return ascii(name).replace("*/", "* /").replace("??", "? ?")
