"""From measurements to sentences: what the structure does for a learner, and what to try first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from allpass.diagnosis.facts import Facts
from allpass.diagnosis.filtering import Separation
from allpass.diagnosis.frequency import Frequencies
from allpass.diagnosis.oversmoothing import Smoothing
from allpass.metrics import GraphTest

Kind = Literal["good", "bad", "note"]


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
class Recommendation:
    """What to try first.

    Args:
        summary: Does the structure help, in one sentence.
        models: Models by name, the first choice first.
        reasons: Why, a sentence each.
    """

    summary: str
    models: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """Everything the conclusions are drawn from."""

    facts: Facts
    metrics: dict[str, float]
    tests: dict[str, GraphTest]
    frequencies: Frequencies
    separation: Separation | None
    smoothing: Smoothing


def find(evidence: Evidence) -> tuple[Finding, ...]:
    """The findings that apply, the weightiest first."""
    if evidence.facts.classes < 2:
        return (_smoothing(evidence),)
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
    numbers = {
        "with_graph": test.with_graph,
        "without_graph": test.without_graph,
        "p_value": test.p_value,
    }
    text = (
        f"A simple classifier reaches {test.with_graph:.1%} on features averaged over neighbours and "
        f"{test.without_graph:.1%} on the features alone (mean of {test.repeats} samples)."
    )
    if test.p_value > 0.95:
        return Finding(
            "averaging-helps", "good", f"Averaging neighbours helps by {gain:.1f} points.", text, numbers
        )
    if test.p_value < 0.05:
        return Finding(
            "averaging-hurts", "bad", f"Averaging neighbours costs {-gain:.1f} points.", text, numbers
        )
    return Finding("averaging-neutral", "note", "Averaging neighbours changes little.", text, numbers)


def _alike(e: Evidence) -> Finding | None:
    h, edge = e.metrics["adjusted_homophily"], e.metrics["edge_homophily"]
    if math.isnan(h):
        return None
    numbers = {"adjusted_homophily": h, "edge_homophily": edge}
    text = (
        f"{edge:.0%} of the edges join nodes of one class; corrected for what chance gives, homophily is {h:.2f} "
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


def _aggregation(e: Evidence) -> Finding | None:
    h, modified = e.metrics["aggregation_homophily"], e.metrics["modified_aggregation_homophily"]
    if math.isnan(h):
        return None
    numbers = {"aggregation_homophily": h, "modified_aggregation_homophily": modified}
    text = f"After averaging the labels around them, {h:.1%} of the nodes still resemble their own class most"
    if modified == 0:
        text += " (rescaled this is 0, so the unscaled number is shown: fewer than half keep their class)."
        return Finding("aggregation-mixes", "bad", "Averaged labels mix the classes up.", text, numbers)
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
    numbers = {"label_informativeness": li}
    text = f"One neighbour's label removes {li:.0%} of the uncertainty about a node's label."
    if li >= 0.1:
        title = "Neighbours differ, but in a way that tells."
        return Finding("informative-heterophily", "good", title, text, numbers)
    return Finding("uninformative", "bad", "A neighbour's label tells next to nothing.", text, numbers)


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
    if only_high >= 0.1:
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
        title = f"{what} smooth out fast: half their variance is gone after {half} round{'s' * (half != 1)}."
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
    names = ", ".join(name for name, size in zip(e.facts.class_names, sizes, strict=True) if size < 5)
    if names:
        text = f"Fewer than five nodes: {names}. Scores on such classes are luck; report macro-F1 beside accuracy."
        return Finding(
            "tiny-class",
            "note",
            "Some classes are too small to judge.",
            text,
            {"smallest": float(min(sizes))},
        )
    text = "One class holds over 80 % of the nodes: accuracy flatters; use ROC-AUC or macro-F1."
    return Finding(
        "imbalanced", "note", "Classes are very unequal.", text, {"largest": max(sizes) / sum(sizes)}
    )


def recommend(evidence: Evidence, findings: tuple[Finding, ...]) -> Recommendation:
    """What to try first, from the findings alone; a trained comparison is the judge of last resort."""
    codes = {finding.code for finding in findings}
    reasons: list[str] = []
    models: tuple[str, ...]
    if evidence.facts.classes < 2:
        return Recommendation(
            "Without at least two classes there is nothing to tell whether the structure helps.",
            (),
            ("Name the label column, or check that labels were read.",),
        )
    tested = bool(evidence.tests)
    averaging_wins = "averaging-helps" in codes or (not tested and "aggregation-keeps" in codes)
    averaging_loses = "averaging-hurts" in codes or (not tested and "aggregation-mixes" in codes)
    signal = "features" if tested else "labels"
    deep = "smooths-fast" in codes
    if averaging_wins:
        reasons.append(f"Averaged {signal} separate the classes{' better than the features alone' * tested}.")
        if codes & {"homophilous", "weakly-homophilous"}:
            summary = "The structure helps, and plain averaging is enough to use it."
            models = ("gcn", "acm-gcn", "krylov" if deep else "snowball-2", "mlp-2")
        else:
            telling = ": which classes meet is itself informative" * ("informative-heterophily" in codes)
            summary = f"The structure helps although neighbours differ{telling}."
            models = ("acm-gcn", "gcn", "krylov", "mlp-2")
    elif averaging_loses:
        reasons.append(f"Averaged {signal} blur the classes, so the features alone are the bar to beat.")
        if codes & {"high-pass-adds", "informative-heterophily"}:
            summary = "Plain averaging hurts; the structure may still help a network that keeps differences."
            models = ("acm-gcn", "acmii-gcn", "mlp-2", "linkx")
            reasons.append(
                "Differences to neighbours or the pattern of classes around a node carry information."
            )
        else:
            summary = "The structure hurts a network that averages and shows little to learn from."
            models = ("mlp-2", "acm-gcn", "linkx")
    else:
        summary = "The structure changes little either way by averaging."
        models = ("acm-gcn", "mlp-2", "gcn")
        reasons.append("With and without averaging the classes are about as far apart.")
    if deep:
        reasons.append(
            "Signals smooth out within two layers: keep the network shallow, or keep all its scales."
        )
    reasons.append(
        "Compare with mlp-2 on the same splits: a network that uses the graph should beat one that does not."
    )
    return Recommendation(summary, models, tuple(reasons))
