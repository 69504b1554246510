"""The truncated block Krylov network: few layers that each look far."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.models.snowball import SPACE, Readout
from allpass.nn.activations import BREAK, ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.dropout import Dropout
from allpass.nn.initialisation import Init, Known, knowing
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.krylov import KrylovConv


class TruncatedKrylov(nn.Module):
    r"""The truncated block Krylov network (`Luan et al., NeurIPS 2019 <https://arxiv.org/abs/1906.02174>`_).

    .. math::
        H_{l+1} = f([H_l, \hat A H_l, \dots, \hat A^{m-1} H_l] W_l + b_l), \qquad Y = \hat A^p H_n W_C + b_C

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of every hidden layer.
        num_layers: n + 1: the output layer counts. The tables of the paper give n, which is mostly 1.
        blocks: m, the same in every layer; the tables of the paper have 5 to 25 where few nodes are labelled.
        activation: f, a name of ``ACTIVATIONS``, a module or a function.
        filter: :math:`\hat A`; the code has ``"A_hat_rw"``, the paper writes ``"A_hat_sym"``.
        dropout: Probability of dropout after every hidden activation.
        input_dropout: Drop features too; the code does not.
        head: An activation g for a further layer :math:`C = g(H_n W_n + b_n)` before the output, as wide as H_n. The
            paper and the code's first release have it (``"tanh"``); the later one has none, the default here.
        aggregate_output: p = 1; the code has p = 0, the paper leaves p open.
        bias: Add the b.
        init: Initialisation of the weights; those that know degrees need ``graph``.
        graph: The graph, or its degrees ``[N]``, for initialisations that know degrees.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``.

    Example:
        >>> TruncatedKrylov(10, 2, hidden_channels=4, blocks=7).layers[0].weight.shape
        torch.Size([70, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int = 64,
        num_layers: int = 2,
        blocks: int = 5,
        activation: ActivationLike = "tanh",
        filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
        dropout: float = 0.5,
        input_dropout: bool = False,
        head: ActivationLike | None = None,
        aggregate_output: bool = False,
        bias: bool = True,
        init: Init = "fan-out-uniform",
        graph: Known | None = None,
    ) -> None:
        super().__init__()
        init = knowing(init, graph, filter)
        if num_layers < 2:
            raise InputError(
                f"Got num_layers = {num_layers}.",
                "Expected 2 or more: the output layer counts, and has no powers of the filter.",
            )
        widths = [in_channels, *[hidden_channels] * (num_layers - 1)]
        self.layers = nn.ModuleList(
            KrylovConv(i, o, blocks=blocks, filter=filter, bias=bias, init=init) for i, o in pairwise(widths)
        )
        self.activations = nn.ModuleList(build_activation(activation, width) for width in widths[1:])
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in widths[1:])
        self.input_dropout = Dropout(dropout) if input_dropout else nn.Identity()
        self.readout = Readout(
            hidden_channels,
            out_channels,
            head=head,
            aggregate=aggregate_output,
            filter=filter,
            bias=bias,
            init=init,
        )

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        x = self.input_dropout(x)
        for layer, activate, drop in zip(self.layers, self.activations, self.dropouts, strict=True):
            x = drop(activate(layer(x, A)))
        return cast(Tensor, self.readout([x], A))


ENTRIES = (
    Model(
        "krylov",
        TruncatedKrylov,
        "keeps every power of the filter up to a limit, each with its own weights",
        BREAK,
        space={**SPACE, "num_layers": (2,), "blocks": (5, 8, 10, 15, 20, 25)},
        training={"lr": 5e-3, "weight_decay": 1e-3},
        aliases=("truncated-krylov",),
    ),
)
