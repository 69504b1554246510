"""Every option of a training, with its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from allpass.data.arguments import whole_number
from allpass.errors import InputError
from allpass.kge.losses import check_loss

Side = Literal["both", "tail"]


@dataclass(frozen=True)
class TripletConfig:
    """How a model of triplets is trained.

    Args:
        loss: ``"margin"``, ``"nssa"`` (self-adversarial), ``"softplus"``, or ``"softmax"`` over all entities.
        margin: Of ``"margin"`` and ``"nssa"``.
        temperature: Of the self-adversarial weights.
        negatives: Corrupted triplets for each true one; ``"softmax"`` needs none.
        filtered: Leave out corrupted triplets that are known to be true.
        sides: What is corrupted, or predicted by ``"softmax"``: ``"both"`` heads and tails, or ``"tail"`` alone.
            Softmax over tails makes exp(score) proportional to P(tail | head, relation).
        l2: Weight of the mean squared length of the vectors that a step reads.
        lr: Learning rate of Adam.
        batch_size: Triplets in a step.
        epochs: The most passes over the triplets.
        patience: Stop after so many validations without a better MRR; by default all epochs are trained. The best
            vectors are kept where there are triplets for validation.
        every: Epochs between validations.
        inverse: Learn an inverse of every relation, and score heads by it.
        seed: Of the initial vectors, the order, the negatives and the noise.
    """

    loss: str = "nssa"
    margin: float = 9.0
    temperature: float = 1.0
    negatives: int = 32
    filtered: bool = True
    sides: Side = "both"
    l2: float = 0.0
    lr: float = 0.01
    batch_size: int = 256
    epochs: int = 100
    patience: int | None = None
    every: int = 10
    inverse: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_loss(self.loss)
        for name, least in (("negatives", 1), ("batch_size", 1), ("epochs", 1), ("every", 1), ("seed", 0)):
            whole_number(name, getattr(self, name), least=least)
        if self.patience is not None:
            whole_number("patience", self.patience, least=1)
        if self.sides not in ("both", "tail"):
            raise InputError(f"Got sides={self.sides!r}.", "Expected 'both' or 'tail'.")
        for name in ("margin", "temperature", "l2", "lr"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise InputError(f"Got {name}={value!r}.", "Expected a number, 0 or more.")
        if self.lr == 0:
            raise InputError("Got lr=0.", "Expected a number above 0.")
