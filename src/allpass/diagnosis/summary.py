"""A diagnosis in a few lines of text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from allpass import display
from allpass.data.draft import many
from allpass.diagnosis.candidates import SQUARES
from allpass.train.rules.scores import SCORES

if TYPE_CHECKING:
    from allpass.diagnosis.diagnose import Diagnosis
    from allpass.diagnosis.facts import Facts
    from allpass.diagnosis.verdict import Verdict

_KINDS = {"good": "helps", "bad": "hurts", "note": "note"}


def brief(diagnosis: Diagnosis) -> str:
    """At most five lines: what was diagnosed, the verdict, the models to use."""
    advice = diagnosis.recommendation
    kinds = Counter(_KINDS[finding.kind] for finding in diagnosis.findings)
    parts = [advice.summary]
    if advice.models:
        parts.append(f"{advice.heading}: {', '.join(advice.models)}")
    parts.append(f"Findings: {', '.join(f'{count} × {kind}' for kind, count in kinds.items()) or 'none'}")
    return display.brief(f"Diagnosis of {_title(diagnosis)}", *parts)


def summary(diagnosis: Diagnosis) -> str:
    """The verdict, the best model of each kind, the findings and the models to use, a line each."""
    advice, verdict = diagnosis.recommendation, diagnosis.verdict
    lines = [_title(diagnosis), advice.summary]
    if verdict is not None:
        lines += ["", *_squares(verdict)]
    findings = [one for one in diagnosis.findings if one.title != advice.summary]
    if findings:
        lines += ["", *(f"{_KINDS[one.kind]}: {one.title}" for one in findings)]
    if advice.models:
        lines += ["", f"{advice.heading}: {', '.join(advice.models)}"]
    return "\n".join(lines)


def _title(diagnosis: Diagnosis) -> str:
    facts = diagnosis.facts
    counts = ((facts.nodes, "node"), (facts.edges, "edge"), (facts.features, "feature"))
    return f"{diagnosis.name}: {', '.join(many(*one) for one in counts)}, {_labels(facts)}"


def _labels(facts: Facts) -> str:
    if facts.classes:
        return many(facts.classes, "class", "classes")
    if facts.numbers is not None:
        return "numbers as labels"
    return "several numbers as labels" if facts.labelled else "no labels"


def _squares(verdict: Verdict) -> list[str]:
    """What nothing, features, structure and both predict, in columns."""
    compared = verdict.comparison
    best = {words: verdict.squares.get(square) for square, words in SQUARES.items()}
    rows = [("nothing", verdict.baseline)]
    rows += [(words, compared[model]) for words, model in best.items() if model is not None]
    wide, name = (max(map(len, column)) for column in zip(*((w, one.model) for w, one in rows), strict=True))
    write = SCORES[compared.score].written
    return [
        f"{words:{wide}}  {one.model:{name}}  {write(one.estimate.mean):>7}".rstrip() for words, one in rows
    ]
