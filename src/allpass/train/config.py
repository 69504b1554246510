"""How a run is trained: every option with its one default, for all the functions, classes and verbs that train."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypedDict, Unpack

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.train.engine.batch import Recipe
from allpass.train.rare import default_score
from allpass.train.rules.optimizers import OPTIMIZERS
from allpass.train.rules.scores import Score
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import STOPPING, StoppingRule, stopping
from allpass.train.rules.tasks import task as find_task
from allpass.train.rules.weights import check_class_weight

EPOCHS = 1000
"""The most epochs of a run whose ``epochs`` are left out."""


class TrainingOptions(TypedDict, total=False):
    """The fields of :class:`TrainingConfig` as keywords; those left out keep their default."""

    task: str | None
    score: str | None
    optimizer: str
    stop: str | StoppingRule
    epochs: int | None
    patience: int | None
    select: str
    scaling: str
    undirected: bool
    class_weight: str | None
    label_input: bool | None
    device: torch.device | str
    dtype: torch.dtype
    tf32: bool


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a run is trained.

    ``fit``, ``compare``, ``sweep``, ``train_folds``, the estimators and the command line all take their defaults from
    here, so the same model, split and seed give the same numbers in each.

    Args:
        task: ``"classification"``, ``"binary"`` or ``"regression"``; by default regression where the labels are
            floating-point numbers and classification where they are integers. Numbers are learnt, and errors
            measured, in standard deviations of the training labels.
        score: What is reported, a name of ``SCORES``; by default the one that
            :func:`~allpass.train.rare.default_score` chooses for the labels.
        optimizer: A name of ``OPTIMIZERS``.
        stop: The rule that ends a run, a name of ``STOPPING``, or a rule with its options.
        epochs: The most epochs of a run, by default 1000. A rule given as ``stop`` has its own.
        patience: How long the rule waits for something better, in epochs: of ``"gprgnn"`` the window of its mean, by
            default 200; of the others the epochs without progress, by default 100. Trees have a setting of this name.
        select: Which epoch is kept, a name of ``SELECTION``.
        scaling: How features are scaled, a name of ``SCALINGS``.
        undirected: Take edges as going both ways, as metrics do; False keeps their direction.
        class_weight: ``"balanced"`` lets all classes count the same in the loss of the training nodes, each node of
            class c by N / (C n_c) with the counts of its split; ``"none"`` lets all nodes count the same.
        label_input: Let networks read the labels of the training nodes as features (Shi et al., IJCAI 2021). Every step
            shows a random half of them and learns the other half. By default networks do not, and other models do as
            their setting of this name says.
        device: Where to train: ``"cpu"``, ``"cuda"``, or ``"auto"`` for CUDA where there is one.
        dtype: In which precision.
        tf32: Round the factors of dense float32 products to TF32 (11 bits of 24) on a GPU, which multiplies these
            faster: worth it where layers are thousands wide. A CPU takes no notice.

    Example:
        >>> TrainingConfig(epochs=300).rule
        Window(max_epochs=300, window=200)
        >>> TrainingConfig.of(epoch=300)
        Traceback (most recent call last):
        ...
        allpass.errors.UnknownNameError: There is no training option 'epoch'. Did you mean 'epochs'?
    """

    task: str | None = None
    score: str | None = None
    optimizer: str = "adam"
    stop: str | StoppingRule = "gprgnn"
    epochs: int | None = None
    patience: int | None = None
    select: str = "lowest-val-loss"
    scaling: str = "auto"
    undirected: bool = True
    class_weight: str | None = "none"
    label_input: bool | None = None
    device: torch.device | str = "auto"
    dtype: torch.dtype = torch.float32
    tf32: bool = False

    @classmethod
    def of(cls, **options: Unpack[TrainingOptions]) -> Self:
        """The defaults with some options in their place; an unknown name is answered with the nearest."""
        known = [one.name for one in fields(cls)]
        for name in options:
            if name not in known:
                raise UnknownNameError(f"There is no training option {name!r}.", did_you_mean(name, known))
        return cls(**options)

    def __post_init__(self) -> None:
        for name in ("undirected", "tf32"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"Got {name} = {getattr(self, name)!r:.60}.", "Expected True or False.")
        if not isinstance(self.dtype, torch.dtype):
            raise InputError(f"Got dtype = {self.dtype!r}.", "Expected torch.float32 or torch.float64.")
        if self.tf32 and self.dtype != torch.float32:
            raise InputError(
                f"Got tf32 = True with {self.dtype}.", "TF32 is a way to multiply torch.float32 alone."
            )

    def changed(self, **options: Any) -> Self:
        """The same with some options in place of others."""
        return replace(self, **options)

    def task_of(self, data: Data) -> str:
        """What is learnt from the labels of a graph, a name of ``TASKS``."""
        if self.task is not None:
            return self.task
        numbers = isinstance(data.y, Tensor) and data.y.is_floating_point()
        return "regression" if numbers else "classification"

    def scorer(self, data: Data) -> Score:
        """What is reported on a graph."""
        return self.recipe(data).task.scorer

    @property
    def rule(self) -> StoppingRule:
        """The rule that ends a run."""
        if not isinstance(self.stop, str):
            return self._given_rule(self.stop)
        epochs = EPOCHS if self.epochs is None else whole_number("epochs", self.epochs, least=1)
        if self.patience is None:
            return stopping(self.stop, max_epochs=epochs)
        known = STOPPING[self.stop].options
        name = next((name for name in ("patience", "window") if name in known), None)
        if name is None:
            raise InputError(
                f"Got patience = {self.patience!r} for the rule {self.stop!r}, which does not wait.",
                "Leave it out.",
            )
        patience = whole_number("patience", self.patience, least=1, most=1_000_000)
        return stopping(self.stop, max_epochs=epochs, **{name: patience})

    def _given_rule(self, rule: StoppingRule) -> StoppingRule:
        if not hasattr(rule, "needs_validation"):
            raise InputError(
                f"Got stop = {rule!r}.",
                'Expected the name of a rule, or one of stopping("fixed", max_epochs=5).',
            )
        if self.epochs is not None or self.patience is not None:
            raise InputError(
                f"Got stop = {rule!r} with epochs or patience beside it.",
                'Give them to the rule, or pass its name, such as stop="fixed".',
            )
        return rule

    def recipe(self, data: Data) -> Recipe:
        """What the training engine follows on a graph."""
        task, score = self.task_of(data), self.score
        y = data.y
        if score is None and task == "classification" and isinstance(y, Tensor) and y.dim() == 1:
            score = default_score(y)
        found = find_task(task, score=score)
        return Recipe(
            found,
            OPTIMIZERS[self.optimizer],
            self.rule,
            SELECTION[self.select],
            self.tf32,
            check_class_weight(self.class_weight, found.name),
        )
