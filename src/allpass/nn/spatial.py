"""Adaptive channel mixing around any message-passing layer: aggregation is the layer, diversification I minus it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, Protocol, cast, get_args, runtime_checkable

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.acm import Order
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Graph, dense, read
from allpass.nn.linear import empty_weight, times
from allpass.nn.mixing import ChannelMixing

SpatialChannel = Literal["low", "high", "identity"]


class ACM(nn.Module):
    r"""Adaptive channel mixing in spatial form (`Luan et al., NeurIPS 2022 <https://arxiv.org/abs/2210.07606>`_).

    For a layer :math:`\mathrm{agg}(H) = \hat A H W` that aggregates neighbours, from PyG or from here:

    .. math::
        H_L = \mathrm{ReLU}(\mathrm{agg}_L(H)), \quad
        H_H = \mathrm{ReLU}(H W_H - \mathrm{agg}_H(H)), \quad
        H_I = \mathrm{ReLU}(H W_I),

    and ACMII rectifies :math:`H W` before the layer aggregates it. The channels are mixed node by node as in
    :class:`~allpass.nn.acm.ACMConv`. The layer of each channel has weights of its own.

    Args:
        conv: The layer. It is copied for every channel that needs it, with new weights.
        in_channels: Columns of H; by default ``conv.in_channels``.
        out_channels: Columns of what the layer gives; by default ``conv.out_channels`` (times ``heads`` where a layer
            puts attention heads side by side).
        tied: Let :math:`W_H` be the weight that :math:`\mathrm{agg}_H` multiplies by, so that
            :math:`H_H = \mathrm{ReLU}((I - \hat A) H W_H)` as the report has it; or (False) a second weight, as in the
            authors' code. By default tied where the layer allows it.
        order: ``"filter-first"`` (ACM) or ``"activation-first"`` (ACMII), for the layers of allpass that have one
            linear map: ``GCNConv``, ``GATConv`` and ``Projected``.
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
        A layer allows tied weights if it is one linear map and an aggregation, as GCN, GAT and FAGCN are. GraphSAGE is
        not: it has a second weight for the node itself. Of a PyG layer, H W is what it makes of a graph of self-loops,
        dropout of its attention included. Around a graph convolution the layer is exactly
        :class:`~allpass.nn.acm.ACMConv`. Layers of PyG get dense features, and edge weights where their forward takes
        ``edge_weight``.

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
        tied: bool | None = None,
        order: Order = "filter-first",
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
        self.order = _checked_order(order, conv)
        self.tied = self._ties(conv, tied)
        self.low, self.high = (_fresh(conv) if name in self.channels else None for name in ("low", "high"))
        self.init = init
        self._mapped = [
            name for name in self.channels if name == "identity" or (name == "high" and not self.tied)
        ]
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
        mapped = times(x, self.weight).unflatten(1, (len(self._mapped), self.out_channels))  # (H W_H,) H W_I
        parts: dict[str, Tensor] = dict(zip(self._mapped, mapped.unbind(1), strict=True))
        if self.order == "activation-first":
            parts = {name: self.activation(part) for name, part in parts.items()}
            parts |= self._rectified_first(x, A)
        else:
            parts |= self._filtered_first(x, A, parts)
        ordered = torch.stack([parts[name] for name in self.channels], dim=1)
        return ordered.sum(dim=1) if self.mixing is None else self.mixing(ordered)

    def _filtered_first(self, x: Features, A: Operator, parts: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Every channel of ACM."""
        filtered = dict(parts)
        if self.low is not None:
            filtered["low"] = aggregated(self.low, x, A)
        if isinstance(self.high, Separable) and self.tied:
            Z = self.high.mapped(x)
            filtered["high"] = self.high.carried(Z) - self.high.aggregated(Z, A)  # H W - Â H W
        elif self.high is not None:
            own = aggregated(self.high, x, _loops(A)) if self.tied else parts["high"]
            filtered["high"] = own - aggregated(self.high, x, A)
        ordered = self.activation(torch.stack([filtered[name] for name in self.channels], dim=1))
        return dict(zip(self.channels, ordered.unbind(1), strict=True))

    def _rectified_first(self, x: Features, A: Operator) -> dict[str, Tensor]:
        """The low- and the high-pass channel of ACMII."""
        filtered: dict[str, Tensor] = {}
        if isinstance(self.low, Separable):
            filtered["low"] = self.low.aggregated(self._rectified(self.low.mapped(x)), A)  # Â ReLU(H W)
        if isinstance(self.high, Separable):
            Z = self._rectified(self.high.mapped(x))
            filtered["high"] = self.high.carried(Z) - self.high.aggregated(Z, A)
        return filtered

    def _rectified(self, mapped: Tensor) -> Tensor:
        """The activation of H W, head by head where there are heads."""
        return cast(Tensor, self.activation(mapped.unflatten(1, (-1, self.out_channels)))).flatten(1)

    def _ties(self, conv: nn.Module, tied: bool | None) -> bool:
        """Whether the high-pass channel has one weight."""
        if self.order == "activation-first" and tied is False:
            raise InputError(
                "Got tied=False and order='activation-first'.",
                "Leave tied out: ACMII subtracts the aggregated features from the same features.",
            )
        if tied is False:
            return False
        allowed = _is_one_map(conv, self.in_channels)
        if tied and not allowed:
            raise InputError(
                f"Got tied=True for a {type(conv).__name__}, which is not one linear map and an aggregation.",
                "Pass tied=False, which gives the high-pass channel a second weight.",
            )
        return allowed

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, {self.order}, tied={self.tied}"


@runtime_checkable
class Separable(Protocol):
    """A layer that is one linear map, then an aggregation."""

    def mapped(self, x: Features) -> Tensor:
        """H W."""
        ...

    def aggregated(self, mapped: Tensor, A: Operator) -> Tensor:
        """The result of the layer from H W."""
        ...

    def carried(self, mapped: Tensor) -> Tensor:
        """H W, as wide as the result."""
        ...


def _loops(A: Operator) -> Operator:
    """The graph of the same nodes whose only edges are self-loops."""

    def compute() -> Operator:
        nodes = torch.arange(A.shape[0], device=A.device)
        return Operator.from_edge_index(torch.stack([nodes, nodes]), num_nodes=A.shape[0], dtype=A.dtype)

    return A.derived("self-loops alone", compute)


def _is_one_map(conv: nn.Module, in_channels: int) -> bool:
    """Whether a layer is a linear map and an aggregation: its separate form says so, or a trial on self-loops."""
    if isinstance(conv, Separable):
        return True
    if not type(conv).__module__.startswith("torch_geometric."):
        return False
    trial = copy.deepcopy(conv).eval()
    like = next(trial.parameters(), torch.empty(0))
    path = Operator.from_edge_index(
        torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]).to(like.device), dtype=like.dtype
    )
    numbers = torch.linspace(-1, 1, 6 * in_channels, dtype=like.dtype, device=like.device).sin()
    X, Y = (7 * numbers).view(2, 3, in_channels)
    with torch.enable_grad():
        on_loops = partial(aggregated, trial, A=_loops(path))
        straight = torch.allclose(
            on_loops(X + Y) + on_loops(0 * X), on_loops(X) + on_loops(Y), rtol=1e-3, atol=1e-4
        )
        matrices = [weight for weight in trial.parameters() if weight.dim() > 1 and weight.requires_grad]
        difference = on_loops(X) - aggregated(trial, X, path)
        if not straight or not matrices:
            return straight
        slopes = torch.autograd.grad(
            difference.square().sum(), matrices, allow_unused=True, materialize_grads=True
        )
    return all(bool(slope.any()) for slope in slopes)


def _checked_order(order: str, conv: nn.Module) -> Order:
    if order not in get_args(Order):
        raise InputError(f"Got the order {order!r}.", f"Expected one of {', '.join(get_args(Order))}.")
    if order == "activation-first" and not isinstance(conv, Separable):
        raise InputError(
            f"Got order='activation-first' for a {type(conv).__name__}.",
            "Expected a layer of allpass with one linear map: GCNConv, GATConv or Projected.",
        )
    return cast(Order, order)


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
