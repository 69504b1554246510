"""What training leaves: vectors by name, scores of triplets, and nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.data.arguments import whole_number
from allpass.data.tables.tabular import import_pandas
from allpass.display import brief, listed
from allpass.kge.config import TripletConfig
from allpass.kge.graph import KnowledgeGraph, number_of
from allpass.kge.models.base import TripletModel
from allpass.kge.ranking import Ranking, rank

Name = str | int
Scored = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Embedding:
    """Learned vectors of a knowledge graph. Entities and relations go by their names or their numbers.

    Args:
        model: Name of the model.
        network: The model.
        entities: Names of the entities.
        relations: Names of the relations.
        config: How it was trained.
        epoch: The epoch that was kept, from 1.
        losses: Mean loss of each epoch.
        curve: Validations as (epoch, mean reciprocal rank).
        scores: Metrics of ``"valid"`` and ``"test"``, where there are such triplets.
        dataset: Name of the graph.
    """

    model: str
    network: TripletModel
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    config: TripletConfig = field(default_factory=TripletConfig)
    epoch: int = 0
    losses: tuple[float, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()
    scores: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dataset: str = "triplets"

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors of the entities, ``[E, dim]``."""
        return self.network.entities.detach().numpy()

    def entity(self, name: Name) -> int:
        """The number of an entity."""
        return number_of(name, self.entities, "entity")

    def relation(self, name: Name) -> int:
        """The number of a relation."""
        return number_of(name, self.relations, "relation")

    @torch.no_grad()
    def score(self, head: Name, relation: Name, tail: Name) -> float:
        """The score of one triplet; the higher the more plausible."""
        row = [self.entity(head), self.relation(relation), self.entity(tail)]
        return float(self.network.score_hrt(torch.tensor([row])))

    @torch.no_grad()
    def tails(self, head: Name, relation: Name, k: int = 10) -> Scored:
        """The k most plausible tails with their scores.

        Raises:
            UnknownNameError: The entity or the relation was not in the training.
        """
        pair = torch.tensor([[self.entity(head), self.relation(relation)]])
        return self._best(self.network.score_t(pair)[0], k)

    @torch.no_grad()
    def heads(self, relation: Name, tail: Name, k: int = 10) -> Scored:
        """The k most plausible heads with their scores."""
        pair = torch.tensor([[self.relation(relation), self.entity(tail)]])
        return self._best(self.network.score_h(pair)[0], k)

    @torch.no_grad()
    def probabilities(self, pairs: Any) -> NDArray[np.float32]:
        """P(tail | head, relation) of pairs ``[B, 2]`` of numbers, as softmax of the scores, ``[B, E]``.

        These are probabilities where training had ``loss="softmax"``.
        """
        rows = torch.as_tensor(np.asarray(pairs, dtype=np.int64).reshape(-1, 2))
        return torch.softmax(self.network.score_t(rows), dim=1).numpy()

    def neighbours(self, name: Name, k: int = 10) -> Scored:
        """The k entities whose vectors have the largest cosine with that of an entity."""
        number = self.entity(name)
        vectors = torch.nn.functional.normalize(self.network.entities.detach(), dim=1)
        cosines = vectors @ vectors[number]
        cosines[number] = -torch.inf
        return self._best(cosines, min(k, len(self.entities) - 1))

    def rank(self, graph: KnowledgeGraph, part: str = "test") -> Ranking:
        """Filtered ranks of the triplets of a part of a graph with the same entities and relations."""
        rows = torch.from_numpy(getattr(graph, part))
        return rank(self.network, rows, (torch.from_numpy(graph.triplets),))

    def to_frame(self) -> Any:
        """The vectors of the entities as a pandas frame, a row for each name."""
        pandas = import_pandas("A frame of vectors")
        columns = [f"v{place + 1}" for place in range(self.network.dim)]
        index = pandas.Index(self.entities, name="entity")
        return pandas.DataFrame(self.vectors, columns=columns, index=index)

    def save(self, folder: str | Path) -> Path:
        """Write a checkpoint, which :func:`~allpass.kge.load_embedding` reads; returns the folder."""
        from allpass.kge.checkpoint import save

        return save(self, folder)

    def __repr__(self) -> str:
        sizes = f"{len(self.entities):,} entities, {len(self.relations):,} relations, {self.network.dim} numbers each"
        found = self.scores.get("test") or self.scores.get("valid")
        metrics = ["MRR {mrr:.3f}", "Hits@1 {hits@1:.3f}", "Hits@10 {hits@10:.3f}"] if found else []
        return brief(
            f"{self.model} on {self.dataset}: {sizes}",
            f"kept epoch {self.epoch} of {len(self.losses)}",
            listed(text.format_map(found or {}) for text in metrics) or "no triplets to measure with",
        )

    def _best(self, scores: Tensor, k: int) -> Scored:
        k = min(whole_number("k", k, least=1), len(self.entities))
        values, places = scores.topk(k)
        return [
            (self.entities[place], float(value))
            for value, place in zip(values.tolist(), places.tolist(), strict=True)
        ]
