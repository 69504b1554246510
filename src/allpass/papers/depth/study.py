"""Accuracy by depth, initialisation and activation, with the sizes in every layer next to what was derived."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allpass.papers.depth.grid import Combination, Grid, parse_grid
from allpass.papers.depth.predictions import Ground
from allpass.papers.depth.trainings import MOMENTS, QUANTITIES, DeepTrainings
from allpass.papers.measuring import stored
from allpass.papers.result import Result, made, place_of, rounded
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.papers.tables.trainings import prepared
from allpass.report.canvas import in_style, legend, name_outer, panels
from allpass.report.theme import light
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.statistics import estimate, overlap_of
from allpass.train.trial import Trial, ranked, trial_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SCORE = "accuracy"
EXPLODED = 10
"""A run has exploded whose best validation loss is this many times that of even odds, the logarithm of the classes."""

END = math.log10(float(np.finfo(np.float32).max))
"""Decimal logarithm of the largest number of float32."""

_DEEP = 32  # layers from which two tasks fill the memory of a GPU
_DRAWN = {
    ("glorot", "relu"): ("muted", "-", "o"),
    ("he", "relu"): ("high", "-", "s"),
    ("he", "adarelu"): ("high", "--", "s"),
    ("combined", "adarelu"): ("low", "-", "^"),
    ("effective-degree", "tanh"): ("both", "-.", "v"),
}
"""Which lines are drawn, with colour, line and marker."""


@dataclass(frozen=True, kw_only=True)
class Deep(Result):
    """A network on a graph; texts have a number for each layer.

    Args:
        lr: The learning rate that validation nodes chose; ``runs`` have it, ``tried`` counts those with all rates.
        mean: The mean accuracy on test nodes, in percent, with a 95% interval over splits; a run that diverged has 0.
        start_variance: Decimal logarithms of sizes before training, then after it, then as derived.
    """

    place: ClassVar[tuple[str, ...]] = Combination._fields

    dataset: str
    activation: str
    initialisation: str
    layers: int
    lr: float
    runs: int
    diverged: int
    tried: int
    tried_diverged: int
    tried_exploded: int
    mean: float | None
    low: float | None
    high: float | None
    validation: float | None
    train: float | None
    majority: float | None
    scores: str
    epochs: float
    overlap: float
    start_variance: str
    start_gradient_variance: str
    start_energy: str
    end_variance: str
    end_gradient_variance: str
    end_energy: str
    independent_variance: str
    independent_gradient_variance: str
    independent_energy: str
    alike_variance: str
    alike_energy: str
    quick: bool

    @property
    def lost(self) -> bool:
        """Whether all runs diverged."""
        return self.diverged == self.runs

    @property
    def learns(self) -> bool:
        """Whether the interval of its accuracy lies above the most frequent class."""
        return not self.lost and (self.low or 0.0) > (self.majority or 0.0)


class DepthStudy:
    """The study of a grid.

    Args:
        words: What is said of it.
        grid: What is combined.
    """

    id = "depth"
    result = Deep

    def __init__(self, words: Words, grid: Grid) -> None:
        self.words = words
        self.grid = grid

    def axes(self) -> dict[str, Sequence[str]]:
        """Datasets, activations, initialisations, and numbers of layers."""
        return self.grid.axes

    def tasks(self, plan: Plan, store: Store, known: Sequence[Deep] = ()) -> list[Task]:  # noqa: ARG002
        """A task is one network on one graph with all learning rates and splits."""
        there = {place_of(one) for one in known}
        return [
            Task(
                OfStudy(self.id),
                str(combination),
                DeepTrainings.of(self.grid, combination, plan).to_dict(),
                gpu=0.25 if combination.layers < _DEEP else 0.5,
            )
            for combination in self.grid.asked(plan)
            if combination not in there
        ]

    def keys(self, task: Task) -> list[Key]:
        return DeepTrainings.from_dict(task.about).keys()

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return DeepTrainings.from_dict(task.about).runs(task.left, device)

    def results(self, plan: Plan, store: Store) -> list[Deep]:
        found, grounds = [], dict[str, Ground]()
        for combination in self.grid.asked(plan):
            trainings = DeepTrainings.of(self.grid, combination, plan)
            runs = stored(trainings.keys(), store)
            if runs is not None:
                if combination.dataset not in grounds:
                    grounds[combination.dataset] = Ground.of(trainings)
                found.append(_result(combination, trainings, runs, grounds[combination.dataset], plan))
        return found

    def facts(self, results: Sequence[Deep]) -> dict[str, object]:
        by = {place_of(one): one for one in results}
        deepest = max(self.grid.depths)
        last = [one for one in results if one.layers == deepest]
        advised = [one for one in last if (one.initialisation, one.activation) == ("combined", "adarelu")]
        kept = [one for one in advised if not one.lost]
        over, under = (
            [one for one in results if (_largest(one.start_variance) > END) is beyond]
            for beyond in (True, False)
        )
        plain = [by[one.dataset, "relu", "glorot", deepest] for one in kept]
        return {
            "advised_lost": f"{sum(one.lost for one in advised)} of {len(advised)}",
            "advised_kept": ", ".join(
                f"{self.grid.datasets[one.dataset]}, {one.mean:.1f} against {other.mean:.1f}"
                for one, other in zip(kept, plain, strict=True)
            ),
            "over": f"{len(over)} of {len(results):,}",
            "over_lost": sum(one.lost for one in over),
            "under_lost": sum(one.lost for one in under),
            "best": "; ".join(self._best(name, results) for name in self.grid.datasets),
            "tried": f"{sum(one.tried for one in results):,}",
            "tried_diverged": f"{sum(one.tried_diverged for one in results):,}",
            "tried_exploded": f"{sum(one.tried_exploded for one in results):,}",
            **{
                "learn_" + name.replace("-", "_"): f"{sum(one.learns for one in mine)} of {len(mine)}"
                for name in self.grid.initialisations
                for mine in [[one for one in last if one.initialisation == name]]
            },
            **self._adarelu(by),
        }

    def _adarelu(self, by: Mapping[tuple[Any, ...], Deep]) -> dict[str, object]:
        """Channel-wise against shared AdaReLU, over all other choices; a run that diverged has 0."""
        pairs = [
            one.mean - other.mean
            for (dataset, activation, initialisation, layers), one in by.items()
            if activation == "adarelu"
            and (other := by.get((dataset, "adarelu-shared", initialisation, layers)))
            if one.mean is not None and other.mean is not None
        ]
        if not pairs:
            return {}
        return {
            "pairs": len(pairs),
            "channel_wise": sum(value > 0 for value in pairs),
            "shared": sum(value < 0 for value in pairs),
            "channel_gain": f"{float(np.mean(pairs)):+.2f}".replace("-", "−"),
        }

    def _best(self, dataset: str, results: Sequence[Deep]) -> str:
        """The accuracy of the network with the best validation accuracy, with the fewest and with the most layers."""
        means = []
        for layers in (min(self.grid.depths), max(self.grid.depths)):
            mine = [one for one in results if (one.dataset, one.layers) == (dataset, layers)]
            best = max(mine, key=lambda one: one.validation or 0.0, default=None)
            means.append("–" if best is None or best.mean is None else f"{best.mean:.1f}")
        return f"{self.grid.datasets[dataset]} {means[0]} and {means[1]}"

    def matrix(self, results: Sequence[Deep]) -> DataFrame:
        """The accuracy of the deepest networks; bold is the best of a column that learns."""
        from pandas import DataFrame

        layers = max(one.layers for one in results)
        by = {place_of(one): one for one in results}
        names = [(a, i) for a in self.grid.activations for i in self.grid.initialisations]
        names = [
            name for name in names if any((dataset, *name, layers) in by for dataset in self.grid.datasets)
        ]
        shown = [(self.grid.activations[a], i) for a, i in names]
        frame = DataFrame(shown, columns=["activation", "initialisation"])
        for dataset, title in self.grid.datasets.items():
            mine = [by.get((dataset, *name, layers)) for name in names]
            best = max((one.mean or 0.0 for one in mine if one and one.learns), default=None)
            frame[title] = [_text(one, best) for one in mine]
        return frame.set_index("activation")

    @in_style
    def picture(self, results: Sequence[Deep]) -> Figure:
        """Accuracy over depth, a panel for each graph."""
        figure, grid = panels(2, 3, 5.2, sharex=True, sharey=True)
        flat = [panel for row in grid for panel in row]
        for panel, (dataset, title) in zip(flat, self.grid.datasets.items(), strict=False):
            panel.set_title(title, fontsize=9, loc="left")
            mine = [one for one in results if one.dataset == dataset]
            for drawn, (role, line, marker) in _DRAWN.items():
                chosen = [one for one in mine if (one.initialisation, one.activation) == drawn]
                kept = [one for one in chosen if not one.lost]
                label = f"{drawn[0]}, {self.grid.activations[drawn[1]]}"
                layers, means = [one.layers for one in kept], [one.mean or 0.0 for one in kept]
                panel.plot(layers, means, line, marker=marker, color=light(role), markersize=3.5, label=label)
                lost = [one.layers for one in chosen if one.lost]
                panel.plot(lost, [2.0] * len(lost), "x", color=light(role), markersize=5)
            if mine and mine[0].majority is not None:
                panel.axhline(mine[0].majority, color=light("muted"), linewidth=0.9, linestyle=":")
            panel.set_xscale("log", base=2)
            panel.set_xticks(self.grid.depths, [str(depth) for depth in self.grid.depths])
            panel.minorticks_off()
            panel.set_ylim(0, 100)
            panel.grid(axis="y")
        flat[0].plot([], [], ":", color=light("muted"), label="majority class")
        flat[0].plot([], [], "x", color=light("muted"), label="all runs diverged")
        for panel in flat[len(self.grid.datasets) :]:
            panel.set_axis_off()
        flat[2].tick_params(labelbottom=True)  # no panel stands below it
        name_outer(grid, "layers", ["accuracy on test nodes, %"] * 2)
        legend(figure, grid, 4)
        return figure


def _largest(sizes: str) -> float:
    """The largest size in any layer; infinite where one is out of range."""
    found = [float(size) for size in sizes.split()]
    return max((math.inf if math.isnan(size) else size for size in found), default=math.inf)


def _text(one: Deep | None, best: float | None) -> str:
    if one is None or one.mean is None:
        return "–"
    if one.lost:
        return "diverged"
    mean = f"**{one.mean:.1f}**" if one.mean == best and one.learns else f"{one.mean:.1f}"
    return mean if one.learns else f"{mean}°"


def _result(
    combination: Combination, trainings: DeepTrainings, runs: Sequence[Run], ground: Ground, plan: Plan
) -> Deep:
    size = len(runs) // len(trainings.rates)
    parts = {rate: runs[place * size : (place + 1) * size] for place, rate in enumerate(trainings.rates)}
    chosen: Trial = ranked(
        [trial_of({"lr": rate}, part, size, SCORE) for rate, part in parts.items()], SCORE
    )[0]
    lr = float(chosen.settings["lr"])  # type: ignore[arg-type]
    kept = parts[lr]
    scores = [100 * score for score in chosen.test_scores]
    accuracy, too_much = estimate(scores), EXPLODED * math.log(ground.classes)
    train = [100 * run.scores["train_score"] for run in kept if run.status == "done"]
    _, splits = prepared(trainings.dataset, trainings.protocol)
    return Deep(
        **combination._asdict(),
        lr=lr,
        runs=len(kept),
        diverged=chosen.diverged,
        tried=len(runs),
        tried_diverged=sum(run.status != "done" for run in runs),
        tried_exploded=sum(run.status == "done" and run.scores["val_loss"] > too_much for run in runs),
        mean=rounded(accuracy.mean),
        low=rounded(accuracy.low),
        high=rounded(accuracy.high),
        validation=rounded(100 * chosen.val_score),
        train=rounded(float(np.mean(train))) if train else None,
        majority=rounded(100 * float(np.mean([run.scores["majority"] for run in kept]))),
        scores=" ".join(f"{score:.2f}" for score in scores),
        epochs=round(float(np.mean([run.epochs for run in kept])), 1),
        overlap=round(overlap_of(splits), 4),
        **_texts(_sizes(kept)),
        **_texts(ground.predicted(trainings.settings)),
        quick=plan.quick,
        **made(kept),
    )


def _sizes(runs: Sequence[Run]) -> dict[str, NDArray[np.float64]]:
    """The median run of each layer, by moment and quantity."""
    names = [f"{moment}_{quantity}" for moment in MOMENTS for quantity in QUANTITIES]
    return {
        name: middle(np.array([run.curves[name] for run in runs if name in run.curves])) for name in names
    }


def middle(curves: NDArray[np.floating]) -> NDArray[np.float64]:
    """The median of every column, the lower one of two; NaN where most values are NaN.

    Args:
        curves: One row a run; it may hold infinite values and NaN.
    """
    if not curves.size:
        return np.empty(0)
    ordered = np.sort(curves.astype(np.float64), axis=0)  # NaN come last
    found: NDArray[np.float64] = ordered[(len(ordered) - 1) // 2]
    return found


def _texts(curves: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    return {name: " ".join(f"{value:.2f}" for value in values) for name, values in curves.items()}


_WORDS, _CONTENT = read_spec("depth")
STUDY = DepthStudy(_WORDS, parse_grid(_CONTENT))
"""The study of all that the report leaves open about depth."""
