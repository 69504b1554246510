"""Boosted trees on a graph: a strong baseline that costs seconds, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.boosting import KE, Booster, Forest
from allpass.models.direct import Direct, Examples
from allpass.models.entry import Model
from allpass.models.graph_columns import WIDEST, Columns, Selection, graph_columns, node_positions, reduction
from allpass.nn.inputs import Features
from allpass.nn.label_propagation import one_hot

_REDUCE, _POSITIONS, _SEED = "reduce", "positions", "seed"
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
        self.positions: Columns | None = None
        self.seed = 0

    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:
        self.seed = examples.seed
        x, graph, chosen = examples.x, examples.graph, self.chosen
        self.reduce = reduction(x, graph, self.components) if self._reads_features else None
        self.positions = node_positions(graph, chosen.positions) if chosen.positions else None
        table = self._table(x, graph, examples.target, examples.train)
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
        for name, matrix in ((_REDUCE, self.reduce), (_POSITIONS, self.positions)):
            if matrix is not None:
                state[name] = torch.from_numpy(matrix)
        return state

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        parts: dict[int, dict[str, Tensor]] = {}
        for name, value in state.items():
            if name.startswith("trees."):
                _, number, what = name.split(".", 2)
                parts.setdefault(int(number), {})[what] = value
        targets = len(parts)
        if (
            sorted(parts) != list(range(targets))
            or targets not in {1, self.out_channels}
            or _SEED not in state
        ):
            raise InputError("The state holds no trees.", "Train the model again.")
        reduced = self._reads_features and self.in_channels > WIDEST
        self.reduce = _matrix(state, _REDUCE, self.in_channels) if reduced else None
        self.positions = _matrix(state, _POSITIONS, None) if self.chosen.positions else None
        self.seed = int(state[_SEED])
        outputs = self.out_channels if targets == 1 and self.out_channels > 2 else 1
        columns = self._width(targets if targets > 1 else outputs)
        self.boosters = [
            Booster(Forest.from_tensors(parts[number], outputs), columns) for number in range(targets)
        ]

    @property
    def _reads_features(self) -> bool:
        return self.chosen.features or self.chosen.neighbours

    def _width(self, labels: int) -> int:
        """How many columns the table has, with so many columns of labels."""
        narrow = self.in_channels if self.reduce is None else self.reduce.shape[1]
        widths = (
            self.chosen.features * narrow,
            self.chosen.neighbours * 6 * narrow,
            self.chosen.structure * 3,
            0 if self.positions is None else self.positions.shape[1],
            self.chosen.labels * (3 * labels + 2),
        )
        return max(sum(widths), 1)

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
                raise InputError(
                    "Got no labels; these trees read the known labels around each node.",
                    "Pass labels= and mask=, or train with label_input=False.",
                )
            known = self._as_columns(labels, mask)
        if self.positions is not None and len(self.positions) != graph.shape[0]:
            raise InputError(
                f"Got {graph.shape[0]:,} nodes; the model has positions of the {len(self.positions):,} nodes it was "
                "trained on.",
                "Give the same nodes in the same order, or use trees, which take new ones with label_input=False.",
            )
        return graph_columns(
            x,
            graph,
            self.chosen,
            reduce=self.reduce,
            positions=self.positions,
            labels=known,
            mask=mask,
            seed=self.seed,
        )

    def _as_columns(self, labels: Tensor, mask: Tensor) -> Tensor:
        """A column for each class, or for each number."""
        if labels.is_floating_point():
            return labels.reshape(len(labels), -1)
        shown = one_hot(labels, mask, max(self.out_channels, 2), torch.float32)
        return shown[:, 1:] if shown.shape[1] == 2 else shown  # of two shares one is enough

    def _outputs(self, table: NDArray[np.float32]) -> Tensor:
        raw = np.concatenate([booster.predict(table) for booster in self.boosters], axis=1)
        outputs = torch.from_numpy(raw).float()
        if outputs.shape[1] == 1 and self.out_channels == 2:  # one logit for two classes
            outputs = torch.cat([torch.zeros_like(outputs), outputs], dim=1)
        return outputs


def _matrix(state: Mapping[str, Tensor], name: str, rows: int | None) -> Columns:
    """A matrix of the state, where it is a sound one."""
    found = state.get(name)
    fits = found is not None and found.dim() == 2 and found.dtype == torch.float32
    if found is None or not fits or rows not in (None, len(found)) or not bool(found.isfinite().all()):
        raise InputError(f"The matrix {name!r} of the model is damaged.", "Train the model again.")
    return found.numpy()


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
