"""SGC inside adaptive channel mixing: one linear layer over three channels."""

from __future__ import annotations

from functools import partial

from allpass.graph.linear import LinearMap
from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.models.acm import LATER, MIXED
from allpass.models.entry import GRID, Model
from allpass.models.stack import Stack
from allpass.nn.acm import REVISITING, ACMConv
from allpass.nn.initialisation import Init, Known, knowing


def power(A: Operator, name: str, exponent: int) -> LinearMap:
    """A power of a named matrix, as a filter."""
    return matrix(A, name) ** exponent


def acm_sgc(
    in_channels: int,
    out_channels: int,
    *,
    hops: int = 1,
    low: str = "A_hat_rw",
    complement: bool = False,
    dropout: float = 0.5,
    scale: float | None = None,
    temperature: float | None = None,
    init: Init = "fan-out-uniform",
    graph: Known | None = None,
) -> Stack:
    r"""Channels :math:`\hat A^k X W_L`, :math:`(I - \hat A) X W_H` and :math:`X W_I`, mixed, without activations.

    The high-pass filter stays :math:`I - \hat A` for every k, as in the released code. With k = 2 that gives other
    numbers than the published ones on Chameleon and Squirrel; :math:`I - \hat A^2` gives those.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hops: k.
        low: The matrix :math:`\hat A`, by name.
        complement: Let the high-pass filter be :math:`I - \hat A^k`, all that the low-pass one leaves out.
        dropout: Probability of dropout on the features.
        scale: Factor of the mixture. By default the number of channels, as in the authors' code; the report has 1.
        temperature: T of the softmax. By default the number of channels.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.
    """
    layer = partial(
        ACMConv,
        low=low if hops == 1 else partial(power, name=low, exponent=hops),
        high=None if hops == 1 or complement else low.replace("A", "L", 1),
        activation="identity",
        scale=scale,
        temperature=temperature,
        init=knowing(init, graph, low),
    )
    return Stack(layer, in_channels, out_channels, out_channels, num_layers=1, dropout=dropout)


ENTRIES = tuple(
    Model(
        f"acm-sgc-{hops}",
        acm_sgc,
        f"sgc-{hops} with a high-pass and an identity channel, mixed node by node",
        REVISITING,
        preset={"hops": hops},
        space=GRID,
        added={**LATER, **MIXED},
    )
    for hops in (1, 2)
)
