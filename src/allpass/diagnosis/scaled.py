"""Features on the scale that a network is trained on, so that no metric depends on the unit of a column."""

from __future__ import annotations

import copy

import torch
from torch_geometric.data import Data

from allpass.metrics.features import row_normalized
from allpass.train.scaling import Scaler

_DENSE = 200_000_000
"""Values of sparse features that may be made dense to be scaled."""


def scaled(data: Data) -> tuple[Data, str]:
    """The same graph with its features scaled as training does, and a sentence that says how.

    A column of millions would otherwise outweigh all others, and a long text all short ones.
    """
    x = data.x
    if x is None or not x.shape[1]:
        return data, ""
    if x.layout != torch.strided and x.numel() > _DENSE:
        return data, "Sparse features are measured as given, which keeps them sparse."
    scaler = Scaler.of(x, "auto")
    same = copy.copy(data)
    if scaler.kind == "rows":
        same.x = row_normalized(x)  # in float64: rounding must not decide between equal means
        return same, (
            "Each row of the features is divided by its sum, as for training: none is negative and most are 0, as in "
            "bags of words."
        )
    same.x = scaler(x)
    return same, "Each column of the features is scaled to mean 0 and deviation 1, as for training."
