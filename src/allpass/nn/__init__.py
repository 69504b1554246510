"""Layers, activations and initialisations. Each file: one idea, its formula, its paper."""

from allpass.nn.acm import ACMConv
from allpass.nn.activations import ACTIVATIONS, Activation, AdaReLU, activation
from allpass.nn.attention import edge_softmax
from allpass.nn.bern import BernFilter
from allpass.nn.catalog import LAYERS, Layer
from allpass.nn.cheby import ChebConv
from allpass.nn.dropout import Dropout, seed_dropout, set_dropout
from allpass.nn.fagcn import FAConv, FAGCNConv
from allpass.nn.gat import GATConv
from allpass.nn.gcn import GCNConv
from allpass.nn.gcnii import GCN2Conv
from allpass.nn.initialisation import SCHEMES, Scheme, initialise_, initialise_model_, weight_variance
from allpass.nn.jumping import JumpingKnowledge
from allpass.nn.krylov import KrylovConv
from allpass.nn.linear import Linear
from allpass.nn.mixing import ChannelMixing
from allpass.nn.pagerank import APPNP, GPRFilter
from allpass.nn.polynomial import PolynomialFilter, SGConv, clenshaw, horner
from allpass.nn.projected import Projected
from allpass.nn.sage import SAGEConv
from allpass.nn.snowball import SnowballConv

__all__ = [
    "ACTIVATIONS",
    "APPNP",
    "LAYERS",
    "SCHEMES",
    "ACMConv",
    "Activation",
    "AdaReLU",
    "BernFilter",
    "ChannelMixing",
    "ChebConv",
    "Dropout",
    "FAConv",
    "FAGCNConv",
    "GATConv",
    "GCN2Conv",
    "GCNConv",
    "GPRFilter",
    "JumpingKnowledge",
    "KrylovConv",
    "Layer",
    "Linear",
    "PolynomialFilter",
    "Projected",
    "SAGEConv",
    "SGConv",
    "Scheme",
    "SnowballConv",
    "activation",
    "clenshaw",
    "edge_softmax",
    "horner",
    "initialise_",
    "initialise_model_",
    "seed_dropout",
    "set_dropout",
    "weight_variance",
]
