"""Training without epochs: models that are fitted in one call, and those that have nothing to train."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from allpass.data.splits import Split
from allpass.models.direct import Direct, Examples
from allpass.train.engine.batch import MEASURED, Outcome
from allpass.train.engine.gradients import Problem
from allpass.train.rules.tasks import Task
from allpass.train.rules.weights import balanced

_PARTS = ("train", "val", "test")


def fitted(
    model: Direct,
    problem: Problem,
    task: Task,
    split: Split,
    *,
    target: Tensor | None = None,
    class_weight: str = "none",
    sample_weight: Tensor | None = None,
    seed: int = 0,
    on_step: Callable[[int], None] | None = None,
    weights: bool = True,
    curves: bool = False,
) -> Outcome:
    """Fit a model in one call and score it.

    Args:
        model: The model, not fitted yet.
        problem: Features, graph and labels.
        task: Loss and score.
        split: Training, validation and test nodes.
        target: What is learnt in place of the labels.
        class_weight: How much the classes count, a name of ``CLASS_WEIGHTS``.
        sample_weight: How much each node counts, ``[N]``.
        seed: Decides what is random.
        on_step: Called with the number of each step; may raise to stop.
        weights: Keep what was learnt.
        curves: Report the scores as curves too.
    """
    start = time.perf_counter()
    learnt, weight = _learnt(problem, target), None if sample_weight is None else sample_weight.double()
    if class_weight == "balanced":
        counted = split.train.double() if weight is None else split.train * weight
        weight = balanced(learnt, counted, max(task.out_channels(learnt), 2))
    examples = Examples(problem.x, problem.graph, learnt, split.train, split.val, weight=weight, seed=seed)
    outputs = model.fit(examples, on_step)
    state = model.state_dict() if weights else {}
    steps = max(model.steps, 1)
    found = _outcome(outputs, problem, task, split, target, state, curves, start, steps=steps)
    return replace(found, sampled=model.sampled)


def evaluated(
    module: nn.Module,
    problem: Problem,
    task: Task,
    split: Split,
    *,
    target: Tensor | None = None,
    weights: bool = True,
    curves: bool = False,
) -> Outcome:
    """Score a network without parameters: one forward pass is all there is to do.

    Args:
        module: The network.
        problem: Features, graph and labels.
        task: Loss and score.
        split: Training, validation and test nodes.
        target: What the training nodes show in place of their labels.
        weights: Keep its state dict, which may hold buffers.
        curves: Report the scores as curves too.
    """
    start = time.perf_counter()
    given = {}
    if problem.labels:
        given = {"labels": _learnt(problem, target), "mask": split.train.to(problem.target.device)}
    with torch.no_grad():
        outputs = module.eval()(problem.x, problem.graph, **given)
    state = dict(module.state_dict()) if weights else {}
    return _outcome(outputs, problem, task, split, target, state, curves, start)


def _learnt(problem: Problem, target: Tensor | None) -> Tensor:
    return problem.target if target is None else target.to(problem.target)


def _outcome(
    outputs: Tensor,
    problem: Problem,
    task: Task,
    split: Split,
    target: Tensor | None,
    state: Mapping[str, Tensor],
    curves: bool,
    start: float,
    *,
    steps: int = 1,
) -> Outcome:
    device = problem.target.device
    outputs = outputs.to(device).unsqueeze(0)
    masks = torch.stack([getattr(split, part) for part in _PARTS]).to(device).unsqueeze(1)  # [3, 1, N]
    losses, scores = (measure(outputs, problem.target, masks) for measure in (task.losses, task.scorer))
    if target is not None:  # training nodes are judged by what they were shown
        losses[0] = task.losses(outputs, _learnt(problem, target), masks[0])
        scores[0] = task.scorer(outputs, _learnt(problem, target), masks[0])
    measured = dict(zip(MEASURED, torch.cat([losses, scores]).flatten().tolist(), strict=True))
    sound = bool(torch.isfinite(outputs).all())
    return Outcome(
        scores=measured,
        epoch=steps - 1 if sound else None,
        epochs=steps,
        diverged=not sound,
        seconds=time.perf_counter() - start,
        weights={name: value.cpu() for name, value in state.items()},
        curves={name: torch.tensor([value]) for name, value in measured.items()} if curves else {},
    )
