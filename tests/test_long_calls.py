"""Long calls of the engine end by Ctrl-C, and other threads go on while they last."""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from retree import (
    C45Classifier,
    CartClassifier,
    CartLCClassifier,
    CartRegressor,
    CMDTClassifier,
    OC1Classifier,
    SegmentC45Classifier,
    StructurePurityClassifier,
    engine,
)
from retree.forests import AccuracyThinner, BaggingTreesClassifier, ForestThinner
from retree.forests.forest import Forest
from retree.relief import ReliefF

AFTER = 0.2  # seconds of the processor that a call has had when Ctrl-C is pressed
POLL = 0.05  # seconds after which the engine asks again
MOST = 1.0  # seconds of the processor until it ends, on the slowest of machines


def noise(n, m=20, n_classes=2):
    """Return rows whose labels nothing explains, so that trees grow large."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, m)), rng.integers(0, n_classes, n)


def fit(model, n, **of_data):
    X, y = noise(n, **of_data)
    return lambda: model.fit(X, y)


def thin(thinner):
    """Return the thinning of a forest of the same tree many times over."""
    X, y = noise(30_000, m=2, n_classes=5)
    tree = CartClassifier(max_depth=14).fit(X, y).tree_
    forest = Forest((tree,) * 60, np.ones(60))
    return lambda: thinner.thinned(forest, X, y)


def predict():
    """Return the prediction of rows without values, which reach every leaf."""
    X, y = noise(20_000)
    tree = CartClassifier().fit(X, y).tree_
    rows = np.full((4000, 20), np.nan)
    return lambda: tree.predicted_codes(rows, divide_missing=True)


def cluster():
    rows = noise(100_000)[0]
    from retree_lab.papers.cmdt.clustering import k_means

    return lambda: k_means(rows, rows[:60])


CALLS = {
    "C4.5": lambda: fit(C45Classifier(pruning=None, mdl_correction=False), 100_000),
    "CART": lambda: fit(CartClassifier(), 200_000),
    "CART, two threads": lambda: fit(CartClassifier(n_jobs=2), 200_000),
    "CART regression": lambda: fit(CartRegressor(), 200_000),
    "CART-LC": lambda: fit(CartLCClassifier(), 40_000),
    "OC1": lambda: fit(OC1Classifier(random_state=0), 8000),
    "StructurePurity": lambda: fit(StructurePurityClassifier(criterion="bnm+csn"), 600_000),
    "Segment+C4.5": lambda: fit(SegmentC45Classifier(), 200_000),
    "CMDT": lambda: fit(CMDTClassifier(random_state=0), 20_000),
    "Relief-F": lambda: fit(ReliefF(n_samples=None), 12_000),
    "k-means": cluster,
    "bagging": lambda: fit(BaggingTreesClassifier(n_estimators=60), 20_000),
    "thinning": lambda: thin(ForestThinner(passes=20)),
    "thinning by accuracy": lambda: thin(AccuracyThinner(passes=20)),
    "prediction": predict,
}


@contextmanager
def interrupted():
    """Press Ctrl-C in the midst of the work inside, however busy the machine is."""
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_PROF, AFTER)
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_it(name):
    run = CALLS[name]()
    started = time.process_time()
    with interrupted():
        run()
    assert time.process_time() - started < AFTER + MOST


@pytest.mark.parametrize(
    "name", ["C4.5", "OC1", "StructurePurity", "CMDT", "k-means", "prediction"]
)
def test_other_threads_go_on(name, monkeypatch):
    run, ticks, gained, done = CALLS[name](), [0], [], threading.Event()

    def tick():
        while not done.wait(0.002):
            ticks[0] += 1

    def call(*arguments, to_engine=engine.call):
        before = ticks[0]
        try:
            return to_engine(*arguments)
        finally:
            gained.append(ticks[0] - before)

    monkeypatch.setattr(engine, "call", call)
    thread = threading.Thread(target=tick)
    thread.start()
    try:
        with interrupted():
            run()
    finally:
        done.set()
        thread.join()
    # With the GIL held it would be one tick for each time that the engine asks.
    assert max(gained) > 2 * (AFTER / POLL + 1)
