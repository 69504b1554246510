"""The models by name, and the function that makes one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import nn

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models import (
    acm,
    acm_gcnii,
    acm_sgc,
    acm_snowball,
    acm_spatial,
    adjacency,
    correct_and_smooth,
    cpgnn,
    fagcn,
    fbgnn,
    gat,
    gcn,
    gcnii,
    geom,
    h2gcn,
    jumping,
    krylov,
    label_propagation,
    linear,
    linkx,
    mixhop,
    mlp,
    polynomial,
    sage,
    snowball,
    trees,
)
from allpass.models.direct import Direct
from allpass.models.entry import Model
from allpass.models.settings import check_settings
from allpass.registry import Registry, canonical

MODELS: Registry[Model] = Registry("model")
for _entry in (
    *mlp.ENTRIES,
    *gcn.ENTRIES,
    *fbgnn.ENTRIES,
    *acm.ENTRIES,
    *acm_sgc.ENTRIES,
    *acm_snowball.ENTRIES,
    *acm_gcnii.ENTRIES,
    *acm_spatial.ENTRIES,
    *adjacency.ENTRIES,
    *snowball.ENTRIES,
    *krylov.ENTRIES,
    *gat.ENTRIES,
    *sage.ENTRIES,
    *fagcn.ENTRIES,
    *jumping.ENTRIES,
    *polynomial.ENTRIES,
    *gcnii.ENTRIES,
    *mixhop.ENTRIES,
    *geom.ENTRIES,
    *h2gcn.ENTRIES,
    *linkx.ENTRIES,
    *cpgnn.ENTRIES,
    *label_propagation.ENTRIES,
    *trees.ENTRIES,
    *linear.ENTRIES,
    *correct_and_smooth.ENTRIES,
):
    MODELS.add(_entry)


def create(name: str, *, in_channels: int, out_channels: int, **settings: object) -> nn.Module:
    """A new model by name, with random weights (``torch.manual_seed`` decides them).

    Args:
        name: A name of ``MODELS``; for families a number may follow, as in ``"snowball-5"``.
        in_channels: Number of features.
        out_channels: Number of classes (or of regression targets).
        **settings: Any of ``MODELS[name].settings``; ``num_nodes`` for models with weights for each node.

    Example:
        >>> model = create("acm-gcn", in_channels=1433, out_channels=7)
        >>> sum(p.numel() for p in model.parameters())
        276711
    """
    entry, numbered = resolve(name)
    if not entry.is_network:
        raise InputError(
            f"{entry.name!r} is no torch module: it is fitted in one call.",
            f"Use allpass.train.fit({entry.name!r}, ...), allpass.NodeClassifier or NodeRegressor.",
        )
    network = _built(entry, in_channels, out_channels, {**numbered, **settings})
    assert isinstance(network, nn.Module)
    return network


def direct(name: str, *, in_channels: int, out_channels: int, **settings: object) -> Direct:
    """A new model of those that are fitted in one call, such as ``"trees"``; arguments as in :func:`create`."""
    entry, numbered = resolve(name)
    model = _built(entry, in_channels, out_channels, {**numbered, **settings})
    assert isinstance(model, Direct), f"{name} is a network"
    return model


def _built(
    entry: Model, in_channels: int, out_channels: int, settings: Mapping[str, object]
) -> nn.Module | Direct:
    chosen = {**entry.preset, **settings}
    for key in chosen:
        if key not in (*entry.settings, "num_nodes", "graph"):  # the last two may be given to all alike
            raise UnknownNameError(
                f"There is no setting {key!r} of the model {entry.name!r}.",
                did_you_mean(key, [*entry.settings, *entry.given]),
            )
    check_settings({"in_channels": in_channels, "out_channels": out_channels, **chosen}, entry.settings)
    if "num_nodes" in entry.given and "fixed-nodes" in entry.traits and chosen.get("num_nodes") is None:
        raise InputError(
            f"Got no num_nodes for {entry.name!r}, which has weights for each node.", "Pass num_nodes=."
        )
    for key in {"num_nodes", "graph"}.difference(entry.given):
        chosen.pop(key, None)
    return entry.build(in_channels, out_channels, **chosen)


def resolve(name: str) -> tuple[Model, dict[str, object]]:
    """The entry of a name, and what the number at its end sets.

    Example:
        >>> entry, settings = resolve("gcn-16")
        >>> entry.name, settings
        ('gcn', {'num_layers': 16})
    """
    if name not in MODELS and isinstance(name, str):
        match = re.fullmatch(r"(.+)-(\d+)", canonical(name))
        if match and match[1] in MODELS and (setting := MODELS[match[1]].numbered):
            return MODELS[match[1]], {setting: int(match[2])}
    return MODELS[name], {}
