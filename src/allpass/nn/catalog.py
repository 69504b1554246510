"""The layers by name, each with its paper and what it is unlike the others in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from allpass.nn.acm import REVISITING, ACMConv
from allpass.nn.acm_gcnii import ACMGCN2Conv
from allpass.nn.activations import BREAK
from allpass.nn.bern import BERN, BernFilter
from allpass.nn.cheby import CHEBY, ChebConv
from allpass.nn.correct_and_smooth import HUANG, CorrectAndSmooth
from allpass.nn.cpgnn import WITH_HETEROPHILY, CompatibilityConv
from allpass.nn.fagcn import BO, FAConv
from allpass.nn.fbgnn import HALF, FBConv
from allpass.nn.gat import VELICKOVIC, GATConv
from allpass.nn.gcn import GCNConv
from allpass.nn.gcnii import CHEN, GCN2Conv
from allpass.nn.geom import PEI, GeomConv
from allpass.nn.h2gcn import BEYOND, H2GCNConv
from allpass.nn.initialisation import KIPF
from allpass.nn.krylov import KrylovConv
from allpass.nn.label_propagation import ZHOU, LabelPropagation
from allpass.nn.linkx import LIM, LINKXConv
from allpass.nn.mixhop import MIXHOP, MixHopConv
from allpass.nn.pagerank import APPNP, GPR, PPNP, GPRFilter
from allpass.nn.polynomial import SGC, SGConv
from allpass.nn.projected import Projected
from allpass.nn.sage import HAMILTON, SAGEConv
from allpass.nn.snowball import SnowballConv
from allpass.nn.spatial import ACM
from allpass.nn.traits import Trait
from allpass.registry import Registry


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

    return Layer(name, build, REVISITING)


def _projected(name: str, layer: Callable[[int], nn.Module], citation: str, *traits: Trait) -> Layer:
    """A layer that keeps the width it is built for, after a linear map to that width."""
    return Layer(name, lambda i, o: Projected(i, o, layer(o)), citation, frozenset(traits))


LAYERS: Registry[Layer] = Registry("layer")
for _layer in (
    Layer("gcn", GCNConv, KIPF),
    Layer("gat", GATConv, VELICKOVIC, frozenset({"ignores-weights"})),
    Layer("sage", SAGEConv, HAMILTON, aliases=("graphsage",)),
    _projected("fagcn", FAConv, BO),
    Layer("snowball", SnowballConv, BREAK),
    Layer("krylov", KrylovConv, BREAK, aliases=("truncated-krylov",)),
    _acm("acm"),
    _acm("acmii", order="activation-first"),
    Layer(
        "acm-structure",
        lambda i, o, num_nodes: ACMConv(
            i, o, channels=("low", "high", "identity", "structure"), num_nodes=num_nodes, layer_norm=True
        ),
        REVISITING,
        frozenset({"fixed-nodes"}),
    ),
    Layer("acm-spatial", lambda i, o: ACM(SAGEConv(i, o)), REVISITING),
    _projected("acm-gcnii", ACMGCN2Conv, REVISITING),
    Layer("fbgnn", FBConv, HALF),
    Layer("sgc", SGConv, SGC),
    Layer("cheby", ChebConv, CHEBY, aliases=("chebnet",)),
    _projected("appnp", lambda _: APPNP(), PPNP),
    _projected("gpr", lambda _: GPRFilter(), GPR),
    _projected("bern", lambda _: BernFilter(), BERN),
    _projected("gcnii", lambda width: GCN2Conv(width), CHEN),
    _projected("gcnii-star", lambda width: GCN2Conv(width, weights="separate"), CHEN),
    Layer("mixhop", MixHopConv, MIXHOP),
    _projected("h2gcn", lambda _: H2GCNConv(), BEYOND),
    Layer("geom", GeomConv, PEI, frozenset({"ignores-weights", "embeds-nodes"})),
    Layer("linkx", LINKXConv, LIM, frozenset({"fixed-nodes"})),
    Layer(
        "label-propagation",
        lambda _, o: LabelPropagation(o),
        ZHOU,
        frozenset({"parameter-free", "uses-labels", "ignores-features"}),
    ),
    _projected("correct-and-smooth", lambda _: CorrectAndSmooth(), HUANG, "uses-labels"),
    _projected("cpgnn", CompatibilityConv, WITH_HETEROPHILY),
):
    LAYERS.add(_layer)
