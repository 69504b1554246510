"""Which epoch of a run is reported: a rule of its own, apart from the rule that ends the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.registry import Registry
from allpass.train.rules.record import Quantity, Record, State, keep


@dataclass(frozen=True)
class Selection:
    """A registered rule that says after each epoch which replicas have a better one to report.

    Replicas that stopped keep what they have. So does one whose loss is not finite at an epoch: the scores of such
    an epoch mean nothing. The epoch at which a replica stops may still be its best, so ``alive`` is the state of
    things before that epoch's stopping rule.

    Args:
        name: Its name.
        summary: Which epoch it reports, in one sentence.
        watches: The quantity that is compared; nothing when every epoch is better than the one before.
        better: ``torch.gt`` keeps the first of equal epochs, ``torch.ge`` the last.
        citation: Where it was used.
        aliases: Other names.

    Example:
        >>> rule = SELECTION["lowest-val-loss"]
        >>> state = rule.start(2, torch.device("cpu"))
        >>> loss, score = torch.tensor([0.7, 0.4]), torch.ones(2)
        >>> rule.improved(state, Record(loss, score, loss, score), alive=torch.tensor([True, False]))
        tensor([ True, False])
    """

    name: str
    summary: str
    watches: Quantity | None
    better: Callable[[Tensor, Tensor], Tensor]
    citation: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def needs_validation(self) -> bool:
        """Whether validation nodes must exist."""
        return self.watches in ("val_loss", "val_score")

    def start(self, R: int, device: torch.device | str) -> State:
        """The best value so far of R replicas; minus infinity is none."""
        return {"best": torch.full((R,), -torch.inf, dtype=torch.float64, device=device)}

    def improved(self, state: State, record: Record, alive: Tensor) -> Tensor:
        """The replicas whose epoch is the one to report from now on, bool ``[R]``; their best changes in place."""
        gain = torch.zeros_like(state["best"]) if self.watches is None else record.gain(self.watches)
        improved = alive & record.sound(validation=self.needs_validation) & self.better(gain, state["best"])
        keep(state["best"], gain, improved)
        return improved


SELECTION = Registry[Selection]("selection rule")
SELECTION.add(
    Selection(
        "lowest-val-loss",
        "The first epoch of the lowest validation loss.",
        "val_loss",
        torch.gt,
        citation="arXiv:2006.07988",
    )
)
SELECTION.add(
    Selection(
        "best-val-score",
        "The first epoch of the best validation score.",
        "val_score",
        torch.gt,
        citation="arXiv:2104.01404",
    )
)
SELECTION.add(
    Selection(
        "last-best-val-score",
        "The last epoch whose validation score is no worse than any before.",
        "val_score",
        torch.ge,
        citation="arXiv:1906.02174",
    )
)
SELECTION.add(
    Selection(
        "last-best-train-score",
        "The last epoch whose training score is no worse than any before.",
        "train_score",
        torch.ge,
        citation="arXiv:1906.02174",
    )
)
SELECTION.add(Selection("final", "The epoch at which the run ends.", None, torch.ge, aliases=("last",)))
