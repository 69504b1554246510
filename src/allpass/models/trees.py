"""Boosted trees on a graph: a strong baseline that costs seconds, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.boosting import KE, Booster, Forest
from allpass.models.direct import Direct, Examples
from allpass.models.entry import Model
from allpass.models.graph_columns import Columns, Selection, graph_columns, reduction
from allpass.nn.inputs import Features

_REDUCE, _COLUMNS, _SEED = "reduce", "columns", "seed"
_FEWEST = 20


class Trees(Direct):
    """Gradient-boosted trees on features and on what surrounds each node (see :func:`graph_columns`).

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress; 1 for one of two classes by one logit.
        features: Read the features of the node.
        neighbours: Read statistics of its neighbours' features.
        structure: Read its degree and those around it.
        label_input: Read the known labels around it. Its own is never among them.
        positions: How many singular vectors of the adjacency to read.
        components: Columns that features are projected on where they are sparse or wider than 128.
        max_trees: The most boosting rounds.
        learning_rate: By how much each round counts.
        num_leaves: Leaves of a tree.
        min_leaf: The fewest training nodes in a leaf.
        column_share: Share of the columns that each tree looks at.
        patience: Rounds without a lower validation loss, after which boosting ends.
        max_nodes: Training nodes beyond this number are sampled.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        features: bool = True,
        neighbours: bool = True,
        structure: bool = True,
        label_input: bool = True,
        positions: int = 0,
        components: int = 64,
        max_trees: int = 300,
        learning_rate: float = 0.1,
        num_leaves: int = 15,
        min_leaf: int = 10,
        column_share: float = 0.25,
        patience: int = 30,
        max_nodes: int = 200_000,
    ) -> None:
        if not 0 < column_share <= 1:
            raise InputError(f"Got column_share = {column_share}.", "Expected a share above 0, up to 1.")
        if num_leaves < 2:
            raise InputError(f"Got num_leaves = {num_leaves}.", "Expected 2 or more.")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.chosen = Selection(features, neighbours, structure, label_input, positions)
        self.components, self.max_trees, self.patience = components, max_trees, patience
        self.max_nodes, self.column_share = max_nodes, column_share
        self.settings = {
            "learning_rate": learning_rate,
            "num_leaves": num_leaves,
            "min_data_in_leaf": min_leaf,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "max_bin": 63,
            "lambda_l2": 1.0,
        }
        self.boosters: list[Booster] = []
        self.reduce: Columns | None = None
        self.seed = 0

    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:
        self.seed = examples.seed
        reads = self.chosen.features or self.chosen.neighbours
        self.reduce = reduction(examples.x, examples.graph, self.components) if reads else None
        table = self._table(examples.x, examples.graph, examples.target, examples.train)
        train, val = (mask.nonzero().flatten().numpy() for mask in (examples.train, examples.val))
        if len(train) > self.max_nodes:
            train = np.sort(np.random.default_rng(self.seed).choice(train, self.max_nodes, replace=False))
        self.boosters = []
        for objective, target in self._objectives(examples.target):
            self.boosters.append(
                Booster.fit(
                    table,
                    target,
                    train,
                    val,
                    objective=objective,
                    outputs=self.out_channels if objective == "multiclass" else 1,
                    weight=None if examples.weight is None else examples.weight.numpy()[train],
                    rounds=self.max_trees,
                    patience=self.patience,
                    settings={**self.settings, **self._sampling(table.shape[1])},
                    on_step=on_step,
                )
            )
        self.steps = max(booster.rounds for booster in self.boosters)
        return self._outputs(table)

    def __call__(
        self, x: Features, graph: Operator, *, labels: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        return self._outputs(self._table(x, graph, labels, mask))

    def state_dict(self) -> dict[str, Tensor]:
        state = {
            f"trees.{number}.{name}": value
            for number, booster in enumerate(self.boosters)
            for name, value in booster.forest.to_tensors().items()
        }
        state[_SEED] = torch.tensor(self.seed)
        state[_COLUMNS] = torch.tensor(self.boosters[0].columns)
        if self.reduce is not None:
            state[_REDUCE] = torch.from_numpy(self.reduce)
        return state

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        parts: dict[int, dict[str, Tensor]] = {}
        for name, value in state.items():
            if name.startswith("trees."):
                _, number, what = name.split(".", 2)
                parts.setdefault(int(number), {})[what] = value
        multiclass = len(parts) == 1 and self.out_channels > 2
        if not parts or not {_SEED, _COLUMNS} <= state.keys():
            raise InputError("The state holds no trees.", "Train the model again.")
        columns = int(state[_COLUMNS])
        self.boosters = [
            Booster(Forest.from_tensors(parts[number], self.out_channels if multiclass else 1), columns)
            for number in sorted(parts)
        ]
        self.seed = int(state[_SEED])
        self.reduce = state[_REDUCE].numpy() if _REDUCE in state else None
        if self.reduce is not None and self.reduce.shape[0] != self.in_channels:
            raise InputError("The projection of the features is damaged.", "Train the model again.")

    def _sampling(self, columns: int) -> dict[str, object]:
        """The seed, and the share of the columns that a tree looks at: not below 20 of them."""
        return {
            "seed": self.seed % 2**31,
            "feature_fraction": max(self.column_share, min(1, _FEWEST / columns)),
        }

    def _objectives(self, target: Tensor) -> list[tuple[str, NDArray[np.float64]]]:
        """What is boosted: all classes at once, or each number by itself."""
        if target.is_floating_point():
            columns = target.reshape(len(target), -1).double().numpy()
            return [("regression", columns[:, number]) for number in range(columns.shape[1])]
        kind = "binary" if self.out_channels <= 2 else "multiclass"
        return [(kind, target.double().numpy())]

    def _table(
        self, x: Features, graph: Operator, labels: Tensor | None, mask: Tensor | None
    ) -> NDArray[np.float32]:
        known = None
        if self.chosen.labels:
            if labels is None or mask is None:
                mask = torch.zeros(graph.shape[0], dtype=torch.bool)
                labels = torch.zeros(graph.shape[0], self.out_channels)
            known = self._as_columns(labels, mask)
        return graph_columns(
            x, graph, self.chosen, reduce=self.reduce, labels=known, mask=mask, seed=self.seed
        )

    def _as_columns(self, labels: Tensor, mask: Tensor) -> Tensor:
        """A column for each class, or for each number."""
        if labels.is_floating_point():
            return labels.reshape(len(labels), -1).float()
        one_hot = F.one_hot(torch.where(mask, labels, 0), max(self.out_channels, 2)).float()
        return one_hot[:, 1:] if one_hot.shape[1] == 2 else one_hot  # of two shares one is enough

    def _outputs(self, table: NDArray[np.float32]) -> Tensor:
        raw = np.concatenate([booster.predict(table) for booster in self.boosters], axis=1)
        outputs = torch.from_numpy(raw).float()
        if outputs.shape[1] == 1 and self.out_channels == 2:  # one logit for two classes
            outputs = torch.cat([torch.zeros_like(outputs), outputs], dim=1)
        return outputs


_SPACE: Mapping[str, tuple[object, ...]] = {
    "learning_rate": (0.03, 0.1),
    "num_leaves": (7, 15, 31),
    "min_leaf": (5, 10, 20),
    "column_share": (0.25, 0.5, 1.0),
}

ENTRIES = (
    Model(
        "trees",
        Trees,
        "boosted trees on features, neighbours' features and neighbours' known labels",
        KE,
        space={**_SPACE, "label_input": (True, False)},
        training={},
        traits=frozenset({"fitted-directly", "uses-labels"}),
        aliases=("lightgbm", "gbdt"),
    ),
    Model(
        "feature-trees",
        Trees,
        "boosted trees on the features alone",
        KE,
        preset={"neighbours": False, "structure": False, "label_input": False},
        space=_SPACE,
        training={},
        traits=frozenset({"fitted-directly", "ignores-graph"}),
    ),
    Model(
        "structure-trees",
        Trees,
        "boosted trees on degrees, positions in the graph and neighbours' known labels",
        KE,
        preset={"features": False, "neighbours": False, "positions": 32},
        space=_SPACE,
        training={},
        traits=frozenset({"fitted-directly", "uses-labels", "ignores-features", "fixed-nodes"}),
    ),
)
