"""Networks with adaptive channel mixing: ACM-GCN, ACMII-GCN and their relatives with a structure channel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from allpass.models.entry import GRID, Model
from allpass.models.stack import Stack
from allpass.nn.acm import ACMConv, Channel, Order
from allpass.nn.inputs import Filter

ACM = "Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022"


def acm_gcn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    order: Order = "filter-first",
    channels: Sequence[Channel] = ("low", "high", "identity"),
    low: Filter = "A_hat_rw",
    activation: str = "relu",
    dropout: float = 0.5,
    mixing: bool = True,
    scale: float | None = None,
    temperature: float | None = None,
    layer_norm: bool = False,
) -> Stack:
    """ACM layers in a row: dropout on the features, layer, ReLU, dropout, layer.

    The ReLU between the layers is the outer one of the paper's step 3. It changes nothing for ACM, whose channels
    are not negative; for ACMII it does. The logits of ACM are not negative either: the last layer rectifies too.
    """
    layer = partial(
        ACMConv,
        low=low,
        order=order,
        channels=channels,
        activation=activation,
        mixing=mixing,
        scale=scale,
        temperature=temperature,
        layer_norm=layer_norm,
    )
    return Stack(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )


ENTRIES = (
    Model(
        "acm-gcn",
        acm_gcn,
        "mixes low-pass, high-pass and identity channels node by node",
        ACM,
        space=GRID,
        aliases=("acm",),
    ),
    Model(
        "acmii-gcn",
        acm_gcn,
        "like acm-gcn, with the nonlinearity before the filter",
        ACM,
        preset={"order": "activation-first"},
        space=GRID,
        aliases=("acmii",),
    ),
)
