"""ACM-GCNII and ACM-GCNII*: GCNII with a low-pass, a high-pass and an identity channel in every layer."""

from __future__ import annotations

from allpass.models.acm import MIXED
from allpass.models.entry import Model
from allpass.models.gcnii import SPACE, TRAINING, DeepResidual
from allpass.nn.acm import REVISITING
from allpass.nn.acm_gcnii import ACMGCN2Conv
from allpass.nn.activations import ActivationLike
from allpass.nn.gcnii import Weights
from allpass.nn.inputs import Filter


def acm_gcnii(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    alpha: float = 0.1,
    theta: float = 0.5,
    weights: Weights = "shared",
    filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
    high: Filter | None = None,
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
) -> DeepResidual:
    r"""GCNII's frame around ACM layers; the paper reports 1 to 4 of them.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of ACM layers, between the two linear ones.
        alpha: Share of the initial residual, from 0 to 1.
        theta: :math:`\lambda` of :math:`\beta_l = \mathrm{ln}(\lambda / l + 1)`.
        weights: ``"shared"`` (GCNII), ``"separate"`` (GCNII*), or ``"separate-unscaled"``, GCNII* of the authors' code.
        filter: The low-pass filter.
        high: The high-pass filter, by default I minus the low-pass one; an earlier version of the authors' code has
            the low-pass one here too.
        activation: Between the layers, in place of ReLU.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
    """
    return DeepResidual(
        lambda layer: ACMGCN2Conv(
            hidden_channels,
            layer=layer,
            alpha=alpha,
            theta=theta,
            weights=weights,
            filter=filter,
            high=high,
            scale=scale,
            temperature=temperature,
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
        REVISITING,
        space=SHALLOW,
        training=TRAINING,
        added=MIXED,
        numbered="num_layers",
    ),
    Model(
        "acm-gcnii-star",
        acm_gcnii,
        "acm-gcnii with separate weights for the first layer's features",
        REVISITING,
        preset={"weights": "separate"},
        space=SHALLOW,
        training=TRAINING,
        added=MIXED,
        numbered="num_layers",
        aliases=("acm-gcnii*",),
    ),
)
