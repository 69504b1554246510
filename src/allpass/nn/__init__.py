"""Layers, activations and initialisations. Each file: one idea, its formula, its paper."""

from allpass.nn.acm import ACMConv
from allpass.nn.activations import ACTIVATIONS, Activation, AdaReLU, activation
from allpass.nn.catalog import LAYERS, Layer
from allpass.nn.dropout import Dropout, seed_dropout, set_dropout
from allpass.nn.gcn import GCNConv
from allpass.nn.initialisation import SCHEMES, Scheme, initialise_, initialise_model_, weight_variance
from allpass.nn.krylov import KrylovConv
from allpass.nn.linear import Linear
from allpass.nn.mixing import ChannelMixing
from allpass.nn.snowball import SnowballConv

__all__ = [
    "ACTIVATIONS",
    "LAYERS",
    "SCHEMES",
    "ACMConv",
    "Activation",
    "AdaReLU",
    "ChannelMixing",
    "Dropout",
    "GCNConv",
    "KrylovConv",
    "Layer",
    "Linear",
    "Scheme",
    "SnowballConv",
    "activation",
    "initialise_",
    "initialise_model_",
    "seed_dropout",
    "set_dropout",
    "weight_variance",
]
