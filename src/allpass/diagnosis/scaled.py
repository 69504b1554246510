"""Features on the scale that a network is trained on, so that no metric depends on the unit of a column."""

from __future__ import annotations

import copy

import torch
from torch_geometric.data import Data

from allpass.train.scaling import Scaler

_DENSE = 200_000_000
"""Values of sparse features that may be made dense to be scaled."""


def scaled(data: Data) -> tuple[Data, str]:
    """The same graph with its columns scaled as training does, and a sentence that says how.

    A column of millions would otherwise outweigh all others. Bags of words stay as they are: training divides each
    row by its sum, and so do the metrics that compare nodes.
    """
    x = data.x
    if x is None or not x.shape[1]:
        return data, ""
    if x.layout != torch.strided and x.numel() > _DENSE:
        return data, "Sparse features are measured as given, which keeps them sparse."
    scaler = Scaler.of(x, "auto")
    if scaler.kind == "rows":
        return data, "Features are measured as given: none is negative and most are 0, as in bags of words."
    same = copy.copy(data)
    same.x = scaler(x)
    return same, "Each column of the features is scaled to mean 0 and deviation 1, as for training."
