"""Further draws of a data set that is a random sample of a known distribution."""

from __future__ import annotations

from functools import lru_cache

from retree.errors import DataError
from retree_lab.datasets import checksums
from retree_lab.datasets.canonical import canonicalise, ordered_sha256
from retree_lab.datasets.loading import Dataset
from retree_lab.datasets.prepare import prepare
from retree_lab.datasets.sources import computed
from retree_lab.study import catalogue

_SEED = "random_state"


@lru_cache(maxsize=256)
def load_draw(name: str, number: int) -> Dataset:
    """Return another draw of a data set, of the same distribution and as many rows.

    `number`: 0 is the draw that a generator gives as the catalogue says, the others have the seeds
    after that one's.
    """
    entry = catalogue.find(name)
    root = catalogue.root(entry)
    options = root.sources.get("generator", {})
    arguments = options.get("arguments", {})
    if _SEED not in arguments:
        raise DataError(f"{name!r} cannot be drawn anew: it is no random sample of a generator.")
    seeded = {**options, "arguments": {**arguments, _SEED: arguments[_SEED] + number}}
    assert root.raw is not None
    X, y = canonicalise(computed.fetch_generated(root.name, seeded), root.raw, options)
    checksums.check_shape(root, "generator", y)
    X, y = prepare(X, y, entry)
    return Dataset(entry.name, X, y, "generator", ordered_sha256(X, y), entry.note)
