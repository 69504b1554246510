"""Adaptive channel mixing: a low-pass, a high-pass and an identity channel, mixed node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.autograd import Function

from allpass.errors import InputError
from allpass.graph.functions import call
from allpass.graph.linear import LinearMap
from allpass.graph.operator import Operator
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read
from allpass.nn.linear import check_nodes, empty_weight
from allpass.nn.mixing import ChannelMixing
from allpass.nn.parts import Parts, as_parts, multiply_parts, narrow

REVISITING = "Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022"

Channel = Literal["low", "high", "identity", "structure"]
Order = Literal["filter-first", "activation-first"]


class ACMConv(nn.Module):
    r"""Adaptive channel mixing (`Luan et al., NeurIPS 2022 <https://arxiv.org/abs/2210.07606>`_).

    With a low-pass filter :math:`H_{LP}` and a high-pass filter :math:`H_{HP}` (by default
    :math:`\hat A_{rw}` and :math:`I - \hat A_{rw}`), ACM filters, then rectifies:

    .. math::
        H_L = \mathrm{ReLU}(H_{LP} H W_L), \quad
        H_H = \mathrm{ReLU}(H_{HP} H W_H), \quad
        H_I = \mathrm{ReLU}(H W_I)

    and ACMII rectifies, then filters:

    .. math::
        H_L = H_{LP} \mathrm{ReLU}(H W_L), \quad
        H_H = H_{HP} \mathrm{ReLU}(H W_H), \quad
        H_I = \mathrm{ReLU}(H W_I).

    The channels are mixed with weights of their own for every node (:class:`~allpass.nn.mixing.ChannelMixing`).

    Args:
        in_channels: Columns of H.
        out_channels: Columns F of the result and of every channel.
        low: The low-pass filter: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        high: The high-pass filter; by default I minus the low-pass one, which costs no product of its own.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII).
        channels: Which channels there are; the paper's ablation leaves some out. ``"structure"`` adds
            :math:`H_A = \mathrm{ReLU}(A W_A)` on the plain adjacency (ACM-GCN+) and needs ``num_nodes``.
        activation: In place of ReLU; ``"identity"`` gives ACM-SGC.
        mixing: Mix with learned weights, or (False) add the channels.
        scale: Factor of the mixture. By default the number of channels, or 1 with a structure channel, as in the
            authors' code (which has 3 and 1); the report's formula has 1.
        temperature: T of the softmax; by default the number of channels.
        layer_norm: Normalise the channels before their scores.
        num_nodes: Number of nodes of the graph, for the structure channel.
        init: Initialisation of the weights; the authors' is uniform in :math:`\pm 1/\sqrt{F}`.

    Shapes:
        x ``[N, in_channels]``, dense or sparse, or parts of it ``[N, F_i]``; result ``[N, out_channels]``.

    Notes:
        There are no biases. For C channels without structure the layer has C F (F_in + 1) + C² parameters (the papers
        print the two widths exchanged in the "+ 1"). All channel weights are one matrix, so H W is one product, and
        all filters are one sparse product. Where ACM widens dense features, these are filtered first: fewer columns go
        over the edges.

    Example:
        >>> conv = ACMConv(3, 4)
        >>> conv(torch.rand(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
        >>> conv.mixing_weights.shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        low: Filter = "A_hat_rw",
        high: Filter | None = None,
        order: Order = "filter-first",
        channels: Sequence[Channel] = ("low", "high", "identity"),
        activation: ActivationLike = "relu",
        mixing: bool = True,
        scale: float | None = None,
        temperature: float | None = None,
        layer_norm: bool = False,
        num_nodes: int | None = None,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        if order not in get_args(Order):
            raise InputError(f"Got the order {order!r}.", f"Expected one of {', '.join(get_args(Order))}.")
        self.channels = checked_channels(channels)
        structure = "structure" in self.channels
        if structure and num_nodes is None:
            raise InputError(
                "Got a structure channel without num_nodes.",
                "Pass num_nodes=: the channel has one row of weights for each node.",
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.low, self.order, self.init = checked_filter(low, "low"), order, init
        self.high = None if high is None else checked_filter(high, "high")
        self.activation = build_activation(activation, out_channels)
        if order == "filter-first" and isinstance(self.activation, nn.ReLU):
            self.activation.inplace = True  # what the filters give is nobody else's
        self._featured = tuple(name for name in self.channels if name != "structure")
        self.weight = empty_weight(in_channels, out_channels, beside=len(self._featured))
        self.structure_weight = (
            nn.Parameter(torch.empty(num_nodes, out_channels)) if structure and num_nodes else None
        )
        factor = (1.0 if structure else float(len(self.channels))) if scale is None else scale
        self.mixing = (
            ChannelMixing(
                len(self.channels),
                out_channels,
                temperature=temperature,
                scale=factor,
                layer_norm=layer_norm,
            )
            if mixing
            else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=max(len(self._featured), 1))
        if self.structure_weight is not None:
            initialise_(self.structure_weight, self.init)
        if self.mixing is not None:
            self.mixing.reset_parameters()

    @property
    def mixing_weights(self) -> Tensor | None:
        """The weights ``[N, C]`` of the last forward, in the order of :attr:`channels`."""
        return None if self.mixing is None else self.mixing.weights

    def forward(self, x: Parts, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        channels = self.channels_of(x, edge_index, edge_weight)
        return channels.sum(dim=1) if self.mixing is None else self.mixing(channels)

    def channels_of(self, x: Parts, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        """The channels ``[N, C, F]`` before they are mixed: step 1."""
        H = as_parts(x, self.in_channels)
        _, A = read(H[0], edge_index, edge_weight)
        if self.order == "activation-first":
            channels = self._filter(self.activation(self._mapped(H)), A)
        elif self._featured and narrow(H, self.out_channels):
            channels = self.activation(self._mapped_after(H, A))
        else:
            channels = self.activation(self._filter(self._mapped(H), A))
        if self.structure_weight is None:
            return channels
        check_nodes(A, self.structure_weight.shape[0])
        structure = self.activation(A @ self.structure_weight)
        return torch.cat([channels, structure.unsqueeze(1)], dim=1)

    def _mapped(self, H: Sequence[Features]) -> Tensor:
        """H [W_L, W_H, W_I] as ``[N, C, F]``: one product."""
        product = multiply_parts(H, self.weight)
        return product.reshape(product.shape[0], len(self._featured), self.out_channels)

    def _mapped_after(self, H: Sequence[Tensor], A: Operator) -> Tensor:
        """[H_LP H W_L, H_HP H W_H, H W_I] as ``[N, C, F]``, of few features: these go over the edges once."""
        low = [filtered(A, self.low) @ x for x in H]
        inputs = {"low": low, "identity": H}
        if self.high is None:
            inputs["high"] = [x - smooth for x, smooth in zip(H, low, strict=True)]
        else:
            inputs["high"] = [filtered(A, self.high) @ x for x in H]
        weights = self.weight.chunk(len(self._featured), dim=1)
        products = [multiply_parts(inputs[name], W) for name, W in zip(self._featured, weights, strict=True)]
        return torch.stack(products, dim=1)

    def _filter(self, Z: Tensor, A: Operator) -> Tensor:
        """Every channel of ``[N, C, F]`` after its filter; a pair low and I - low shares one sparse product."""
        low = filtered(A, self.low)
        if self.high is None and self._featured[:2] == ("low", "high") and low.is_constant:
            return call(_Pair, Z, low)
        high: LinearMap = low.complement() if self.high is None else filtered(A, self.high)
        filters = {"low": low, "high": high}
        parts = [
            filters[name] @ part if name in filters else part
            for name, part in zip(self._featured, Z.unbind(dim=1), strict=True)
        ]
        return torch.stack(parts, dim=1) if parts else Z

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, {self.order}, channels={', '.join(self.channels)}"


def _joint(low: Operator, channels: int) -> Operator:
    """What :class:`_Pair` does as one matrix on the rows of Z, ``[N C, N C]``; kept with the filter.

    A CPU then reads and writes every channel once, instead of copying the pair out and all channels together again: two
    to three times as fast on rows of 64. A GPU trains many replicas at once, and its products are wide as they are.
    """

    def compute() -> Operator:
        filtering, staying = np.zeros((2, channels))
        filtering[:2], staying[1:] = (1, -1), 1
        filters = sp.kron(low.to_scipy(), sp.diags_array(filtering), "csr")
        stays = sp.kron(sp.eye_array(low.shape[0]), sp.diags_array(staying), "csr")
        return Operator.from_scipy(filters + stays, dtype=low.dtype)

    return low.derived(f"joint filter of {channels} channels", compute)


class _Pair(Function):
    """[P Z_1, Z_2 - P Z_2, Z_3, ...] for Z ``[N, C, F]``: a low-pass filter P, its complement, and what stays.

    The derivative has the same form with the transpose of P.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(Z: Tensor, low: LinearMap) -> Tensor:
        if isinstance(low, Operator) and low.device.type == "cpu":
            return (_joint(low, Z.shape[1]) @ Z.flatten(0, 1)).view(Z.shape).detach()
        first, second = (low @ Z[:, :2].flatten(1)).chunk(2, dim=1)
        _, high, *rest = Z.unbind(dim=1)
        return torch.stack([first, high - second, *rest], dim=1)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, LinearMap], output: Tensor) -> None:
        ctx.low = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return call(_Pair, grad, ctx.low.T), None


def checked_channels(channels: Sequence[str]) -> tuple[Channel, ...]:
    """The channels in their own order, each once; complains about others."""
    known = get_args(Channel)
    wrong = [name for name in channels if name not in known]
    if wrong or not channels or isinstance(channels, str):
        raise InputError(
            f"Got the channels {channels!r}.", f"Expected one or more of {', '.join(known)}, as a tuple."
        )
    return tuple(name for name in known if name in channels)
