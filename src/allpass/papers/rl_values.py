"""Values of processes: how exactly they are solved, and how well they are predicted from those of some states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allpass.papers.measuring import Measured
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import Interval, mean
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Words
from allpass.papers.values.predicting import DISCOUNT as PREDICTED
from allpass.papers.values.predicting import METHODS, NETWORKS, SHARES, errors
from allpass.papers.values.solving import DISCOUNT, solve
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SOLVED = ("four-rooms", "four-rooms-22", "FrozenLake8x8-v1", "Taxi-v4", "CliffWalking-v1")
TASKS = {
    ("four-rooms-22", "uniform"): "22 x 22 grid: uniform policy",
    ("four-rooms-22", "optimal"): "22 x 22 grid: V*",
    ("Taxi-v4", "optimal"): "Taxi: V*",
}
RULES = ("nearest", "harmonic", "proto-values", "label-propagation")
STYLES = {
    "nearest": ("muted", "-"),
    "harmonic": ("high", "-"),
    "proto-values": ("low", "-"),
    "linear": ("bad", ":"),
    "trees": ("good", ":"),
    "mlp-2": ("muted", "--"),
    "gcn": ("both", "--"),
    "acm-gcn": ("good", "--"),
    "krylov": ("bad", "--"),
}
"""What is drawn: rules in lines, classical models dotted, networks dashed."""


@dataclass(frozen=True, kw_only=True)
class Valued(Result):
    """One process solved, or one prediction of its values.

    Args:
        arm: ``solve``, or values and method, with the process.
        process: The process.
        values: Of which policy, of predictions.
        method: What predicts them.
        seed: Of the known states and the training.
        residual: The largest Bellman residual, of a solution.
        difference: The largest difference from an independent policy iteration.
        error_5: Error over the hidden states with 5% known, relative to that of their mean; the others are alike.
    """

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    process: str
    values: str | None
    method: str
    seed: int
    residual: float | None = None
    difference: float | None = None
    error_5: float | None = None
    error_10: float | None = None
    error_20: float | None = None
    error_50: float | None = None


class RlValues(SeededStudy[Valued]):
    """Residuals of solutions and errors of predictions; a run is a process, or a method on it with one seed."""

    id = "rl-values"
    result = Valued
    arms: ClassVar = {
        **{
            f"{process}/solve": {"process": process, "method": "solve", "discount": DISCOUNT}
            for process in SOLVED
        },
        **{
            f"{process}/{values}/{method}": {
                "process": process,
                "values": values,
                "method": method,
                "discount": PREDICTED,
            }
            for process, values in TASKS
            for method in METHODS
        },
    }
    seeds = range(5)
    words = Words(
        title="Values of states as signals on a graph",
        source="Section 4.1 of the report",
        claim="A value function solves a linear system, so finding it is node regression on the graph of states.",
        verdict="{verdict}",
        advice="Solve where transitions are known; otherwise begin with {begin}.",
        picture="Error over the states whose values are hidden, against the share that is known: geometric mean over "
        "5 seeds. 1 is the error of the mean. Lines are rules without training, dashes networks.",
        table="Error by the share of known states: geometric mean over three tasks and 5 seeds with its 95% interval; "
        "and the ratio to the error of harmonic extension on the same states.",
        findings=(
            "FourRooms, the 22 x 22 grid, FrozenLake8x8, Taxi and CliffWalking are solved with Bellman residuals of at "
            "most {residual}; V* differs by at most {difference} from an independent, dense policy iteration.",
            "The best network over all shares, {network}, has {ratio} times the error of the best rule, {best}.",
            "With 5% known: {few}. With 50% known: {many}.",
            "The best with 20% known by task: {by_task}.",
            "The best network beats the MLP on the same features by {graph}: what the graph adds.",
            "{failed} of {trained} predictions by networks are worse than the mean.",
            "Linear models, trees and networks read 16 proto-value functions and the reward of a step as features. "
            "Networks have their default settings, untuned; ACM's activation is ELU.",
            "Predictions read the graph of all moves, never the optimal policy. Who knows rewards and probabilities "
            "solves exactly, so regression is for values that come from elsewhere, such as returns.",
        ),
    )

    def seeds_of(self, arm: str) -> Sequence[int]:
        """A solution has one seed."""
        return self.seeds[:1] if self.arms[arm]["method"] == "solve" else self.seeds

    def measure(self, arm: str, seed: int) -> Measured:
        given = self.arms[arm]
        if given["method"] == "solve":
            solved = solve(given["process"])
            return Measured({"residual": solved.residual, "difference": solved.difference})
        found = errors(given["process"], given["values"], given["method"], seed)
        return Measured({f"error_{share}": error for share, error in found.items()})

    def row(self, arm: str, run: Run) -> Valued:
        given: Mapping[str, Any] = self.arms[arm]
        scores = {name: float(f"{value:.5g}") for name, value in run.scores.items()}
        return Valued(
            arm=arm,
            process=given["process"],
            values=given.get("values"),
            method=given["method"],
            seed=run.key.seed,
            **scores,
            **made([run]),
        )

    def facts(self, results: Sequence[Valued]) -> Mapping[str, object]:
        solved = [one for one in results if one.method == "solve"]
        best = min(RULES, key=lambda name: _logs(results, name).mean())
        network = min(NETWORKS, key=lambda name: _logs(results, name).mean())
        ratio = _ratio(results, network, best)
        trained = np.concatenate([_logs(results, name).ravel() for name in NETWORKS])
        wins = [
            share for share in SHARES if any(_ratio(results, name, best, share).high < 1 for name in NETWORKS)
        ]
        exact = f"Solved exactly, to {max(_of(solved, 'residual')):.0e}. "
        return {
            "verdict": exact
            + (
                f"As regression, a network beats {best} over all tasks with {_percents(wins)} of the values known."
                if wins
                else f"As regression, no network beats {best}, a rule without training, over all tasks."
            ),
            "residual": f"{max(_of(solved, 'residual')):.0e}",
            "difference": f"{max(_of(solved, 'difference')):.0e}",
            "best": best,
            "network": network,
            "ratio": _text(ratio),
            "by_task": "; ".join(f"{title}, {_best(results, *task)}" for task, title in TASKS.items()),
            "begin": min(METHODS, key=lambda name: float(_logs(results, name).mean())),
            "few": _said(results, SHARES[0]),
            "many": _said(results, SHARES[-1]),
            "graph": f"a factor of {_text(_ratio(results, 'mlp-2', network))}",
            "failed": int((trained > 0).sum()),
            "trained": trained.size,
        }

    def matrix(self, results: Sequence[Valued]) -> DataFrame:
        from pandas import DataFrame, Index

        lines = {}
        for method in METHODS:
            if _logs(results, method).size:
                cells = [_text(_geometric(_logs(results, method, share))) for share in SHARES]
                lines[method] = [
                    *cells,
                    "–" if method == "harmonic" else _text(_ratio(results, method, "harmonic")),
                ]
        names = [*(f"{share}% known" for share in SHARES), "ratio to harmonic"]
        return DataFrame(list(lines.values()), columns=Index(names), index=Index(list(lines), name="method"))

    @in_style
    def picture(self, results: Sequence[Valued]) -> Figure:
        figure, (row,) = panels(1, len(TASKS), 3.6, sharey=True)
        for panel, ((process, values), title) in zip(row, TASKS.items(), strict=True):
            mine = [one for one in results if (one.process, one.values) == (process, values)]
            for method, (role, style) in STYLES.items():
                logs = [_logs(mine, method, share) for share in SHARES]
                if logs[0].size:
                    curve = [float(np.exp(part.mean())) for part in logs]
                    panel.plot(
                        SHARES, curve, style, color=light(role), label=method, linewidth=1.4, marker="."
                    )
            panel.axhline(1, color=light("line"), linewidth=0.8, zorder=0)
            panel.set_title(title)
            panel.set(xscale="log", yscale="log", xlabel="states with a known value")
            panel.set_xticks(SHARES, [f"{share}%" for share in SHARES])
            panel.set_yticks([0.1, 0.2, 0.5, 1, 2], ["0.1", "0.2", "0.5", "1", "2"])
            panel.minorticks_off()
            panel.grid(axis="y")
        row[0].set_ylabel("error")
        legend(figure, [row])
        return figure


def _of(results: Sequence[Valued], name: str) -> list[float]:
    return [getattr(one, name) for one in results] or [float("nan")]


def _logs(results: Sequence[Valued], method: str, share: int | None = None) -> Any:
    """Logarithms of errors, ``[seeds, tasks, shares]``: seeds that all tasks have."""
    rows = {(one.process, one.values, one.seed): one for one in results if one.method == method}
    tasks = list(dict.fromkeys(place[:2] for place in rows))
    seeds = sorted({place[2] for place in rows if all((*task, place[2]) in rows for task in tasks)})
    shares = SHARES if share is None else (share,)
    found = [
        [[getattr(rows[*task, seed], f"error_{share}") for share in shares] for task in tasks]
        for seed in seeds
    ]
    return np.log(np.maximum(np.array(found, dtype=float), 1e-12))


def _geometric(logs: Any) -> Interval:
    """The geometric mean of errors, its interval over seeds."""
    found = mean(logs.reshape(len(logs), -1).mean(axis=1))
    return Interval(*(float(np.exp(value)) for value in (found.value, found.low, found.high)))


def _ratio(results: Sequence[Valued], ours: str, base: str, share: int | None = None) -> Interval:
    mine, theirs = _logs(results, ours, share), _logs(results, base, share)
    if mine.shape != theirs.shape or not mine.size:
        return Interval(float("nan"), float("nan"), float("nan"))
    return _geometric(mine - theirs)


def _order(results: Sequence[Valued], share: int) -> list[str]:
    """Methods by their geometric mean error, the best first."""
    return sorted(METHODS, key=lambda name: float(_logs(results, name, share).mean()))


def _said(results: Sequence[Valued], share: int) -> str:
    best = _order(results, share)[:3]
    return ", ".join(f"{name} {float(np.exp(_logs(results, name, share).mean())):.2f}" for name in best)


def _best(results: Sequence[Valued], process: str, values: str) -> str:
    mine = [one for one in results if (one.process, one.values) == (process, values)]
    name = _order(mine, 20)[0]
    return f"{name} {float(np.exp(_logs(mine, name, 20).mean())):.2f}"


def _text(found: Interval) -> str:
    return "–" if np.isnan(found.value) else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _percents(shares: Sequence[int]) -> str:
    return " and ".join(f"{share}%" for share in shares)


STUDY = RlValues()
"""The study of values."""
