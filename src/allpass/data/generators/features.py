"""Features for drawn graphs: borrowed from a real dataset class by class, or Gaussian around class centres."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.data.draft import sparse_tensor
from allpass.data.generators.sampling import Ints
from allpass.errors import InputError
from allpass.graph import Operator


def borrowed_features(y: Tensor, base: Data, seed: int = 0) -> Tensor:
    """Features for nodes of classes ``y``, drawn from the nodes of a base dataset.

    Class k uses the base class k mod C_base, so a base with fewer classes feeds several with one. Nodes are
    drawn without replacement; a base class that is too small is used whole and topped up with replacement.

    Args:
        y: Classes ``[N]``, none missing.
        base: A dataset with features and labels.
        seed: Where the random numbers start.

    Returns:
        ``[N, F]`` float32, sparse CSR where the base's features are sparse.

    Example:
        >>> base = Data(x=torch.tensor([[1.0], [2.0], [3.0]]), y=torch.tensor([0, 0, 1]))
        >>> borrowed_features(torch.tensor([1, 1, 1]), base).flatten()
        tensor([3., 3., 3.])
    """
    labels = y.detach().cpu().numpy()
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or (labels < 0).any():
        raise InputError(
            f"Got classes y of shape {list(y.shape)} and type {y.dtype}.",
            "Expected integers of shape [N], each 0 or more: every node needs a class to borrow for.",
        )
    rng = np.random.default_rng(whole_number("seed", seed))
    x = borrow(labels.astype(np.int64), base, rng)
    return torch.from_numpy(x) if isinstance(x, np.ndarray) else sparse_tensor(x)


def borrow(y: Ints, base: Data, rng: np.random.Generator) -> Any:
    """:func:`borrowed_features` as a NumPy array or a SciPy CSR array."""
    if base.x is None or base.y is None or base.y.is_floating_point() or base.y.dim() != 1:
        raise InputError(
            "The base dataset to borrow features from lacks features x or class labels y.",
            "Pass one that has both, such as Cora.",
        )
    labels = base.y.detach().cpu().numpy()
    num_base = int(labels.max(initial=-1)) + 1
    if num_base == 0:
        raise InputError(
            "The base dataset to borrow features from has no labelled node.", "Pass another one."
        )
    rows = np.empty(len(y), dtype=np.int64)
    for k in np.unique(y):
        pool = np.flatnonzero(labels == k % num_base)
        if len(pool) == 0:
            raise InputError(
                f"Class {k % num_base} of the base dataset has no node to borrow features from.",
                "Number its classes without gaps.",
            )
        places = np.flatnonzero(y == k)
        drawn = rng.permutation(pool)[: len(places)]
        extra = rng.choice(pool, len(places) - len(drawn))
        rows[places] = np.concatenate([drawn, extra])
    if base.x.layout == torch.strided:
        dense: npt.NDArray[np.float32] = base.x.detach().cpu().float().numpy()[rows]
        return dense
    return Operator.from_sparse(base.x.cpu()).to_scipy()[rows]


def gaussian(
    y: Ints, centres: npt.NDArray[np.float64], scales: npt.NDArray[np.float64], rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Features of class c from N(centres[c], scales[c]^2 I), ``[N, F]``."""
    x = rng.standard_normal((len(y), centres.shape[1]), dtype=np.float32)
    x *= scales.astype(np.float32)[y][:, None]
    x += centres.astype(np.float32)[y]
    return x


def gaussian_classes(y: Ints, width: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Gaussian features of unit noise around standard normal centres, one for each class, ``[N, width]``."""
    C = int(y.max()) + 1
    return gaussian(y, rng.standard_normal((C, width)), np.ones(C), rng)
