"""Du & Chen 2023."""

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
    one,
    only_if,
    outcomes,
    percent,
    select,
    share,
    table,
)

PAPER = "structure_purity"
_BY_PROTOCOL = (
    "reproduced by the paper's protocol, not with parameters chosen inside the training folds"
)
_NEW = ("BNM+Gini", "CSN+Gini", "BNM+CSN+Gini")


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    own, counts = numbers(PAPER), numbers(PAPER, item="datasets")
    yield f"«{agree(own)}» of «{judged(own)}» numbers agree, among them «{agree(counts)}» counts"
    yield f"«{count(own, 'differs')}» differ at a false discovery rate of 5 %"
    accuracies, sizes = _accuracies(), own[own["metric"].isin(["depth", "leaves"])]
    most = all(share(found) > 0.5 for _, found in accuracies.groupby("method"))
    n_sets = accuracies["dataset"].nunique()
    yield only_if(most, f"every method most of the «{n_sets}» accuracies agree")
    outside = [percent(1 - share(found)) for found in (accuracies, sizes)]
    yield f"«{outside[0]}» % of the accuracies and «{outside[1]}» % of the sizes do not"
    yield from _c45()
    n_claims = outcomes(PAPER, _BY_PROTOCOL)
    yield f"[«{n_claims}» claims](../results/structure_purity/claims.md) are reproduced"
    yield from _ranks()
    yield f"on «{_tuned('wins'):.0f}» of the «{n_sets}» sets, as the authors claim"
    gain = _tuned("difference")
    yield f"accuracy is «{gain:.4f}» higher (published: «{_published_gain():.4f}»)"
    lost = [mean(PAPER, "table2", metric="optimism", method=name) for name in _NEW]
    yield f"README.md) «{lost[0]:.3f}», «{lost[1]:.3f}» and «{lost[2]:.3f}» of their mean"
    yield only_if(_tuned("difference", "CSN+Gini") < 0, "so CSN+Gini falls below Gini")


def page() -> Iterator[str]:
    """Yield the phrases of the paper's own page."""
    n_sets = _accuracies()["dataset"].nunique()
    yield f"Gini on «{_tuned('wins'):.0f}» of «{n_sets}» data sets"
    gain = _tuned("difference")
    yield f"is higher by «{gain:.4f}» (published: «{_published_gain():.4f}»)"
    yield f"data sets gives p = «{_tuned('wilcoxon_p'):.4f}»"
    ours, theirs = (
        {name: mean(PAPER, "table3", which, metric="leaves", method=name) for name in _NEW[:1]}
        | {"Gini": mean(PAPER, "table3", which, metric="leaves", method="Gini")}
        for which in ("reproduced", "published")
    )
    yield (
        f"«{ours['BNM+Gini']:.1f}» leaves on average, against «{ours['Gini']:.1f}» for Gini "
        f"(published: «{theirs['BNM+Gini']:.1f}» and «{theirs['Gini']:.1f}»)"
    )
    yield _held("bnm-fewer-leaves", "That holds in")
    less = _tuned("difference", "CSN+Gini")
    more = _leaves("CSN+Gini") > _leaves("Gini")
    yield only_if(
        less < 0 and more, f"then «{-less:.4f}» less accurate than Gini, and has more leaves"
    )
    p = _tuned("wilcoxon_p", "CSN+Gini")
    yield only_if(p > 0.05, f"is not significant (p = «{p:.2f}»)")
    best = claim(PAPER, "best-mean")
    always = best.held == best.replicates
    yield only_if(always, f"best mean accuracy in all «{best.held:.0f}» replicates if parameters")
    both = _tuned("difference", "BNM+CSN+Gini")
    below = _tuned("difference") > both > 0
    yield only_if(below, f"it is «{both:.4f}» above Gini, and below BNM+Gini")
    ranks = select(table(PAPER, "ranks"), selection="nested").sort_values("average_rank")
    first, second = ranks["average_rank"].iloc[:2]
    in_order = list(ranks["method"])[:2] == ["BNM+Gini", "J48"]
    yield only_if(in_order, f"Among «{len(ranks)}» methods, BNM+Gini then has the best")
    yield f"«{first:.2f}» and «{second:.2f}». They are not significantly different"
    yield f"«{outcomes(PAPER, 'depends on the folds')}» depend on the folds"
    nested = select(table(PAPER, "table2"), metric="accuracy_nested")["n_replicates"]
    yield f"choice of parameters was computed in «{nested.max():.0f}» replicates"
    power = select(table(PAPER, "power"), item=("table2", "table3")).set_index("metric")
    for metric, words in (
        ("accuracy", "accuracies «{}» % agree with the right method, but «{}» % with a wrong one"),
        ("leaves", "Leaves tell more: «{}» % against «{}» %"),
    ):
        yield words.format(*(percent(power[c][metric]) for c in ("right", "wrong")))
    xor = claim(PAPER, "xor-in-three-splits").outcome == "confirmed by a test"
    yield only_if(xor, "and it is reproduced")


def _accuracies() -> pd.DataFrame:
    return numbers(PAPER, item="table2", metric="accuracy")


def _leaves(method: str) -> float:
    return mean(PAPER, "table3", metric="leaves", method=method)


def _published_gain() -> float:
    """Return by how much BNM raises Gini's mean accuracy in the published Table 2."""
    table2 = {"item": "table2", "metric": "accuracy"}
    found = [numbers(PAPER, **table2, method=m)["published"] for m in ("BNM+Gini", "Gini")]
    return float(found[0].mean() - found[1].mean())


def _tuned(column: str, method: str = "BNM+Gini") -> float:
    """Return a comparison with Gini, parameters chosen inside the training folds."""
    if column == "difference":
        ranks = table(PAPER, "ranks")
        ours, theirs = (
            one(ranks, "mean", selection="nested", method=name) for name in (method, "Gini")
        )
        return float(ours - theirs)
    pairs, names = select(table(PAPER, "ranks_pairs"), selection="nested"), [method, "Gini"]
    pair = pairs[pairs["better"].isin(names) & pairs["worse"].isin(names)].iloc[0]
    turned = column == "wins" and pair["better"] == "Gini"
    return float(pair["losses" if turned else column])


def _held(name: str, before: str) -> str:
    found = claim(PAPER, name)
    return f"{before} «{found.held:.0f}» of «{found.replicates:.0f}» replicates"


def _c45() -> Iterator[str]:
    theirs = select(_accuracies(), method="C4.5")
    j48 = select(table(PAPER, "table2"), metric="accuracy", method="J48, unpruned")
    published = j48["dataset"].map(theirs.set_index("dataset")["published"])
    above = bool((j48["reproduced"] > published).all())
    yield only_if(above, "more accurate than published on every set")
    fits = int(((j48["low"] <= published) & (published <= j48["high"])).sum())
    yield f"«{agree(theirs)}» of «{len(theirs)}» accuracies agree, J48's «{fits}»"


def _ranks() -> Iterator[str]:
    ranks = select(table(PAPER, "ranks"), selection="nested").sort_values("average_rank")
    names = ["BNM+Gini", "J48", "BNM+CSN+Gini", "J48, unpruned", "Gini"]
    rank = dict(zip(ranks["method"], ranks["average_rank"], strict=True))
    in_order = list(ranks["method"])[:5] == names
    best, *others = (f"«{rank[name]:.2f}»" for name in names)
    yield only_if(in_order, f"ranks.md) of «{len(ranks)}» methods, {best}")
    yield (
        f"with {others[0]}, BNM+CSN+Gini with {others[1]}, J48 unpruned with {others[2]} and "
        f"Gini with {others[3]}"
    )
    critical = one(table(PAPER, "ranks_tests"), "critical_difference", selection="nested")
    near = rank["Gini"] - rank["BNM+Gini"] < critical
    yield only_if(near, f"significantly worse: the critical difference is «{critical:.2f}»")
    last = ranks["method"].iloc[-1] == "C4.5"
    yield only_if(last, f"comes last with «{rank['C4.5']:.2f}»")
