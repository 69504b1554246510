"""What a layer or model is unlike the others in; the contracts of ``allpass.testing`` follow these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Trait: TypeAlias = Literal[
    "parameter-free",
    "fixed-nodes",
    "ignores-graph",
    "ignores-features",
    "ignores-weights",
    "not-batchable",
    "uses-labels",
    "embeds-nodes",
    "fitted-directly",
]

TRAITS: Mapping[Trait, str] = {
    "parameter-free": "has nothing to train",
    "fixed-nodes": "has weights for each node, so it belongs to one graph and is built with num_nodes",
    "ignores-graph": "reads the features alone",
    "ignores-features": "reads the graph alone",
    "ignores-weights": "reads which edges there are, not their weights",
    "not-batchable": "cannot run under torch.func.vmap",
    "uses-labels": "also takes labels= and mask=, the labels of the training nodes, when it is called",
    "fitted-directly": "is fitted in one call instead of epoch by epoch, and is no torch module",
    "embeds-nodes": "computes positions of the nodes first, which another order of the nodes may change",
}
"""What each trait says, in words."""
