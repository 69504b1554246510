"""From measurements to sentences: what the structure does for a learner."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from allpass.data.draft import many
from allpass.diagnosis.answers import Answer, Kind
from allpass.diagnosis.chance import Chance
from allpass.diagnosis.facts import Facts
from allpass.diagnosis.filtering import Separation
from allpass.diagnosis.frequency import Frequencies
from allpass.diagnosis.numbers import Numbers
from allpass.diagnosis.oversmoothing import Smoothing
from allpass.diagnosis.verdict import Verdict
from allpass.metrics import GraphTest


@dataclass(frozen=True)
class Finding:
    """One conclusion with the numbers behind it.

    Args:
        code: Short stable name, for programs.
        kind: Whether it speaks for using the structure by averaging, against it, or neither.
        title: The conclusion.
        text: Why, in a sentence or two.
        evidence: The numbers.
    """

    code: str
    kind: Kind
    title: str
    text: str
    evidence: dict[str, float]


@dataclass(frozen=True)
class Evidence:
    """Everything the conclusions are drawn from."""

    facts: Facts
    metrics: dict[str, float]
    tests: dict[str, GraphTest]
    frequencies: Frequencies
    separation: Separation | None
    smoothing: Smoothing
    chance: Chance | None
    verdict: Verdict | None = None
    numbers: Numbers | None = None


def find(evidence: Evidence) -> tuple[Finding, ...]:
    """The findings that apply, the weightiest first: what was trained before what was measured.

    Where models were trained, they alone speak for or against the structure: measured findings are notes, and those
    that training contradicts are dropped.
    """
    verdict = evidence.verdict
    if verdict is None:
        return _measured(evidence)
    trained = tuple(map(_trained, verdict.answers))
    notes = _of_splits(verdict.notes)
    explaining = tuple(
        replace(finding, kind="note")
        for finding in _measured(evidence)
        if finding.code not in verdict.refuted
    )
    return (*trained, *notes, *explaining)


def _of_splits(notes: tuple[str, ...], most: int = 3) -> tuple[Finding, ...]:
    """What is odd about the splits, as one finding."""
    if not notes:
        return ()
    rest = len(notes) - most
    text = " ".join(notes[:most]) + (f" And {many(rest, 'note')} of this kind." if rest > 0 else "")
    return (Finding("splits", "note", "Not every class can be judged.", text, {}),)


def _trained(answer: Answer) -> Finding:
    found = answer.difference
    numbers = {"difference": found.mean}
    if answer.interval is not None:
        numbers["at_least"], numbers["at_most"] = answer.interval
        if found.telling:
            numbers["p_value"] = found.p_value
    return Finding(answer.code, answer.kind, answer.title, answer.text, numbers)


def _measured(evidence: Evidence) -> tuple[Finding, ...]:
    if not evidence.facts.edges:
        text = (
            "Every metric of the structure is empty or trivial; the features are all there is to learn from."
        )
        return (Finding("no-edges", "bad", "No edge joins two different nodes.", text, {"edges": 0.0}),)
    if evidence.facts.classes < 2:
        few = (_similar_numbers, _frequency, _smoothing)
        return tuple(finding for rule in few if (finding := rule(evidence)) is not None)
    rules = (
        _averaging_test,
        _alike,
        _aggregation,
        _informative,
        _high_pass,
        _frequency,
        _smoothing,
        _balance,
    )
    return tuple(finding for rule in rules if (finding := rule(evidence)) is not None)


def _averaging_test(e: Evidence) -> Finding | None:
    if not e.tests:
        return None
    test = e.tests["linear"]
    gain = 100 * (test.with_graph - test.without_graph)
    numbers = {"with_graph": test.with_graph, "without_graph": test.without_graph}
    text = (
        f"A simple classifier reaches {test.with_graph:.1%} on features averaged over neighbours and "
        f"{test.without_graph:.1%} on the features alone (mean of {test.repeats} samples)."
    )
    if _gain_is_certain(e, test):
        if gain > 0:
            title = f"Averaging neighbours helps by {gain:.1f} points."
            return Finding("averaging-helps", "good", title, text, numbers)
        title = f"Averaging neighbours costs {-gain:.1f} points."
        return Finding("averaging-hurts", "bad", title, text, numbers)
    if not _beats_chance(e, test):
        title = "Neither the features nor their averages predict the label."
        text += f" Guessing reaches {1 / e.facts.classes:.1%}."
        return Finding("unpredictable", "bad", title, text, numbers)
    return Finding("averaging-neutral", "note", "Averaging neighbours changes little.", text, numbers)


def _gain_is_certain(e: Evidence, test: GraphTest) -> bool:
    """Two standard errors of a difference between accuracies on this many nodes, and the test agrees.

    The samples of the test come from one graph, so its p-value alone takes the quirks of that graph for certain.
    """
    error = math.sqrt(sum(p * (1 - p) for p in (test.with_graph, test.without_graph)) / e.facts.labelled)
    difference = test.with_graph - test.without_graph
    agrees = test.p_value > 0.95 if difference > 0 else test.p_value < 0.05
    return agrees and abs(difference) > 2 * error and _beats_chance(e, test)


def _beats_chance(e: Evidence, test: GraphTest) -> bool:
    guess = 1 / e.facts.classes
    margin = 2 * math.sqrt(guess * (1 - guess) / e.facts.labelled)
    return max(test.with_graph, test.without_graph) > guess + margin


def _alike(e: Evidence) -> Finding | None:
    h, edge = e.metrics["adjusted_homophily"], e.metrics["edge_homophily"]
    if math.isnan(h):
        return None
    numbers = {"adjusted_homophily": h, "edge_homophily": edge}
    what = "edge weight joins" if e.facts.weighted else "edges join"
    text = (
        f"{edge:.0%} of the {what} nodes of one class; corrected for what chance gives, homophily is {_decimals(h)} "
        "(1 = always alike, 0 = as by chance)."
    )
    if h >= 0.5:
        return Finding("homophilous", "good", "Neighbours mostly share their class.", text, numbers)
    if h >= 0.15:
        return Finding("weakly-homophilous", "note", "Neighbours share their class somewhat.", text, numbers)
    if h > -0.05:
        return Finding(
            "indifferent", "bad", "Neighbours share their class no more than by chance.", text, numbers
        )
    return Finding("heterophilous", "bad", "Neighbours tend to be of other classes.", text, numbers)


def _similar_numbers(e: Evidence) -> Finding | None:
    if e.numbers is None:
        return None
    moran, r = e.numbers.moran, e.numbers.correlation
    value, chance = map(_decimals, (moran.value, moran.expected))
    numbers = {"morans_i": moran.value, "gearys_c": e.numbers.geary.value, "neighbour_correlation": r}
    text = f"Shuffled numbers would give {chance} on average, with a standard deviation of {moran.deviation:.2g}."
    if not math.isnan(r):
        text += (
            f" The mean of a node's neighbours explains {r * r:.0%} of the variance of the numbers "
            f"(correlation {_decimals(r)})."
        )
    if not abs(moran.z) > 3:
        title = f"Neighbours' values are unrelated: Moran's I = {value}, no more than by chance."
        return Finding("unrelated-numbers", "bad", title, text, numbers)
    if moran.value < 0:
        title = f"Neighbours have opposite values: Moran's I = {value}, 0 expected by chance."
        return Finding("opposite-numbers", "bad", title, text, numbers)
    if moran.value >= 0.3:
        title = f"Neighbours have similar values: Moran's I = {value}, 0 expected by chance."
        return Finding("similar-numbers", "good", title, text, numbers)
    title = f"Neighbours have slightly similar values: Moran's I = {value}, 0 expected by chance."
    return Finding("slightly-similar-numbers", "note", title, text, numbers)


def _aggregation(e: Evidence) -> Finding | None:
    h, modified = e.metrics["aggregation_homophily"], e.metrics["modified_aggregation_homophily"]
    if math.isnan(h):
        return None
    numbers = {"aggregation_homophily": h, "modified_aggregation_homophily": modified}
    guess = e.chance.aggregation_homophily if e.chance else 0.0
    numbers["shuffled_labels"] = guess
    text = (
        f"After averaging the labels around them, {h:.1%} of the nodes still resemble their own class most; "
        f"shuffled labels would give {guess:.1%}"
    )
    if modified == 0:
        text += " (rescaled this is 0, so the unscaled number is shown: fewer than half keep their class)."
        return Finding("aggregation-mixes", "bad", "Averaged labels mix the classes up.", text, numbers)
    if h < guess + 0.05:
        title = "Averaged labels keep the classes apart no better than by chance."
        return Finding("aggregation-by-chance", "bad", title, text + ".", numbers)
    if modified >= 0.6:
        return Finding(
            "aggregation-keeps", "good", "Averaged labels keep the classes apart.", text + ".", numbers
        )
    return Finding(
        "aggregation-blurs", "note", "Averaged labels blur the classes partly.", text + ".", numbers
    )


def _informative(e: Evidence) -> Finding | None:
    li, h = e.metrics["label_informativeness"], e.metrics["adjusted_homophily"]
    if math.isnan(li) or h >= 0.15:
        return None
    guess = e.chance.label_informativeness if e.chance else 0.0
    numbers = {"label_informativeness": li, "shuffled_labels": guess}
    text = (
        f"One neighbour's label removes {li:.0%} of the uncertainty about a node's label; "
        f"shuffled labels would seem to remove {guess:.0%}."
    )
    if li >= guess + 0.08:
        title = "Neighbours differ, but in a way that tells."
        return Finding("informative-heterophily", "good", title, text, numbers)
    return Finding("uninformative", "bad", "The label of one neighbour tells next to nothing.", text, numbers)


def _high_pass(e: Evidence) -> Finding | None:
    if e.separation is None:
        return None
    shares = e.separation.shares
    only_high, numbers = shares["high-pass only"], dict(shares)
    text = (
        f"Judged on the {e.separation.signal}, {only_high:.0%} of the nodes are set apart only by the difference to "
        f"their neighbours, {shares['low-pass only']:.0%} only by the average, {shares['both']:.0%} by both and "
        f"{shares['neither']:.0%} by neither."
    )
    separated = only_high + shares["both"]
    guess = e.chance.diversification_distinguishability if e.chance else 0.0
    numbers["shuffled_labels"] = guess
    text += f" Differences set {separated:.0%} apart, {guess:.0%} under shuffled labels."
    if only_high >= 0.1 and separated >= guess + 0.05:
        return Finding(
            "high-pass-adds", "good", "A high-pass channel reaches nodes that averaging loses.", text, numbers
        )
    return Finding("high-pass-adds-little", "note", "A high-pass channel adds few nodes.", text, numbers)


def _frequency(e: Evidence) -> Finding | None:
    bands, random = e.frequencies.bands, e.frequencies.random_bands
    if not bands:
        return None
    favoured = max(bands, key=lambda band: bands[band] - random[band])
    excess = bands[favoured] - random[favoured]
    numbers = {f"{band}_band": share for band, share in bands.items()}
    text = (
        f"{_thirds(bands)} of the labels' energy lies at low / middle / high frequencies; a random signal would have "
        f"{_thirds(random)}."
    )
    if excess < 0.05:
        return Finding("labels-everywhere", "note", "The labels favour no frequency.", text, numbers)
    kind: Kind = "good" if favoured == "low" else "bad"
    return Finding(f"labels-{favoured}", kind, f"The labels live at {favoured} frequencies.", text, numbers)


def _decimals(value: float) -> str:
    """Two decimals; what rounds to 0 has no sign."""
    return f"{value:.2f}".replace("-0.00", "0.00")


def _thirds(bands: dict[str, float]) -> str:
    return " / ".join(f"{bands[band]:.0%}" for band in ("low", "middle", "high"))


def _smoothing(e: Evidence) -> Finding:
    half = e.smoothing.half_depth
    if not e.smoothing.variance[0]:
        text = f"The {e.smoothing.signal} are the same for every node."
        return Finding(
            "nothing-to-smooth", "note", "There is nothing to smooth out.", text, {"variance_left": 0.0}
        )
    deepest = len(e.smoothing.variance) - 1
    remaining = e.smoothing.variance[-1]
    numbers = {"variance_left": remaining, "half_depth": float(half) if half is not None else math.nan}
    text = (
        f"After {deepest} rounds {remaining:.1%} of the variance over nodes is left ({e.smoothing.signal})."
    )
    what = "Random signals" if e.smoothing.signal == "random signals" else "Features"
    if half is not None and half <= 2:
        title = f"{what} smooth out fast: half their variance is gone after {many(half, 'round')}."
        return Finding("smooths-fast", "bad", title, text, numbers)
    when = (
        f"half their variance is gone after {half} rounds"
        if half is not None
        else "most of their variance survives"
    )
    return Finding("smooths-slowly", "note", f"{what} smooth out slowly: {when}.", text, numbers)


def _balance(e: Evidence) -> Finding | None:
    sizes = e.facts.class_sizes
    if min(sizes) >= 5 and max(sizes) <= 0.8 * sum(sizes):
        return None
    names = [name for name, size in zip(e.facts.class_names, sizes, strict=True) if size < 5]
    if names:
        text = (
            f"Fewer than five nodes: {_some(names)}. How many of them are predicted is luck, and accuracy hardly "
            "notices; --score macro_f1 gives all classes the same weight."
        )
        return Finding(
            "tiny-class",
            "note",
            "Some classes are too small to judge.",
            text,
            {"smallest": float(min(sizes))},
        )
    share = max(sizes) / sum(sizes)
    score = "ROC AUC" if len(sizes) == 2 else "balanced accuracy"
    text = f"Always predicting the largest class is right for {share:.0%} of the nodes, so scores are in {score}."
    return Finding("imbalanced", "note", "Classes are very unequal.", text, {"largest": share})


def _some(names: list[str], most: int = 5) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
