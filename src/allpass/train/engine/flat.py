"""The parameters of a replica as one row: what is done to all of them is one operation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Layout:
    """Where every parameter stands in the row of a replica; parameters of one group stand together.

    Args:
        names: Names in the order of the row.
        shapes: Their shapes.
        groups: Name of a group and the columns it takes, in the order of the row.
    """

    names: tuple[str, ...]
    shapes: tuple[torch.Size, ...]
    groups: tuple[tuple[str, slice], ...]

    @classmethod
    def of(cls, model: nn.Module) -> Layout:
        """The layout of a model; ``model.parameter_groups()`` names groups, all other parameters are ``"rest"``."""
        declared: dict[str, list[str]] = getattr(model, "parameter_groups", dict)()
        group_of = {name: group for group, names in declared.items() for name in names}
        named = dict(model.named_parameters())
        order = sorted(
            named, key=lambda name: group_of.get(name, "")
        )  # stable: "rest" first, in its own order
        groups, start = [], 0
        for group in dict.fromkeys(group_of.get(name, "") for name in order):
            size = sum(named[name].numel() for name in order if group_of.get(name, "") == group)
            groups.append((group or "rest", slice(start, start + size)))
            start += size
        return cls(tuple(order), tuple(named[name].shape for name in order), tuple(groups))

    @property
    def size(self) -> int:
        """Numbers in a row."""
        return sum(math.prod(shape) for shape in self.shapes)

    def row(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """The parameters of one replica as a row ``[P]``."""
        flat = [parameters[name].detach().reshape(-1) for name in self.names]
        return torch.cat(flat) if flat else torch.zeros(0)

    def parameters(self, row: Tensor) -> dict[str, Tensor]:
        """The parameters as parts of a row; differentiable, and one concatenation backwards."""
        parts = row.split([math.prod(shape) for shape in self.shapes])
        return {
            name: part.reshape(shape)
            for name, part, shape in zip(self.names, parts, self.shapes, strict=True)
        }


def stack_buffers(models: Sequence[nn.Module]) -> dict[str, Tensor]:
    """The buffers of several models with a replica axis in front."""
    named = [dict(model.named_buffers()) for model in models]
    return {name: torch.stack([buffers[name] for buffers in named]) for name in named[0]}
