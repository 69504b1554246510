"""What models cost: parameters and operations by formula and counted, and the time of an epoch beside their base."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch_geometric.data import Data

from allpass.data import DATASETS, splits
from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import prepare
from allpass.models.catalog import create, resolve
from allpass.nn.inputs import as_features
from allpass.papers.at_hand import graph_of
from allpass.papers.checks import at, check_keys, check_name, check_settings_of
from allpass.papers.complexity.costs import FRAMES, LAYERS, Cost, Size, by_formula, count
from allpass.papers.content import named, parse_content, read_text
from allpass.papers.measuring import stored
from allpass.papers.origin import origin
from allpass.papers.study import OfStudy, Plan, Row
from allpass.train.executors.task import Task
from allpass.train.job import THIN, thin
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.runs.versions import versions

METHOD = 2
"""Goes up when the same key would give other numbers."""

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
        table: Where its times were published; or empty.
        published: Published times of an epoch in ms, one for each dataset; or empty.
    """

    model: str
    layer: str
    frame: str
    base: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    table: str = ""
    published: Sequence[float] = ()


@dataclass(frozen=True)
class ComplexityStudy:
    """Costs of models on datasets.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        notes: What differs from the source, and why.
        hidden: Columns of hidden layers.
        dropout: Probability of dropout before every layer, while epochs are timed.
        rounds: Epochs of each model that are timed.
        datasets: Names of ``allpass.data.DATASETS`` by title.
        models: The models by title.
        quick: ``datasets`` and ``rounds`` that prove the path.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    hidden: int
    dropout: float
    rounds: int
    datasets: Mapping[str, str]
    models: Mapping[str, Costed]
    quick: Mapping[str, Any]

    place: ClassVar[tuple[str, ...]] = ("dataset", "model")

    def cells(self) -> Sequence[str]:
        """Datasets and models."""
        return (*self.datasets, *self.models)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:  # noqa: ARG002 - all is known from the start
        """A task is a dataset: its models are timed in turns."""
        axes = {"dataset": list(self.datasets), "model": list(self.models)}
        asked = named(plan, self.id, axes, {"dataset": self.quick["datasets"]})
        rounds = self.quick["rounds"] if plan.quick else self.rounds
        who = ", ".join(asked["model"]) if len(asked["model"]) < len(self.models) else "all models"
        return [
            Task(
                OfStudy(self.id),
                f"{who} on {dataset}",
                {"dataset": dataset, "models": asked["model"], "rounds": rounds},
            )
            for dataset in asked["dataset"]
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
        """All models of a dataset together: a time says most beside others of the same minute."""
        data = graph_of(self.datasets[task.about["dataset"]])
        keys = [key for key in self.keys(task) if not task.left or key.identity in task.left]
        times = timed([Trained(key, data, device) for key in keys], task.about["rounds"])
        made_with = versions(device)
        yield [
            Run(
                key=key,
                scores={"parameters": cost.parameters, "flops": cost.flops},
                curves={"epoch_ms": mine},
                seconds=float(mine.sum()) / 1000,
                epochs=len(mine),
                versions=made_with,
            )
            for key, mine in zip(keys, times, strict=True)
            for cost in [counted(data, key)]
        ]

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """A row is a model on a dataset."""
        found = []
        for task in self.tasks(plan, store):
            runs = stored(self.keys(task), store)
            if runs is None:
                continue
            by_title = dict(zip(task.about["models"], runs, strict=True))
            found += [self._row(task.about["dataset"], title, by_title, plan) for title in by_title]
        return found

    def _settings(self, title: str) -> dict[str, Any]:
        model = self.models[title]
        shared = {"hidden_channels": self.hidden, "dropout": self.dropout}
        known = resolve(model.model)[0].settings
        return {**{name: value for name, value in shared.items() if name in known}, **model.settings}

    def _row(self, dataset: str, title: str, runs: Mapping[str, Run], plan: Plan) -> Row:
        model, run = self.models[title], runs[title]
        times = run.curves["epoch_ms"]
        ratios = times / runs[model.base].curves["epoch_ms"] if model.base in runs else None
        place = list(self.datasets).index(dataset)
        published, base = self._published(title, place), self._published(model.base, place)
        return {
            "dataset": dataset,
            "model": title,
            "base": model.base,
            "runs": 1,
            **self._costs(dataset, model, run),
            **_quartiles("epoch_ms", times),
            **_quartiles("ratio", ratios),
            "published_ms": published,
            "published_ratio": round(published / base, 4) if published and base else None,
            "rounds": len(times),
            "quick": plan.quick,
            **origin([run]),
        }

    def _published(self, title: str, place: int) -> float | None:
        times = self.models[title].published if title else ()
        return times[place] if times else None

    def _costs(self, dataset: str, model: Costed, run: Run) -> Row:
        data = graph_of(self.datasets[dataset])
        size, C = Size.of(_adjacency(data)), _classes(data)
        recounted, printed = LAYERS[model.layer]
        widths = data.num_features, self.hidden, C
        exact = by_formula(recounted, model.frame, size, *widths)
        paper = by_formula(printed, model.frame, size, *widths) if printed else None
        return {
            "nodes": size.nodes,
            "entries": size.entries,
            "features": data.num_features,
            "classes": C,
            "parameters_printed": paper.parameters if paper else None,
            "parameters_formula": exact.parameters,
            "parameters_counted": int(run.scores["parameters"]),
            "flops_printed": paper.flops if paper else None,
            "flops_formula": exact.flops,
            "flops_counted": int(run.scores["flops"]),
        }


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


def parse_study(text: str) -> ComplexityStudy:
    """The study of a TOML text, checked: every dataset, model, setting and formula in it exists."""
    entries = ("hidden", "dropout", "rounds", "datasets", "models", "quick")
    content = parse_content(text, "complexity", entries)
    for title, dataset in content["datasets"].items():
        with at(f"complexity, dataset {title}"):
            check_name("dataset", dataset, DATASETS.names)
    with at("complexity, quick"):
        check_keys(content["quick"], (), needed=("datasets", "rounds"))
        for title in content["quick"]["datasets"]:
            check_name("dataset", title, content["datasets"])
    models = {}
    for title, given in content["models"].items():
        with at(f"complexity, model {title}"):
            check_keys(given, ("base", "settings", "table", "published"), needed=("model", "layer", "frame"))
            models[title] = _checked(Costed(**given), content)
    return ComplexityStudy(**{**content, "models": models})


def _checked(model: Costed, content: Mapping[str, Any]) -> Costed:
    check_name("layer", model.layer, LAYERS)
    check_name("frame", model.frame, FRAMES)
    if model.base:
        check_name("model", model.base, content["models"])
    check_settings_of(model.model, model.settings, rates=False)
    if bool(model.published) != bool(model.table):
        raise InputError(
            f"Got table = {model.table!r} with {len(model.published)} published times.",
            "Give both: a reader asks where they are from.",
        )
    if model.published and len(model.published) != len(content["datasets"]):
        raise InputError(
            f"There are {len(model.published)} times for {len(content['datasets'])} datasets.",
            "Give one for every dataset.",
        )
    return model


def _quartiles(name: str, values: NDArray[np.float32] | None) -> Row:
    """The median, and between what the middle half lies."""
    found = (
        [None] * 3 if values is None else [round(float(q), 4) for q in np.percentile(values, (50, 25, 75))]
    )
    return dict(zip((name, f"{name}_low", f"{name}_high"), found, strict=True))


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


STUDY = parse_study(read_text("complexity"))
"""The study of the costs of adaptive channel mixing."""
