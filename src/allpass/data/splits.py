"""Train, validation and test masks by name: always a list, seeded, reproducible, recorded."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Split:
    """One division of the nodes.

    Args:
        train: Training nodes, bool ``[N]``.
        val: Validation nodes, bool ``[N]``.
        test: Test nodes, bool ``[N]``.
        name: The rule that made it, for the record: ``"geom-gcn/3"``.
        seed: The seed that made it; nothing when it was read from a file.
    """

    train: Tensor
    val: Tensor
    test: Tensor
    name: str
    seed: int | None = None
