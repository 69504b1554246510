"""Epochs of training: a step reads few rows of the tables, compares them at once, and changes these rows alone."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.kge.config import TripletConfig
from allpass.kge.known import Known
from allpass.kge.losses import SAMPLED, softmax_loss
from allpass.kge.models.base import TripletModel
from allpass.kge.row_adam import RowAdam

_REFUSED = -1e9  # a score that no loss reacts to


class Trainer:
    """Trains a model on triplets, epoch by epoch.

    Half of a batch has its tails corrupted, the other half its heads. All triplets of a half share the same random
    entities as corruptions, so that they are gathered once and compared in one matrix product.

    Args:
        model: The model; changed in place.
        triplets: ``[T, 3]``.
        config: How.
    """

    def __init__(self, model: TripletModel, triplets: Tensor, config: TripletConfig) -> None:
        self.model, self.triplets, self.config = model, triplets, config
        self.generator = torch.Generator().manual_seed(config.seed + 1)
        self.entities = RowAdam(model.entities.data, config.lr)
        self.relations = RowAdam(model.relations.data, config.lr)
        sizes = model.num_entities, model.num_relations
        self.known_tails = Known(triplets, *sizes)
        self.known_heads = Known.heads(triplets, *sizes)
        self.epochs = 0

    def epoch(self) -> float:
        """One pass in random order; returns the mean loss."""
        self.model.train()
        self.model.start_epoch(self.epochs)
        order = torch.randperm(len(self.triplets), generator=self.generator)
        total = 0.0
        for rows in order.split(self.config.batch_size):
            total += self._step(self.triplets[rows]) * len(rows)
        self.epochs += 1
        self.model.eval()
        if not math.isfinite(total):
            raise InputError(
                f"Training diverged: the loss is {total} in epoch {self.epochs}.",
                "Lower the learning rate lr.",
            )
        return total / len(self.triplets)

    def _step(self, batch: Tensor) -> float:
        """One update from true triplets ``[B, 3]``; returns the loss."""
        config, model = self.config, self.model
        middle = len(batch) if config.sides == "tail" else -(-len(batch) // 2)
        heads, relations, tails = batch.unbind(1)
        # The given entity and the asked one: (head, tail) where tails are corrupted, (tail, head) where heads are.
        given = torch.cat([heads[:middle], tails[middle:]])
        asked = torch.cat([tails[:middle], heads[middle:]])
        everything = config.loss == "softmax"
        drawn = 0 if everything else config.negatives * (1 if middle == len(batch) else 2)
        false = torch.randint(model.num_entities, (drawn,), generator=self.generator)
        needed = torch.cat([given, asked, false])
        rows = None
        if not everything and len(needed) < model.num_entities:
            rows, needed = torch.unique(needed, return_inverse=True)
        table = (model.entities.data if rows is None else model.entities.data[rows]).requires_grad_()
        acts, which = torch.unique(self._acting(relations, middle), return_inverse=True)
        kinds = model.relations.data[acts].requires_grad_()
        queries = self._queries(table, kinds, needed[: len(batch)], which, middle)
        right = needed[len(batch) : 2 * len(batch)]
        if everything:
            loss = softmax_loss(model.compare(queries, table), right)
        else:
            corrupted = table[needed[2 * len(batch) :]]
            scores = self._against(queries, corrupted, middle)
            if config.filtered:
                scores = scores.masked_fill(self._true(given, relations, false, middle), _REFUSED)
            true = model.match(queries, table[right])
            loss = SAMPLED[config.loss](true, scores, config.margin, config.temperature)
        if config.l2:
            read = table[needed[: 2 * len(batch)]].square().sum(1).mean()
            loss = loss + config.l2 * (read + kinds[which].square().sum(1).mean())
        by_table, by_kinds = torch.autograd.grad(loss, [table, kinds])
        table.requires_grad_(False)
        self.entities.step(by_table, rows)
        self.relations.step(by_kinds, acts)
        if model.constrained:
            chosen = slice(None) if rows is None else rows
            model.entities.data[chosen] = model.constrain(model.entities.data[chosen])
        return float(loss.detach())

    def _acting(self, relations: Tensor, middle: int) -> Tensor:
        """Rows of the table of relations: inverses have rows of their own."""
        if not self.model.inverse:
            return relations
        return torch.cat([relations[:middle], relations[middle:] + self.model.num_relations])

    def _queries(self, table: Tensor, kinds: Tensor, given: Tensor, which: Tensor, middle: int) -> Tensor:
        acting, vectors = self.model.act(kinds)[which], table[given]
        if self.model.inverse or middle == len(given):
            return self.model.to_tail(vectors, acting)
        forward = self.model.to_tail(vectors[:middle], acting[:middle])
        return torch.cat([forward, self.model.to_head(vectors[middle:], acting[middle:])])

    def _against(self, queries: Tensor, corrupted: Tensor, middle: int) -> Tensor:
        if middle == len(queries):
            return self.model.compare(queries, corrupted)
        first, second = corrupted.chunk(2)
        return torch.cat(
            [self.model.compare(queries[:middle], first), self.model.compare(queries[middle:], second)]
        )

    def _true(self, given: Tensor, relations: Tensor, false: Tensor, middle: int) -> Tensor:
        if middle == len(given):
            return self.known_tails.holds(given, relations, false)
        first, second = false.chunk(2)
        return torch.cat(
            [
                self.known_tails.holds(given[:middle], relations[:middle], first),
                self.known_heads.holds(given[middle:], relations[middle:], second),
            ]
        )
