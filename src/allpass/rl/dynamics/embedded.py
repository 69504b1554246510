"""P(s'|s, a) as the softmax of the scores of a model of triplets, trained on recorded steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from allpass.kge.config import TripletConfig
from allpass.kge.models.base import TripletModel
from allpass.kge.training import Trainer
from allpass.rl.dynamics.contexts import no_contexts
from allpass.rl.dynamics.counts import TransitionCounts

Array = NDArray[np.float64]
Contexts = Callable[[TransitionCounts, np.random.Generator], NDArray[np.int64]]
Progress = Callable[[int, float], None]


def train_embedding(
    counts: TransitionCounts,
    make: Callable[..., TripletModel],
    config: TripletConfig,
    *,
    dim: int,
    contexts: Contexts = no_contexts,
    on_progress: Progress | None = None,
    **settings: Any,
) -> tuple[TripletModel, list[float]]:
    """Train a model of triplets on recorded steps, and on contexts where there are some; returns the mean losses too.

    Args:
        counts: The recorded steps.
        make: Makes the model: ``make(num_entities, num_relations, dim=..., seed=..., **settings)``.
        config: How it is trained.
        dim: Numbers in a vector.
        contexts: Further triplets of the states.
        on_progress: Gets the number of epochs done and the loss.
        **settings: Of the model.
    """
    rows = np.concatenate([counts.triplets(), contexts(counts, np.random.default_rng(config.seed))])
    relations = max(counts.num_actions, int(rows[:, 1].max()) + 1)
    network = make(
        counts.num_states, relations, dim=dim, inverse=config.inverse, seed=config.seed, **settings
    )
    trainer = Trainer(network, torch.from_numpy(rows), config)
    losses = []
    for epoch in range(1, config.epochs + 1):
        losses.append(trainer.epoch())
        if on_progress is not None:
            on_progress(epoch, losses[-1])
    return network.eval(), losses


@torch.no_grad()
def probabilities(network: TripletModel, num_actions: int) -> Array:
    """Softmax over all next states, ``[S*A, S]``."""
    S = network.num_entities
    pairs = torch.cartesian_prod(torch.arange(S), torch.arange(num_actions))
    parts = [torch.softmax(network.score_t(part).double(), dim=1) for part in pairs.split(2048)]
    return np.asarray(torch.cat(parts).numpy())
