"""The door: a model of triplets, trained on a knowledge graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import torch

from allpass.errors import InputError, did_you_mean
from allpass.kge.catalog import MODELS, create
from allpass.kge.config import TripletConfig
from allpass.kge.embedding import Embedding
from allpass.kge.graph import KnowledgeGraph
from allpass.kge.loading import load
from allpass.kge.models.base import TripletModel
from allpass.kge.ranking import Ranking, rank
from allpass.kge.training import Trainer

OPTIONS = tuple(option.name for option in fields(TripletConfig))


def fit(
    source: Any,
    model: str = "transe",
    *,
    dim: int = 64,
    valid: Any = None,
    test: Any = None,
    on_progress: Callable[[int, float], None] | None = None,
    **options: Any,
) -> Embedding:
    """Learn vectors of entities and relations from triplets.

    Where there are triplets for validation, the epoch with the best filtered mean reciprocal rank on them is kept. Test
    triplets are ranked once, at the end.

    Args:
        source: A graph, or whatever :func:`~allpass.kge.load` reads: a name, a path, a frame, an array ``[T, 3]``.
        model: ``"transe"``, ``"rotate"``, ``"quate"``, ``"dihedral"`` or ``"complex"``.
        dim: Numbers in the vector of an entity; a complex number counts as two, a quaternion as four.
        valid: Triplets that choose the epoch, or their share, such as ``0.1``.
        test: Triplets to measure with, or their share.
        on_progress: Gets the number of epochs done and the loss.
        **options: Fields of :class:`~allpass.kge.TripletConfig`, such as ``epochs=200``, and settings of the model,
            such as ``K=6``.

    Example:
        >>> ring = [[k, 0, (k + 1) % 8] for k in range(8)] + [[(k + 1) % 8, 1, k] for k in range(8)]
        >>> kept = fit(ring, "rotate", dim=16, epochs=100, batch_size=4)
        >>> kept.tails(3, 0, k=1)[0][0]
        '4'
    """
    entry = MODELS[model]
    settings = {name: options.pop(name) for name in entry.settings if name in options}
    for name in options:
        if name not in OPTIONS:
            cure = did_you_mean(name, (*OPTIONS, *entry.settings, "dim"))
            raise InputError(f"There is no option {name!r} of the model {entry.name!r}.", cure)
    config = TripletConfig(**{**entry.options, **options})
    graph = load(source, valid=valid, test=test, seed=config.seed)
    network = create(
        entry.name,
        graph.num_entities,
        graph.num_relations,
        dim=dim,
        inverse=config.inverse,
        seed=config.seed,
        **settings,
    )
    epoch, losses, curve = _train(network, graph, config, on_progress)
    return Embedding(
        model=entry.name,
        network=network.eval(),
        entities=graph.entities,
        relations=graph.relations,
        config=config,
        epoch=epoch,
        losses=tuple(losses),
        curve=tuple(curve),
        scores={part: found.to_dict() for part, found in _measured(network, graph).items()},
        dataset=graph.name,
    )


def _train(
    network: TripletModel,
    graph: KnowledgeGraph,
    config: TripletConfig,
    on_progress: Callable[[int, float], None] | None,
) -> tuple[int, list[float], list[tuple[int, float]]]:
    """Train, and keep the vectors of the best epoch; returns it, the losses, and validations as (epoch, MRR)."""
    train, valid, test = (torch.from_numpy(part) for part in (graph.train, graph.valid, graph.test))
    trainer = Trainer(network, train, config)
    best, kept, losses, curve = (0, -1.0), None, [], []
    for epoch in range(1, config.epochs + 1):
        losses.append(trainer.epoch())
        if on_progress is not None:
            on_progress(epoch, losses[-1])
        if not len(valid) or (epoch % config.every and epoch < config.epochs):
            continue
        mrr = rank(network, valid, (train, test)).mrr()
        curve.append((epoch, mrr))
        if mrr > best[1]:
            best = epoch, mrr
            kept = [table.detach().clone() for table in (network.entities, network.relations)]
        elif config.patience is not None and (epoch - best[0]) >= config.patience * config.every:
            break
    if kept is not None:
        with torch.no_grad():
            network.entities.copy_(kept[0])
            network.relations.copy_(kept[1])
    return best[0] or config.epochs, losses, curve


def _measured(network: TripletModel, graph: KnowledgeGraph) -> dict[str, Ranking]:
    """Ranks of validation and test triplets, filtered by everything that is known."""
    parts = {"valid": torch.from_numpy(graph.valid), "test": torch.from_numpy(graph.test)}
    known = torch.from_numpy(graph.triplets)
    return {name: rank(network, rows, (known,)) for name, rows in parts.items() if len(rows)}
