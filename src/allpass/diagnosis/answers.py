"""Sentences about trained models: where the signal lies, what adds to what, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from allpass.data.draft import many
from allpass.diagnosis.candidates import Square
from allpass.train.compare import Comparison, Contender
from allpass.train.rules.scores import SCORES
from allpass.train.statistics import TELLING, Difference, paired
from allpass.train.written import is_uneven, signed

Kind = Literal["good", "bad", "note"]

_COLLAPSED = 0.25
"""A model has collapsed on a split where its lead over the baseline is below this share of its largest lead."""


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Args:
        code: Short stable name, for programs.
        kind: Whether it speaks for using the structure, against it, or neither.
        title: The answer.
        text: The numbers behind it, in a sentence.
        model: The model whose lead answers the question.
        other: The one it is compared with.
        difference: By how much the first is ahead.
        interval: The 95% interval of the difference, cut to what is possible; nothing where splits are too few or
            differ too much.
    """

    code: str
    kind: Kind
    title: str
    text: str
    model: str
    other: str
    difference: Difference
    interval: tuple[float, float] | None = None


class Sentences:
    """What the scores of a comparison support, in sentences.

    Args:
        comparison: Models on the same splits.
        squares: The best model of each square.
        baseline: The majority class, or the mean, on these splits.
        test_nodes: Test nodes of a split.
    """

    def __init__(
        self, comparison: Comparison, squares: Mapping[Square, str], baseline: Contender, test_nodes: int
    ) -> None:
        self.comparison, self.squares, self.baseline = comparison, squares, baseline
        self.test_nodes = test_nodes
        self.score = SCORES[comparison.score]

    def summary(self, answers: Sequence[Answer]) -> str:
        """Which squares hold the signal, and how much of it."""
        best = self.comparison.best
        nothing = f"{self.baseline.model} {self._written(self.baseline)}"
        if not self.any_signal(best, *self.squares.values()):
            return f"No signal found: the best model, {best}, reaches {self._reach(best)}, the {nothing}."
        codes = {answer.code: answer for answer in answers}
        features, alone = self.squares.get("features"), self.squares.get("structure")
        general = answers[0].title if answers else f"{best} reaches {self._reach(best)}, the {nothing}."
        if features is None or alone is None:
            return general
        if {"structure-ahead", "features-even"} <= codes.keys() and (
            codes["features-even"].difference.mean < self._little()
        ):
            return (
                f"Structure alone {self._predicts(alone)} ({alone}); the features add nothing measurable to it, "
                f"and alone reach {self._reach(features)} ({features})."
            )
        if "structure-behind" in codes and not self.any_signal(alone):
            return (
                f"The features hold the signal: {features} reaches {self._reach(features)}. Structure alone predicts "
                f"nothing ({alone} {self._reach(alone)}, the {nothing}), and models that read it lose "
                f"{self._gap(codes['structure-behind'].difference)}."
            )
        return general

    def structure(self) -> Answer | None:
        """Does the structure add to the features?"""
        alone = self.squares.get("features")
        if alone is None:
            return self._structure_alone(self.squares["structure"]) if "structure" in self.squares else None
        uses = self._best_of("structure", "both")
        if uses is None:
            return None
        found = self.comparison.difference(uses, alone)
        sign, with_it, without = self.sign(found), self._reach(uses), self._reach(alone)
        both = f"{uses} reaches {with_it}, the features alone {without} ({alone})."
        if not self.any_signal(uses, alone):
            title = f"Neither features nor structure predict the label: {both}"
            return self._answer("structure", uses, alone, found, title, "note", sign="even")
        if sign == "ahead":
            title = f"The structure helps: {both}"
        elif sign == "behind":
            title = f"The structure hurts: {both}"
        else:
            even = "The features hold the signal, and the structure adds nothing measurable"
            title = f"{self._unsettled(found, even, 'the structure helps')}: {both}"
        kinds: dict[str, Kind] = {"ahead": "good", "behind": "bad", "even": "note"}
        return self._answer("structure", uses, alone, found, title, kinds[sign])

    def _structure_alone(self, uses: str) -> Answer:
        """Does the structure predict, where no model reads the features alone?"""
        found, nothing = (
            self._lead_over_baseline(uses),
            f"{self.baseline.model} {self._written(self.baseline)}",
        )
        title = f"The structure {self._predicts(uses)} ({uses}); the {nothing}."
        if self.sign(found) == "ahead":
            return self._answer("structure", uses, self.baseline.model, found, title, "good")
        title = (
            f"The structure does not predict the label: {uses} reaches {self._reach(uses)}, the {nothing}."
        )
        return self._answer("structure", uses, self.baseline.model, found, title, "note", sign="even")

    def features(self) -> Answer | None:
        """Do the features add to the structure?"""
        uses, alone = self._best_of("features", "both"), self.squares.get("structure")
        if uses is None or alone is None or "features" not in self.squares:
            return None
        if not self.any_signal(uses, alone):
            return None
        found = self.comparison.difference(uses, alone)
        sign = self.sign(found) if abs(found.mean) > self._little() else "even"
        if sign != "ahead" and "both" not in self.squares:
            return None  # features alone are behind, but nothing was tried that reads both
        titles = {
            "ahead": f"The features help: {uses} reaches {self._reach(uses)}, the structure alone "
            f"{self._reach(alone)} ({alone}).",
            "behind": f"The features distract: the structure alone reaches {self._reach(alone)} ({alone}), "
            f"{uses} {self._reach(uses)}.",
            "even": self._unsettled(
                found, "The features add nothing measurable to the structure", "the features help"
            )
            + f": {alone} reaches {self._reach(alone)} without them, {uses} {self._reach(uses)} with them.",
        }
        return self._answer("features", uses, alone, found, titles[sign], "note", sign=sign)

    def smoothing(self) -> Answer | None:
        """Does averaging neighbours lose what a high-pass channel keeps?"""
        names = {one.model for one in self.comparison.contenders}
        if not ({"acm-gcn", "gcn"} <= names and self.any_signal("acm-gcn", "gcn")):
            return None
        found = self.comparison.difference("acm-gcn", "gcn")
        sign, gap = self.sign(found), self._gap(found)
        titles = {
            "ahead": f"Smoothing hurts: acm-gcn, which keeps differences, gains {gap} over gcn.",
            "behind": f"Smoothing is right: acm-gcn, which keeps differences, loses {gap} to gcn.",
            "even": self._unsettled(found, "Smoothing does no harm", "smoothing hurts")
            + f": acm-gcn and gcn are {gap} apart.",
        }
        kinds: dict[str, Kind] = {"ahead": "bad", "behind": "good", "even": "note"}
        return self._answer("smoothing", "acm-gcn", "gcn", found, titles[sign], kinds[sign])

    def _unsettled(self, found: Difference, even: str, question: str) -> str:
        """What is said of a lead that is not certain: that there is none, or that there may be one."""
        return even if found.mean <= self._little() else f"Inconclusive whether {question}"

    def _best_of(self, *squares: Square) -> str | None:
        members = tuple(self.comparison[self.squares[square]] for square in squares if square in self.squares)
        return replace(self.comparison, contenders=members).best if members else None

    def beats_baseline(self, model: str) -> bool:
        """Whether a model is certainly better than the baseline."""
        return self.sign(self._lead_over_baseline(model)) == "ahead"

    def _lead_over_baseline(self, model: str) -> Difference:
        ours, theirs = (
            [self.score.sign * score for score in one.scores] for one in (self._one(model), self.baseline)
        )
        return paired(ours, theirs, overlap=self.comparison.overlap)

    def _one(self, name: str) -> Contender:
        """A model of the comparison, or the baseline."""
        return self.baseline if name == self.baseline.model else self.comparison[name]

    def any_signal(self, *models: str) -> bool:
        """Whether one of the models is certainly better than the baseline."""
        return any(map(self.beats_baseline, models))

    def sign(self, found: Difference) -> Literal["ahead", "behind", "even"]:
        """Whether the difference is certain: its interval leaves 0 out.

        One or two splits have no interval; there the difference has to be larger than two points, and than two
        standard errors of a difference between shares of the test nodes.
        """
        low, high = found.low, found.high
        if found.count < TELLING:
            margin = max(2 * self._little(), 2 * math.sqrt(0.5 / self.test_nodes) if self.test_nodes else 0.0)
            low, high = found.mean - margin, found.mean + margin
        return "ahead" if low > 0 else "behind" if high < 0 else "even"

    def _little(self) -> float:
        """A difference that is too small to matter: a point, or a hundredth of R²."""
        return 0.01

    def _answer(
        self,
        question: str,
        model: str,
        other: str,
        found: Difference,
        title: str,
        kind: Kind,
        *,
        sign: str | None = None,
    ) -> Answer:
        sign = sign or self.sign(found)
        interval = self._interval(found, other)
        what = f"{model} minus {other}: {self._points(found.mean)} {self._unit}"
        if found.count < TELLING:
            text = f"On {many(found.count, 'split')}, too few for an interval, {what}."
        elif interval is not None:
            low, high = map(self._points, interval)
            text = f"Paired over {found.count} splits, {what}, 95% interval {low} to {high}."
        else:
            single = [self._points(difference) for difference in self._differences(model, other)]
            text = (
                f"Paired over {found.count} splits, {what}. Splits differ too much for an interval"
                f"{self._collapses(model, other)}; by split: {', '.join(single)}."
            )
        return Answer(f"{question}-{sign}", kind, title, text, model, other, found, interval)

    def _interval(self, found: Difference, other: str) -> tuple[float, float] | None:
        """The interval of a lead over another model, which no score beyond its range can give."""
        if found.count < TELLING or math.isnan(found.margin) or is_uneven(self.score, found):
            return None
        given = self.score.sign * self._one(other).estimate.mean
        least, most = sorted(self.score.sign * end - given for end in (self.score.low, self.score.high))
        return max(found.low, least), min(found.high, most)

    def _differences(self, model: str, other: str) -> list[float]:
        pairs = zip(self._one(model).scores, self._one(other).scores, strict=True)
        return [self.score.sign * (ours - theirs) for ours, theirs in pairs]

    def _collapses(self, *models: str) -> str:
        """Which models fell back to the baseline on some splits, in words."""
        said = []
        for model in models:
            gains = [
                self.score.sign * (score - guess)
                for score, guess in zip(self._one(model).scores, self.baseline.scores, strict=True)
            ]
            low = sum(gain < _COLLAPSED * max(gains) for gain in gains)
            if low and max(gains) > 5 * self._little():
                said.append(f"{model} collapsed on {low} of {len(gains)} splits")
        return "".join(f", {words}" for words in said)

    def _reach(self, model: str) -> str:
        return self._written(self.comparison[model])

    def _predicts(self, model: str) -> str:
        """How much a model predicts: a share of the nodes, or what it reaches in another score."""
        return f"{'predicts' if self.score.name == 'accuracy' else 'reaches'} {self._reach(model)}"

    def _written(self, one: Contender) -> str:
        name = {"roc_auc": " ROC AUC", "r2": "R² ", "accuracy": ""}.get(self.comparison.score)
        if name is None:
            name = " " + self.comparison.score.replace("_", " ")
        number = (
            f"{100 * one.estimate.mean:.1f}%" if self.comparison.in_percent else f"{one.estimate.mean:.2f}"
        )
        return name + number if name.endswith(" ") else number + name

    def _gap(self, found: Difference) -> str:
        if self.comparison.in_percent:
            return f"{100 * abs(found.mean):.1f} points"
        return f"{abs(found.mean):.2f} of R²" if self.comparison.score == "r2" else f"{abs(found.mean):.2g}"

    def _points(self, difference: float) -> str:
        return signed(100 * difference, 1) if self.comparison.in_percent else signed(difference, 2)

    @property
    def _unit(self) -> str:
        return "points" if self.comparison.in_percent else self.score.name.replace("r2", "R²")
