"""One call for many trainings: splits times settings times seeds of one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Unpack

from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.data.splits import Split, several
from allpass.errors import InputError
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.early import warn_if_early
from allpass.train.engine.batch import Outcome
from allpass.train.given import folds_of, graph_of
from allpass.train.job import Job, Wanted
from allpass.train.progress import Shown, shown
from allpass.train.scaling import Scaler
from allpass.train.shown import training_table, training_text


@dataclass(frozen=True)
class Replica(Outcome):
    """One training: what it was, and what came of it.

    Args:
        model: The name of the model.
        settings: Everything that was chosen, of the model and of the training.
        split: Which nodes it learns from and is judged on.
        seed: Decides its weights and the masks of its dropout.
        config: How it was trained.
        units: The mean and deviation of the training labels, where these are numbers: losses and errors count in
            deviations.
    """

    model: str
    settings: Mapping[str, object]
    split: Split
    seed: int
    config: TrainingConfig
    units: Scaler | None = None

    def __repr__(self) -> str:
        return training_text(self)

    def _repr_html_(self) -> str:
        return training_table(self)

    @classmethod
    def of(cls, job: Job, number: int, outcome: Outcome) -> Replica:
        """A run of a job that has ended."""
        run = job.wanted[number]
        return cls(
            **vars(outcome),
            model=job.model,
            settings=run.settings,
            split=run.split,
            seed=run.seed,
            config=job.config,
            units=job.units(number),
        )


def fit(
    model: str,
    data: Any,
    splits: Split | Sequence[Split] | str = "stratified",
    settings: Mapping[str, object] | Sequence[Mapping[str, object]] = ({},),
    *,
    seeds: int | Sequence[int] = 0,
    targets: Sequence[Tensor] | None = None,
    wrap: Callable[[nn.Module], nn.Module] | None = None,
    sample_weight: Tensor | None = None,
    weights: bool = True,
    curves: bool = False,
    on_progress: Shown = "auto",
    **options: Unpack[TrainingOptions],
) -> list[Replica]:
    """Train a model on every split with every setting and seed, and give the runs in that order.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels: PyG's ``Data`` as it is, or anything :func:`allpass.load` takes.
        splits: One split or several, or a rule of :func:`~allpass.data.splits` that draws ten.
        settings: One choice of settings or several: of the model, and ``lr`` and ``weight_decay``.
        seeds: One seed or several; the same seed gives the same numbers whatever else is trained beside it.
        targets: For every split what is learnt on it in place of the labels, such as labels that were guessed;
            validation and test nodes are judged by the labels all the same.
        wrap: Makes of each network the one that is trained. A method
            ``loss(output, x, edge_index, target, mask)`` replaces the loss of the task.
        sample_weight: How much each node counts in the loss where it trains, ``[N]``; by default 1.
        weights: Keep the weights; thousands of runs may need more memory than there is.
        curves: Keep the losses and scores of every epoch.
        on_progress: ``"auto"`` shows a bar on a terminal, a line in a notebook, and logs a line every ten seconds
            elsewhere; None is silent; a function is called every few epochs.
        **options: Fields of :class:`~allpass.train.config.TrainingConfig`, such as ``epochs=300``.

    Example:
        >>> import torch
        >>> from allpass.data import load, splits
        >>> data = load("karate")
        >>> data.x = torch.eye(data.num_nodes)
        >>> runs = fit("gcn", data, splits(data, "random", count=2), seeds=[0, 1], stop="fixed", epochs=5)
        >>> len(runs), runs[0].epochs
        (4, 5)
    """
    data = graph_of(data)
    wanted = _all_of(folds_of(splits, data), settings, seeds, targets)
    config = TrainingConfig.of(**options)
    job = Job(model, data, wanted, config, curves=curves, wrap=wrap, sample_weight=sample_weight)
    found: dict[int, Replica] = {}
    with shown(on_progress, f"training {model}") as told:
        for ended in job.run(range(len(job.wanted)), told, weights=weights):
            found.update((number, Replica.of(job, number, outcome)) for number, outcome in ended.items())
    runs = [found[number] for number in range(len(job.wanted))]
    if isinstance(settings, Mapping) or len(settings) == 1:
        warn_if_early(model, runs)
    return runs


def job_of(
    model: str,
    data: Data,
    splits: Split | Sequence[Split],
    settings: Mapping[str, object] | Sequence[Mapping[str, object]],
    seeds: int | Sequence[int],
    config: TrainingConfig = TrainingConfig(),  # noqa: B008 - frozen
    *,
    curves: bool = False,
) -> Job:
    """What :func:`fit` would do, not done yet."""
    return Job(model, data, _all_of(splits, settings, seeds, None), config, curves=curves)


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


def _several(given: Any, kind: type, word: str) -> list[Any]:
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, (kind, str)) else [given]
    for one in found:
        if not isinstance(one, kind):
            raise InputError(f"Got {repr(one)[:80]} in place of a {word}.", f"Pass one {word} or several.")
    return found
