"""Boosted trees on a graph: a strong baseline that costs seconds, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.models.boosting import KE, Booster, Forest
from allpass.models.direct import Examples
from allpass.models.entry import Model
from allpass.models.graph_columns import Columns, Selection
from allpass.models.table_model import Rows, TableModel

_FEWEST = 20


class Trees(TableModel):
    """Gradient-boosted trees on features and on what surrounds each node (see :func:`graph_columns`).

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress; 1 for one of two classes by one logit.
        features: Read the features of the node.
        neighbours: Read statistics of its neighbours' features.
        structure: Read its degree and those around it.
        label_input: Read the known labels around it. Its own is never among them.
        positions: How many singular vectors of the adjacency to read.
        components: Columns that features are projected on where there are more than 128.
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
        chosen = Selection(features, neighbours, structure, label_input, positions)
        super().__init__(in_channels, out_channels, chosen, components=components, max_nodes=max_nodes)
        self.max_trees, self.patience, self.column_share = max_trees, patience, column_share
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

    def _learn(
        self, table: Columns, examples: Examples, train: Rows, on_step: Callable[[int], None] | None
    ) -> None:
        val = examples.val.nonzero().flatten().numpy()
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

    def _raw(self, table: Columns) -> Tensor:
        return torch.from_numpy(
            np.concatenate([booster.predict(table) for booster in self.boosters], axis=1)
        ).float()

    def _learnt(self) -> dict[str, Tensor]:
        return {
            f"trees.{number}.{name}": value
            for number, booster in enumerate(self.boosters)
            for name, value in booster.forest.to_tensors().items()
        }

    def _load(self, state: Mapping[str, Tensor]) -> None:
        parts: dict[int, dict[str, Tensor]] = {}
        for name, value in state.items():
            if name.startswith("trees."):
                _, number, what = name.split(".", 2)
                parts.setdefault(int(number), {})[what] = value
        targets = len(parts)
        if sorted(parts) != list(range(targets)) or targets not in {1, self.out_channels}:
            raise InputError("The state holds no trees.", "Train the model again.")
        outputs = self.out_channels if targets == 1 and self.out_channels > 2 else 1
        columns = self._width(targets if targets > 1 else outputs)
        self.boosters = [
            Booster(Forest.from_tensors(parts[number], outputs), columns) for number in range(targets)
        ]

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
