"""Layers, activations and initialisations. Each file: one idea, its formula, its paper."""

from allpass.nn.acm import ACMConv
from allpass.nn.acm_gcnii import ACMGCN2Conv
from allpass.nn.activations import ACTIVATIONS, Activation, ActivationLike, AdaReLU, activation
from allpass.nn.adjacency import AdjacencyLearner
from allpass.nn.attention import edge_softmax
from allpass.nn.bern import BernFilter
from allpass.nn.catalog import LAYERS, Layer
from allpass.nn.cheby import ChebConv
from allpass.nn.correct_and_smooth import CorrectAndSmooth
from allpass.nn.cpgnn import CompatibilityConv, estimate_compatibility
from allpass.nn.dropout import Dropout, seed_dropout, set_dropout
from allpass.nn.fagcn import FAConv
from allpass.nn.fbgnn import FBConv
from allpass.nn.gat import GATConv
from allpass.nn.gcn import GCNConv
from allpass.nn.gcnii import GCN2Conv
from allpass.nn.geom import GeomConv
from allpass.nn.h2gcn import H2GCNConv, strict_two_hop
from allpass.nn.initialisation import SCHEMES, Scheme, initialise_, initialise_model_, weight_variance
from allpass.nn.jumping import JumpingKnowledge
from allpass.nn.krylov import KrylovConv
from allpass.nn.label_input import LabelInput
from allpass.nn.label_propagation import LabelPropagation
from allpass.nn.linear import Linear
from allpass.nn.linkx import LINKXConv
from allpass.nn.mixhop import MixHopConv
from allpass.nn.mixing import ChannelMixing
from allpass.nn.pagerank import APPNP, GPRFilter
from allpass.nn.polynomial import PolynomialFilter, SGConv, clenshaw, horner
from allpass.nn.probe import measure_propagation
from allpass.nn.projected import Projected
from allpass.nn.propagation import (
    LayerRecord,
    Propagation,
    backward_shares,
    forward_shares,
    predict_propagation,
)
from allpass.nn.sage import SAGEConv
from allpass.nn.snowball import SnowballConv
from allpass.nn.spatial import ACM

__all__ = [
    "ACM",
    "ACTIVATIONS",
    "APPNP",
    "LAYERS",
    "SCHEMES",
    "ACMConv",
    "ACMGCN2Conv",
    "Activation",
    "ActivationLike",
    "AdaReLU",
    "AdjacencyLearner",
    "BernFilter",
    "ChannelMixing",
    "ChebConv",
    "CompatibilityConv",
    "CorrectAndSmooth",
    "Dropout",
    "FAConv",
    "FBConv",
    "GATConv",
    "GCN2Conv",
    "GCNConv",
    "GPRFilter",
    "GeomConv",
    "H2GCNConv",
    "JumpingKnowledge",
    "KrylovConv",
    "LINKXConv",
    "LabelInput",
    "LabelPropagation",
    "Layer",
    "LayerRecord",
    "Linear",
    "MixHopConv",
    "PolynomialFilter",
    "Projected",
    "Propagation",
    "SAGEConv",
    "SGConv",
    "Scheme",
    "SnowballConv",
    "activation",
    "backward_shares",
    "clenshaw",
    "edge_softmax",
    "estimate_compatibility",
    "forward_shares",
    "horner",
    "initialise_",
    "initialise_model_",
    "measure_propagation",
    "predict_propagation",
    "seed_dropout",
    "set_dropout",
    "strict_two_hop",
    "weight_variance",
]
