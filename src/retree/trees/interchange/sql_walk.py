"""What deep trees predict, as tables of their nodes that a recursive query of SQL walks down.

The parts of a row that was divided are put together from the deepest division up, in the order of
the branches, as everywhere else: the last bits of a sum depend on its order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retree.trees.interchange.dialects import Dialect, select
from retree.trees.interchange.model import Model
from retree.trees.interchange.node_tables import (
    NO_EDGE,
    Edge,
    edges_of,
    firsts_of,
    leaves_of,
    most_divisions,
    sources_of,
)
from retree.trees.interchange.nodes import Node

_NOTHING = "CAST(NULL AS INTEGER)"


class WalkedTrees:
    """The parts of a query that make class shares of what the trees test."""

    def __init__(self, model: Model, trees: list[list[Node]], dialect: Dialect) -> None:
        self.model, self.trees, self.dialect = model, trees, dialect
        self.zero, self.one = dialect.number(0.0), dialect.number(1.0)
        self.values = [f"p{k}" for k in range(model.values[0].shape[1])]

    def parts(self, tested: str, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield names and texts of the parts, the last of which has the keys and shares."""
        model = self.model
        levels = [None if level is not None else model.levels[j] for j, level in model.columns]
        n_levels = [None if own is None else len(own) for own in levels]
        roots = zip(firsts_of(self.trees), model.weights.tolist(), strict=True)
        edges, table = [NO_EDGE, *edges_of(self.trees, n_levels)], self.dialect.table
        yield f"edges({', '.join(Edge._fields)})", table(edges)
        yield f"leaves(node, {', '.join(self.values)})", table(leaves_of(self.trees))
        yield "roots(tree, node, weight)", table((t, *root) for t, root in enumerate(roots))
        columns = "r, node, part, above, place, level, outer_above, outer_place"
        yield f"walk({columns})", self._walk(tested, len(n_levels))
        yield from self._of_trees()
        if model.total is None:
            source = f"{tested} AS c JOIN of_trees AS v ON v.r = c.r"
            yield "shares", select([*keys, *self.values], source)
            return
        yield from self._added(tested)
        total = self.dialect.number(model.total)
        shares = [f"{self.dialect.least}({p} / {total}, {self.one}) AS {p}" for p in self.values]
        source = f"{tested} AS c JOIN added AS a ON a.r = c.r AND a.tree = {len(self.trees)}"
        yield "shares", select([*keys, *shares], source)

    def _walk(self, tested: str, n_columns: int) -> str:
        """Return the nodes that each row gets to, with the part of it that gets there.

        With it goes the last node that divided the row, or -1 minus the number of the tree, and the
        branch that the part took there; how often it was divided; and directly below such a node
        what that node was reached with.
        """
        cases = " ".join(
            f"WHEN {number} THEN c.{name}"
            for number, name in enumerate(sources_of(self.trees, n_columns))
        )
        value = f"CASE e.source {cases} END"
        start = ["c.r", "t.node", self.one, "-1 - t.tree", "0", "0", _NOTHING, _NOTHING]
        step = [
            "w.r",
            "e.child",
            f"w.part * COALESCE(e.part, {self.one})",
            "COALESCE(e.divider, w.above)",
            "COALESCE(e.place, w.place)",
            "CASE WHEN e.divider IS NULL THEN w.level ELSE w.level + 1 END",
            "CASE WHEN e.divider IS NOT NULL THEN w.above END",
            "CASE WHEN e.divider IS NOT NULL THEN w.place END",
        ]
        taken = (
            f"({value} <= e.high AND (e.low IS NULL OR {value} > e.low))"
            f" OR (e.part IS NOT NULL AND {value} IS NULL)"
        )
        source = (
            f"walk AS w JOIN {tested} AS c ON c.r = w.r JOIN edges AS e ON e.node = w.node\n"
            f"  WHERE {taken}"
        )
        return f"{select(start, f'{tested} AS c CROSS JOIN roots AS t')}\n  UNION ALL\n" + select(
            step, source
        )

    def _of_trees(self) -> Iterator[tuple[str, str]]:
        """Yield the values of the leaves, and their sums where rows were divided."""
        of_leaf = [f"w.part * l.{p} AS {p}" for p in self.values]
        tree = ["r", "-1 - above AS tree", *self.values]
        most = max(map(most_divisions, self.trees))
        whole = ["w.r AS r", "-1 - w.above AS tree", *of_leaf]
        leaves = "walk AS w JOIN leaves AS l ON l.node = w.node"
        found = select(whole, f"{leaves}\n  WHERE w.level = 0")
        if most:
            columns = ["r", "above", "place", "level", "outer_above", "outer_place"]
            source = f"walk AS w LEFT {leaves.removeprefix('walk AS w ')}\n  WHERE w.level > 0"
            source += " AND (l.node IS NOT NULL OR w.outer_above IS NOT NULL)"
            given = [*(f"w.{c} AS {c}" for c in columns), *of_leaf]
            yield f"pieces{most + 1}", select(given, source)
            for level in reversed(range(1, most + 1)):
                yield f"pieces{level}", self._put_together(level)
            found += f"\n  UNION ALL\n{select(tree, 'pieces1')}"
        yield "of_trees", found

    def _put_together(self, level: int) -> str:
        """Return the pieces, where those of rows that were divided `level` times have become one.

        What the query knows about the node that divided a row stands beside one of the pieces.
        """
        widest = max(len(node.children) for nodes in self.trees for node in nodes)
        here = f"CASE WHEN level = {level} THEN"
        columns = [
            "r",
            f"{here} MAX(outer_above) ELSE above END AS above",
            f"{here} MAX(outer_place) ELSE MAX(place) END AS place",
            f"{here} {level - 1} ELSE level END AS level",
            f"{here} NULL ELSE MAX(outer_above) END AS outer_above",
            f"{here} NULL ELSE MAX(outer_place) END AS outer_place",
        ]
        for p in self.values:
            terms = (
                f"COALESCE(MAX(CASE WHEN place = {place} THEN {p} END), {self.zero})"
                for place in range(widest)
            )
            columns.append(f"{here} {' + '.join(terms)} ELSE MAX({p}) END AS {p}")
        group = f"r, above, level, {here} 0 ELSE place END"
        return select(columns, f"pieces{level + 1}\n  GROUP BY {group}")

    def _added(self, tested: str) -> Iterator[tuple[str, str]]:
        """Yield the sum over the trees, one tree after the other."""
        source, added = "of_trees", [f"t.weight * v.{p}" for p in self.values]
        if self.model.votes:
            vote = self.dialect.majority(self.values, range(len(self.values)))
            yield "votes", select(["r", "tree", f"{vote} AS vote"], source)
            source = "votes"
            added = [
                f"CASE WHEN v.vote = {k} THEN t.weight ELSE {self.zero} END"
                for k in range(len(self.values))
            ]
        start = select(["r", "0", *(self.zero for _ in self.values)], tested)
        sums = [f"a.{p} + {one}" for p, one in zip(self.values, added, strict=True)]
        rows = (
            f"added AS a JOIN {source} AS v ON v.r = a.r AND v.tree = a.tree\n"
            "  JOIN roots AS t ON t.tree = a.tree"
        )
        step = select(["a.r", "a.tree + 1", *sums], rows)
        yield f"added(r, tree, {', '.join(self.values)})", f"{start}\n  UNION ALL\n{step}"
