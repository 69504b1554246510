"""Which measured findings the trained models contradict: those are dropped, because training decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from allpass.diagnosis.answers import Answer, Sentences

PROMISES = frozenset({"averaging-helps", "aggregation-keeps", "informative-heterophily", "high-pass-adds"})
"""Findings that promise a gain from the structure."""


def refuted_by(words: Sentences, answers: Sequence[Answer]) -> tuple[str, ...]:
    """Codes of the measured findings that the scores of a comparison contradict.

    Args:
        words: The scores.
        answers: What follows from them.
    """
    return tuple(sorted(_refuted(words, {answer.code for answer in answers})))


def _refuted(words: Sentences, answers: set[str]) -> set[str]:
    names = [one.model for one in words.comparison.contenders]
    if not words.any_signal(*names):
        return {*PROMISES, "averaging-hurts"}
    squares = words.squares
    with_features = [squares[square] for square in ("features", "both") if square in squares]
    return {
        *_where("unpredictable", words.any_signal(*with_features)),
        *_of_averaging(words, names, answers),
        *_of_labels(words, names),
        *_of_high_pass(answers),
    }


def _of_averaging(words: Sentences, names: Sequence[str], answers: set[str]) -> Iterator[str]:
    """The test of averaged features against a network that averages, and against the best one."""
    trained = ""
    if {"gcn", "mlp-2"} <= set(names):
        trained = words.sign(words.comparison.difference("gcn", "mlp-2"))
    no_gain = bool(answers & {"structure-even", "structure-behind"})
    yield from _where("averaging-helps", trained == "behind" or no_gain)
    yield from _where("averaging-hurts", trained == "ahead")
    yield from _where("averaging-neutral", trained in {"ahead", "behind"})


def _of_labels(words: Sentences, names: Sequence[str]) -> Iterator[str]:
    """What is said of neighbours' labels against models that read nothing else."""
    if "structure" not in words.squares:
        return
    predicts = words.any_signal(words.squares["structure"])
    spread = "label-propagation" in names and words.any_signal("label-propagation")
    for code in ("aggregation-keeps", "informative-heterophily"):
        yield from _where(code, not predicts)
    for code in ("aggregation-mixes", "aggregation-by-chance", "uninformative"):
        yield from _where(code, spread)


def _of_high_pass(answers: set[str]) -> Iterator[str]:
    """The high-pass channel against acm-gcn, which has one, and gcn, which has none."""
    gains = "smoothing-ahead" in answers
    yield from _where("high-pass-adds", not gains)
    yield from _where("high-pass-adds-little", gains)


def _where(code: str, holds: bool) -> Iterable[str]:
    return (code,) if holds else ()
