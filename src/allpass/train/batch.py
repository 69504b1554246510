"""R replicas of one architecture, trained together: the state, and the step that moves it."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from allpass.nn.dropout import Dropout
from allpass.train.flat import Layout, stack_buffers
from allpass.train.gradients import Gradients, OneByOne, Problem, Together
from allpass.train.optimizers import Optimizer, Rates
from allpass.train.record import Record, keep
from allpass.train.selection import Selection
from allpass.train.stopping import StoppingRule
from allpass.train.tasks import Task

MEASURED = tuple(f"{part}_{kind}" for kind in ("loss", "score") for part in ("train", "val", "test"))


@dataclass(frozen=True)
class Recipe:
    """How every replica of a batch is trained.

    Args:
        task: What is predicted: the loss and the score.
        optimizer: What moves the weights.
        stopping: When a replica ends.
        selection: Which epoch is reported.
    """

    task: Task
    optimizer: Optimizer
    stopping: StoppingRule
    selection: Selection


@dataclass(frozen=True)
class Outcome:
    """What came of a training.

    Args:
        scores: Losses and scores on the three sets of nodes at the reported epoch.
        epoch: The reported epoch, counted from 0; nothing where no epoch was sound.
        epochs: How many epochs it ran.
        diverged: Whether its loss stopped being a number.
        weights: What a state dict of the model holds, at the reported epoch.
    """

    scores: Mapping[str, float]
    epoch: int | None
    epochs: int
    diverged: bool
    weights: Mapping[str, Tensor]


_ROWS = ("rows", "best", "alive", "epochs_run")
_STATES = ("buffers", "best_buffers", "moments", "patience", "choice", "reported")


class Batch:
    """The state of R replicas on the device; nothing in it is read by the host during a step.

    Args:
        models: One model a replica, of one architecture, with the weights and dropout keys they begin with.
        problem: Features, graph, target and loss.
        masks: Training, validation and test nodes of every replica, bool ``[3, R, N]``.
        rates: ``"lr"`` and ``"weight_decay"`` of every replica, ``[R]``, and ``"lr:GROUP"``, ``"weight_decay:GROUP"``
            for the parameter groups that a model declares.
        recipe: How they are trained.
        together: All replicas in one call, or one after the other.
    """

    def __init__(
        self,
        models: Sequence[nn.Module],
        problem: Problem,
        masks: Tensor,
        rates: Mapping[str, Tensor],
        recipe: Recipe,
        *,
        together: bool,
    ) -> None:
        self.problem, self.masks, self.recipe = problem, masks, recipe
        self.layout = Layout.of(models[0])
        self.rows = torch.stack([self.layout.row(dict(model.named_parameters())) for model in models])
        self.buffers = stack_buffers(models)
        self.gradients: Gradients = (Together if together else OneByOne)(models[0], self.layout, problem)
        self.lr, self.decay = (self._by_group(rates, name) for name in ("lr", "weight_decay"))
        self.deterministic = not any(_is_random(model) for model in models)
        R, device = self.rows.shape[0], self.rows.device
        self.moments = recipe.optimizer.start(self.rows)
        self.patience = recipe.stopping.start(R, device)
        self.choice = recipe.selection.start(R, device)
        self.epoch = torch.zeros((), dtype=torch.int64, device=device)
        self.updates = torch.ones((), dtype=torch.int64, device=device)  # the number of the next one
        self.alive = torch.ones(R, dtype=torch.bool, device=device)
        self.best = self.rows.clone()
        # What is not saved, such as the place in a stream of masks, is no result.
        saved = models[0].state_dict()
        self.best_buffers = {name: buffer.clone() for name, buffer in self.buffers.items() if name in saved}
        nothing = torch.full((R,), torch.nan, dtype=torch.float64, device=device)
        self.reported = {name: nothing.clone() for name in (*MEASURED, "epoch")}
        self.epochs_run = torch.zeros(R, dtype=torch.int64, device=device)

    def _by_group(self, rates: Mapping[str, Tensor], name: str) -> Rates:
        return [
            (columns, rates.get(f"{name}:{group}", rates[name]).to(self.rows).unsqueeze(1))
            for group, columns in self.layout.groups
        ]

    def step(self) -> None:
        """One epoch of every living replica: gradient, update, evaluation."""
        gradients, _ = self.gradients.gradient(self.rows, self.buffers, self.masks[0])
        self._update(gradients)
        self._judge(self.gradients.outputs(self.rows, self.buffers, self.masks[0]))

    def lagging_step(self) -> None:
        """The same where a training forward is an evaluation too: it judges the update of the step before."""
        gradients, outputs = self.gradients.gradient(self.rows, self.buffers, self.masks[0])
        self._judge(outputs)
        self._update(gradients)

    def first_update(self) -> None:
        """What comes before the first lagging step."""
        self._update(self.gradients.gradient(self.rows, self.buffers, self.masks[0])[0])

    def tensors(self) -> Iterator[Tensor]:
        """Everything a step changes."""
        yield from (self.epoch, self.updates)
        for name in _ROWS:
            yield getattr(self, name)
        for name in _STATES:
            yield from getattr(self, name).values()

    def select(self, keep: Tensor) -> Batch:
        """The batch of some of its replicas, by their numbers; it goes on where this one is."""
        part = copy.copy(self)
        part.masks = self.masks[:, keep]
        part.lr, part.decay = (
            [(columns, rate[keep]) for columns, rate in rates] for rates in (self.lr, self.decay)
        )
        for name in _ROWS:
            setattr(part, name, getattr(self, name)[keep])
        for name in _STATES:
            setattr(part, name, {key: value[keep] for key, value in getattr(self, name).items()})
        return part

    def outcome(self, number: int) -> Outcome:
        """What came of a replica."""
        reported = {name: float(values[number]) for name, values in self.reported.items()}
        epoch = reported.pop("epoch")
        row = self.best[number].detach().cpu().clone()
        kept = {name: value[number].cpu().clone() for name, value in self.best_buffers.items()}
        return Outcome(
            scores=reported,
            epoch=None if math.isnan(epoch) else int(epoch),
            epochs=int(self.epochs_run[number]),
            diverged=bool(self.patience["diverged"][number]),
            weights={**self.layout.parameters(row), **kept},
        )

    def _update(self, gradients: Tensor) -> None:
        alive = self.alive.unsqueeze(1)
        lr = [(columns, rate * alive) for columns, rate in self.lr]
        self.recipe.optimizer.update(self.rows, gradients, self.moments, self.updates, lr, self.decay)
        self.updates += 1

    def _judge(self, outputs: Tensor) -> None:
        """Measure an epoch, keep what is best so far, and end whoever has to end."""
        measured = self.measure(outputs)
        score = self.recipe.task.scorer
        record = Record(
            measured["train_loss"],
            score.gain(measured["train_score"]),
            measured["val_loss"],
            score.gain(measured["val_score"]),
        )
        improved = self.recipe.selection.improved(self.choice, record, self.alive)
        self._keep(improved, {**measured, "epoch": self.epoch.expand(improved.shape)})
        self.epochs_run += self.alive
        stop = self.recipe.stopping.update(self.patience, self.epoch, record, self.alive)
        self.alive &= ~stop
        self.epoch += 1

    def measure(self, outputs: Tensor) -> dict[str, Tensor]:
        """Losses and scores ``[R]`` of every replica on its training, validation and test nodes."""
        task, target = self.recipe.task, self.problem.target
        losses = task.losses(outputs, target, self.masks)
        scores = task.scorer(outputs, target, self.masks)
        return dict(zip(MEASURED, (*losses, *scores), strict=True))

    def _keep(self, improved: Tensor, measured: dict[str, Tensor]) -> None:
        for name, value in measured.items():
            keep(self.reported[name], value.double(), improved)
        keep(self.best, self.rows, improved.unsqueeze(1))
        for name, kept in self.best_buffers.items():
            keep(kept, self.buffers[name], improved.reshape(-1, *[1] * (kept.dim() - 1)))


def _is_random(model: nn.Module) -> bool:
    """Whether a training forward differs from an evaluation."""
    return any(
        isinstance(part, nn.modules.batchnorm._BatchNorm)
        or (isinstance(part, Dropout) and part.scale.item() != 1)
        for part in model.modules()
    )
