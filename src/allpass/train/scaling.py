"""Features brought to one scale before training, and the features of new nodes to the same scale later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from allpass.errors import InputError, UnknownNameError, did_you_mean

SCALINGS = {
    "none": "Features as they are.",
    "rows": "Each row divided by its sum, as for bags of words; rows that sum to 0 stay.",
    "columns": "Each column with mean 0 and deviation 1 over all nodes; constant columns become 0.",
    "mixed": "As columns, but columns that are mostly 0 and never negative, such as those of words, stay.",
    "auto": "Columns, unless nine of ten values are 0: then rows, or mixed where rows would be ruled by a few "
    "columns that are not words.",
}
"""The ways to scale features, in words."""

_BY_COLUMN = ("columns", "mixed")
_DENSE, _RULING = (
    0.9,
    0.5,
)  # a column filled in so many rows is no word; with this share of the sum it rules the rows
_SPARSE = 0.1  # the share of nonzero values up to which features are taken for a bag of words


@dataclass(frozen=True)
class Scaler:
    """A scaling with what it has measured.

    Args:
        kind: ``"none"``, ``"rows"``, ``"columns"`` or ``"mixed"``.
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
            how = _fitting(x)
        if how not in _BY_COLUMN:
            return cls(how)
        dense = _dense(x).double()
        deviation, mean = torch.std_mean(dense, dim=0, correction=0)
        constant = deviation <= 1e-12 * mean.abs().clamp(min=1e-300)
        if how == "mixed":
            words = _are_words(dense)
            mean, constant = torch.where(words, 0, mean), constant | words
        return cls(how, tuple(mean.tolist()), tuple(torch.where(constant, 1, deviation).tolist()))

    def __call__(self, x: Tensor) -> Tensor:
        """Features on this scale; sparse ones stay sparse where rows are divided."""
        if self.kind in _BY_COLUMN:
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
        if self.kind not in _BY_COLUMN:
            return {"kind": self.kind}
        return {"kind": self.kind, "mean": list(self.mean), "deviation": list(self.deviation)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Scaler:
        """What :meth:`to_dict` wrote."""
        return cls(content["kind"], tuple(content.get("mean", ())), tuple(content.get("deviation", ())))


def _fitting(x: Tensor) -> str:
    """Which scaling ``"auto"`` is for some features."""
    values = x if x.layout == torch.strided else x.to_sparse_csr().values()
    if int(values.count_nonzero()) > _SPARSE * x.shape[0] * x.shape[1]:
        return "columns"
    if bool((values < 0).any()):
        return "mixed"
    filled, sums = _by_column(x)
    return (
        "mixed" if float(sums[filled > _DENSE * x.shape[0]].sum()) > _RULING * float(sums.sum()) else "rows"
    )


def _by_column(x: Tensor) -> tuple[Tensor, Tensor]:
    """How many values of each column are not 0, and their sum."""
    if x.layout == torch.strided:
        return x.count_nonzero(0), x.sum(0, dtype=torch.float64)
    csr = x.to_sparse_csr()
    columns, values = csr.col_indices(), csr.values().double()
    zeros = values.new_zeros(x.shape[1])
    return zeros.index_add(0, columns, (values != 0).double()), zeros.index_add(0, columns, values)


def _are_words(x: Tensor) -> Tensor:
    """Which columns of dense features are mostly 0 and never negative."""
    return (x >= 0).all(0) & (x.count_nonzero(0) <= 0.5 * x.shape[0])


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
