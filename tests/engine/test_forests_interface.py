"""The forests' functions of the engine: whatever they get, they answer or refuse."""

from contextlib import suppress

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from random_forests import forests

from retree import engine
from retree.forests.thinning import ContributionRule, ForestRows, node_contributions, place

NUMBERS = st.sampled_from([0.0, -1.0, 1.0, 1e308, np.inf, np.nan])
WHOLE = st.integers(-2, 9) | st.sampled_from([2**31 - 1, -(2**31)])
PASSES = {
    "thin_by_contribution": (ContributionRule(0.0, False, False, False, False),),
    "thin_by_accuracy": (),
}


def state_of(drawn):
    """Return the arguments of a pass of thinning, by name."""
    forest, X, y = drawn
    state = place(forest, X).thinning(y, pooling="mean", decisions=False)
    return {**state.rows._asdict(), **state._asdict()}


def damaged(data, array):
    """Draw an array of other numbers, or with the first rows only."""
    if data.draw(st.booleans()):
        return np.ascontiguousarray(array[: data.draw(st.integers(0, len(array)))])
    elements = NUMBERS if array.dtype.kind == "f" else st.booleans()
    if array.dtype.kind == "i":
        elements = WHOLE
    return data.draw(hnp.arrays(array.dtype, array.shape, elements=elements))


def bundled(state):
    """Return the rows of a forest as one argument."""
    return engine.bundle(*(state[name] for name in ForestRows._fields))


@given(forests(), st.sampled_from(sorted(PASSES)))
def test_a_pass_keeps_its_records_whole(drawn, function):
    state = state_of(drawn)
    changed = [state[name] for name in ("value", "y", "tree_weight", "ends", "cut", "shares")]
    engine.call(function, bundled(state), *changed, *PASSES[function])
    np.testing.assert_allclose(state["shares"].sum(axis=1), 1.0)
    nodes = np.arange(len(state["stop"]))
    is_end = (state["stop"] == nodes + 1) | state["cut"]
    assert is_end[state["ends"]].all()


@given(forests(), st.sampled_from(sorted(PASSES)), st.data())
def test_a_pass_refuses_what_does_not_fit(drawn, function, data):
    state = state_of(drawn)
    name = data.draw(st.sampled_from(sorted(set(state) - {"rows"})))
    state[name] = damaged(data, state[name])
    changed = [state[name] for name in ("value", "y", "tree_weight", "ends", "cut", "shares")]
    with suppress(ValueError):
        engine.call(function, bundled(state), *changed, *PASSES[function])
        assert set(np.unique(state["cut"])) <= {False, True}
        assert ((state["ends"] >= 0) & (state["ends"] < len(state["stop"]))).all()


@given(forests(), st.data())
def test_counts_and_shares_refuse_what_does_not_fit(drawn, data):
    state = state_of(drawn)
    name = data.draw(st.sampled_from([*ForestRows._fields, "y", "value", "tree_weight", "ends"]))
    state[name] = damaged(data, state[name])
    counts = np.empty_like(state["value"])
    with suppress(ValueError):
        engine.call("class_counts", bundled(state), state["y"], counts)
        assert not (counts < 0).any() or name == "part"
    with suppress(ValueError):
        arguments = (state[name] for name in ("value", "tree_weight", "ends", "shares"))
        engine.call("mean_shares", bundled(state), *arguments)
        assert ((state["ends"] >= 0) & (state["ends"] < len(state["stop"]))).all()


@given(forests(), st.sampled_from(["X", "columns", "weight"]), st.booleans(), st.data())
def test_placing_refuses_what_does_not_fit(drawn, name, divide, data):
    forest, X, _ = drawn
    tree = forest.trees[0]
    given_arrays = {"X": X, "columns": np.ascontiguousarray(X.T), "weight": tree.weight}
    given_arrays[name] = damaged(data, given_arrays[name])
    with suppress(ValueError):
        stop, start, row, part = engine.call(
            "place_rows", *list(given_arrays.values())[:2], tree.views, given_arrays["weight"],
            True, divide,
        )  # fmt: skip
        assert len(stop) == len(start) - 1 == tree.node_count
        assert len(row) == len(part) == start[-1]
        assert ((row >= 0) & (row < len(X))).all()


@given(st.data(), st.integers(0, 4), st.integers(0, 3), st.sampled_from([0.0, 1.0, np.nan]))
def test_contributions_of_any_shares(data, n, n_classes, n_trees):
    shares = [data.draw(hnp.arrays(float, (n, n_classes), elements=NUMBERS)) for _ in range(2)]
    labels = data.draw(hnp.arrays(np.int64, n, elements=WHOLE))
    with suppress(ValueError):
        found = node_contributions(*shares, labels, n_trees)
        assert ((labels >= 0) & (labels < n_classes)).all()
        assert found.shape == (n,)
