"""How the runs of a table are made, in the words of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import torch

from allpass.data import DATASETS, SPLITS
from allpass.data.named.unlabelled import UNLABELLED
from allpass.errors import InputError
from allpass.papers.checks import check_keys, check_name
from allpass.train.config import TrainingConfig
from allpass.train.rules.optimizers import OPTIMIZERS
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import StoppingRule, stopping
from allpass.train.scaling import SCALINGS


@dataclass(frozen=True)
class Protocol:
    """How runs are made; every name in it exists.

    Args:
        splits: How the nodes are divided: ``name`` and options of :func:`allpass.data.splits`.
        stop: When a run ends: ``name`` and options of :func:`allpass.train.stopping`.
        select: Which epoch is reported, a name of ``SELECTION``.
        optimizer: A name of ``OPTIMIZERS``.
        scaling: How features are scaled, a name of ``SCALINGS``.
        unlabelled: What becomes of nodes without a label, as :func:`allpass.load` has it.
        undirected: Whether edges are made to go both ways first.
        tf32: Whether a GPU may round the factors of dense products to TF32.
        deviation: What stands after the plus-minus sign: ``"population"`` (divided by n) or ``"sample"`` (by n - 1).
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

    def __post_init__(self) -> None:
        check_name("selection rule", self.select, SELECTION.names)
        check_name("optimizer", self.optimizer, OPTIMIZERS.names)
        check_name("scaling", self.scaling, SCALINGS)
        check_name("rule for unlabelled nodes", self.unlabelled, UNLABELLED)
        check_name("deviation", self.deviation, ("population", "sample"))
        check_name("split", self.splits["name"], SPLITS.names)
        check_keys(self.splits, ("name", "count", "seed", *SPLITS[self.splits["name"]].options))
        for name in ("undirected", "tf32"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"Got {name} = {getattr(self, name)!r}.", "Expected true or false.")
        self.stopping()

    def changed(self, options: Mapping[str, Any]) -> Protocol:
        """The same with some options in place of others; a rule that is not named again keeps its other options.

        Example:
            >>> Protocol().changed({"splits": {"count": 3}}).splits
            {'name': 'random', 'count': 3}
        """
        check_keys(options, [option.name for option in fields(Protocol)])
        options = dict(options)
        for rule in {"splits", "stop"}.intersection(options):
            given, before = options[rule], getattr(self, rule)
            if not isinstance(given, Mapping):
                raise InputError(f"Got {rule} = {given!r}.", "Expected a table of a name and its options.")
            options[rule] = dict(given) if "name" in given else {**before, **given}
        return replace(self, **options)

    def stopping(self) -> StoppingRule:
        """The rule that ends a run."""
        return stopping(**self.stop)

    def training(self, device: str, score: str = "") -> TrainingConfig:
        """The options of a training by this protocol.

        Args:
            device: Where to train.
            score: What is reported in place of accuracy; or empty.
        """
        return TrainingConfig(
            task="classification",
            score=score or "accuracy",
            optimizer=self.optimizer,
            stop=self.stopping(),
            select=self.select,
            scaling=self.scaling,
            undirected=self.undirected,
            class_weight="none",
            label_input=None,
            device=device,
            dtype=torch.float32,
            tf32=self.tf32,
        )

    def check_dataset(self, name: str) -> None:
        """Complain where there is no such dataset, or the splits do not come with it."""
        check_name("dataset", name, DATASETS.names)
        rule = SPLITS[self.splits["name"]]
        if not rule.drawn and rule.name not in DATASETS[name].splits:
            raise InputError(
                f"The dataset {name!r} does not come with the splits {rule.name!r}.",
                f"It has: {', '.join(DATASETS[name].splits) or 'none'}.",
            )


@dataclass(frozen=True)
class Tie:
    """What a protocol changes for some of the settings that are tried by it.

    Args:
        changes: Options of a :class:`Protocol`; not its splits, which all settings share.
        where: The values that these settings have; all settings are meant where it is empty.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Tie:
        """From a table of a spec, whose key ``where`` holds the settings."""
        changes = {name: value for name, value in content.items() if name != "where"}
        check_keys(changes, [option.name for option in fields(Protocol) if option.name != "splits"])
        where = content.get("where", {})
        if not isinstance(where, Mapping):
            raise InputError(f"Got where = {where!r}.", "Expected a table of settings and their values.")
        return cls(changes, dict(where))

    def holds(self, settings: Mapping[str, Any]) -> bool:
        """Whether settings are among those for which something changes.

        Example:
            >>> Tie({"scaling": "none"}, where={"structure": True}).holds({"structure": False})
            False
        """
        return all(name in settings and settings[name] == value for name, value in self.where.items())
