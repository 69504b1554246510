"""R replicas of one architecture, trained together: the state, and the step that moves it."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from allpass.errors import UnknownNameError, did_you_mean
from allpass.nn.dropout import Dropout
from allpass.train.engine.flat import Layout, stack_buffers
from allpass.train.engine.gradients import Gradients, OneByOne, Problem, Together
from allpass.train.rules.optimizers import Optimizer, Rates
from allpass.train.rules.record import Record, keep
from allpass.train.rules.selection import Selection
from allpass.train.rules.stopping import StoppingRule
from allpass.train.rules.tasks import Task

MEASURED = tuple(f"{part}_{kind}" for kind in ("loss", "score") for part in ("train", "val", "test"))
REPORTED = (*MEASURED, "epoch")
"""The columns of ``Batch.reported``."""


@dataclass(frozen=True)
class Recipe:
    """How every replica of a batch is trained.

    Args:
        task: What is predicted: the loss and the score.
        optimizer: What moves the weights.
        stopping: When a replica ends.
        selection: Which epoch is reported.
        tf32: Round the factors of dense products to TF32 on a GPU.
        class_weight: How classes count in the loss of the training nodes, a name of ``CLASS_WEIGHTS``.
    """

    task: Task
    optimizer: Optimizer
    stopping: StoppingRule
    selection: Selection
    tf32: bool = False
    class_weight: str = "none"


@dataclass(frozen=True)
class Outcome:
    """What came of a training.

    Args:
        scores: Losses and scores on the three sets of nodes at the reported epoch.
        epoch: The reported epoch, counted from 0; nothing where no epoch was sound.
        epochs: How many epochs it ran.
        diverged: Whether its loss stopped being a number.
        seconds: The time it took; its share of it, where others were trained beside it.
        weights: What a state dict of the model holds, at the reported epoch; empty where they were not wanted.
        curves: Losses and scores of every epoch it ran, float32; empty where they were not wanted.
        sampled: What part of the training nodes it learnt from, in words; empty for all of them.
    """

    scores: Mapping[str, float]
    epoch: int | None
    epochs: int
    diverged: bool
    seconds: float
    weights: Mapping[str, Tensor]
    curves: Mapping[str, Tensor]
    sampled: str = field(default="", kw_only=True)


_ROWS = ("rows", "best", "alive", "epochs_run", "curves", "reported")
_STATES = ("buffers", "best_buffers", "moments", "patience", "choice")


class Batch:
    """The state of R replicas on the device; nothing in it is read by the host during a step.

    Args:
        models: One model a replica, of one architecture, with the weights and dropout keys they begin with.
        problem: Features, graph, target and loss.
        masks: Training, validation and test nodes of every replica, bool ``[3, R, N]``.
        rates: ``"lr"`` and ``"weight_decay"`` of every replica, ``[R]``, and ``"lr:GROUP"``, ``"weight_decay:GROUP"``
            for the parameter groups that a model declares.
        recipe: How they are trained.
        targets: What each replica learns, ``[R, N]``, where that is not what it is judged by.
        truths: What each replica is judged by, ``[R, N]``, where that is not the target of the problem, which is of
            all of them.
        together: All replicas in one call, or one after the other.
        curves: Keep the measures of every epoch.
        gradients: Those of an earlier batch of the same shape, which may have recorded its steps already.
    """

    def __init__(
        self,
        models: Sequence[nn.Module],
        problem: Problem,
        masks: Tensor,
        rates: Mapping[str, Tensor],
        recipe: Recipe,
        *,
        targets: Tensor | None = None,
        truths: Tensor | None = None,
        together: bool,
        curves: bool = False,
        gradients: Gradients | None = None,
    ) -> None:
        self.problem, self.masks, self.recipe = problem, masks, recipe
        self.targets, self.truths = targets, truths
        self.together, self.layout = together, Layout.of(models[0])
        rows = torch.stack([self.layout.row(dict(model.named_parameters())) for model in models])
        self.rows = rows.to(masks.device)  # where there are no parameters, nothing else would say it
        self.buffers = stack_buffers(models)
        self.deterministic = not any(is_random(model) for model in models)
        kind = Together if together else OneByOne
        self.gradients = gradients or kind(models[0], self.layout, problem, dropout=not self.deterministic)
        self.rates = list(self._by_group(rates))
        R, device = self.rows.shape[0], self.rows.device
        self.moments = recipe.optimizer.start(self.rows)
        self.patience = recipe.stopping.start(R, device)
        self.choice = recipe.selection.start(R, device)
        self.epoch = torch.zeros((), dtype=torch.int64, device=device)
        self.alive = torch.ones(R, dtype=torch.bool, device=device)
        self.best = self.rows.clone()
        # What is not saved, such as the place in a stream of masks, is no result.
        saved = models[0].state_dict()
        self.best_buffers = {name: buffer.clone() for name, buffer in self.buffers.items() if name in saved}
        self.reported = torch.full((R, len(REPORTED)), torch.nan, dtype=torch.float64, device=device)
        self.epochs_run = torch.zeros(R, dtype=torch.int64, device=device)
        epochs = recipe.stopping.max_epochs if curves else 0
        self.curves = torch.zeros(R, len(MEASURED), epochs, device=device)

    def _by_group(self, rates: Mapping[str, Tensor]) -> Iterator[Rates]:
        """What holds for each group of parameters, on the host: a step asks which replicas have the same."""
        kinds = ("lr", "weight_decay")
        named = [f"{kind}:{group}" for kind in kinds for group, _ in self.layout.groups]
        for key in rates:
            if ":" in key and key not in named:
                raise UnknownNameError(
                    f"There is no group of parameters for {key!r}.", did_you_mean(key, named)
                )
        for group, columns in self.layout.groups:
            lr, decay = (rates.get(f"{kind}:{group}", rates[kind]).double().cpu() for kind in kinds)
            yield Rates(columns, lr, decay, self.rows.device, self.rows.dtype)

    def refresh(self, epoch: int) -> None:
        """Before an epoch: a model may choose again what it keeps between epochs, such as the candidates of a graph."""
        self.gradients.refresh(epoch, self.rows, self.buffers, self.masks[0], self.learnt)

    def step(self) -> None:
        """One epoch of every living replica: gradient, update, evaluation."""
        gradients, _ = self.gradients.gradient(self.rows, self.buffers, self.masks[0], self.learnt)
        self._update(gradients)
        self._judge(self.gradients.outputs(self.rows, self.buffers, self.masks[0], self.learnt))

    def lagging_step(self) -> None:
        """The same where a training forward is an evaluation too: it judges the update of the step before."""
        gradients, outputs = self.gradients.gradient(self.rows, self.buffers, self.masks[0], self.learnt)
        self._judge(outputs)
        self._update(gradients)

    @property
    def learnt(self) -> Tensor | None:
        """What each replica learns, ``[R, N]``, where that is not the target of the problem."""
        return self.truths if self.targets is None else self.targets

    def first_update(self) -> None:
        """What comes before the first lagging step."""
        self._update(self.gradients.gradient(self.rows, self.buffers, self.masks[0], self.learnt)[0])

    def tensors(self) -> Iterator[Tensor]:
        """Everything a step changes."""
        yield self.epoch
        for name in _ROWS:
            yield getattr(self, name)
        for name in _STATES:
            yield from getattr(self, name).values()

    def select(self, keep: Tensor) -> Batch:
        """The batch of some of its replicas, by their numbers; it goes on where this one is."""
        part = copy.copy(self)
        part.epoch, part.masks = self.epoch.clone(), self.masks[:, keep]
        part.targets = None if self.targets is None else self.targets[keep]
        part.truths = None if self.truths is None else self.truths[keep]
        part.rates = [rates.select(keep) for rates in self.rates]
        for name in _ROWS:
            setattr(part, name, getattr(self, name)[keep])
        for name in _STATES:
            setattr(part, name, {key: value[keep] for key, value in getattr(self, name).items()})
        return part

    def outcomes(
        self, numbers: Sequence[int], *, seconds: float = 0.0, weights: bool = True
    ) -> list[Outcome]:
        """What came of some replicas, fetched together.

        Args:
            numbers: Which ones.
            seconds: What each of them took.
            weights: Fetch the weights too.
        """
        which = torch.tensor(numbers, dtype=torch.int64, device=self.rows.device)
        measured = self.reported[which].tolist()
        ran, diverged = self.epochs_run[which].tolist(), self.patience["diverged"][which].tolist()
        best = self.best[which].cpu() if weights else torch.empty(len(numbers), 0)
        buffers = {name: value[which].cpu() for name, value in self.best_buffers.items()} if weights else {}
        curves = self.curves[which].cpu()
        found = []
        for place, values in enumerate(measured):
            scores = dict(zip(REPORTED, values, strict=True))
            epoch = scores.pop("epoch")
            named = self.layout.parameters(best[place]) if weights else {}
            kept = {**named, **{name: value[place] for name, value in buffers.items()}}
            lines = curves[place, :, : ran[place]]
            found.append(
                Outcome(
                    scores=scores,
                    epoch=None if math.isnan(epoch) else int(epoch),
                    epochs=ran[place],
                    diverged=diverged[place],
                    seconds=seconds,
                    weights={name: value.clone() for name, value in kept.items()},
                    curves=dict(zip(MEASURED, lines.clone(), strict=True)) if self.curves.numel() else {},
                )
            )
        return found

    def _update(self, gradients: Sequence[Tensor]) -> None:
        """Moves those that have ended too: nothing is kept of that, and they leave the batch at the next look."""
        self.recipe.optimizer.update(self.rows, gradients, self.moments, self.rates)

    def _judge(self, outputs: Tensor) -> None:
        """Measure an epoch, keep what is best so far, and end whoever has to end."""
        measured = self.measure(outputs)
        if self.curves.numel():
            self.curves.index_copy_(2, self.epoch.view(1), measured.T.unsqueeze(2).to(self.curves))
        named, gain = dict(zip(MEASURED, measured, strict=True)), self.recipe.task.scorer.gain
        record = Record(
            named["train_loss"], gain(named["train_score"]), named["val_loss"], gain(named["val_score"])
        )
        improved = self.recipe.selection.improved(self.choice, record, self.alive)
        self._keep(improved, torch.cat([measured, self.epoch.expand(1, len(improved))]).T)
        self.epochs_run += self.alive
        stop = self.recipe.stopping.update(self.patience, self.epoch, record, self.alive)
        self.alive &= ~stop
        self.epoch += 1

    def measure(self, outputs: Tensor) -> Tensor:
        """Losses and scores of every replica on its three sets of nodes, ``[6, R]`` in the order of ``MEASURED``."""
        task, target = self.recipe.task, self.problem.target if self.truths is None else self.truths
        losses, scores = (measure(outputs, target, self.masks) for measure in (task.losses, task.scorer))
        if self.targets is not None:
            losses[0] = task.losses(outputs, self.targets, self.masks[0])
            scores[0] = task.scorer(outputs, self.targets, self.masks[0])
        return torch.cat([losses, scores])

    def _keep(self, improved: Tensor, measured: Tensor) -> None:
        keep(self.reported, measured, improved.unsqueeze(1))
        pairs = [(self.best, self.rows), *((kept, self.buffers[n]) for n, kept in self.best_buffers.items())]
        if improved.is_cuda:
            for kept, now in pairs:
                keep(kept, now, improved.reshape(-1, *[1] * (kept.dim() - 1)))
            return
        for number in improved.nonzero().flatten().tolist():  # a CPU copies only what has changed
            for kept, now in pairs:
                kept[number] = now[number]


def is_random(model: nn.Module) -> bool:
    """Whether a training forward differs from an evaluation."""
    return any(
        bool(getattr(part, "is_random", False))
        or isinstance(part, nn.modules.batchnorm._BatchNorm)
        or (isinstance(part, Dropout) and part.scale.item() != 1)
        for part in model.modules()
    )
