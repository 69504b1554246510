"""How many independent features are left in every layer of a deep random network (report, figure 1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

import torch
from torch import nn

from allpass.errors import InputError
from allpass.nn.activations import ActivationLike
from allpass.nn.activations import activation as build_activation
from allpass.nn.gcn import GCNConv
from allpass.nn.inputs import Features, Filter, Graph, as_features, read
from allpass.nn.krylov import KrylovConv
from allpass.nn.snowball import SnowballConv

Architecture: TypeAlias = Literal["gcn", "snowball", "krylov"]


@torch.no_grad()
def hidden_ranks(
    architecture: Architecture,
    activation: ActivationLike,
    x: Features,
    edge_index: Graph,
    *,
    depth: int = 100,
    width: int = 128,
    blocks: int = 3,
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formulas
    seed: int = 0,
) -> list[int]:
    """The numerical rank of the features after each of ``depth`` layers with N(0, 1) weights and no bias.

    Computed in float64 with the tolerance of :func:`torch.linalg.matrix_rank`. ReLU loses rank fast, the identity
    slowly, tanh hardly any.

    Args:
        architecture: Layers of a GCN, of a snowball (which read all layers before them), or truncated block Krylov.
        activation: A name of ``allpass.nn.ACTIVATIONS``.
        x: Features ``[N, F]``.
        edge_index: Edges ``[2, E]``, or an Operator, or a sparse matrix.
        depth: Number of layers.
        width: Columns of every layer, the largest rank there can be.
        blocks: Blocks of a Krylov layer.
        filter: The matrix that averages.
        seed: Decides the weights.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> hidden_ranks("gcn", "identity", torch.eye(3), edge_index, depth=2, width=3)
        [3, 3]
    """
    if architecture not in _LAYERS:
        raise InputError(f"Got the architecture {architecture!r}.", f"Expected one of {', '.join(_LAYERS)}.")
    x, A = read(as_features(x).to(torch.float64), edge_index)
    draw = partial(nn.init.normal_, generator=torch.Generator().manual_seed(seed))
    build = partial(_LAYERS[architecture](blocks), filter=filter, bias=False, init=draw)
    activate = build_activation(activation, width).to(x.device, torch.float64)
    parts: list[Features] = [x]
    ranks: list[int] = []
    while len(ranks) < depth:
        layer = build(sum(part.shape[1] for part in parts), width).to(x.device, torch.float64)
        H = activate(layer(parts if architecture == "snowball" else parts[0], A))
        if not H.isfinite().all():
            raise InputError(
                f"Got features too large for float64 after {len(ranks) + 1} layers.",
                "Take fewer or narrower layers: weights of N(0, 1) multiply them by about the root of the width.",
            )
        ranks.append(int(torch.linalg.matrix_rank(H)))
        parts = [*parts, H] if architecture == "snowball" else [H]
    return ranks


_LAYERS: dict[str, Callable[[int], Callable[..., nn.Module]]] = {
    "gcn": lambda _: GCNConv,
    "snowball": lambda _: SnowballConv,
    "krylov": lambda blocks: partial(KrylovConv, blocks=blocks),
}
