"""Numbers, marks, legends and rules as a reader sees them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from retree_lab.experiments.planning.plan import Plan
from retree_lab.reports.comparison import LEVEL, Comparison, Word
from retree_lab.statistics.agreement import ACCURACY_FLOOR, RATIO_FACTOR, SIZE_FLOOR, Verdict
from retree_lab.statistics.metrics import MetricKind, find_metric
from retree_lab.statistics.paired_tests import find_test

RULE = (
    "Two numbers match if they differ by at most 2·√2·s/√n, with s the standard deviation over the "
    f"n folds. Up to {100 * ACCURACY_FLOOR:g} points of an accuracy or error match in any case, "
    f"and up to {SIZE_FLOOR:.0%} of the published number for a size."
)
INTERVAL_RULE = (
    "Some protocols have replicates or repeat their folds. A published number then matches if it "
    "lies in the 95 % prediction interval of one replicate (low and high in the csv). The csv also "
    "says which matches are weak and which of the others chance explains (column verdict)."
)
SETS_RULE = (
    "Some data sets are our choice, since the paper's are not known. A mean over data sets is then "
    "judged by the spread between them: by the 95 % interval of the same mean over other data "
    "sets. A number on such a data set alone is not checkable."
)
DIGITS_RULE = (
    "Where folds and seeds are known to be the paper's own, nothing is random. A published number "
    "then matches if it equals ours in its last digit. The column steps of the csv says how many "
    "test rows or nodes of the whole protocol the others are away."
)
RATIO_RULE = (
    f"Two ratios of times match if one is at most {RATIO_FACTOR:g} times the other. Programs, "
    "compilers and machines differ."
)
COUNT_RULE = "Two counts match if they are the same."
STATISTIC_RULE = (
    "A statistic of a test is computed from the published values alone. It matches if it equals "
    "the published one in its last digit; steps in the csv counts last digits."
)
SCORE_RULE = (
    "Two scores match if they differ by at most 2·√2 standard errors, or by 0.005 times the "
    "published one or 1, whichever is greater."
)
_RULES = {
    MetricKind.SHARE: RULE,
    MetricKind.SIZE: RULE,
    MetricKind.RATIO: RATIO_RULE,
    MetricKind.COUNT: COUNT_RULE,
    MetricKind.SCORE: SCORE_RULE,
    MetricKind.STATISTIC: STATISTIC_RULE,
}


def rules(comparisons: Iterable[Comparison]) -> list[str]:
    """Return when numbers of the kinds that are judged among `comparisons` agree."""
    cells = [c for c in comparisons if c.verdict]
    statistics = {c.metric for c in cells if find_metric(c.metric).kind == MetricKind.STATISTIC}
    by_digits = [c for c in cells if not math.isnan(c.steps) and c.metric not in statistics]
    allowed = {c.metric: c.judgement.allowed for c in cells}
    declared = {metric: most for metric, most in allowed.items() if not math.isnan(most)}
    cells = [c for c in cells if math.isnan(c.judgement.allowed)]
    by_runs = [c for c in cells if c.prediction is not None and not c.over_sets]
    over_sets = [c for c in cells if c.over_sets]
    others = [c.metric for c in cells if c.prediction is None and math.isnan(c.steps)]
    by_rule = [(DIGITS_RULE, by_digits), (INTERVAL_RULE, by_runs), (SETS_RULE, over_sets)]
    words = [f"{find_metric(name).label} by at most {most:g}" for name, most in declared.items()]
    declared_rule = (
        [f"Numbers match if they differ in {', '.join(words)}, as the study says."] if words else []
    )
    others += [c.metric for c in cells if c.metric in statistics]
    return [
        *(rule for rule, judged in by_rule if judged),
        *declared_rule,
        *rules_of_metrics(others),
    ]


def rules_of_metrics(metrics: Iterable[str]) -> list[str]:
    """Return when numbers of `metrics`, none of them a time, agree."""
    kinds = dict.fromkeys(find_metric(metric).kind for metric in metrics)
    return list(dict.fromkeys(_RULES[kind] for kind in kinds))


BLANK = "—"
SMALL = 1e-4  # A statistic below it is written with an exponent
NOT_JUDGED = "not judged, since their protocol is another one, or is not known"
# Beside a number whose parameters were chosen on the test rows.
ON_TEST = "‡"
# Beside a published number that was not copied from the paper itself.
SECOND_HAND = "§"
MARKS = {
    "▲": "significantly greater",
    "▼": "significantly smaller",
    ON_TEST: "parameters chosen on the test rows",
    SECOND_HAND: "the published number is second hand, not copied from the paper itself",
}
# How a number was judged, on the pages behind it.
VERDICTS = {
    Verdict.EQUAL: "equal to the printed digit",
    Verdict.AGREES: "agrees",
    Verdict.WEAK: "agrees weakly: so would half of the other published numbers in its row",
    Verdict.EDGE: "outside, but chance explains it",
    Verdict.DIFFERS: "differs",
    Verdict.EXPLAINED: "known misprint",
    Verdict.MISSING: "not checkable",
}
_NODES = ("node", "nodes")
# The units that the last digit of a mean counts.
_STEPS = {"row": ("row", "rows"), "depth": ("level", "levels"), "leaves": ("leaf", "leaves")}


def number(metric: str, value: float, sign: bool = False, unit: float = math.nan) -> str:
    """Return a number to the digit of `unit`, or as its metric is shown; a blank is "—"."""
    if math.isnan(value):
        return BLANK
    places = find_metric(metric).decimals if math.isnan(unit) else max(0, round(-math.log10(unit)))
    if 0 < abs(value) < SMALL and find_metric(metric).kind == MetricKind.STATISTIC:
        exponent = math.floor(math.log10(abs(value)))
        digits = 3 if math.isnan(unit) else max(0, places + exponent)
        return f"{value:.{digits}e}".replace("-", "−")
    # The last bit depends on the order of a sum. It must not decide a tie of decimal digits.
    decimal = Decimal(repr(round(float(value), 10)))
    text = f"{decimal:{'+' if sign else ''}.{places}f}"
    return text.replace("-", "−")


def decimal(value: float, places: int, sign: bool = False) -> str:
    """Return a number of no metric with so many decimals; a blank is "—"."""
    return BLANK if math.isnan(value) else f"{value:{'+' * sign}.{places}f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share in per cent: only a whole one is 100, and only none is 0; NaN is "—"."""
    if math.isnan(share):
        return BLANK
    texts = [f"{100 * share:.{places}f}" for places in range(3)]
    if share in (0, 1):
        return texts[0]
    exact_texts = [text for text in texts if float(text) not in (0, 100)]
    return exact_texts[0] if exact_texts else ("99.99" if share > 0.5 else "0.01")


def p_text(value: float, name: str = "") -> str:
    """Return a p-value, ``name = value`` if it has a name."""
    if value < 0.0001:
        return f"{name} < 0.0001".strip()
    return f"{name} = {value:.4f}" if name else f"{value:.4f}"


def exact(values: Iterable[float]) -> Iterator[str]:
    """Yield numbers with six significant digits."""
    for value in values:
        yield BLANK if math.isnan(value) else f"{value:.6g}"


def verdict_words(verdict: str) -> str:
    """Return a verdict in words, "" for none."""
    return VERDICTS[Verdict(verdict)] if verdict else ""


def blank_sentences(plans: Iterable[Plan]) -> list[str]:
    """Return which data sets and methods of `plans` are left out, and why."""
    sentences = []
    for plan in plans:
        names = {method.key: method.name for method in plan.item.methods}
        for key, reason in plan.left_out.items():
            name = names.get(key, key)
            sentences.append(f"Left out: {reason if name in reason else f'{name}: {reason}'}")
    return list(dict.fromkeys(sentences))


def capitalized(label: str) -> str:
    """Return a label with a capital letter at its start."""
    return label[:1].upper() + label[1:]


def cell_parts(c: Comparison) -> tuple[str, str, str]:
    """Return number, published number in brackets and marks, with ± where the paper has it."""

    def shown(value: float, std: float) -> str:
        text = number(c.metric, value, unit=unit)
        has_std = text != BLANK and not math.isnan(c.published_std)
        return f"{text}±{number(c.metric, std, unit=unit)}" if has_std else text

    unit = math.nan if math.isnan(c.steps) else c.unit
    is_published = not math.isnan(c.published)
    published = f"({shown(c.published, c.published_std)})" if is_published else ""
    sign = c.word.sign if c.word else ""
    marks = sign + c.mark + ON_TEST * (c.on_test and not math.isnan(c.reproduced))
    marks += SECOND_HAND * c.theirs.second_hand
    return shown(c.reproduced, c.reproduced_std), published, marks


def steps(c: Comparison) -> str:
    """Return how far a number that is judged by its digits is from the published one, in words."""
    nouns = _STEPS.get(
        "row" if find_metric(c.metric).kind == MetricKind.SHARE else c.metric, _NODES
    )
    total = f"{c.n_test:,} rows" if nouns == _STEPS["row"] else f"{c.n_folds:,} trees or forests"
    return f"{c.steps:,.0f} {nouns[c.steps != 1]} away over {total}"


def agreement_sentence(comparisons: Iterable[Comparison]) -> str:
    """Return how many of the published numbers match, are close, off or not checkable."""
    comparisons = list(comparisons)
    judged = [c for c in comparisons if c.word]
    counts = Counter(c.word for c in judged)
    counted = [f"{counts[word]} {word}" for word in Word if counts[word]]
    numbers = "number" if len(judged) == 1 else "numbers"
    others = [c for c in comparisons if not c.verdict and not math.isnan(c.published)]
    others = [c for c in others if find_metric(c.metric).kind != MetricKind.TIME]
    if others and not judged:
        return f"{len(others)} published numbers are {NOT_JUDGED}."
    sentence = f"Of {len(judged)} published {numbers}: {', '.join(counted)}."
    sentence += f" {len(others)} more are {NOT_JUDGED}." if others else ""
    return sentence if judged else "Nothing is published."


def verdict_legend(comparisons: Sequence[Comparison]) -> list[str]:
    """Return sentences that explain the signs, and the rules where something is published."""
    words = {c.word for c in comparisons}
    signs = [f"{word.sign} {word} ({word.meaning})" for word in Word if word in words]
    signs += [f"{ON_TEST} parameters chosen on the test rows, which is optimistic"] * any(
        c.on_test for c in comparisons
    )
    if any(c.theirs.second_hand for c in comparisons):
        signs.append(f"{SECOND_HAND} {MARKS[SECOND_HAND]}")
    signs.append(f"{BLANK} no number")
    if all(math.isnan(c.published) for c in comparisons):
        return [f"{', '.join(signs)}."]
    return [f"reproduced (published): {', '.join(signs)}.", *rules(comparisons)]


def mark_legend(baseline: str, metrics: Iterable[str], test: str) -> str:
    """Return the meaning of the triangles."""
    measures = [find_metric(metric) for metric in metrics]
    words = []
    for word, is_meant in (("greater", False), ("smaller", True)):
        if labels := [m.label for m in measures if m.smaller_is_better == is_meant]:
            words.append(f"{word} is better for {' and '.join(labels)}")
    return (
        f"▲ significantly greater, ▼ significantly smaller than the value of {baseline} at "
        f"{LEVEL:.0%}, by {find_test(test).words}. Here {', '.join(words)}."
    )
