"""One call for many trainings: splits times settings times seeds of one model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypedDict, Unpack

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.data.splits import Split, several
from allpass.errors import InputError
from allpass.train.engine.batch import Outcome, Recipe
from allpass.train.job import Job, Look, Wanted
from allpass.train.rules.optimizers import OPTIMIZERS
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import StoppingRule, stopping
from allpass.train.rules.tasks import task as find_task
from allpass.train.rules.weights import check_class_weight


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
    scaling: str = "none",
    undirected: bool = True,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    tf32: bool = False,
    class_weight: str | None = "none",
    targets: Sequence[Tensor] | None = None,
    wrap: Callable[[nn.Module], nn.Module] | None = None,
    label_input: bool = False,
    weights: bool = True,
    curves: bool = False,
    look: Look | None = None,
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
        scaling: How features are scaled, a name of ``SCALINGS``.
        undirected: Take edges as going both ways, as metrics do; False keeps their direction.
        device: Where to train.
        dtype: In which precision.
        tf32: Round the factors of dense float32 products to TF32 (11 bits of 24) on a GPU, which multiplies these
            faster: worth it where layers are thousands wide. A CPU takes no notice.
        class_weight: ``"balanced"`` lets all classes count the same in the loss of the training nodes, each node of
            class c by N / (C n_c) with the counts of its split; ``"none"`` lets all nodes count the same.
        targets: For every split what is learnt on it in place of the labels, such as labels that were guessed;
            validation and test nodes are judged by the labels all the same.
        wrap: Makes of each network the one that is trained. One with a method ``loss(output, x, graph, target, mask)``
            has its own loss.
        label_input: Let networks read the labels of the training nodes as features (Shi et al., IJCAI 2021). Every step
            shows a random half of them and learns the other half. Trees have a setting of this name.
        weights: Keep the weights; thousands of runs may need more memory than there is.
        curves: Keep the losses and scores of every epoch.
        look: Called every few epochs, for a progress bar.

    Example:
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> runs = fit("gcn", data, splits(data, "random", count=2), seeds=[0, 1], stop=stopping("fixed", max_epochs=5))
        >>> len(runs), runs[0].epochs
        (4, 5)
    """
    job = Job(
        model,
        data,
        _all_of(splits, settings, seeds, targets),
        _recipe(task, score, optimizer, stop, select, tf32, class_weight),
        scaling=scaling,
        undirected=undirected,
        device=device,
        dtype=dtype,
        curves=curves,
        wrap=wrap,
        label_input=label_input,
    )
    found: dict[int, Outcome] = {}
    for ended in job.run(range(len(job.wanted)), look, weights=weights):
        found.update(ended)
    return [
        Replica(**vars(found[number]), settings=run.settings, split=run.split, seed=run.seed)
        for number, run in enumerate(job.wanted)
    ]


class How(TypedDict, total=False):
    """The options of :func:`fit` that say how a run is trained, for functions that pass them on."""

    task: str
    score: str | None
    optimizer: str
    stop: str | StoppingRule
    select: str
    scaling: str
    undirected: bool
    device: torch.device | str
    dtype: torch.dtype
    tf32: bool
    class_weight: str | None
    label_input: bool
    curves: bool


def job_of(
    model: str,
    data: Data,
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]],
    seeds: int | Sequence[int],
    **how: Unpack[How],
) -> Job:
    """What :func:`fit` would do, not done yet."""
    return job_from(model, data, _all_of(splits, settings, seeds, None), **how)


def job_from(model: str, data: Data, wanted: Sequence[Wanted], **how: Unpack[How]) -> Job:
    """The same for runs that are named one by one."""
    defaults = inspect.signature(fit).parameters
    every: dict[str, Any] = {name: defaults[name].default for name in How.__annotations__} | dict(how)
    names = (
        every.pop(name) for name in ("task", "score", "optimizer", "stop", "select", "tf32", "class_weight")
    )
    return Job(model, data, wanted, _recipe(*names), **every)


def _all_of(
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]],
    seeds: int | Sequence[int],
    targets: Sequence[Tensor] | None,
) -> list[Wanted]:
    """Settings times splits times seeds, in the order in which :func:`fit` gives them."""
    parts = several(splits)
    if targets is not None and len(targets) != len(parts):
        raise InputError(f"Got {len(targets)} targets for {len(parts)} splits.", "Pass one for each split.")
    for split, target in zip(parts, targets or (), strict=False):
        if len(target) != len(split.train):
            raise InputError(
                f"Got a target of {len(target)} numbers for {len(split.train)} nodes.",
                "Pass one for each node.",
            )
    numbered = [whole_number("seed", seed) for seed in _several(seeds, Integral, "seed")]
    return [
        Wanted(chosen, split, seed, None if targets is None else targets[number])
        for chosen in _several(settings, Mapping, "dict of settings")
        for number, split in enumerate(parts)
        for seed in numbered
    ]


def _recipe(
    task: str,
    score: str | None,
    optimizer: str,
    stop: str | StoppingRule,
    select: str,
    tf32: bool,
    class_weight: str | None,
) -> Recipe:
    rule = stopping(stop) if isinstance(stop, str) else stop
    if not hasattr(rule, "needs_validation"):
        raise InputError(
            f"Got stop = {stop!r}.", 'Expected the name of a rule, or one of stopping("fixed", max_epochs=5).'
        )
    found = find_task(task, score=score)
    weights = check_class_weight(class_weight, found.name)
    return Recipe(found, OPTIMIZERS[optimizer], rule, SELECTION[select], tf32, weights)


def _several(given: Any, kind: type, word: str) -> list[Any]:
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, (kind, str)) else [given]
    for one in found:
        if not isinstance(one, kind):
            raise InputError(f"Got {one!r} in place of a {word}.", f"Pass one {word} or several.")
    return found
