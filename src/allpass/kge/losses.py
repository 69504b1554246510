"""What training minimises: scores of true triplets against those of corrupted ones, or against all entities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from torch import Tensor
from torch.nn import functional as F

from allpass.errors import UnknownNameError, did_you_mean

LossName = Literal["margin", "nssa", "softplus", "softmax"]
Loss = Callable[[Tensor, Tensor, float, float], Tensor]
"""Of scores of M true triplets ``[M]``, scores of their N corruptions ``[M, N]``, the margin and the temperature."""


def margin_loss(true: Tensor, false: Tensor, margin: float, temperature: float) -> Tensor:  # noqa: ARG001
    """The mean of max(0, margin - true + false): true triplets are to score higher by the margin."""
    return F.relu(margin - true.unsqueeze(1) + false).mean()


def self_adversarial_loss(true: Tensor, false: Tensor, margin: float, temperature: float) -> Tensor:
    """Negative sampling weighted by the model itself (Sun et al., 2019).

        -1/2 log s(margin + true) - 1/2 sum_j p_j log s(-margin - false_j),   p = softmax(temperature * false)

    The weights p pass no gradient.
    """
    weights = F.softmax(temperature * false.detach(), dim=1)
    kept = -F.logsigmoid(margin + true).mean()
    refused = -(weights * F.logsigmoid(-margin - false)).sum(1).mean()
    return (kept + refused) / 2


def softplus_loss(true: Tensor, false: Tensor, margin: float, temperature: float) -> Tensor:  # noqa: ARG001
    """The mean of log(1 + exp(-true)) and log(1 + exp(false)), half of it for each kind."""
    return (F.softplus(-true).mean() + F.softplus(false).mean()) / 2


def softmax_loss(scores: Tensor, right: Tensor) -> Tensor:
    """-log softmax(scores)[right], the mean over rows.

    Its minimum over scores is P(entity | relation, other entity) as the triplets have it.

    Args:
        scores: Of all entities, ``[M, E]``.
        right: The true one of each row, ``[M]``.
    """
    return F.cross_entropy(scores, right)


SAMPLED: dict[str, Loss] = {
    "margin": margin_loss,
    "nssa": self_adversarial_loss,
    "softplus": softplus_loss,
}
"""Losses that need corrupted triplets; ``"softmax"`` compares with all entities instead."""

LOSSES: tuple[str, ...] = get_args(LossName)


def check_loss(name: str) -> None:
    """Refuse an unknown name."""
    if name not in LOSSES:
        raise UnknownNameError(f"There is no loss {name!r}.", did_you_mean(name, LOSSES))
