"""Adaptive channel mixing around any message-passing layer: aggregation is the layer, diversification I minus it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Graph, dense, read
from allpass.nn.linear import empty_weight, times
from allpass.nn.mixing import ChannelMixing

SpatialChannel = Literal["low", "high", "identity"]


class ACM(nn.Module):
    r"""Adaptive channel mixing in spatial form (`Luan et al., NeurIPS 2022 <https://arxiv.org/abs/2210.07606>`_).

    For a layer :math:`\mathrm{agg}` that aggregates neighbours, from PyG or from here:

    .. math::
        H_L = \mathrm{ReLU}(\mathrm{agg}_L(H)), \quad
        H_H = \mathrm{ReLU}(H W_H - \mathrm{agg}_H(H)), \quad
        H_I = \mathrm{ReLU}(H W_I),

    mixed node by node as in :class:`~allpass.nn.acm.ACMConv`. The two aggregations have weights of their own.

    Args:
        conv: The layer. It is copied for every channel that needs it, with new weights.
        in_channels: Columns of H; by default ``conv.in_channels``.
        out_channels: Columns of what the layer gives; by default ``conv.out_channels`` (times ``heads`` where a layer
            puts attention heads side by side).
        channels: Which channels there are.
        activation: In place of ReLU.
        mixing: Mix with learned weights, or (False) add the channels.
        scale: Factor of the mixture; by default the number of channels, as in the authors' code.
        temperature: T of the softmax; by default the number of channels.
        layer_norm: Normalise the channels before their scores.
        init: Initialisation of :math:`W_H` and :math:`W_I`.

    Shapes:
        x ``[N, in_channels]``; result ``[N, out_channels]``.

    Notes:
        :math:`W_H` carries the identity to the width of the layer; where it equals the weight of a graph convolution
        the layer is exactly :class:`~allpass.nn.acm.ACMConv`. Layers of PyG get dense features, and edge weights
        where their forward takes ``edge_weight``.

    Example:
        >>> from torch_geometric.nn import SAGEConv
        >>> conv = ACM(SAGEConv(3, 4))
        >>> conv(torch.rand(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        conv: nn.Module,
        *,
        in_channels: int | None = None,
        out_channels: int | None = None,
        channels: Sequence[SpatialChannel] = ("low", "high", "identity"),
        activation: ActivationLike = "relu",
        mixing: bool = True,
        scale: float | None = None,
        temperature: float | None = None,
        layer_norm: bool = False,
        init: Init = "fan-out-uniform",
    ) -> None:
        super().__init__()
        self.channels = _checked(channels)
        if not isinstance(conv, nn.Module):
            raise InputError(
                f"Got {conv!r} where a layer was expected.", "Pass a layer, such as SAGEConv(16, 32)."
            )
        self.in_channels = _width(conv, "in_channels", in_channels)
        self.out_channels = _width(conv, "out_channels", out_channels)
        _try(conv, self.in_channels)
        self.low, self.high = (_fresh(conv) if name in self.channels else None for name in ("low", "high"))
        self.init = init
        self._mapped = [name for name in self.channels if name != "low"]
        self.weight = empty_weight(self.in_channels, self.out_channels, beside=len(self._mapped))
        self.activation = build_activation(activation, self.out_channels)
        C = len(self.channels)
        self.mixing = (
            ChannelMixing(
                C,
                self.out_channels,
                temperature=temperature,
                scale=C if scale is None else scale,
                layer_norm=layer_norm,
            )
            if mixing
            else None
        )
        self._reset_own()

    def reset_parameters(self) -> None:
        """Draw new weights, also those of the layers inside."""
        for conv in (self.low, self.high):
            if conv is not None:
                _reset(conv)
        self._reset_own()

    def _reset_own(self) -> None:
        initialise_(self.weight, self.init, blocks=max(len(self._mapped), 1))
        if self.mixing is not None:
            self.mixing.reset_parameters()

    @property
    def mixing_weights(self) -> Tensor | None:
        """The weights ``[N, C]`` of the last forward, in the order of :attr:`channels`."""
        return None if self.mixing is None else self.mixing.weights

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        mapped = times(x, self.weight).unflatten(1, (len(self._mapped), self.out_channels))  # H W_H, H W_I
        parts: dict[str, Tensor] = dict(zip(self._mapped, mapped.unbind(1), strict=True))
        if self.low is not None:
            parts["low"] = aggregated(self.low, x, A)
        if self.high is not None:
            parts["high"] = parts["high"] - aggregated(self.high, x, A)
        ordered = self.activation(torch.stack([parts[name] for name in self.channels], dim=1))
        return ordered.sum(dim=1) if self.mixing is None else self.mixing(ordered)


def aggregated(conv: nn.Module, x: Features, A: Operator) -> Tensor:
    """A layer of allpass, or any that is called as PyG's are, on features and an adjacency."""
    if type(conv).__module__.startswith("allpass."):
        return conv(x, A)
    edge_index = A.derived("edge index", lambda: A.edge_index)
    if "edge_weight" in inspect.signature(conv.forward).parameters:
        return conv(dense(x), edge_index, A.values)
    return conv(dense(x), edge_index)


def _try(conv: nn.Module, in_channels: int) -> None:
    """Complain about a layer of PyG that wants more than features and edges, such as edge types."""
    if not type(conv).__module__.startswith("torch_geometric."):
        return
    like = next(conv.parameters(), torch.empty(0))
    pair = torch.tensor([[0, 1], [1, 0]], device=like.device)
    A = Operator.from_edge_index(pair, dtype=like.dtype)
    trial = copy.deepcopy(conv).eval()  # a layer may keep what it sees
    try:
        with torch.no_grad():
            aggregated(trial, like.new_ones(2, in_channels), A)
    except Exception as error:
        raise InputError(
            f"Got a {type(conv).__name__} that fails on features [2, {in_channels}] and edges alone "
            f"({type(error).__name__}: {error}).",
            "Expected a layer that needs nothing else; one with edge types or attributes wants a module of your own "
            "around it that passes them.",
        ) from error


def _fresh(conv: nn.Module) -> nn.Module:
    fresh = copy.deepcopy(conv)
    _reset(fresh)
    pairs = [(a, b) for a, b in zip(conv.parameters(), fresh.parameters(), strict=True) if a.dim() > 1]
    if pairs and all(torch.equal(a, b) for a, b in pairs):
        raise InputError(
            f"Got a {type(conv).__name__} whose weights are not drawn anew, so its copies would begin alike.",
            "Give it a method reset_parameters that draws them.",
        )
    return fresh


def _reset(conv: nn.Module) -> None:
    """New weights, for the layer itself or for the parts it is made of."""
    reset = getattr(conv, "reset_parameters", None)
    if callable(reset):
        reset()
    else:
        for part in conv.children():
            _reset(part)


def _width(conv: nn.Module, name: str, given: int | None) -> int:
    width = getattr(conv, name, None) if given is None else given
    if given is None and name == "out_channels" and width is not None and getattr(conv, "concat", False):
        width *= getattr(conv, "heads", 1)
    if not isinstance(width, int) or width < 1:
        raise InputError(
            f"Got a {type(conv).__name__} whose {name} is {width}.",
            f"Pass {name}=: a whole number of 1 or more.",
        )
    return width


def _checked(channels: Sequence[str]) -> tuple[str, ...]:
    known = ("low", "high", "identity")
    if not channels or isinstance(channels, str) or set(channels) - set(known):
        raise InputError(f"Got the channels {channels!r}.", f"Expected one or more of {', '.join(known)}.")
    return tuple(name for name in known if name in channels)
