"""What models cost: parameters and operations by formula and counted, and the time of an epoch next to their base's."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch_geometric.data import Data

from allpass.data import splits
from allpass.graph import Operator
from allpass.metrics import prepare
from allpass.models.catalog import create, resolve
from allpass.nn.inputs import as_features
from allpass.papers.at_hand import graph_of
from allpass.papers.costs import LAYERS, Cost, Size, by_formula, count
from allpass.papers.dots import dots
from allpass.papers.measuring import finished
from allpass.papers.result import Result, made
from allpass.papers.specs import read_spec
from allpass.papers.study import OfStudy, Plan, Words
from allpass.train.executors.task import Task
from allpass.train.job import THIN, thin
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

METHOD = 2
"""Raise it when the same key would give other numbers."""

WARM_UP = 3
"""Rounds before those that are timed."""


@dataclass(frozen=True)
class Costed:
    """A model whose cost is known by formula.

    Args:
        model: A name of ``allpass.models.MODELS``.
        layer: A name of ``LAYERS``.
        frame: A name of ``FRAMES``.
        base: The title of the model it is compared with; empty where it is a base itself.
        settings: Settings that make it what the formula is about.
        published: Published times of an epoch in ms, one for each dataset; or empty.
    """

    model: str
    layer: str
    frame: str
    base: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    published: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True)
class Costs(Result):
    """The cost of a model on a dataset.

    Parameters and operations are those of the printed formula, of the formula by definition, and as counted. Times are
    medians and quartiles of epochs in ms, ratios those to the base model in the same round.
    """

    place: ClassVar[tuple[str, ...]] = ("dataset", "model")

    dataset: str
    model: str
    base: str
    runs: int
    nodes: int
    entries: int
    features: int
    classes: int
    parameters_printed: int | None
    parameters_formula: int
    parameters_counted: int
    flops_printed: int | None
    flops_formula: int
    flops_counted: int
    epoch_ms: float
    epoch_ms_low: float
    epoch_ms_high: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    published_ms: float | None
    published_ratio: float | None
    rounds: int
    quick: bool


class ComplexityStudy:
    """Costs of models on datasets.

    Args:
        words: What is said of it.
        content: The entries of its file.
    """

    id = "complexity"
    result = Costs

    def __init__(self, words: Words, content: Mapping[str, Any]) -> None:
        self.words = words
        self.hidden: int = content["hidden"]
        self.dropout: float = content["dropout"]
        self.rounds: int = content["rounds"]
        self.datasets: Mapping[str, str] = content["datasets"]
        self.models = {title: Costed(**given) for title, given in content["models"].items()}
        self.quick: Mapping[str, Any] = content["quick"]

    def axes(self) -> dict[str, Sequence[str]]:
        """Datasets and models."""
        return {"datasets": list(self.datasets), "models": list(self.models)}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Costs] = ()) -> list[Task]:  # noqa: ARG002
        """A task is a dataset: its models are timed in turns."""
        asked = plan.choose(self.id, self.axes(), {"datasets": self.quick["datasets"]})
        rounds = self.quick["rounds"] if plan.quick else self.rounds
        who = ", ".join(asked["models"]) if len(asked["models"]) < len(self.models) else "all models"
        there = {(result.dataset, result.model) for result in known}
        return [
            Task(
                OfStudy(self.id),
                f"{who} on {dataset}",
                {"dataset": dataset, "models": asked["models"], "rounds": rounds},
            )
            for dataset in asked["datasets"]
            if not there.issuperset((dataset, model) for model in asked["models"])
        ]

    def keys(self, task: Task) -> list[Key]:
        data = graph_of(self.datasets[task.about["dataset"]])
        return [
            Key(
                dataset=data.name,
                fingerprint=data.fingerprint,
                model=self.models[title].model,
                settings=self._settings(title),
                split="random/0",
                split_hash="",
                seed=0,
                protocol={
                    "study": self.id,
                    "method": METHOD,
                    "rounds": task.about["rounds"],
                    "sparse_features_up_to": THIN,
                },
            )
            for title in task.about["models"]
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """All models of a dataset together: a time says most next to others of the same minute."""
        data = graph_of(self.datasets[task.about["dataset"]])
        keys = [key for key in self.keys(task) if not task.left or key.identity in task.left]
        times = timed([Trained(key, data, device) for key in keys], task.about["rounds"])
        made_with = versions(device)
        costs = [counted(data, key) for key in keys]
        yield [
            Run(
                key=key,
                scores={"parameters": cost.parameters, "flops": cost.flops},
                curves={"epoch_ms": mine},
                seconds=float(mine.sum()) / 1000,
                epochs=len(mine),
                versions=made_with,
            )
            for key, mine, cost in zip(keys, times, costs, strict=True)
        ]

    def results(self, plan: Plan, store: Store) -> list[Costs]:
        found = []
        for about, runs in finished(self, plan, store):
            by_title = dict(zip(about["models"], runs, strict=True))
            found += [self._result(about["dataset"], title, by_title, plan) for title in by_title]
        return found

    def _settings(self, title: str) -> dict[str, Any]:
        model = self.models[title]
        shared = {"hidden_channels": self.hidden, "dropout": self.dropout}
        known = resolve(model.model)[0].settings
        return {**{name: value for name, value in shared.items() if name in known}, **model.settings}

    def _result(self, dataset: str, title: str, runs: Mapping[str, Run], plan: Plan) -> Costs:
        model, run = self.models[title], runs[title]
        times = run.curves["epoch_ms"]
        ratios = times / runs[model.base].curves["epoch_ms"] if model.base in runs else None
        place = list(self.datasets).index(dataset)
        printed_times = [self.models[name].published if name else () for name in (title, model.base)]
        published, base = (times[place] if times else None for times in printed_times)
        data = graph_of(self.datasets[dataset])
        size, classes = Size.of(_adjacency(data)), _classes(data)
        recounted, printed = LAYERS[model.layer]
        widths = data.num_features, self.hidden, classes
        exact = by_formula(recounted, model.frame, size, *widths)
        paper = by_formula(printed, model.frame, size, *widths) if printed else None
        median, low, high = _quartiles(times)
        ratio, ratio_low, ratio_high = (None,) * 3 if ratios is None else _quartiles(ratios)
        return Costs(
            dataset=dataset,
            model=title,
            base=model.base,
            runs=1,
            nodes=size.nodes,
            entries=size.entries,
            features=data.num_features,
            classes=classes,
            parameters_printed=paper.parameters if paper else None,
            parameters_formula=exact.parameters,
            parameters_counted=int(run.scores["parameters"]),
            flops_printed=paper.flops if paper else None,
            flops_formula=exact.flops,
            flops_counted=int(run.scores["flops"]),
            epoch_ms=median,
            epoch_ms_low=low,
            epoch_ms_high=high,
            ratio=ratio,
            ratio_low=ratio_low,
            ratio_high=ratio_high,
            published_ms=published,
            published_ratio=round(published / base, 4) if published and base else None,
            rounds=len(times),
            quick=plan.quick,
            **made([run]),
        )

    def facts(self, results: Sequence[Costs]) -> dict[str, object]:
        ratios: dict[str, list[float]] = {"ratio": [], "published_ratio": []}
        for name, medians in ratios.items():
            for title in dict.fromkeys(one.model for one in results if "ACM" in one.model):
                known = [x for one in results if one.model == title and (x := getattr(one, name))]
                medians += [median(known)] if known else []
        printed = [one for one in results if one.parameters_printed is not None]
        return {
            "parameters": sum(one.parameters_printed == one.parameters_counted for one in printed),
            "of_parameters": len(printed),
            "formula": sum(one.parameters_formula == one.parameters_counted for one in results),
            "cells": len(results),
            "flops": f"{max(abs(one.flops_counted / one.flops_formula - 1) for one in results):.2%}",
            **{name: f"{min(values):.1f} to {max(values):.1f}" for name, values in ratios.items() if values},
        }

    def matrix(self, results: Sequence[Costs]) -> DataFrame:
        """The ratio of the time of an epoch to that of the base; in brackets the published one."""
        from pandas import DataFrame, Index

        cells = {(one.model, one.dataset): one for one in results}
        titles = list(dict.fromkeys(one.model for one in results))
        models = [title for title in self.models if title in titles and self.models[title].base] or titles
        datasets = [name for name in self.datasets if any(one.dataset == name for one in results)]
        return DataFrame(
            {name: [_text(cells.get((model, name))) for model in models] for name in datasets},
            index=Index([f"{model} / {self.models[model].base or model}" for model in models], name="models"),
        )

    def picture(self, results: Sequence[Costs]) -> Figure:
        """The ratios of every model over the datasets, ours and published."""
        lines = {
            f"{title} / {model.base}": [one for one in results if one.model == title]
            for title, model in self.models.items()
            if model.base
        }
        ways = {
            "published, V100 and dense adjacency": "published_ratio",
            "ours, CPU and sparse adjacency": "ratio",
        }
        return dots(lines, ways, "time of an epoch, times that of the base model", 1)


def counted(data: Data, key: Key) -> Cost:
    """The cost of the network that a key names, counted on the CPU.

    Args:
        data: The graph.
        key: Its model and settings.
    """
    return count(_network(key, data), data.x.to_dense(), _adjacency(data))


class Trained:
    """A network in training, an epoch at a time: a step, and an evaluation as every epoch of the source has one.

    Args:
        key: Its model and settings.
        data: The graph.
        device: Where to train.
    """

    def __init__(self, key: Key, data: Data, device: str) -> None:
        self.network = _network(key, data).to(device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=0.01, weight_decay=5e-4)
        features = as_features(thin(data.x).to(device))
        self.given = features, _adjacency(data).to(device)
        self.train = splits(data, "random", count=1)[0].train.to(device)
        self.target = data.y.to(device)[self.train]

    def epoch(self) -> float:
        """Train for an epoch; gives the milliseconds it took."""
        self._wait()
        begin = time.perf_counter()
        self.network.train()
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.network(*self.given)[self.train], self.target).backward()
        self.optimizer.step()
        self.network.eval()
        with torch.no_grad():
            self.network(*self.given)
        self._wait()
        return 1000 * (time.perf_counter() - begin)

    def _wait(self) -> None:
        """Until a GPU has done what it was asked for."""
        if self.target.is_cuda:
            torch.cuda.synchronize(self.target.device)


def timed(trained: Sequence[Trained], rounds: int) -> list[NDArray[np.float32]]:
    """Times of epochs in ms: for every network one of each round.

    Args:
        trained: The networks.
        rounds: How often each is timed; they take turns, and some rounds before these are not counted.
    """
    times = [[one.epoch() for one in trained] for _ in range(WARM_UP + rounds)]
    return list(np.array(times[WARM_UP:], dtype=np.float32).reshape(rounds, len(trained)).T)


def _quartiles(values: NDArray[np.float32]) -> tuple[float, float, float]:
    """The median and both quartiles."""
    median, low, high = (round(float(value), 4) for value in np.percentile(values, (50, 25, 75)))
    return median, low, high


def _text(one: Costs | None) -> str:
    if one is None or one.ratio is None:
        return "–"
    return f"{one.ratio:.1f}" + (f" ({one.published_ratio:.1f})" if one.published_ratio else "")


def _network(key: Key, data: Data) -> nn.Module:
    settings = {**resolve(key.model)[0].added, **key.settings}  # what a key leaves out has its old value
    return create(
        key.model,
        in_channels=data.num_features,
        out_channels=_classes(data),
        num_nodes=data.num_nodes,
        **settings,
    )


def _adjacency(data: Data) -> Operator:
    return prepare(data).adjacency.to(torch.float32)


def _classes(data: Data) -> int:
    return int(data.y.max()) + 1


STUDY = ComplexityStudy(*read_spec("complexity"))
"""The study of the costs of adaptive channel mixing."""
