"""Auxiliary tasks of transitions: how much sooner DQN learns, on a first goal and on a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import Interval, difference
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Words
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

STEPS = 12_000
EVERY = 500
WEIGHT = 1.0
"""Fixed before any run of this study."""

TITLES = {
    "none": "no task",
    "transe": "TransE",
    "rotate": "RotatE",
    "forward": "MLP forward model",
    "successor": "successor features",
    "scratch": "no task, nothing taken over",
}
STYLES = {
    "none": ("muted", "-"),
    "transe": ("high", "-"),
    "rotate": ("high", "--"),
    "forward": ("low", "-"),
    "successor": ("good", "-"),
    "scratch": ("muted", ":"),
}
TASKS = ("transe", "rotate", "forward", "successor")
MISSING = "not measured"


@dataclass(frozen=True, kw_only=True)
class Helped(Result):
    """One run of DQN. Values are shares of the best value, exact, of the greedy policy.

    Args:
        arm: The auxiliary task.
        seed: Decides vectors, noise, weights and exploration.
        auc: The mean over the steps on the first goal.
        final: The value at the end of them.
        new_auc: The mean over the steps on the new goal.
        curve: Values every 500 steps on the first goal.
        new_curve: The same on the new goal.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    seed: int
    auc: float | None
    final: float | None
    new_auc: float
    curve: str | None
    new_curve: str


class RlAuxiliary(SeededStudy[Helped]):
    """Learning curves; a run is a task with one seed."""

    id = "rl-auxiliary"
    result = Helped
    arms: ClassVar = {
        arm: {
            "task": arm if arm in TASKS else "transe",
            "weight": WEIGHT if arm in TASKS else 0.0,
            "steps": STEPS,
            "first": arm != "scratch",
        }
        for arm in TITLES
    }
    seeds = range(100, 140)
    quick_seeds = 1
    words = Words(
        title="Transitions as an auxiliary task",
        source="Section 4.3.2 of the report; Jaderberg et al., ICLR 2017; Bordes et al., NeurIPS 2013",
        claim="Models of triplets (s, a, s') should help an agent to learn representations.",
        verdict="{verdict}",
        advice="{advice}",
        picture="Value of the greedy policy as a share of the best, mean over seeds.",
        table="AUC is the mean of the curve; gains over no task are paired by seed, with 95% intervals.",
        findings=(
            "DQN in FourRooms, seen as 64 random numbers a cell with noise; 12,000 steps on the first goal, 6,000 on "
            "the new one; {seeds} seeds. The weight {weight:g} and all settings of DQN were fixed beforehand.",
            "Best model of triplets less MLP forward model: {against}.",
            "At the end of the first goal: {final}.",
            "New goal, gain over no task: {new}. Taking over the representation of DQN without a task gains {over} on "
            "starting from nothing.",
        ),
    )

    def measure(self, arm: str, seed: int) -> Measured:
        from allpass.papers.auxiliary.measure import learned

        curves = learned(self.arms[arm], seed)
        scores = {"new_auc": float(curves["new"].mean())}
        if "first" in curves:
            scores |= {"auc": float(curves["first"].mean()), "final": float(curves["first"][-1])}
        return Measured(scores, curves)

    def row(self, arm: str, run: Run) -> Helped:
        scores = {
            name: float(f"{run.scores[name]:.5g}") if name in run.scores else None
            for name in ("auc", "final", "new_auc")
        }
        curves = {name: " ".join(f"{value:.3g}" for value in values) for name, values in run.curves.items()}
        return Helped(
            arm=arm,
            seed=run.key.seed,
            curve=curves.get("first"),
            new_curve=curves["new"],
            **scores,  # type: ignore[arg-type]
            **made([run]),
        )

    def facts(self, results: Sequence[Helped]) -> Mapping[str, object]:
        gains = {task: _gain(results, task, "none", "auc") for task in TASKS}
        best = _best(gains)
        against = None if best is None else _gain(results, best, "forward", "auc")
        finals = {arm: _of(results, arm, "final") for arm in ("none", *TASKS)}
        return {
            "verdict": _verdict(gains, best, against),
            "advice": _advice(gains, best, against),
            "weight": WEIGHT,
            "against": _shown(against),
            "final": ", ".join(
                f"{TITLES[arm]} {np.mean(list(values.values())):.2f}"
                for arm, values in finals.items()
                if values
            )
            or MISSING,
            "new": ", ".join(
                f"{TITLES[task]} {_shown(_gain(results, task, 'none', 'new_auc'))}" for task in TASKS
            ),
            "over": _shown(_gain(results, "none", "scratch", "new_auc")),
            "seeds": _seeds(results),
        }

    def matrix(self, results: Sequence[Helped]) -> DataFrame:
        from pandas import DataFrame, Index

        there = [arm for arm in TITLES if _of(results, arm, "new_auc")]
        columns = {
            title: [_cell(results, arm, name) for arm in there]
            for title, name in (("AUC", "auc"), ("final value", "final"), ("AUC, new goal", "new_auc"))
        }
        return DataFrame(columns, index=Index([TITLES[arm] for arm in there], name="task"))

    @in_style
    def picture(self, results: Sequence[Helped]) -> Figure:
        figure, grid = panels(1, 2, 3.2, sharey=True)
        for panel, name, title in zip(
            grid[0], ("curve", "new_curve"), ("first goal", "new goal"), strict=True
        ):
            for arm, (role, style) in STYLES.items():
                texts = [getattr(row, name) for row in results if row.arm == arm and getattr(row, name)]
                if texts:
                    values = np.mean([np.array(text.split(), dtype=float) for text in texts], axis=0)
                    steps = EVERY * np.arange(1, len(values) + 1)
                    panel.plot(steps, values, style, color=light(role), label=TITLES[arm], linewidth=1.4)
            panel.set(title=title, xlabel="steps", ylim=(0, 1.02))
        grid[0][0].set_ylabel("share of the best value")
        legend(figure, grid)
        return figure


Gains = Mapping[str, Interval | None]


def _verdict(gains: Gains, best: str | None, against: Interval | None) -> str:
    """Whether a model of triplets helps, and whether an MLP does as well."""
    gain = None if best is None else gains[best]
    if best is None or gain is None:
        return "It is open: no model of triplets has been measured next to DQN without a task."
    first = "It holds" if gain.low > 0 else "It does not hold"
    said = f"{first} on noisy FourRooms: {TITLES[best]} changes the AUC of DQN by {_shown(gain)}"
    if against is not None and against.low > 0:
        return f"{said}, more than an MLP does."
    return f"{said}; an MLP forward model by {_shown(gains['forward'])}."


def _advice(gains: Gains, best: str | None, against: Interval | None) -> str:
    """What to try."""
    if best is not None and against is not None and against.low > 0:
        return "Try a model of triplets."
    helping = [task for task, gain in gains.items() if gain is not None and gain.low > 0]
    if not helping:
        return "Leave auxiliary tasks out."
    return f"Begin with task='{max(helping, key=lambda task: gains[task].value)}'."  # type: ignore[union-attr]


def _best(gains: Gains) -> str | None:
    """The model of triplets with the largest gain."""
    there = {task: gain.value for task in TASKS[:2] if (gain := gains[task]) is not None}
    return max(there, key=lambda task: there[task]) if there else None


def _of(results: Sequence[Helped], arm: str, name: str) -> dict[int, float]:
    rows = sorted((row for row in results if row.arm == arm), key=lambda row: row.seed)
    return {row.seed: getattr(row, name) for row in rows if getattr(row, name) is not None}


def _gain(results: Sequence[Helped], arm: str, base: str, name: str) -> Interval | None:
    """Over the seeds that both have; None where there is none."""
    ours, other = _of(results, arm, name), _of(results, base, name)
    shared = [seed for seed in ours if seed in other]
    return difference([ours[seed] for seed in shared], [other[seed] for seed in shared]) if shared else None


def _seeds(results: Sequence[Helped]) -> str:
    """The seeds of an arm, or their range."""
    counts = {len(_of(results, arm, "new_auc")) for arm in TITLES} - {0}
    return " to ".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else "0"


def _cell(results: Sequence[Helped], arm: str, name: str) -> str:
    ours = list(_of(results, arm, name).values())
    if not ours:
        return "–"
    gain = None if arm == "none" else _gain(results, arm, "none", name)
    return f"{np.mean(ours):.3f}" + ("" if gain is None else f" ({_shown(gain)})")


def _shown(one: Interval | None) -> str:
    return MISSING if one is None else f"{one.value:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"


STUDY = RlAuxiliary()
"""The study of auxiliary tasks."""
