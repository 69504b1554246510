"""What a layer or model is unlike the others in; the contracts of ``allpass.testing`` follow these."""

from __future__ import annotations

from typing import Literal, TypeAlias

Trait: TypeAlias = Literal[
    "parameter-free",  # nothing to train
    "fixed-nodes",  # has weights for each node, so it belongs to one graph; its builder takes num_nodes
    "ignores-graph",  # reads the features alone
    "ignores-features",  # reads the graph alone
    "ignores-weights",  # reads which edges there are, not their weights
    "not-batchable",  # torch.func.vmap cannot run it
    "uses-labels",  # forward also takes labels= and mask=: the labels of the training nodes
    "embeds-nodes",  # computes positions of the nodes first, which another order of the nodes may change
]
