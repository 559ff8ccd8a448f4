"""He, Xu & Chen 2009."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from committed import (
    agree,
    claim,
    count,
    judged,
    mean,
    numbers,
    only_if,
    percent,
    select,
    table,
)

PAPER = "latent_space"
SODT = ("GSODT", "LSODT-L1", "LSODT-L2", "LSODT-L3")
OBLIQUE = ("OC1", "CART-LC")
_NO_REPLICATE = "true in the paper, not reproduced"


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    own = numbers(PAPER)
    counts, times = (judged(numbers(PAPER, item=item)) for item in ("table1", "table4"))
    yield f"«{agree(own)}» of the «{judged(own)}» numbers that can be judged agree"
    yield (
        f"Of these «{judged(own)}», «{counts}» are counts of rows, features and classes, and "
        f"«{times}» are ratios of times"
    )
    new, oblique = _errors("C4.5", *SODT), _errors(*OBLIQUE)
    edge = f"beyond chance: «{agree(new)}» agree, and «{count(new, 'edge')}» are at the edge"
    yield only_if(not count(new, "differs"), edge)
    differ = count(oblique, "differs")
    yield (
        f"Of the «{judged(oblique)}» errors of OC1 and CART-LC that can be judged, "
        f"[«{differ}» differ]"
    )
    yield _searches()
    p = float(table(PAPER, "ranks_tests")["friedman_p"].iloc[0])
    yield only_if(p > 0.05, f"twelve sets (Friedman's test: p = «{p:.3f}»)")


def page() -> Iterator[str]:
    """Yield the phrases of the paper's own page."""
    new, own = _errors("C4.5", *SODT), numbers(PAPER)
    judgeable = f"of «{judged(new)}» errors that can be judged, «{agree(new)}» agree"
    yield only_if(not count(new, "differs"), f"{judgeable}, and none differs beyond chance")
    smaller = claim(PAPER, "more-compact")
    yield (
        f"smaller than those of C4.5, in «{smaller.held:.0f}» of «{smaller.replicates:.0f}» "
        "replicates"
    )
    errors = {
        which: [mean(PAPER, "table2", which, metric="error_pct", method=m) for m in OBLIQUE]
        for which in ("reproduced", "published")
    }
    (oc1, cart), (their_oc1, their_cart) = errors.values()
    yield (
        f"by mean error «{oc1:.1f}» and «{cart:.1f}» % (published: «{their_oc1:.1f}» and "
        f"«{their_cart:.1f}» %)"
    )
    most = claim(PAPER, "most-accurate")
    yield (
        "lowest error on most data sets holds in "
        f"«{most.held:.0f}» of «{most.replicates:.0f}» replicates"
    )
    claims = ("all-more-accurate", "lower-mean-error")
    none = all(claim(PAPER, name).outcome == _NO_REPLICATE for name in claims)
    yield only_if(none, "on average, holds in none")
    p = float(table(PAPER, "ranks_tests")["friedman_p"].iloc[0])
    yield only_if(p > 0.05, f"methods are not significantly different (p = «{p:.3f}»)")
    yield from _explained()
    fast = claim(PAPER, "faster-than-oc1").outcome == "true in the paper and reproduced"
    yield only_if(fast, "The new trees are far faster than OC1, as")
    yield f"There are «{smaller.replicates:.0f}» replicates with other folds"
    counts = judged(numbers(PAPER, item="table1"))
    yield (
        f"«{agree(own)}» of «{judged(own)}» agree, but «{counts}» of these «{judged(own)}» are "
        "counts"
    )
    power = table(PAPER, "power").set_index("metric")
    for metric, words in (
        ("error_pct", "say little: «{}» % agree with the right method, «{}» % with a wrong one"),
        ("tree_size", "Sizes tell more: «{}» % against «{}» %"),
    ):
        yield words.format(*(percent(power[c][metric]) for c in ("right", "wrong")))


def _errors(*methods: str) -> pd.DataFrame:
    return numbers(PAPER, item="table2", method=methods)


def _searches() -> str:
    sets = ["waveform", "waveformnoise", "ringnorm"]
    found = select(table(PAPER, "searches"), metric="error_pct", dataset=sets)
    program = select(found, method="CART-LC (program)")
    written = select(found, method="CART-LC")["reproduced"]
    there, published = program["reproduced"], program["published"]
    return (
        f"misclassifies «{there.min():.0f}» to «{there.max():.0f}» % of waveform, waveformnoise "
        f"and ringnorm (published: «{published.min():.0f}» to «{published.max():.0f}» %), and the "
        f"algorithm as written «{written.min():.0f}» to «{written.max():.0f}» %"
    )


def _explained() -> Iterator[str]:
    found = select(table(PAPER, "searches"), metric="error_pct").set_index(["method", "dataset"])
    program = found.loc["CART-LC (program)"]
    agrees = program["verdict"]["waveform"] in ("agrees", "weak")
    yield only_if(agrees, "CART-LC's published error on waveform agrees")
    written = found.loc["CART-LC"]["reproduced"]
    sets = ["waveformnoise", "ringnorm", "threenorm"]
    part = (written[sets] < program["reproduced"][sets]) & (
        program["reproduced"][sets] < program["published"][sets]
    )
    yield only_if(bool(part.all()), "On waveformnoise, ringnorm and threenorm it explains a part")
