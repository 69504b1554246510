"""Models that are fitted in one call instead of epoch by epoch: trees, linear ones, and steps after another model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from allpass.graph.operator import Operator
from allpass.nn.inputs import Features


class EndEarly(Exception):  # noqa: N818 - a request, not an error
    """Raised by a progress callback: end the training here and keep the best so far."""


@dataclass(frozen=True)
class Examples:
    """What a direct model is fitted on.

    Args:
        x: Features ``[N, F]``.
        graph: The adjacency.
        target: Classes ``[N]``, or numbers ``[N]`` or ``[N, T]``; read on training and validation nodes alone.
        train: Training nodes, bool ``[N]``.
        val: Validation nodes, bool ``[N]``: they decide when to stop. There may be none.
        weight: Weight ``[N]`` of each training node in the loss, by default 1.
        seed: Decides what is random.
    """

    x: Features
    graph: Operator
    target: Tensor
    train: Tensor
    val: Tensor
    weight: Tensor | None = None
    seed: int = 0


class Direct(ABC):
    """A model that is fitted in one call, and used like a network afterwards: ``model(x, edge_index)``.

    Its state is a mapping of tensors, as that of a network is, so one checkpoint format serves both.
    """

    steps = 0
    """How many steps the last :meth:`fit` took, such as boosting rounds."""

    sampled = ""
    """What the last :meth:`fit` learnt from, such as "200 of 600 training nodes", where that was not all."""

    @abstractmethod
    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:
        """Learn, and return the outputs for every node, ``[N, out_channels]``.

        Args:
            examples: Features, graph, labels and masks.
            on_step: Called with the number of each step; may raise :class:`EndEarly` to end here, or anything else
                to give up.
        """

    @abstractmethod
    def __call__(
        self, x: Features, edge_index: Operator, *, labels: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        """Outputs for every node, ``[N, out_channels]``: logits, or numbers.

        Args:
            x: Features ``[N, F]``.
            edge_index: The adjacency.
            labels: Labels ``[N]`` of the training nodes, for models that read them.
            mask: Which nodes these are, bool ``[N]``.
        """

    @abstractmethod
    def state_dict(self) -> dict[str, Tensor]:
        """Everything that :meth:`fit` learnt."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Take over what :meth:`state_dict` gave; raises ``InputError`` where it does not fit."""
