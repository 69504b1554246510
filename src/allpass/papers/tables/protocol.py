"""How the runs of a table are made, in the words of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch

from allpass.train.config import TrainingConfig
from allpass.train.rules.stopping import stopping


@dataclass(frozen=True)
class Protocol:
    """How runs are made.

    Args:
        splits: How the nodes are divided: ``name`` and options of :func:`allpass.data.splits`.
        stop: When a run ends: ``name`` and options of :func:`allpass.train.stopping`.
        select: Which epoch is reported, a name of ``SELECTION``.
        optimizer: A name of ``OPTIMIZERS``.
        scaling: How features are scaled, a name of ``SCALINGS``.
        unlabelled: What becomes of nodes without a label, as :func:`allpass.load` has it.
        undirected: Whether edges are made to go both ways first.
        tf32: Whether a GPU may round the factors of dense products to TF32.
        deviation: What the source prints after ±: ``"population"`` (divided by n) or ``"sample"`` (by n - 1).
    """

    splits: Mapping[str, Any] = field(default_factory=lambda: {"name": "random", "count": 10})
    stop: Mapping[str, Any] = field(default_factory=lambda: {"name": "gprgnn", "max_epochs": 5000})
    select: str = "lowest-val-loss"
    optimizer: str = "adam"
    scaling: str = "rows"
    unlabelled: str = "missing"
    undirected: bool = True
    tf32: bool = False
    deviation: Literal["population", "sample"] = "population"

    def changed(self, options: Mapping[str, Any]) -> Protocol:
        """The same with some options replaced; splits or a stop without a name keep their other options.

        Example:
            >>> Protocol().changed({"splits": {"count": 3}}).splits
            {'name': 'random', 'count': 3}
        """
        options = dict(options)
        for rule in {"splits", "stop"}.intersection(options):
            given = options[rule]
            options[rule] = dict(given) if "name" in given else {**getattr(self, rule), **given}
        return replace(self, **options)

    def shortened(self, splits: int, epochs: int) -> Protocol:
        """The same with at most so many splits and epochs."""
        fewer = min(splits, int(self.splits.get("count", splits)))
        shorter = min(epochs, int(self.stop.get("max_epochs", epochs)))
        return self.changed({"splits": {"count": fewer}, "stop": {"max_epochs": shorter}})

    def training(self, device: str, score: str = "") -> TrainingConfig:
        """The options of a training.

        Args:
            device: Where to train.
            score: What is reported in place of accuracy; or empty.
        """
        return TrainingConfig(
            task="classification",
            score=score or "accuracy",
            optimizer=self.optimizer,
            stop=stopping(**self.stop),
            select=self.select,
            scaling=self.scaling,
            undirected=self.undirected,
            class_weight="none",
            label_input=None,
            device=device,
            dtype=torch.float32,
            tf32=self.tf32,
        )


@dataclass(frozen=True)
class Tie:
    """What some of the settings that are tried change of a protocol.

    Args:
        changes: Options of a :class:`Protocol`, except its splits, which all settings share.
        where: The values that these settings have; it holds for all settings where it is empty.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Tie:
        """From a table of a file, whose entry ``where`` has the settings."""
        changes = {name: value for name, value in content.items() if name != "where"}
        return cls(changes, dict(content.get("where", {})))

    def holds(self, settings: Mapping[str, Any]) -> bool:
        """Whether settings are among those that change something.

        Example:
            >>> Tie({"scaling": "none"}, where={"structure": True}).holds({"structure": False})
            False
        """
        return all(name in settings and settings[name] == value for name, value in self.where.items())
