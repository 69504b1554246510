"""What the rows of the study of transitions say, also while some of them are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from allpass.papers.rewards.intervals import Interval, difference

if TYPE_CHECKING:
    from allpass.papers.rl_transitions import Predicted

MISSING = "not measured"

Rows = Sequence["Predicted"]


def by_seed(results: Rows, arm: str, name: str) -> dict[int, float]:
    """One number of each run of an arm."""
    rows = sorted((row for row in results if row.arm == arm), key=lambda row: row.seed)
    return {row.seed: getattr(row, name) for row in rows if getattr(row, name) is not None}


def average(results: Rows, arm: str, name: str) -> float | None:
    """The mean over seeds; None where there is no run."""
    values = by_seed(results, arm, name)
    return float(np.mean(list(values.values()))) if values else None


def gain(results: Rows, arm: str, other: str, name: str = "mrr") -> Interval | None:
    """By how much an arm is above another one, over the seeds that both have."""
    ours, base = by_seed(results, arm, name), by_seed(results, other, name)
    shared = [seed for seed in ours if seed in base]
    return difference([ours[seed] for seed in shared], [base[seed] for seed in shared]) if shared else None


def number(value: float | None, digits: int = 2) -> str:
    """A number, or that it is missing."""
    return MISSING if value is None else f"{value:.{digits}f}"


def interval(one: Interval | None) -> str:
    """A difference with its interval, or that it is missing."""
    return MISSING if one is None else f"{one.value:+.2f} [{one.low:+.2f}, {one.high:+.2f}]"


def listed(values: Mapping[str, float | None]) -> str:
    """Names with their numbers, those that there are."""
    found = [f"{name} {value:.2f}" for name, value in values.items() if value is not None]
    return ", ".join(found) or MISSING


def smallest(gains: Mapping[str, Interval | None]) -> str:
    """The range of differences, and the interval of the smallest."""
    found = [one for one in gains.values() if one is not None]
    if not found:
        return MISSING
    values = [one.value for one in found]
    without = [name for name, one in gains.items() if one is None]
    least = min(found, key=lambda one: one.low)
    lacking = f"; {', '.join(without)} {MISSING}" if without else ""
    return f"{min(values):.2f} to {max(values):.2f} (smallest: {interval(least)}{lacking})"


def deterministic(over: Iterable[Interval | None], rule: Iterable[Interval | None]) -> str:
    """Whether the hybrid is .15 above the back-off and within .02 of the mined rule, in one sentence."""
    gains, beside = ([one for one in part if one is not None] for part in (over, rule))
    if not gains:
        return "No deterministic world has been measured."
    least, worst = min(one.low for one in gains), min((one.value for one in beside), default=None)
    holds = least >= 0.15 and (worst is None or worst >= -0.02)
    compared = "" if worst is None else f", {worst:+.2f} against a mined rule"
    return (
        f"It holds {'' if holds else 'only in part '}in deterministic worlds: at worst the hybrid's MRR is "
        f"{least:+.2f} against back-off{compared}."
    )


def stochastic(lake: Mapping[int, Mapping[str, float | None]], embeddings: Sequence[str]) -> str:
    """At how many sample sizes an embedding has no more total variation than back-off, in one sentence."""
    won = []
    for tv in lake.values():
        learned = [tv[name] for name in embeddings if tv.get(name) is not None]
        base = tv.get("back-off")
        if learned and base is not None:
            won.append(min(one for one in learned if one is not None) <= base)
    if not won:
        return "The slippery lake has not been measured."
    return f"On the slippery lake embeddings reach back-off at {sum(won)} of {len(won)} sample sizes."
