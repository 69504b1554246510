"""Graphs drawn to order: prescribed homophily, degrees and features, from a seed, up to millions of nodes."""

from allpass.data.generators.blocks import contextual_sbm, planted_partition
from allpass.data.generators.clusters import small_clusters_on_large
from allpass.data.generators.csbm import csbm_h
from allpass.data.generators.features import borrowed_features
from allpass.data.generators.fraud import fraud_payments
from allpass.data.generators.random_homophily import random_homophily_graph
from allpass.data.generators.regular import regular_graph

__all__ = [
    "borrowed_features",
    "contextual_sbm",
    "csbm_h",
    "fraud_payments",
    "planted_partition",
    "random_homophily_graph",
    "regular_graph",
    "small_clusters_on_large",
]
