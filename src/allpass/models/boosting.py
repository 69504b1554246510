"""Gradient-boosted decision trees (LightGBM), kept as plain arrays that are checked before they are used."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.models.direct import EndEarly

Array = NDArray[Any]

KE = "Ke et al.: LightGBM: A Highly Efficient Gradient Boosting Decision Tree, NeurIPS 2017"

_ON_NODES = {
    "split_feature": np.int32,
    "decision_type": np.int32,
    "left_child": np.int32,
    "right_child": np.int32,
}
_IS_CATEGORICAL, _MOST_DECISION = 1, 15


@dataclass(frozen=True)
class Forest:
    """The trees of a boosted model, one after the other.

    A tree of L leaves has L - 1 inner nodes; a child of 0 or more is an inner node, a negative one the leaf -1 - child.

    Args:
        num_leaves: Leaves of each tree, ``[T]``.
        split_feature: The column that each inner node looks at.
        threshold: Rows up to this value go left.
        decision_type: LightGBM's bits for missing values.
        left_child: Where these rows go.
        right_child: Where the others go.
        leaf_value: What each leaf adds.
        outputs: How many outputs there are; trees take turns.
    """

    num_leaves: Array
    split_feature: Array
    threshold: Array
    decision_type: Array
    left_child: Array
    right_child: Array
    leaf_value: Array
    outputs: int

    @classmethod
    def of(cls, text: str, outputs: int) -> Forest:
        """The trees in LightGBM's own text, which this process has just written."""
        trees = [_entries(part) for part in text.split("\nTree=")[1:]]
        inner = [tree for tree in trees if int(tree["num_leaves"]) > 1]

        def joined(name: str, kind: Any) -> Array:
            parts = [np.array(tree[name].split(), dtype=kind) for tree in inner]
            return np.concatenate(parts) if parts else np.empty(0, dtype=kind)

        leaves = [np.array(tree["leaf_value"].split(), dtype=np.float64) for tree in trees]
        return cls(
            num_leaves=np.array([int(tree["num_leaves"]) for tree in trees], dtype=np.int32),
            threshold=joined("threshold", np.float64),
            leaf_value=np.concatenate(leaves) if leaves else np.empty(0),
            outputs=outputs,
            **{name: joined(name, kind) for name, kind in _ON_NODES.items()},
        )

    def text(self, columns: int) -> str:
        """The same as text that LightGBM reads.

        Args:
            columns: Width of the tables it predicts on.
        """
        self.check(columns)
        head = [
            "tree",
            "version=v4",
            f"num_class={self.outputs}",
            f"num_tree_per_iteration={self.outputs}",
            "label_index=0",
            f"max_feature_idx={columns - 1}",
            "objective=regression",  # outputs are taken raw
            "feature_names=" + " ".join(f"f{number}" for number in range(columns)),
            "feature_infos=" + " ".join(["none"] * columns),
            "",
        ]
        nodes = np.concatenate([[0], np.cumsum(self.num_leaves - 1)])
        leaves = np.concatenate([[0], np.cumsum(self.num_leaves)])
        for tree, count in enumerate(self.num_leaves):
            inner = slice(nodes[tree], nodes[tree + 1])
            head += [f"Tree={tree}", f"num_leaves={count}", "num_cat=0"]
            if count > 1:
                head += [_line(name, getattr(self, name)[inner]) for name in (*_ON_NODES, "threshold")]
            head += [
                _line("leaf_value", self.leaf_value[leaves[tree] : leaves[tree + 1]]),
                "shrinkage=1",
                "",
                "",
            ]
        return "\n".join([*head, "end of trees", ""])

    def check(self, columns: int) -> None:
        """Raise where these arrays are no trees over so many columns: LightGBM itself would not notice."""
        inner = self.num_leaves - 1
        sizes = {name: len(getattr(self, name)) for name in (*_ON_NODES, "threshold")}
        fits = (
            len(self.num_leaves) > 0
            and len(self.num_leaves) % self.outputs == 0
            and bool((inner >= 0).all())
            and set(sizes.values()) == {int(inner.sum())}
            and len(self.leaf_value) == int(self.num_leaves.sum())
        )
        if not fits or not self._joined_soundly(columns):
            raise InputError("The trees of the model are damaged.", "Train the model again.")

    def _joined_soundly(self, columns: int) -> bool:
        """Whether columns and numbers exist, and every node but the root has one parent before it."""
        if not np.isfinite(self.leaf_value).all() or np.isnan(self.threshold).any():
            return False  # an infinite threshold parts missing values from all others
        inside = (self.split_feature >= 0) & (self.split_feature < columns)
        numeric = (self.decision_type >= 0) & (self.decision_type <= _MOST_DECISION)
        if not (inside & numeric & (self.decision_type & _IS_CATEGORICAL == 0)).all():
            return False
        starts = np.concatenate([[0], np.cumsum(self.num_leaves - 1)])
        for start, end, leaves in zip(starts[:-1], starts[1:], self.num_leaves, strict=True):
            sides = (self.left_child[start:end], self.right_child[start:end])
            children, own = np.concatenate(sides), np.tile(np.arange(end - start), 2)
            wanted = [*range(-int(leaves), 0), *range(1, end - start)] if leaves > 1 else []
            if sorted(children.tolist()) != wanted or (children[children >= 0] <= own[children >= 0]).any():
                return False
        return True

    def to_tensors(self) -> dict[str, Tensor]:
        """Every array by its name, for a checkpoint."""
        return {
            part.name: torch.as_tensor(getattr(self, part.name))
            for part in fields(self)
            if part.name != "outputs"
        }

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor], outputs: int) -> Forest:
        """What :meth:`to_tensors` gave."""
        kinds = {**_ON_NODES, "num_leaves": np.int32, "threshold": np.float64, "leaf_value": np.float64}
        if set(tensors) != set(kinds) or any(
            tensors[name].dim() != 1 or tensors[name].numpy().dtype != kind for name, kind in kinds.items()
        ):
            raise InputError("The trees of the model are damaged.", "Train the model again.")
        return cls(**{name: tensors[name].numpy() for name in kinds}, outputs=outputs)


class Booster:
    """Trees that predict.

    Args:
        forest: The trees.
        columns: Width of the tables they predict on.
    """

    def __init__(self, forest: Forest, columns: int) -> None:
        self.forest, self.columns = forest, columns
        self._predictor = _lightgbm().Booster(model_str=forest.text(columns))

    @classmethod
    def fit(
        cls,
        table: Array,
        target: Array,
        train: Array,
        val: Array,
        *,
        objective: str,
        outputs: int,
        weight: Array | None,
        rounds: int,
        patience: int,
        settings: Mapping[str, object],
        on_step: Callable[[int], None] | None = None,
    ) -> Booster:
        """Boost trees on some rows of a table; the round of the least validation loss is kept.

        Args:
            table: ``[N, columns]`` float32, NaN where a value is missing.
            target: ``[N]``.
            train: The rows to learn from.
            val: The rows that choose the round; with none all rounds are kept.
            objective: ``"binary"``, ``"multiclass"`` or ``"regression"``.
            outputs: Trees in a round.
            weight: Weight of each training row.
            rounds: The most rounds.
            patience: Rounds without a lower validation loss, after which it ends.
            settings: More parameters of LightGBM.
            on_step: Called with the number of each round; may raise :class:`EndEarly` to keep the best round so far.
        """
        lightgbm = _lightgbm()
        params = {
            "objective": objective,
            **({"num_class": outputs} if objective == "multiclass" else {}),
            **settings,
            "num_threads": 1,  # with fewer free cores than threads, boosting takes twenty times as long
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
        }
        learn = lightgbm.Dataset(table[train], target[train], weight=weight, params=params)
        callbacks = [] if on_step is None else [_ending_early(on_step)]
        judge = []
        if len(val):
            judge = [learn.create_valid(table[val], target[val])]
            callbacks.append(lightgbm.early_stopping(patience, verbose=False))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own, about parameters it was given twice
            found = lightgbm.train(params, learn, rounds, valid_sets=judge, callbacks=callbacks)
        kept = found.best_iteration if found.best_iteration > 0 else -1
        return cls(Forest.of(found.model_to_string(num_iteration=kept), outputs), table.shape[1])

    def predict(self, table: Array) -> Array:
        """Raw outputs ``[N, outputs]``."""
        found: Array = self._predictor.predict(table, raw_score=True, num_threads=torch.get_num_threads())
        return found.reshape(len(table), self.forest.outputs)

    @property
    def rounds(self) -> int:
        """Rounds that are kept."""
        return len(self.forest.num_leaves) // self.forest.outputs


def _ending_early(on_step: Callable[[int], None]) -> Callable[[Any], None]:
    """Calls ``on_step`` at every round, and ends the boosting at its best round so far when asked to."""
    best = [math.inf, 0]

    def callback(env: Any) -> None:
        loss = env.evaluation_result_list[0][2] if env.evaluation_result_list else -env.iteration
        if loss < best[0]:
            best[:] = [loss, env.iteration]
        try:
            on_step(env.iteration)
        except EndEarly:
            raise _lightgbm().callback.EarlyStopException(best[1], env.evaluation_result_list) from None

    return callback


def _entries(part: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in part.splitlines() if "=" in line)


def _line(name: str, values: Array) -> str:
    return f"{name}=" + " ".join(map(repr, values.tolist()))


def _lightgbm() -> Any:
    """LightGBM takes a while to import, and only trees need it."""
    import lightgbm

    return lightgbm
