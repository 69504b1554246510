"""The trainings of one combination, each with the sizes in its layers before the first step and at its best."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from allpass.nn.probe import measure_propagation
from allpass.nn.propagation import Propagation
from allpass.papers.depth.grid import MODEL, Combination, Grid
from allpass.papers.study import Plan
from allpass.papers.tables.protocol import Protocol
from allpass.papers.tables.trainings import majority, prepared
from allpass.train.engine.batch import Outcome
from allpass.train.engine.gradients import Problem
from allpass.train.job import Job, Wanted
from allpass.train.kept import run_of
from allpass.train.network import trained, untrained
from allpass.train.runs.run import Key, Run
from allpass.train.runs.versions import versions

METHOD = 1
"""Goes up when the same key would give other numbers."""

QUANTITIES = ("variance", "gradient_variance", "energy")
"""What is measured in every layer, by its name in ``LayerRecord``."""

MOMENTS = ("start", "end")
"""When: before the first step, and at the epoch that is reported."""


@dataclass(frozen=True)
class DeepTrainings:
    """Learning rates times splits of one network on one graph.

    Args:
        dataset: A name of ``allpass.data.DATASETS``.
        protocol: How the runs are made.
        settings: Of the network and its training, without the learning rate.
        rates: Learning rates.
    """

    dataset: str
    protocol: Protocol
    settings: Mapping[str, Any]
    rates: Sequence[float]

    @classmethod
    def of(cls, grid: Grid, combination: Combination, plan: Plan) -> DeepTrainings:
        """Those of a combination.

        Args:
            grid: Where it stands.
            combination: What is trained.
            plan: How much of it.
        """
        settings = {
            **grid.fixed,
            "num_layers": combination.layers,
            "activation": combination.activation,
            "init": combination.initialisation,
        }
        return cls(combination.dataset, grid.how(plan), settings, tuple(grid.tried["lr"]))

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> DeepTrainings:
        """From plain data."""
        changes = {"protocol": Protocol(**content["protocol"]), "rates": tuple(content["rates"])}
        return cls(**{**content, **changes})

    def keys(self) -> list[Key]:
        """What identifies each run, rate by rate and split by split within."""
        return _keys(self.job("cpu"))

    def runs(self, left: Collection[str], device: str) -> Iterator[Sequence[Run]]:
        """Train and measure, and give the runs as they end.

        Args:
            left: The identities of those that are wanted; all where it is empty.
            device: Where to train and to measure.
        """
        job, made_with = self.job(device), versions(device)
        keys = _keys(job)
        wanted = [number for number, key in enumerate(keys) if not left or key.identity in left]
        for ended in job.run(wanted):
            yield [
                _measured(run_of(keys[number], outcome, made_with), job, number, outcome)
                for number, outcome in ended.items()
            ]

    def job(self, device: str) -> Job:
        """The trainings, not done yet; the number of a split is the seed of its weights.

        Args:
            device: Where to train.
        """
        data, parts = prepared(self.dataset, self.protocol)
        wanted = [
            Wanted({**self.settings, "lr": rate}, split, seed)
            for rate in self.rates
            for seed, split in enumerate(parts)
        ]
        return Job(MODEL, data, wanted, self.protocol.training(device))


def _keys(job: Job) -> list[Key]:
    """The keys of trainings that are measured: one that is not has the same numbers, and less of them."""
    keys = [job.key(number) for number in range(len(job.wanted))]
    return [replace(key, protocol={**key.protocol, "study": "depth", "method": METHOD}) for key in keys]


def _measured(run: Run, job: Job, number: int, outcome: Outcome) -> Run:
    wanted, problem = job.wanted[number], job.problem
    shape = {
        "in_channels": problem.x.shape[1],
        "out_channels": job.recipe.task.out_channels(job.data.y),
        "num_nodes": problem.graph.shape[0],
    }
    first = untrained(
        MODEL, wanted.settings, **shape, graph=problem.graph, seed=wanted.seed, dtype=job.config.dtype
    )
    sizes = {"start": sizes_of(first.to(job.device), problem)}
    if outcome.epoch is not None:
        best = trained(MODEL, wanted.settings, outcome.weights, **shape)
        assert isinstance(best, nn.Module)
        sizes["end"] = sizes_of(best.to(job.device), problem)
    curves = {
        f"{moment}_{name}": values.astype(np.float32)
        for moment, of in sizes.items()
        for name, values in of.items()
    }
    most = majority(job.data.y, wanted.split.train, wanted.split.test)
    return replace(run, scores={**run.scores, "majority": most}, curves={**run.curves, **curves})


def sizes_of(network: nn.Module, problem: Problem) -> dict[str, NDArray[np.float64]]:
    """The decimal logarithms of what a network has in its layers, by quantity.

    Args:
        network: The network, on the device of the problem.
        problem: Features, graph and labels.
    """
    return logarithms(measure_propagation(network, problem.x, problem.graph, problem.target))


def logarithms(flow: Propagation) -> dict[str, NDArray[np.float64]]:
    """Decimal logarithms, layer by layer; what is 0 has -inf.

    Args:
        flow: Sizes that were measured or predicted.
    """
    with np.errstate(divide="ignore"):
        return {
            name: np.log10(np.array([getattr(layer, name) for layer in flow], dtype=np.float64))
            for name in QUANTITIES
        }
