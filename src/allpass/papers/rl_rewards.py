"""Reward shaping by potentials of the graph of states: with tables on a grid, with networks where no table fits."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allpass.errors import MissingExtraError
from allpass.papers.measuring import Measured, measure, stored
from allpass.papers.result import Result, made
from allpass.papers.rewards import tabular
from allpass.papers.rewards.intervals import Interval, difference, mean, saving
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

NETWORKS = ("none", "gcn", "acm-gcn", "shuffled")
PARTS: Mapping[str, Sequence[str]] = {
    "grid": tuple(tabular.ARMS),
    "doorkey": NETWORKS,
    "mountaincar": NETWORKS,
}
"""The arms of each part."""

SEEDS: Mapping[str, Sequence[int]] = {
    "grid": range(100, 130),
    "doorkey": range(200, 210),
    "mountaincar": range(200, 210),
}
TITLES = {
    "grid": "grid of 22 x 22 cells",
    "doorkey": "DoorKey-5x5, PPO",
    "mountaincar": "MountainCar, DQN",
}
_LINES = {
    "none": ("muted", "-"),
    "harmonic": ("both", "-"),
    "gcn": ("low", "-"),
    "acm-gcn": ("high", "-"),
    "shuffled": ("muted", ":"),
    "dyna-10": ("both", "--"),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Learned(Result):
    """One run.

    Args:
        part: The task.
        arm: Where the potential comes from, or Dyna-Q.
        seed: The seed.
        steps: Steps of 100 episodes; None where the number of steps is fixed.
        updates: Updates of the table.
        fits: Fits of the potential.
        earned: Mean return of all evaluations on the raw reward; None on the grid.
        last: Mean return of the last two.
        curve: Evaluations in their order; on the grid, steps up to every fifth episode.
    """

    place: ClassVar[tuple[str, ...]] = ("part", "arm", "seed")

    part: str
    arm: str
    seed: int
    steps: int | None
    updates: int | None
    fits: int | None
    earned: float | None
    last: float | None
    curve: str

    @property
    def values(self) -> list[float]:
        """The curve as numbers."""
        return [float(value) for value in str(self.curve).split()]


class RlRewards:
    """Steps and returns of learners with and without shaping; a task is an arm of a part with all its seeds."""

    id = "rl-rewards"
    result = Learned
    words = Words(
        title="Reward shaping by the graph of states",
        source="Klissarov and Precup, NeurIPS 2020, and section 4.3.1 of the report",
        claim="Potentials that spread rewards over the graph of states should speed up learning.",
        verdict="{verdict}",
        verdict_first=True,
        advice="Use the harmonic potential or Dyna-Q where states are countable.",
        picture="Left: steps up to an episode, lower is better. Others: return on the raw reward while learning, "
        "with 95% intervals.",
        table="Means with 95% intervals. Grid: steps of 100 episodes and the share saved. Others: mean return of 20 "
        "evaluations, and its difference from no shaping.",
        findings=(
            "On the grid the harmonic potential saves {harmonic} of the steps, GCN {gcn}, ACM-GCN {acm}.",
            "Dyna-10 saves {dyna}, with {more} times as many updates of the table as the harmonic potential.",
            "Mean return on DoorKey, compared with no shaping and with the shuffled potential: {doorkey}.",
            "The same on MountainCar: {mountaincar}.",
            "Return of the last two evaluations, compared with no shaping: on DoorKey {doorkey_end}; on MountainCar "
            "{mountaincar_end}.",
            "Runs on DoorKey that never met a reward: {never}. Up to its first reward a seed is the same run with "
            "every potential, as there is nothing to spread.",
            "The shuffled potential knows the graph but not which steps were rewarded.",
            "Settings of the networks on the grid were chosen on seeds 0 to 9 among nine (GCN) and five (ACM-GCN) "
            "candidates; the table has seeds 100 to 129.",
            "DoorKey and MountainCar use the learners' settings of RL Baselines3 Zoo and the published weight 0.6 of "
            "the raw critic; nothing was tuned.",
        ),
    )

    def axes(self) -> dict[str, Sequence[str]]:
        """Parts and arms."""
        return {
            "parts": list(PARTS),
            "arms": list(dict.fromkeys(arm for arms in PARTS.values() for arm in arms)),
        }

    def tasks(self, plan: Plan, store: Store, known: Sequence[Learned] = ()) -> list[Task]:  # noqa: ARG002
        chosen = plan.choose(self.id, self.axes(), {"parts": ["grid"], "arms": ["none", "harmonic"]})
        there = {(result.part, result.arm, result.seed) for result in known}
        found = []
        for part in chosen["parts"]:
            for arm in (arm for arm in PARTS[part] if arm in chosen["arms"]):
                seeds = list(SEEDS[part][:2] if plan.quick else SEEDS[part])
                left = [seed for seed in seeds if (part, arm, seed) not in there]
                # Seeds of a table learn side by side; a run with networks takes minutes, so each is a task.
                groups = [left] if part == "grid" else [[seed] for seed in left]
                found += [_task(part, arm, group, plan.quick) for group in groups if group]
        return found

    def keys(self, task: Task) -> list[Key]:
        part, arm = task.about["part"], task.about["arm"]
        how = tabular.ARMS[arm] if part == "grid" else _trial(part)
        settings = {"part": part, **how, "length": task.about["length"]}
        return [
            Key(
                dataset=self.id,
                fingerprint="",
                model=arm,
                settings=settings,
                split="",
                split_hash="",
                seed=seed,
                protocol={"study": self.id, "method": METHOD},
            )
            for seed in task.about["seeds"]
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        keys = self.keys(task)
        if task.about["part"] != "grid":
            return measure(task, keys, device, _evaluations)
        return measure_together(task, keys, device, _steps)

    def results(self, plan: Plan, store: Store) -> list[Learned]:
        found = []
        for task in self.tasks(plan, store):
            for key in self.keys(task):
                found += [_row(task, run) for run in stored([key], store) or ()]
        return found

    def facts(self, results: Sequence[Learned]) -> Mapping[str, object]:
        grid = {arm: _saving(results, arm) for arm in PARTS["grid"]}
        more = _values(results, "grid", "dyna-10", "updates").mean()
        more /= _values(results, "grid", "harmonic", "updates").mean()
        compared = {part: _compared(results, part) for part in _STEPS}
        return {
            "harmonic": _share(grid["harmonic"]),
            "gcn": _share(grid["gcn"]),
            "acm": _share(grid["acm-gcn"]),
            "dyna": _share(grid["dyna-10"]),
            "more": f"{more:.0f}",
            **{part: _in_words(compared[part], part) for part in _STEPS},
            **{f"{part}_end": _ended(results, part) for part in _STEPS},
            "never": _never(results, "doorkey"),
            "verdict": _verdict(
                {part: _helps(one) for part, one in compared.items() if one},
                {part for part in _STEPS if _ends_lower(results, part)},
                grid["harmonic"],
            ),
        }

    def matrix(self, results: Sequence[Learned]) -> DataFrame:
        from pandas import DataFrame, Index

        there = {(one.part, one.arm) for one in results}
        lines = [
            (TITLES[part], arm, *_cells(results, part, arm))
            for part, arms in PARTS.items()
            for arm in arms
            if (part, arm) in there
        ]
        names = ["task", "arm", "seeds", "steps or return", "compared with none", "updates"]
        return DataFrame(lines, columns=Index(names)).set_index("task")

    @in_style
    def picture(self, results: Sequence[Learned]) -> Figure:
        parts = [part for part in PARTS if any(one.part == part for one in results)]
        figure, (row,) = panels(1, len(parts), 3.1)
        for axes, part in zip(row, parts, strict=True):
            for arm, (role, style) in _LINES.items():
                curves = np.array([one.values for one in results if (one.part, one.arm) == (part, arm)])
                if not len(curves):
                    continue
                x = np.arange(1, curves.shape[1] + 1) * (
                    _EVERY if part == "grid" else _STEPS[part] / curves.shape[1]
                )
                bands = [mean(column) for column in curves.T]
                axes.plot(
                    x, [band.value for band in bands], style, color=light(role), label=arm, linewidth=1.4
                )
                low, high = [band.low for band in bands], [band.high for band in bands]
                axes.fill_between(x, low, high, color=light(role), alpha=0.15, linewidth=0)
            axes.set_title(TITLES[part])
            axes.locator_params(axis="x", nbins=4)
            axes.set(
                xlabel="episode" if part == "grid" else "step", ylabel="steps" if part == "grid" else "return"
            )
        legend(figure, [row])
        return figure


_STEPS = {"doorkey": 200_000, "mountaincar": 120_000}
_EVERY = 5  # episodes between two points of a curve on the grid
_QUICK = {"grid": 5, "doorkey": 2_000, "mountaincar": 2_000}


def _task(part: str, arm: str, seeds: list[int], quick: bool) -> Task:
    length = _QUICK[part] if quick else _STEPS.get(part, 100)
    title = f"{part} {arm}" if part == "grid" else f"{part} {arm} {seeds[0]}"
    return Task(
        OfStudy(RlRewards.id), title, {"part": part, "arm": arm, "seeds": seeds, "length": length}, gpu=0.0
    )


def _trial(part: str) -> dict[str, Any]:
    """The settings of a part with networks."""
    approximate = _approximate()
    return dataclasses.asdict(approximate.TRIALS[part]) | {"alpha": approximate.ALPHA}


def _approximate() -> Any:
    try:
        from allpass.papers.rewards import approximate
    except ModuleNotFoundError as error:
        raise MissingExtraError("stable-baselines3", "The study rl-rewards", "rl") from error
    return approximate


def _evaluations(key: Key) -> Measured:
    approximate = _approximate()
    trial = dataclasses.replace(approximate.TRIALS[key.settings["part"]], steps=key.settings["length"])
    found = approximate.curve(trial, key.model, key.seed)
    earned = [checkpoint.earned for checkpoint in found]
    return Measured(
        {"earned": float(np.mean(earned)), "last": float(np.mean(earned[-2:]))},
        {"curve": np.array(earned, dtype=np.float32)},
    )


def _steps(key: Key, seeds: Sequence[int]) -> dict[int, Measured]:
    settings = {name: value for name, value in key.settings.items() if name not in ("part", "length")}
    learned = tabular.learn_grid(settings, seeds, episodes=key.settings["length"])
    curves = learned.steps.cumsum(axis=1)[:, _EVERY - 1 :: _EVERY].astype(np.float32)
    return {
        seed: Measured(
            {
                "steps": float(learned.steps[row].sum()),
                "updates": float(learned.updates[row]),
                "fits": float(learned.fits[row]),
            },
            {"curve": curves[row]},
        )
        for row, seed in enumerate(seeds)
    }


def _row(task: Task, run: Run) -> Learned:
    def whole(name: str) -> int | None:
        return int(run.scores[name]) if name in run.scores else None

    return Learned(
        part=task.about["part"],
        arm=task.about["arm"],
        seed=run.key.seed,
        steps=whole("steps"),
        updates=whole("updates"),
        fits=whole("fits"),
        earned=_rounded(run.scores.get("earned")),
        last=_rounded(run.scores.get("last")),
        curve=" ".join(f"{float(value):.6g}" for value in run.curves["curve"]),
        **made([run]),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)


def _values(results: Sequence[Learned], part: str, arm: str, name: str) -> Any:
    """Numbers of an arm in the order of its seeds."""
    rows = sorted((one for one in results if (one.part, one.arm) == (part, arm)), key=lambda one: one.seed)
    return np.array([getattr(one, name) for one in rows], dtype=float)


def _saving(results: Sequence[Learned], arm: str) -> Interval:
    return saving(_values(results, "grid", arm, "steps"), _values(results, "grid", "none", "steps"))


def _compared(results: Sequence[Learned], part: str) -> dict[str, tuple[Interval, Interval]]:
    """Both graph potentials against no shaping and against the shuffled one, as far as they were run."""
    earned = {arm: _values(results, part, arm, "earned") for arm in NETWORKS}
    return {
        arm: (difference(earned[arm], earned["none"]), difference(earned[arm], earned["shuffled"]))
        for arm in ("gcn", "acm-gcn")
        if len(earned[arm]) and len({len(values) for values in earned.values()}) == 1
    }


def _helps(compared: Mapping[str, tuple[Interval, Interval]]) -> bool:
    return any(min(plain.low, control.low) > 0 for plain, control in compared.values())


def _cells(results: Sequence[Learned], part: str, arm: str) -> tuple[str, ...]:
    name, digits = ("steps", 0) if part == "grid" else ("earned", 2 if part == "doorkey" else 0)
    values, base = _values(results, part, arm, name), _values(results, part, "none", name)
    compared = "–"
    if arm != "none" and len(base) == len(values):
        compared = (
            f"{_share(saving(values, base))} fewer"
            if part == "grid"
            else _text(difference(values, base), digits)
        )
    updates = _values(results, part, arm, "updates")
    return (
        str(len(values)),
        _text(mean(values), digits),
        compared,
        f"{updates.mean():,.0f}" if part == "grid" else "–",
    )


def _in_words(compared: Mapping[str, tuple[Interval, Interval]], part: str) -> str:
    digits = 2 if part == "doorkey" else 0
    said = [
        f"{arm} {_text(plain, digits)} and {_text(control, digits)}"
        for arm, (plain, control) in compared.items()
    ]
    return "; ".join(said) or "not run"


def _ends_lower(results: Sequence[Learned], part: str) -> bool:
    """Whether graph potentials end below no shaping."""
    last = {arm: _values(results, part, arm, "last") for arm in ("none", "gcn", "acm-gcn")}
    if not len(last["none"]) or len({len(values) for values in last.values()}) > 1:
        return False
    return all(difference(last[arm], last["none"]).high < 0 for arm in ("gcn", "acm-gcn"))


def _ended(results: Sequence[Learned], part: str) -> str:
    """What the last evaluations of each arm earn more than those without shaping."""
    last = {arm: _values(results, part, arm, "last") for arm in NETWORKS}
    digits = 2 if part == "doorkey" else 0
    said = [
        f"{arm} {_text(difference(values, last['none']), digits)}"
        for arm, values in last.items()
        if arm != "none" and len(values) == len(last["none"]) > 0
    ]
    return ", ".join(said) or "not run"


def _never(results: Sequence[Learned], part: str) -> str:
    """How many runs of each arm earned nothing at every evaluation."""
    curves = {arm: [one.values for one in results if (one.part, one.arm) == (part, arm)] for arm in NETWORKS}
    return ", ".join(f"{arm} {sum(not any(curve) for curve in found)}" for arm, found in curves.items())


def _text(found: Interval, digits: int) -> str:
    return f"{found.value:,.{digits}f} [{found.low:,.{digits}f}, {found.high:,.{digits}f}]"


def _share(found: Interval) -> str:
    return f"{100 * found.value:.0f}% [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def _verdict(helped: Mapping[str, bool], lower: Collection[str], harmonic: Interval) -> str:
    grid = f"with tables the harmonic potential saves {100 * harmonic.value:.0f}% of the steps"
    if not helped:
        return f"It holds as far as it was run: {grid}; learners with networks were not run."
    named = {part: TITLES[part].replace(", ", " with ") for part in helped}
    ours = " and ".join(
        named[part] + (", but ends lower" if part in lower else "") for part, helps in helped.items() if helps
    )
    others = " and ".join(named[part] for part, helps in helped.items() if not helps)
    if not others:
        return (
            f"It holds: with networks graph potentials beat no shaping and the shuffled control, and {grid}."
        )
    if not ours:
        return f"With networks they do not help: none beats both no shaping and the shuffled control; {grid}."
    return (
        f"Mixed: a graph potential learns faster than both controls on {ours}; none does on {others}; {grid}."
    )


STUDY = RlRewards()
"""The study of reward shaping."""
