"""A model of the catalogue as a network: with fresh weights that follow from a seed, or with those of a training."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from allpass.graph.operator import Operator
from allpass.models.catalog import create, resolve
from allpass.nn.dropout import seed_dropout


def untrained(
    model: str,
    settings: Mapping[str, object],
    *,
    in_channels: int,
    out_channels: int,
    num_nodes: int,
    graph: Operator | None = None,
    seed: int = 0,
    dtype: torch.dtype = torch.float32,
) -> nn.Module:
    """A new network; its weights and the masks of its dropout follow from the seed alone.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: Of the model; what belongs to the training is passed over.
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress.
        num_nodes: Number of nodes, for models that have weights for each.
        graph: The adjacency, for models that are made for one graph.
        seed: Where random numbers start.
        dtype: Precision of the weights.
    """
    known = resolve(model)[0].settings
    chosen = {key: value for key, value in settings.items() if key in known}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = create(
            model,
            in_channels=in_channels,
            out_channels=out_channels,
            num_nodes=num_nodes,
            graph=graph,
            **chosen,
        )
    seed_dropout(network, seed)
    return network.to(dtype)


def trained(
    model: str,
    settings: Mapping[str, object],
    weights: Mapping[str, Tensor],
    *,
    in_channels: int,
    out_channels: int,
    num_nodes: int,
) -> nn.Module:
    """The network of a training, ready to predict; its precision is that of the weights."""
    dtype = next((value.dtype for value in weights.values() if value.is_floating_point()), torch.float32)
    network = untrained(
        model,
        {
            key: value for key, value in settings.items() if key != "init"
        },  # which may need the graph of the training
        in_channels=in_channels,
        out_channels=out_channels,
        num_nodes=num_nodes,
        dtype=dtype,
    )
    network.load_state_dict(dict(weights))
    return network.eval()
