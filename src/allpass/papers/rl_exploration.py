"""Exploring where rewards are sparse: how many steps a learner needs up to its first reward, by bonus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allpass.papers.exploration.measure import ARMS, DISCOUNT, TASKS, first_rewards
from allpass.papers.measuring import Measured, stored
from allpass.papers.result import Result, made
from allpass.papers.rewards.intervals import Interval, mean, saving
from allpass.papers.study import OfStudy, Plan, Words
from allpass.papers.together import measure_together
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

METHOD = 1
"""Raise it when the same key would give other numbers."""

SEEDS = range(100, 130)
QUICK_STEPS = 5_000
TITLES = {
    "grid": "far corner of the 22 x 22 grid",
    "mountaincar": "MountainCar in 20 x 20 cells",
    "doorkey": "DoorKey-8x8",
}
GRAPH = ("graph-count", "successor-norm")
_COLOURS = {
    "epsilon-greedy": ("muted", "-"),
    "optimistic": ("muted", "--"),
    "count": ("low", "-"),
    "graph-count": ("high", "-"),
    "successor-norm": ("both", "-"),
}


@dataclass(frozen=True, kw_only=True)
class FirstReward(Result):
    """One run.

    Args:
        task: The task.
        arm: The bonus.
        seed: The seed.
        steps: Steps up to the first reward, or up to where it gave up.
        found: Whether there was a reward.
        quick: Whether it is of a quick run, which gives up early.
    """

    place: ClassVar[tuple[str, ...]] = ("task", "arm", "seed")

    task: str
    arm: str
    seed: int
    steps: int
    found: bool
    quick: bool


class RlExploration:
    """Steps up to the first reward; a run is a bonus on a task with one seed."""

    id = "rl-exploration"
    result = FirstReward
    words = Words(
        title="Exploring by the graph of states",
        source="Section 4.3.1 of the report; Machado, Bellemare and Bowling, AAAI 2020",
        claim="A bonus from the graph of states should find sparse rewards sooner.",
        verdict="{verdict}",
        advice="Begin with optimistic values and a bonus by counts.",
        picture="Share of seeds that have found the reward after so many steps; higher and further left is better.",
        table="Mean steps up to the first reward with 95% intervals, a seed that gave up counted with its last step; "
        "and the share of steps saved compared with two baselines.",
        findings=(
            "Grid: graph counts save {grid_graph} of the steps of plain counts, the successor norm {grid_norm}.",
            "MountainCar: graph counts save {mountaincar_graph}, the successor norm {mountaincar_norm}.",
            "DoorKey: graph counts save {doorkey_graph}, the successor norm {doorkey_norm}.",
            "Epsilon-greedy found the reward in {found} runs: without a reward it walks at random.",
            "All arms but epsilon-greedy begin with the largest values that bonuses can sum to. From values of 0 a "
            "bonus prefers moves that are known, and explores less than chance.",
            "Until the first reward the scale of a bonus changes no action, so none was tuned.",
            "Each seed of DoorKey has its own layout, which all of its episodes begin with.",
        ),
    )

    def axes(self) -> dict[str, Sequence[str]]:
        """Tasks and bonuses."""
        return {"tasks": list(TASKS), "arms": list(ARMS)}

    def tasks(self, plan: Plan, store: Store, known: Sequence[FirstReward] = ()) -> list[Task]:  # noqa: ARG002
        chosen = plan.choose(self.id, self.axes())
        there = {(result.task, result.arm, result.seed) for result in known if result.quick == plan.quick}
        found = []
        for task in chosen["tasks"]:
            for arm in chosen["arms"]:
                seeds = [
                    seed for seed in (SEEDS[:2] if plan.quick else SEEDS) if (task, arm, seed) not in there
                ]
                about = {"task": task, "arm": arm, "seeds": seeds, "max_steps": _limit(task, plan.quick)}
                if seeds:
                    found.append(Task(OfStudy(self.id), f"{task} {arm}", about, gpu=0.0))
        return found

    def keys(self, task: Task) -> list[Key]:
        return [
            Key(
                dataset=self.id,
                fingerprint="",
                model=task.about["arm"],
                settings={
                    "task": task.about["task"],
                    "discount": DISCOUNT,
                    "max_steps": task.about["max_steps"],
                },
                split="",
                split_hash="",
                seed=seed,
                protocol={"study": self.id, "method": METHOD},
            )
            for seed in task.about["seeds"]
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return measure_together(task, self.keys(task), device, _measured)

    def results(self, plan: Plan, store: Store) -> list[FirstReward]:
        return [
            _row(run, plan.quick)
            for task in self.tasks(plan, store)
            for key in self.keys(task)
            for run in stored([key], store) or ()
        ]

    def facts(self, results: Sequence[FirstReward]) -> Mapping[str, object]:
        against = {
            (task, arm): saving(_steps(results, task, arm), _steps(results, task, "count"))
            for task in TASKS
            for arm in GRAPH
        }
        random = [one.found for one in results if one.arm == "epsilon-greedy"]
        return {
            **{f"{task}_graph": _share(against[task, "graph-count"]) for task in TASKS},
            **{f"{task}_norm": _share(against[task, "successor-norm"]) for task in TASKS},
            "found": f"{sum(random)} of {len(random)}",
            "verdict": _verdict(results, against),
        }

    def matrix(self, results: Sequence[FirstReward]) -> DataFrame:
        from pandas import DataFrame, Index

        lines = []
        for task in TASKS:
            arms = [arm for arm in ARMS if len(_steps(results, task, arm))]
            for arm in arms:
                found = [one.found for one in results if (one.task, one.arm) == (task, arm)]
                compared = [_compared(results, task, arm, base) for base in ("epsilon-greedy", "count")]
                lines.append(
                    (
                        TITLES[task],
                        arm,
                        _text(mean(_steps(results, task, arm))),
                        f"{sum(found)} of {len(found)}",
                        *compared,
                    )
                )
        names = ["task", "bonus", "steps", "seeds with a reward", "saved of epsilon-greedy", "saved of count"]
        return DataFrame(lines, columns=Index(names)).set_index("task")

    @in_style
    def picture(self, results: Sequence[FirstReward]) -> Figure:
        figure, (row,) = panels(1, len(TASKS), 3.0, sharey=True)
        for axes, task in zip(row, TASKS, strict=True):
            for arm, (role, style) in _COLOURS.items():
                rows = [one for one in results if (one.task, one.arm) == (task, arm)]
                if rows:
                    steps = sorted(one.steps for one in rows if one.found)
                    share = np.arange(1, len(steps) + 1) / len(rows)
                    x, y = (
                        [1, *steps, max(one.steps for one in rows)],
                        [0.0, *share, share[-1] if len(steps) else 0.0],
                    )
                    axes.step(x, y, style, where="post", color=light(role), label=arm, linewidth=1.4)
            axes.set_title(TITLES[task])
            most = max((one.steps for one in results if one.task == task), default=1_000)
            axes.set(xlabel="steps", xscale="log", xlim=(100, 1.1 * most), ylim=(-0.02, 1.02))
            ticks = [tick for tick in (100, 1_000, 10_000, 100_000) if tick <= most]
            axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            axes.minorticks_off()
        row[0].set_ylabel("share of seeds")
        legend(figure, [row])
        return figure


def _limit(task: str, quick: bool) -> int:
    return QUICK_STEPS if quick else TASKS[task].max_steps


def _measured(key: Key, seeds: Sequence[int]) -> dict[int, Measured]:
    limit = key.settings["max_steps"]
    steps = first_rewards(key.settings["task"], key.model, seeds, max_steps=limit)
    return {
        seed: Measured({"steps": float(limit if found < 0 else found), "found": float(found >= 0)})
        for seed, found in zip(seeds, steps.tolist(), strict=True)
    }


def _row(run: Run, quick: bool) -> FirstReward:
    return FirstReward(
        task=run.key.settings["task"],
        arm=run.key.model,
        seed=run.key.seed,
        steps=int(run.scores["steps"]),
        found=bool(run.scores["found"]),
        quick=quick,
        **made([run]),
    )


def _steps(results: Sequence[FirstReward], task: str, arm: str) -> Any:
    """Steps of an arm in the order of its seeds."""
    rows = sorted((one for one in results if (one.task, one.arm) == (task, arm)), key=lambda one: one.seed)
    return np.array([one.steps for one in rows], dtype=float)


def _compared(results: Sequence[FirstReward], task: str, arm: str, base: str) -> str:
    ours, theirs = _steps(results, task, arm), _steps(results, task, base)
    return "–" if arm == base or len(ours) != len(theirs) else _share(saving(ours, theirs))


def _text(found: Interval) -> str:
    return f"{found.value:,.0f} [{found.low:,.0f}, {found.high:,.0f}]"


def _share(found: Interval) -> str:
    return f"{100 * found.value:.0f}% [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def _verdict(results: Sequence[FirstReward], against: Mapping[tuple[str, str], Interval]) -> str:
    better = {task for (task, _), found in against.items() if found.low > 0}
    chance = {
        task
        for task in TASKS
        for arm in GRAPH
        if saving(_steps(results, task, arm), _steps(results, task, "epsilon-greedy")).low > 0
    }
    first = f"A graph bonus beats epsilon-greedy on {len(chance)} of {len(TASKS)} tasks"
    return f"{first}, plain counts on {len(better)}." if better else f"{first}, but plain counts on none."


STUDY = RlExploration()
"""The study of exploring."""
