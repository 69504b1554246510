"""A model by name, as something to call: fresh with weights that follow from a seed, or with those of a training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.catalog import create, direct, resolve
from allpass.models.correct_and_smooth import BASE, CorrectedModel
from allpass.models.direct import Direct
from allpass.models.entry import LABEL_INPUT
from allpass.nn.dropout import seed_dropout
from allpass.nn.label_input import LabelInput


class Sizes(TypedDict):
    """What a model is built for."""

    in_channels: int
    out_channels: int
    num_nodes: int


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

    With the setting ``label_input`` it reads the labels of the training nodes too (see ``allpass.nn.LabelInput``).

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
    entry = resolve(model)[0]
    chosen = {key: value for key, value in settings.items() if key in entry.settings}
    with_labels = LABEL_INPUT not in entry.settings and bool(settings.get(LABEL_INPUT))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = create(
            model,
            in_channels=in_channels + (out_channels + 1) * with_labels,
            out_channels=out_channels,
            num_nodes=num_nodes,
            graph=graph,
            **chosen,
        )
    seed_dropout(network, seed)
    if with_labels:
        network = LabelInput(network, out_channels, seed=seed)
    return network.to(dtype)


def trained(
    model: str,
    settings: Mapping[str, object],
    weights: Mapping[str, Tensor],
    *,
    in_channels: int,
    out_channels: int,
    num_nodes: int,
) -> nn.Module | Direct:
    """The model of a training, ready to predict; a network has the precision of its weights."""
    settings = settings_of_trained(model, settings)
    sizes = Sizes(in_channels=in_channels, out_channels=out_channels, num_nodes=num_nodes)
    if not resolve(model)[0].is_network:
        fitted = unfitted(model, settings, **sizes)
        fitted.load_state_dict(weights)
        return fitted
    dtype = next((value.dtype for value in weights.values() if value.is_floating_point()), torch.float32)
    network = untrained(model, settings, **sizes, dtype=dtype)
    network.load_state_dict(dict(weights))
    return network.eval()


def settings_of_trained(model: str, settings: Mapping[str, object]) -> dict[str, object]:
    """The settings that build the network of a training.

    Settings that the model did not have yet when it was trained get the value that it was trained with. The
    initialisation is left out: its weights are replaced, and it may need the graph of the training.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: As stored with the training.

    Example:
        >>> settings_of_trained("acmii-gcn", {"dropout": 0.2})["outer_activation"]
        True
    """
    known = {**resolve(model)[0].added, **settings}
    return {name: value for name, value in known.items() if name != "init"}


def unfitted(
    model: str, settings: Mapping[str, object], *, in_channels: int, out_channels: int, num_nodes: int
) -> Direct:
    """A new model of those that are fitted in one call; one that follows another model has it attached.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: Of the model; what belongs to the training is passed over.
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress.
        num_nodes: Number of nodes.
    """
    known = resolve(model)[0].settings
    chosen = {key: value for key, value in settings.items() if key in known}
    made = direct(model, in_channels=in_channels, out_channels=out_channels, **chosen)
    if isinstance(made, CorrectedModel):
        entry, numbered = resolve(made.base)
        if BASE in entry.settings:
            raise InputError(
                f"Got base = {made.base!r}, which follows another model itself.",
                "Name another, such as 'mlp-2'.",
            )
        sizes = Sizes(in_channels=in_channels, out_channels=out_channels, num_nodes=num_nodes)
        chosen = {**entry.settings, **numbered}
        network = entry.is_network
        base = (
            untrained(entry.name, chosen, **sizes).eval()
            if network
            else unfitted(entry.name, chosen, **sizes)
        )
        made.attach(base, reads_labels=entry.reads_labels(chosen))
    return made
