"""The layers by name, each with its paper and what it is unlike the others in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from allpass.nn.acm import ACMConv
from allpass.nn.activations import BREAK
from allpass.nn.gcn import GCNConv
from allpass.nn.krylov import KrylovConv
from allpass.nn.snowball import SnowballConv
from allpass.nn.traits import Trait
from allpass.registry import Registry

ACM = "Luan et al.: Revisiting Heterophily For Graph Neural Networks, NeurIPS 2022"
KIPF = "Kipf and Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"


@dataclass(frozen=True)
class Layer:
    """A layer of the catalogue.

    Args:
        name: Its name.
        build: ``build(in_channels, out_channels)``, with ``num_nodes=`` too where ``"fixed-nodes"`` is a trait.
        citation: Its paper.
        traits: What the contracts have to know.
        aliases: Other names.
    """

    name: str
    build: Callable[..., nn.Module]
    citation: str
    traits: frozenset[Trait] = frozenset()
    aliases: tuple[str, ...] = ()


def _acm(name: str, **options: object) -> Layer:
    def build(in_channels: int, out_channels: int) -> ACMConv:
        return ACMConv(in_channels, out_channels, **options)  # type: ignore[arg-type]

    return Layer(name, build, ACM)


LAYERS: Registry[Layer] = Registry("layer")
for _layer in (
    Layer("gcn", GCNConv, KIPF),
    Layer("snowball", SnowballConv, BREAK),
    Layer("krylov", KrylovConv, BREAK, aliases=("truncated-krylov",)),
    _acm("acm"),
    _acm("acmii", order="activation-first"),
    Layer(
        "acm-structure",
        lambda i, o, num_nodes: ACMConv(
            i, o, channels=("low", "high", "identity", "structure"), num_nodes=num_nodes, layer_norm=True
        ),
        ACM,
        frozenset({"fixed-nodes"}),
    ),
):
    LAYERS.add(_layer)
