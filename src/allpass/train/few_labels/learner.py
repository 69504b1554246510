"""One choice of settings and seed, trained on as many sets of labels as wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.graph.operator import Operator
from allpass.models.catalog import resolve
from allpass.nn.inputs import as_features
from allpass.train.adjacency import adjacency
from allpass.train.config import TrainingConfig, TrainingOptions
from allpass.train.few_labels.expansion import Labels
from allpass.train.fit import Replica, fit
from allpass.train.network import trained
from allpass.train.scaling import Scaler


@dataclass(frozen=True)
class Learner:
    """What every round of a strategy trains.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        settings: Of the model and of the training.
        seed: Decides weights and dropout; every round begins with the same.
        options: Fields of :class:`~allpass.train.config.TrainingConfig`.
    """

    model: str
    data: Data
    settings: Mapping[str, object]
    seed: int
    options: TrainingOptions

    @property
    def config(self) -> TrainingConfig:
        """How every round trains."""
        return TrainingConfig.of(**self.options)

    @property
    def num_classes(self) -> int:
        """How many classes the labels have."""
        return int(self.data.y.max()) + 1

    @property
    def num_layers(self) -> int:
        """How far the model looks."""
        entry, numbered = resolve(self.model)
        return int(str({"num_layers": 2, **entry.settings, **numbered, **self.settings}["num_layers"]))

    @cached_property
    def graph(self) -> Operator:
        """The adjacency."""
        return adjacency(self.data, self.config.dtype, undirected=self.config.undirected)

    def fit(self, known: Sequence[Labels], **more: Any) -> list[Replica]:
        """One training for each set of labels; validation and test scores are of the true ones."""
        return fit(
            self.model,
            self.data,
            [labels.split for labels in known],
            self.settings,
            seeds=self.seed,
            targets=[labels.target for labels in known],
            **{"on_progress": None, **self.options, **more},
        )

    def predict(self, run: Replica) -> Tensor:
        """What a trained network says of every node, ``[N, C]``."""
        network = trained(
            self.model,
            run.settings,
            run.weights,
            in_channels=self.data.x.shape[1],
            out_channels=self.num_classes,
            num_nodes=self.data.num_nodes,
        )
        x = Scaler.of(self.data.x, self.config.scaling)(self.data.x)
        with torch.no_grad():
            return network(as_features(x.to(self.graph.dtype)), self.graph)
