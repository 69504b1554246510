"""One call for many trainings: splits times settings times seeds of one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.graph.operator import Operator
from allpass.models.catalog import create, resolve
from allpass.nn.dropout import seed_dropout
from allpass.nn.inputs import as_features
from allpass.train.batch import Batch, Outcome, Recipe
from allpass.train.engine import train
from allpass.train.gradients import Problem
from allpass.train.optimizers import OPTIMIZERS
from allpass.train.plan import at_once, in_parts
from allpass.train.selection import SELECTION
from allpass.train.stopping import StoppingRule, stopping
from allpass.train.tasks import task as find_task

TRAINING = ("lr", "weight_decay")


@dataclass(frozen=True)
class Replica(Outcome):
    """One training: what it was, and what came of it.

    Args:
        settings: Everything that was chosen, of the model and of the training.
        split: Which nodes it learns from and is judged on.
        seed: Decides its weights and the masks of its dropout.
    """

    settings: Mapping[str, object]
    split: Split
    seed: int


def fit(
    model: str,
    data: Data,
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] = ({},),
    *,
    seeds: int | Sequence[int] = 0,
    task: str = "classification",
    score: str | None = None,
    optimizer: str = "adam",
    stop: str | StoppingRule = "gprgnn",
    select: str = "lowest-val-loss",
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    look: Callable[[Batch], None] | None = None,
) -> list[Replica]:
    """Train a model on every split with every setting and seed, and give the runs in that order.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        splits: One split or several.
        settings: One choice of settings or several: of the model, and ``lr`` and ``weight_decay``.
        seeds: One seed or several; the same seed gives the same numbers whatever else is trained beside it.
        task: ``"classification"``, ``"binary"`` or ``"regression"``.
        score: What is reported in place of the task's own score.
        optimizer: A name of ``OPTIMIZERS``.
        stop: A stopping rule, or its name.
        select: Which epoch is reported, a name of ``SELECTION``.
        device: Where to train.
        dtype: In which precision.
        look: Called every few epochs, for a progress bar.

    Example:
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> runs = fit("gcn", data, splits(data, "random", count=2), seeds=[0, 1], stop=stopping("fixed", max_epochs=5))
        >>> len(runs), runs[0].epochs
        (4, 5)
    """
    entry, numbered = resolve(model)
    wanted = [
        ({**entry.training, **entry.settings, **numbered, **chosen}, split, seed)
        for chosen in _several(settings, Mapping)
        for split in _several(splits, Split)
        for seed in _several(seeds, int)
    ]
    recipe = Recipe(
        find_task(task, score=score),
        OPTIMIZERS[optimizer],
        stopping(stop) if isinstance(stop, str) else stop,
        SELECTION[select],
    )
    for chosen in _several(settings, Mapping):
        for key in chosen:
            if key.split(":")[0] not in TRAINING and key not in entry.settings:
                known = sorted((*entry.settings, *TRAINING))
                raise UnknownNameError(
                    f"There is no setting {key!r} of the model {entry.name!r}.", did_you_mean(key, known)
                )
    if not wanted:
        return []
    masks = torch.stack(
        [torch.stack([getattr(split, part) for _, split, _ in wanted]) for part in ("train", "val", "test")]
    )
    recipe.task.check(data, dict(zip(("train", "val", "test"), masks, strict=True)))
    problem = _problem(data, recipe, device, dtype, "uses-labels" in entry.traits)
    results: dict[int, Replica] = {}

    def build(members: Sequence[int]) -> Batch:
        models = [_model(model, wanted[i][0], wanted[i][2], data, recipe, dtype).to(device) for i in members]
        rates = {
            name: torch.tensor([float(str(wanted[i][0][name])) for i in members], dtype=torch.float64)
            for name in wanted[members[0]][0]
            if name.split(":")[0] in TRAINING
        }
        together = torch.device(device).type == "cuda"
        return Batch(models, problem, masks[:, list(members)].to(device), rates, recipe, together=together)

    def run(part: Sequence[int]) -> None:
        left = [i for i in part if i not in results]
        for place, outcome in train(build(left), look):
            chosen, split, seed = wanted[left[place]]
            results[left[place]] = Replica(**vars(outcome), settings=chosen, split=split, seed=seed)

    for members in _groups([chosen for chosen, _, _ in wanted], entry.settings):
        in_parts(members, at_once(build, members, torch.device(device)), run)
    return [results[i] for i in range(len(wanted))]


def _several(given: Any, kind: type) -> list[Any]:
    return [given] if isinstance(given, kind) else list(given)


def _problem(
    data: Data, recipe: Recipe, device: torch.device | str, dtype: torch.dtype, labels: bool
) -> Problem:
    if data.x is None or data.edge_index is None:
        raise InputError(
            "The data has no features x or no edges.", "Load it with allpass.load, or set data.x."
        )
    graph = Operator.from_edge_index(data.edge_index, data.edge_weight, data.num_nodes, dtype=dtype)
    x = as_features(data.x.to(dtype))
    return Problem(x.to(device), graph.to(device), data.y.to(device), recipe.task.loss, labels)


def _groups(chosen: Sequence[Mapping[str, object]], known: Mapping[str, object]) -> list[list[int]]:
    """Replicas that differ in rates and dropout alone train together: only those have the same shapes."""
    groups: dict[str, list[int]] = {}
    for number, settings in enumerate(chosen):
        shape = {key: value for key, value in settings.items() if key in known and key != "dropout"}
        groups.setdefault(repr(sorted(shape.items())), []).append(number)
    return list(groups.values())


def _model(
    name: str, chosen: Mapping[str, object], seed: int, data: Data, recipe: Recipe, dtype: torch.dtype
) -> nn.Module:
    known = resolve(name)[0].settings
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = create(
            name,
            in_channels=data.x.shape[1],
            out_channels=recipe.task.out_channels(data.y),
            num_nodes=data.num_nodes,
            **{key: value for key, value in chosen.items() if key in known},
        )
    seed_dropout(model, seed)
    return model.to(dtype)
