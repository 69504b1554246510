"""When a run ends: rules by name that decide for all replicas at once, each by its own curve, on the device."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from allpass.data.arguments import whole_number
from allpass.errors import InputError, did_you_mean
from allpass.registry import Registry
from allpass.train.rules.record import Quantity, Record, State, keep


@dataclass(frozen=True, kw_only=True)
class StoppingRule(ABC):
    """A rule with its options; what it remembers of R replicas is apart, in a state of tensors ``[R, ...]``.

    A replica whose loss is not finite stops at once, and ``state["diverged"]`` says so. Where the rule looks at the
    validation nodes their loss counts too, so they must exist (``needs_validation``).

    Args:
        max_epochs: The most epochs of a run.
    """

    max_epochs: int = 5000

    def __post_init__(self) -> None:
        whole_number("max_epochs", self.max_epochs, least=1)

    @property
    def needs_validation(self) -> bool:
        """Whether validation nodes must exist."""
        return False

    def start(self, R: int, device: torch.device | str) -> State:
        """What is remembered of R replicas before their first epoch."""
        return {"diverged": torch.zeros(R, dtype=torch.bool, device=device), **self._start(R, device)}

    def update(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:
        """The replicas that stop at this epoch, bool ``[R]``; the state of those alive changes in place.

        Args:
            state: From :meth:`start`.
            epoch: The number of the epoch, counted from 0, int64 of no axis.
            record: What the epoch gave.
            alive: The replicas that have not stopped before, bool ``[R]``.
        """
        diverged = alive & ~record.sound(validation=self.needs_validation)
        state["diverged"].logical_or_(diverged)
        ended = self._ended(state, epoch, record, alive & ~diverged)
        return alive & (ended | diverged | (epoch >= self.max_epochs - 1))

    @abstractmethod
    def _start(self, R: int, device: torch.device | str) -> State:
        """What the rule itself remembers."""

    @abstractmethod
    def _ended(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:
        """Where the rule itself says stop; only rows of ``alive`` count and may change."""


@dataclass(frozen=True, kw_only=True)
class Fixed(StoppingRule):
    """A fixed number of epochs.

    Args:
        max_epochs: That number.
    """

    max_epochs: int = 500

    def _start(self, R: int, device: torch.device | str) -> State:  # noqa: ARG002 - called like every rule
        return {}

    def _ended(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:  # noqa: ARG002 - same
        return torch.zeros_like(alive)


@dataclass(frozen=True, kw_only=True)
class Window(StoppingRule):
    """Stop where the validation loss exceeds its mean over the ``window`` epochs before.

    With epochs counted from 0 the rule looks from epoch ``window + 1`` on; the current loss is not in the mean.

    Args:
        max_epochs: The most epochs; 5000 in the code of ACM, 1000 in that of GPRGNN.
        window: How many epochs the mean is over.
    """

    window: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("window", self.window, least=1)

    @property
    def needs_validation(self) -> bool:
        return True

    def _start(self, R: int, device: torch.device | str) -> State:
        return {"losses": torch.zeros(R, self.window, dtype=torch.float64, device=device)}  # a ring

    def _ended(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:
        losses, loss = state["losses"], record.val_loss.double()
        ended = (epoch > self.window) & (loss > losses.mean(1))
        slot = epoch.remainder(self.window).reshape(1)  # the oldest, which leaves the window
        oldest = losses.index_select(1, slot).squeeze(1)
        losses.index_copy_(1, slot, torch.where(alive, loss, oldest).unsqueeze(1))
        return ended


@dataclass(frozen=True, kw_only=True)
class Patience(StoppingRule):
    """Stop at the last of ``patience`` epochs in a row that brought nothing better.

    Args:
        max_epochs: The most epochs.
        patience: How many epochs may pass.
        watches: What has to get better.
        ties: Whether a value equal to the best counts as better.
    """

    patience: int = 100
    watches: Quantity = "val_loss"
    ties: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("patience", self.patience, least=1)

    @property
    def needs_validation(self) -> bool:
        return self.watches in ("val_loss", "val_score")

    def _start(self, R: int, device: torch.device | str) -> State:
        return {"best": _lowest(R, device), "waited": _count(R, device)}

    def _ended(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:  # noqa: ARG002 - same
        gain, best, waited = record.gain(self.watches), state["best"], state["waited"]
        better = gain >= best if self.ties else gain > best
        keep(best, gain, alive & better)
        keep(waited, torch.where(better, 0, waited + 1), alive)
        return waited >= self.patience


@dataclass(frozen=True, kw_only=True)
class TrainingOnly(StoppingRule):
    """Stop by the training score alone, as the code of the Krylov networks does.

    A run ends after ``patience`` epochs in a row whose training score is below the best; or ``further`` epochs after
    the score first came close to perfect; or at the ``total``-th epoch that is close.

    Args:
        max_epochs: The most epochs.
        patience: How many epochs may pass below the best training score.
        close: A score nearer than this to ``perfect`` is close.
        perfect: The best score there is.
        further: Epochs left after the first close one, or nothing for no such limit. The released code puts this
            limit in the place of ``max_epochs``, so that a late one lengthens a run; here the earlier limit holds.
        total: Close epochs in all, or nothing for no such limit. The released code calls them consecutive but never
            sets the count back when the score falls, and so does this.
        validation_resets: Whether a validation score no worse than the best also sets the patience back, as the
            released code does while its debug flag is on, which is its default; the epoch itself then counts as one.

    Notes:
        In the released code the limit that one run lowers stays lowered for the runs after it. Here runs do not know
        of each other. The paper has another rule, patience on the training loss: ``"training-loss"``.
    """

    max_epochs: int = 3000
    patience: int = 100
    close: float = 0.01
    perfect: float = 1.0
    further: int | None = 200
    total: int | None = 200
    validation_resets: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("patience", self.patience, least=1)
        for name, value, least in (("further", self.further, 0), ("total", self.total, 1)):
            if value is not None:
                whole_number(name, value, least=least)
        if not (0 <= self.close < math.inf and math.isfinite(self.perfect)):
            raise InputError(
                f"Got close={self.close!r} and perfect={self.perfect!r}; expected a distance and a score.",
                "Pass finite numbers, close of 0 or more.",
            )

    @property
    def needs_validation(self) -> bool:
        return self.validation_resets

    def _start(self, R: int, device: torch.device | str) -> State:
        last = torch.full((R,), self.max_epochs - 1, dtype=torch.int64, device=device)
        best = {"best": _lowest(R, device), "best_val": _lowest(R, device)}
        return {**best, "waited": _count(R, device), "close": _count(R, device), "last": last}

    def _ended(self, state: State, epoch: Tensor, record: Record, alive: Tensor) -> Tensor:
        self._wait(state, record, alive)
        close = alive & ((record.gain("train_score") - self.perfect).abs() < self.close)
        if self.further is not None:
            last = (epoch + self.further).clamp(max=self.max_epochs - 1)
            keep(state["last"], last, close & (state["close"] == 0))
        state["close"].add_(close)
        ended = (state["waited"] >= self.patience) | (epoch >= state["last"])
        return ended if self.total is None else ended | (state["close"] >= self.total)

    def _wait(self, state: State, record: Record, alive: Tensor) -> None:
        """Count the epochs since the training score was last no worse than the best."""
        score, waited = record.gain("train_score"), state["waited"]
        better = score >= state["best"]
        keep(state["best"], score, alive & better)
        since = waited
        if self.validation_resets:
            val = record.gain("val_score")
            val_better = val >= state["best_val"]
            keep(state["best_val"], val, alive & val_better)
            since = torch.where(val_better, 0, waited)
        keep(waited, torch.where(better, 0, since + 1), alive)


def _lowest(R: int, device: torch.device | str) -> Tensor:
    return torch.full((R,), -torch.inf, dtype=torch.float64, device=device)


def _count(R: int, device: torch.device | str) -> Tensor:
    return torch.zeros(R, dtype=torch.int64, device=device)


@dataclass(frozen=True)
class Stopping:
    """A registered stopping rule.

    Args:
        name: Its name.
        summary: When it stops, in one sentence.
        build: The class of its rules; its fields are the options.
        fixed: The fields that make the rule what its name says, and are no options.
        citation: Where it was used.
        aliases: Other names.
    """

    name: str
    summary: str
    build: Callable[..., StoppingRule]
    fixed: Mapping[str, object] = field(default_factory=dict)
    citation: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, object]:
        """What may be set, with its default."""
        rule = self.build(**self.fixed)
        return {one.name: getattr(rule, one.name) for one in fields(rule) if one.name not in self.fixed}


STOPPING = Registry[Stopping]("stopping rule")
STOPPING.add(
    Stopping(
        "gprgnn",
        "Stops where the validation loss exceeds the mean of the 200 before it.",
        Window,
        citation="arXiv:2006.07988",
        aliases=("window",),
    )
)
STOPPING.add(
    Stopping(
        "patience-loss",
        "Stops after 100 epochs without a lower validation loss.",
        Patience,
        {"watches": "val_loss"},
        citation="doi:10.1007/3-540-49430-8_3",
    )
)
STOPPING.add(
    Stopping(
        "patience-score",
        "Stops after 100 epochs without a better validation score.",
        Patience,
        {"watches": "val_score"},
        citation="doi:10.1007/3-540-49430-8_3",
    )
)
STOPPING.add(
    Stopping(
        "training-only",
        "Stops by the training score alone, as the code of the Krylov networks does.",
        TrainingOnly,
        citation="arXiv:1906.02174",
        aliases=("krylov",),
    )
)
STOPPING.add(
    Stopping(
        "training-loss",
        "Stops after 100 epochs without a lower training loss, as the Krylov paper says.",
        Patience,
        {"watches": "train_loss"},
        citation="arXiv:1906.02174",
    )
)
STOPPING.add(
    Stopping(
        "fixed", "Runs a fixed number of epochs.", Fixed, citation="arXiv:2104.01404", aliases=("epochs",)
    )
)


def stopping(name: str, **options: Any) -> StoppingRule:
    """A stopping rule by its name.

    Args:
        name: ``"gprgnn"``, ``"patience-loss"``, ``"patience-score"``, ``"training-only"``, ``"training-loss"`` or
            ``"fixed"``.
        options: What the rule leaves open; ``max_epochs`` is one of every rule.

    Example:
        >>> stopping("gprgnn", max_epochs=1000)
        Window(max_epochs=1000, window=200)
        >>> stopping("gprgnn", windw=50)
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: The stopping rule 'gprgnn' has no option 'windw'. Did you mean 'window'?
    """
    entry = STOPPING[name]
    unknown = set(options) - set(entry.options)
    if unknown:
        wrong = min(unknown)
        raise InputError(
            f"The stopping rule {entry.name!r} has no option {wrong!r}.", did_you_mean(wrong, entry.options)
        )
    return entry.build(**entry.fixed, **options)
