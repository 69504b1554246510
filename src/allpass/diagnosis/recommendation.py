"""From findings to advice: does the structure help, and what to try first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from allpass.diagnosis.findings import Evidence, Finding
from allpass.diagnosis.verdict import Verdict, limits
from allpass.train.rules.scores import SCORES

_SHOWN = 3

Structure = Literal["helps", "hurts", "open"]
_COMPARE = (
    "Compare with mlp-2 on the same splits: a network that uses the graph should beat one that does not."
)


@dataclass(frozen=True)
class Recommendation:
    """What to try first.

    Args:
        summary: Does the structure help, in one sentence.
        models: Models by name, the first choice first.
        reasons: Why, a sentence each.
        structure: Does the structure help, in one word: ``"helps"``, ``"hurts"`` or ``"open"``.
        heading: What the list of models is.
        limits: What a recommended model cannot do, by model; nothing is said of the others.
    """

    summary: str
    models: tuple[str, ...]
    reasons: tuple[str, ...]
    structure: Structure = "open"
    heading: str = "Try first, in this order"
    limits: Mapping[str, str] = field(default_factory=dict)


def recommend(evidence: Evidence, findings: tuple[Finding, ...]) -> Recommendation:
    """What to try first: the verdict of a trained comparison where there is one, the measurements otherwise."""
    if evidence.verdict is not None:
        return _from_verdict(evidence.verdict)
    return _from_measurements(evidence, findings)


def _from_verdict(verdict: Verdict) -> Recommendation:
    """The models that did best on the validation nodes, the first of them first.

    Models that lie nearer to the baseline than to the best one are left out, and models that do not beat it.
    """
    gains = _gains(verdict)
    ranked = sorted(gains, key=lambda model: gains[model], reverse=True)
    best = ranked[0]
    others = (model for model in ranked[1:_SHOWN] if gains[model] > gains[best] / 2 > 0)
    models = (best, *others) if verdict.predicts else (best,)
    reasons = [answer.text for answer in verdict.answers[:1]]
    if verdict.predicts:
        reasons.append(f"{best} did best on the validation nodes, with settings that were not tuned.")
    else:
        reasons.append(
            f"No model is certainly better than the {verdict.baseline.model}: look for other data."
        )
    heading = "Use, best first" if verdict.predicts else "No model to recommend. Best on the validation nodes"
    said = {model: words for model in models if (words := limits(model))}
    return Recommendation(verdict.summary, models, tuple(reasons), verdict.structure, heading, said)


def _gains(verdict: Verdict) -> dict[str, float]:
    """By how much each model beats the baseline on the validation nodes; one that diverged comes last."""
    sign, nothing = SCORES[verdict.comparison.score].sign, verdict.baseline.estimate.mean
    gains = {one.model: sign * (fmean(one.validation) - nothing) for one in verdict.comparison.contenders}
    return {model: -math.inf if math.isnan(gain) else gain for model, gain in gains.items()}


def _from_measurements(evidence: Evidence, findings: tuple[Finding, ...]) -> Recommendation:
    codes = {finding.code for finding in findings}
    reasons: list[str] = []
    models: tuple[str, ...]
    if not evidence.facts.edges:
        return Recommendation(
            "There is no structure to use: no edge joins two different nodes.",
            ("mlp-2",) if evidence.facts.features else (),
            (
                "Check that the edge table was read as meant: its columns, and the ids it shares with the nodes.",
            ),
        )
    if evidence.facts.numbers is not None:
        return Recommendation(
            "Train models to see whether the structure helps: measurements do not decide it for numbers.",
            ("trees", "label-propagation", "mlp-2") if evidence.facts.features else ("label-propagation",),
            ("Leave out --no-verdict, or compare these models on the same splits.",),
        )
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
    elif "unpredictable" in codes and "informative-heterophily" not in codes:
        summary = "Neither the features nor the structure, by averaging, tell the classes apart."
        models = ("mlp-2", "acm-gcn", "linkx")
        reasons.append("A simple classifier does no better than guessing, with the graph or without.")
    elif codes & {"informative-heterophily", "high-pass-adds"}:
        summary = (
            "Plain averaging changes little, but the structure tells: keep the differences to neighbours."
        )
        models = ("acm-gcn", "acmii-gcn", "mlp-2", "gcn")
        reasons.append("Differences to neighbours or the pattern of classes around a node carry information.")
    else:
        summary = "The structure changes little either way by averaging."
        models = ("acm-gcn", "mlp-2", "gcn")
        reasons.append("With and without averaging the classes are about as far apart.")
    if deep:
        reasons.append(
            "Signals smooth out within two layers: a deeper network has to keep all its scales, as krylov does."
        )
    if evidence.facts.features:
        reasons.append(_COMPARE)
    else:
        models = (*(model for model in models if model != "mlp-2"), "label-propagation")
        reasons.append(
            "There are no features: give networks one column for each node, and compare with label-propagation, "
            "which needs none."
        )
    lost = averaging_loses and not codes & {"high-pass-adds", "informative-heterophily"}
    structure: Structure = "helps" if averaging_wins else "hurts" if lost else "open"
    return Recommendation(summary, models, tuple(reasons), structure)
