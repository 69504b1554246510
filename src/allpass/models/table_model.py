"""What learners of tables share on a graph: which columns they read, which nodes they learn from, and their state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.direct import Direct, Examples
from allpass.models.graph_columns import WIDEST, Columns, Selection, graph_columns, node_positions, reduction
from allpass.nn.inputs import Features
from allpass.nn.label_propagation import one_hot

Rows = NDArray[np.int64]

_REDUCE, _POSITIONS, _SEED = "reduce", "positions", "seed"


class TableModel(Direct):
    """A model that learns from the columns of :func:`graph_columns`, one row for each node.

    Subclasses learn from the table and predict from it. Two classes may be one raw output, the logit of the second.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress; 1 for one of two classes by one logit.
        chosen: The columns.
        components: Columns that features are projected on where there are more than 128.
        max_nodes: Training nodes beyond this number are sampled.
    """

    def __init__(
        self, in_channels: int, out_channels: int, chosen: Selection, *, components: int, max_nodes: int
    ) -> None:
        self.in_channels, self.out_channels, self.chosen = in_channels, out_channels, chosen
        self.components, self.max_nodes = components, max_nodes
        self.reduce: Columns | None = None
        self.positions: Columns | None = None
        self.seed = 0

    @abstractmethod
    def _learn(
        self, table: Columns, examples: Examples, train: Rows, on_step: Callable[[int], None] | None
    ) -> None:
        """Learn from the rows ``train``; validation nodes choose."""

    @abstractmethod
    def _raw(self, table: Columns) -> Tensor:
        """Outputs ``[N, out_channels]``, or ``[N, 1]`` for two classes."""

    @abstractmethod
    def _learnt(self) -> dict[str, Tensor]:
        """The state that ``_learn`` adds."""

    @abstractmethod
    def _load(self, state: Mapping[str, Tensor]) -> None:
        """Check what ``_learnt`` gave and use it."""

    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:
        self.seed = examples.seed
        x, graph, chosen = examples.x, examples.graph, self.chosen
        self.reduce = reduction(x, graph, self.components) if self._reads_features else None
        self.positions = node_positions(graph, chosen.positions) if chosen.positions else None
        table = self._table(x, graph, examples.target, examples.train)
        self._learn(table, examples, self._sample(examples.train), on_step)
        return self._outputs(table)

    def __call__(
        self, x: Features, edge_index: Operator, *, labels: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        return self._outputs(self._table(x, edge_index, labels, mask))

    def state_dict(self) -> dict[str, Tensor]:
        state = {**self._learnt(), _SEED: torch.tensor(self.seed)}
        for name, matrix in ((_REDUCE, self.reduce), (_POSITIONS, self.positions)):
            if matrix is not None:
                state[name] = torch.from_numpy(matrix)
        return state

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        if _SEED not in state:
            raise InputError("The state of the model has no seed.", "Train the model again.")
        self.seed = int(state[_SEED])
        reduced = self._reads_features and self.in_channels > WIDEST
        self.reduce = _matrix(state, _REDUCE, self.in_channels) if reduced else None
        self.positions = _matrix(state, _POSITIONS, None) if self.chosen.positions else None
        self._load(state)

    @property
    def _reads_features(self) -> bool:
        return self.chosen.features or self.chosen.neighbours

    def _width(self, outputs: int) -> int:
        """How many columns the table has where there are so many raw outputs: each has its columns of labels."""
        narrow = self.in_channels if self.reduce is None else self.reduce.shape[1]
        widths = (
            self.chosen.features * narrow,
            self.chosen.neighbours * (4 + 2 * self.chosen.extremes) * narrow,
            self.chosen.structure * 3,
            0 if self.positions is None else self.positions.shape[1],
            self.chosen.labels * (3 * outputs + 2),
        )
        return max(sum(widths), 1)

    def _sample(self, mask: Tensor) -> Rows:
        """The training nodes, or some of them where there are too many."""
        train: Rows = mask.nonzero().flatten().numpy()
        self.sampled = ""
        if len(train) > self.max_nodes:
            self.sampled = f"{self.max_nodes:,} of {len(train):,} training nodes"
            train = np.sort(np.random.default_rng(self.seed).choice(train, self.max_nodes, replace=False))
        return train

    def _table(self, x: Features, graph: Operator, labels: Tensor | None, mask: Tensor | None) -> Columns:
        known = None
        if self.chosen.labels:
            if labels is None or mask is None:
                raise InputError(
                    "Got no labels; this model reads the known labels around each node.",
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

    def _outputs(self, table: Columns) -> Tensor:
        raw = self._raw(table)
        return with_both(raw) if self.out_channels == 2 else raw


def with_both(logits: Tensor) -> Tensor:
    """Two logits for two classes where there is one; others as they are."""
    return logits if logits.shape[1] > 1 else torch.cat([torch.zeros_like(logits), logits], dim=1)


def _matrix(state: Mapping[str, Tensor], name: str, rows: int | None) -> Columns:
    """A matrix of the state, where it is a sound one."""
    found = state.get(name)
    fits = found is not None and found.dim() == 2 and found.dtype == torch.float32
    if found is None or not fits or rows not in (None, len(found)) or not bool(found.isfinite().all()):
        raise InputError(f"The matrix {name!r} of the model is damaged.", "Train the model again.")
    return found.numpy()
