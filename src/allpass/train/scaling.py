"""Features brought to one scale before training, and the features of new nodes to the same scale later."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.errors import InputError, UnknownNameError, did_you_mean

SCALINGS = {
    "none": "Features as they are.",
    "rows": "Each row divided by its sum, as for bags of words; rows that sum to 0 stay.",
    "columns": "Each column with mean 0 and deviation 1 over all nodes; constant columns become 0.",
    "auto": "Rows where no value is negative and nine of ten are 0, columns otherwise.",
}
"""The ways to scale features, in words."""

_SPARSE = 0.1  # the share of nonzero values up to which features are taken for a bag of words


@dataclass(frozen=True)
class Scaler:
    """A scaling with what it has measured.

    Args:
        kind: ``"none"``, ``"rows"`` or ``"columns"``.
        mean: Of every column.
        deviation: Of every column; 1 where it is constant.

    Example:
        >>> scaler = Scaler.of(torch.tensor([[1.0, 3.0], [0.0, 0.0]]), "rows")
        >>> scaler(torch.tensor([[2.0, 2.0]]))
        tensor([[0.5000, 0.5000]])
    """

    kind: str
    mean: tuple[float, ...] = ()
    deviation: tuple[float, ...] = ()

    @classmethod
    def of(cls, x: Tensor, how: str) -> Scaler:
        """The scaling of some features, dense or sparse, by a name of ``SCALINGS``."""
        if how not in SCALINGS:
            raise UnknownNameError(f"There is no scaling {how!r}.", did_you_mean(str(how), SCALINGS))
        if how == "auto":
            how = "rows" if _like_words(x) else "columns"
        if how != "columns":
            return cls(how)
        dense = _dense(x).double()
        deviation, mean = torch.std_mean(dense, dim=0, correction=0)
        constant = deviation <= 1e-12 * mean.abs().clamp(min=1e-300)
        return cls(how, tuple(mean.tolist()), tuple(torch.where(constant, 1, deviation).tolist()))

    def __call__(self, x: Tensor) -> Tensor:
        """Features on this scale; sparse ones stay sparse where rows are divided."""
        if self.kind == "columns":
            if x.shape[1] != len(self.mean):
                raise InputError(
                    f"Got {x.shape[1]} features.",
                    f"Expected {len(self.mean)}, as the scaling was measured on.",
                )
            mean, deviation = torch.tensor([self.mean, self.deviation], dtype=torch.float64, device=x.device)
            return ((_dense(x) - mean) / deviation).to(x.dtype)
        return _rows(x) if self.kind == "rows" else x

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a file."""
        if self.kind != "columns":
            return {"kind": self.kind}
        return {"kind": self.kind, "mean": list(self.mean), "deviation": list(self.deviation)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Scaler:
        """What :meth:`to_dict` wrote."""
        return cls(content["kind"], tuple(content.get("mean", ())), tuple(content.get("deviation", ())))


def in_deviations(data: Data) -> Data:
    """The same graph with numbers to regress of mean 0 and deviation 1, so that their unit does not matter.

    They are other numbers, so the graph has another fingerprint.
    """
    numbers = data.y.reshape(len(data.y), -1)
    units = Scaler.of(numbers[~numbers.isnan().any(1)], "columns")
    scaled = copy.copy(data)
    scaled.y, scaled.fingerprint = units(numbers).reshape(data.y.shape), None
    return scaled


def _like_words(x: Tensor) -> bool:
    values = x if x.layout == torch.strided else x.to_sparse_csr().values()
    filled = int(values.count_nonzero())
    return bool((values >= 0).all()) and filled <= _SPARSE * x.shape[0] * x.shape[1]


def _rows(x: Tensor) -> Tensor:
    if x.layout == torch.strided:
        sums = x.sum(1, keepdim=True)
        return x / torch.where(sums == 0, 1, sums)
    rows = x.to_sparse_csr()
    counts = rows.crow_indices().diff()
    index = torch.repeat_interleave(torch.arange(len(counts), device=x.device), counts)
    sums = rows.values().new_zeros(len(counts)).index_add(0, index, rows.values())
    scaled = rows.values() / torch.where(sums == 0, 1, sums)[index]
    return torch.sparse_csr_tensor(rows.crow_indices(), rows.col_indices(), scaled, x.shape)


def _dense(x: Tensor) -> Tensor:
    return x if x.layout == torch.strided else x.to_dense()
