"""ACM-GCNII and ACM-GCNII*: GCNII with a low-pass, a high-pass and an identity channel in every layer."""

from __future__ import annotations

from allpass.models.acm import ACM
from allpass.models.entry import Model
from allpass.models.gcnii import SPACE, TRAINING, DeepResidual
from allpass.nn.acm_gcnii import ACMGCN2Conv
from allpass.nn.inputs import Filter


def acm_gcnii(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    alpha: float = 0.1,
    theta: float = 0.5,
    separate: bool = False,
    filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
    activation: str = "relu",
    dropout: float = 0.5,
) -> DeepResidual:
    """GCNII's frame around ACM layers; the paper reports 1 to 4 of them."""
    return DeepResidual(
        lambda layer: ACMGCN2Conv(
            hidden_channels, layer=layer, alpha=alpha, theta=theta, separate=separate, filter=filter
        ),
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )


SHALLOW = {**SPACE, "num_layers": (1, 2, 3, 4)}

ENTRIES = (
    Model(
        "acm-gcnii",
        acm_gcnii,
        "gcnii with a high-pass and an identity channel in every layer",
        ACM,
        space=SHALLOW,
        training=TRAINING,
        numbered="num_layers",
    ),
    Model(
        "acm-gcnii-star",
        acm_gcnii,
        "acm-gcnii with separate weights for the first layer's features",
        ACM,
        preset={"separate": True},
        space=SHALLOW,
        training=TRAINING,
        numbered="num_layers",
        aliases=("acm-gcnii*",),
    ),
)
