"""What cannot be trained is told before the first epoch, and where it is: features, weights, splits and rates."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.errors import InputError


def check_graph(data: Data) -> None:
    """Raise where features or edges are not there, or are no finite numbers: one NaN would reach every weight."""
    if not isinstance(data, Data):
        raise InputError(f"Got {data!r:.60} in place of a graph.", "Load it first: allpass.load(...).")
    name = data.get("name") or "The graph"
    if data.edge_index is None:
        raise InputError(f"{name} has no edges.", "Set data.edge_index, of shape [2, E].")
    x, weights = data.x, data.edge_weight
    for key, part in (("edge_index", data.edge_index), ("edge_weight", weights), ("x", x)):
        if part is not None and (not isinstance(part, Tensor) or part.is_complex()):
            got = "complex numbers" if isinstance(part, Tensor) else f"a {type(part).__name__}"
            raise InputError(
                f"Got {got} as data.{key}.", "Expected a tensor of real numbers: torch.as_tensor(...)."
            )
    if x is None:
        raise InputError(
            f"{name} has no features, and this model learns from them.",
            "Take a model of the structure, such as 'structure-trees' or 'label-propagation', or make features with "
            "features_from='degree' (or 'position', 'identity').",
        )
    N = data.num_nodes
    if x.dim() != 2 or x.shape[0] != N:
        raise InputError(
            f"Got features x of shape {list(x.shape)} for {N} nodes.",
            "Expected a tensor [N, F], a row for each node.",
        )
    if not _finite(x):
        where, values = _entries(x)
        wrong = (~values.isfinite()).nonzero().flatten()
        node, feature = where[:, wrong[0]].tolist()
        raise InputError(
            f"Feature {feature} of node {node} is {float(values[wrong[0]])}, "
            f"the first of {len(wrong)} that are no finite numbers.",
            "Fill them, say by the mean of their column, or leave their columns or nodes out.",
        )
    if weights is not None and not _finite(weights):
        edge = int((~weights.isfinite()).flatten().long().argmax())
        raise InputError(
            f"The weight of edge {edge} is {float(weights.flatten()[edge])}.",
            "Give every edge a finite weight, or leave it out.",
        )


def check_sample_weight(weight: object, nodes: int) -> None:
    """Raise where the weights of nodes in the loss are not finite numbers of 0 or more, one for each node."""
    if weight is None:
        return
    if not isinstance(weight, Tensor) or weight.is_complex() or list(weight.shape) != [nodes]:
        got = (
            f"a tensor of shape {list(weight.shape)}"
            if isinstance(weight, Tensor)
            else f"a {type(weight).__name__}"
        )
        raise InputError(
            f"Got {got} as sample_weight.", f"Expected a tensor [{nodes}], a number for each node."
        )
    if not bool((weight.isfinite() & (weight >= 0)).all()):
        raise InputError(
            f"Got sample_weight of {float(weight.amin()):g} to {float(weight.amax()):g}.",
            "Expected finite numbers of 0 or more.",
        )


def check_precision(x: Tensor, dtype: torch.dtype) -> None:
    """Raise where features that were finite are so no longer in the precision of the training."""
    if not _finite(x):
        raise InputError(
            f"Some features are too large for {dtype}.",
            "Divide them by a large number, or pass dtype=torch.float64.",
        )


def check_masks(split: Split, nodes: int, asking: Sequence[str]) -> None:
    """Raise where masks do not fit the graph, or where validation nodes are missing that a rule looks at.

    Args:
        split: The split.
        nodes: How many nodes the graph has.
        asking: The rules that look at the validation nodes, in words.
    """
    for part in ("train", "val", "test"):
        mask = getattr(split, part)
        if not isinstance(mask, Tensor):
            raise InputError(
                f"The {part} mask of the split {split.name!r} is a {type(mask).__name__}.",
                f"Expected a bool tensor of shape [{nodes}]: torch.tensor(mask).",
            )
        if mask.dtype != torch.bool or list(mask.shape) != [nodes]:
            raise InputError(
                f"The {part} mask of the split {split.name!r} is of shape {list(mask.shape)} and {mask.dtype}.",
                f"Expected bool of shape [{nodes}], as the graph has {nodes} nodes.",
            )
    if asking and not bool(split.val.any()):
        raise InputError(
            f"The split {split.name!r} has no validation nodes, and {asking[0]} looks at them.",
            'Pass splits that have some, or stop="training-only" and select="last-best-train-score".',
        )


def rate(name: str, value: object) -> float:
    """A learning rate or a weight decay as a float, refused where it is no finite number of 0 or more."""
    number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    if not 0 <= number < math.inf:  # also refuses NaN
        raise InputError(f"Got {name} = {value!r}.", "Expected a finite number of 0 or more, such as 0.01.")
    return number


def _finite(x: Tensor) -> bool:
    """By the least and the greatest value, to which every NaN goes: nothing of the size of ``x`` is made."""
    values = x if x.layout == torch.strided else x.to_sparse_csr().values()
    if not values.is_floating_point() or values.numel() == 0:
        return True
    return all(math.isfinite(float(end)) for end in torch.aminmax(values))


def _entries(x: Tensor) -> tuple[Tensor, Tensor]:
    """Row and column ``[2, n]`` and value ``[n]`` of the entries; a NaN is never taken for a zero."""
    entries = x.to_sparse_coo().coalesce()
    return entries.indices(), entries.values()
