"""One tree on one and on two threads, and how that would grow by Amdahl's law.

Usage: python bench_threads.py [--rows N] [--columns P] [--repeats R]. The lowest of several fits
is printed: wall seconds, which mean little on a busy machine, and CPU seconds of the calling
thread, which on an idle machine are the wall seconds without waiting.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from retree import C45Classifier, CartClassifier, CartRegressor

MODELS = {"CART": CartClassifier, "CART regression": CartRegressor, "C4.5": C45Classifier}
THREADS = (4, 8)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(args.rows, args.columns))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] + rng.normal(size=args.rows) > 0)
    for name, model in MODELS.items():
        least = {1: (np.inf, np.inf), 2: (np.inf, np.inf)}
        for _ in range(args.repeats):
            for n_jobs, before in least.items():
                clock, processor = time.perf_counter(), time.thread_time()
                model(n_jobs=n_jobs).fit(X, y)
                found = time.perf_counter() - clock, time.thread_time() - processor
                least[n_jobs] = min(before[0], found[0]), min(before[1], found[1])
        shared = 2 * (1 - least[2][1] / least[1][1])
        expected = [f"{n} threads {1 / (1 - shared + shared / n):.1f}" for n in THREADS]
        print(
            f"{name:<16} clock {least[1][0]:.2f} / {least[2][0]:.2f} s,"
            f" processor {least[1][1]:.2f} / {least[2][1]:.2f} s"
            f" = {least[1][1] / least[2][1]:.2f}; on paper {', '.join(expected)}"
        )


if __name__ == "__main__":
    main()
