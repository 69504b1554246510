"""A linear model on the columns of a graph: the cheapest learner that reads features, neighbours and known labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.models.direct import EndEarly, Examples
from allpass.models.entry import Model
from allpass.models.graph_columns import Columns, Selection
from allpass.models.table_model import Rows, TableModel, with_both

WU = "Wu et al.: Simplifying Graph Convolutional Networks, ICML 2019"

PENALTIES = (0.1, 0.01, 0.001)
"""L2 penalties that validation nodes choose from; the strongest first, because the others begin where it ended."""

_CHUNK = 65_536  # rows at a time
_ITERATIONS, _FLAT = 100, 1e-6  # at most so many for each penalty, and the gradient at which it ends
_PARTS = ("weights", "bias", "means", "deviations")


class Linear(TableModel):
    r"""Logistic regression, or ridge regression for numbers, on standardised columns of :func:`graph_columns`.

    .. math::
        \min_{W, b} \frac{1}{n} \sum_v \ell(z_v W + b, y_v) + \frac{\lambda}{2} \|W\|^2

    over n training nodes, with the cross-entropy or half the squared error as :math:`\ell`. Missing values count as
    the mean of their column. :math:`\lambda` is the one of 0.1, 0.01 and 0.001 with the least loss on the validation
    nodes, for each number by itself; 0.01 without validation nodes.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress; 1 for one of two classes by one logit.
        neighbours: Read the features of neighbours, and degrees.
        label_input: Read the known labels around a node. Its own is never among them.
        components: Columns that features are projected on where there are more than 128.
        max_nodes: Training nodes beyond this number are sampled.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        neighbours: bool = True,
        label_input: bool = True,
        components: int = 64,
        max_nodes: int = 200_000,
    ) -> None:
        chosen = Selection(neighbours=neighbours, structure=neighbours, labels=label_input, extremes=False)
        super().__init__(in_channels, out_channels, chosen, components=components, max_nodes=max_nodes)
        self.weights, self.bias = torch.zeros(0, out_channels), torch.zeros(out_channels)
        self.means, self.deviations = torch.zeros(0), torch.ones(0)

    def _learn(
        self, table: Columns, examples: Examples, train: Rows, on_step: Callable[[int], None] | None
    ) -> None:
        self.means, self.deviations = _moments(table[train])
        rows, val = torch.from_numpy(train), examples.val.nonzero().flatten()
        z, y = self._standardised(table[train]), examples.target[rows]
        weight = torch.ones(len(rows)) if examples.weight is None else examples.weight[rows].float()
        weight /= weight.sum()
        if y.is_floating_point():
            found, self.steps = _ridge(z, y, weight), 1
        else:
            outputs = self.out_channels if self.out_channels > 2 else 1
            found, self.steps = _logistic(z, y, weight, outputs, on_step)
        chosen = torch.full((found.shape[2],), len(PENALTIES) // 2)
        if len(val):
            judged = self._standardised(table[val.numpy()])
            losses = torch.stack([_losses(judged @ W[:-1] + W[-1], examples.target[val]) for W in found])
            chosen = losses.nan_to_num(torch.inf).argmin(0).expand(found.shape[2])
        best = found[chosen, :, torch.arange(found.shape[2])].T
        self.weights, self.bias = best[:-1].contiguous(), best[-1].contiguous()

    def _raw(self, table: Columns) -> Tensor:
        starts = range(0, len(table), _CHUNK)
        parts = (self._standardised(table[start : start + _CHUNK]) for start in starts)
        return torch.cat([part @ self.weights + self.bias for part in parts])

    def _learnt(self) -> dict[str, Tensor]:
        return {name: getattr(self, name) for name in _PARTS}

    def _load(self, state: Mapping[str, Tensor]) -> None:
        outputs = state["bias"].numel() if "bias" in state else 0
        columns = self._width(outputs)
        shapes = dict(zip(_PARTS, ((columns, outputs), (outputs,), (columns,), (columns,)), strict=True))
        sound = outputs == self.out_channels or (outputs == 1 and self.out_channels == 2)
        if not sound or not all(_is_sound(state.get(name), shape) for name, shape in shapes.items()):
            raise InputError("The weights of the linear model are damaged.", "Train the model again.")
        if not bool((state["deviations"] > 0).all()):
            raise InputError("The deviations of the linear model are not positive.", "Train the model again.")
        for name in _PARTS:
            setattr(self, name, state[name])

    def _standardised(self, table: Columns) -> Tensor:
        """Columns in deviations from their mean, 0 where a value is missing."""
        return torch.from_numpy(table).sub(self.means).div_(self.deviations).nan_to_num_(0)


def _is_sound(part: Tensor | None, shape: tuple[int, ...]) -> bool:
    return (
        part is not None
        and part.shape == shape
        and part.dtype == torch.float32
        and bool(part.isfinite().all())
    )


def _moments(table: Columns) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of the known values of each column; 0 and 1 where they say nothing."""
    means, deviations = torch.zeros(table.shape[1]), torch.ones(table.shape[1])
    for number, column in enumerate(table.T):
        known = column[~np.isnan(column)].astype(np.float64)
        if len(known):
            mean, deviation = float(known.mean()), float(known.std())
            means[number] = mean
            if deviation > np.finfo(np.float32).eps * abs(
                mean
            ):  # more than the rounding of a constant column
                deviations[number] = deviation
    return means, deviations


def _logistic(
    z: Tensor, y: Tensor, weight: Tensor, outputs: int, on_step: Callable[[int], None] | None
) -> tuple[Tensor, int]:
    """Weights and, in the last row, the bias for each penalty, ``[P, D + 1, outputs]``; and the steps that took."""
    W = torch.zeros(z.shape[1] + 1, outputs, requires_grad=True)
    steps = 0
    found: list[Tensor] = []
    for penalty in PENALTIES:
        best: list[Any] = [math.inf, W.detach().clone()]
        optimizer = torch.optim.LBFGS(
            [W], max_iter=_ITERATIONS, tolerance_grad=_FLAT, history_size=10, line_search_fn="strong_wolfe"
        )

        def loss(penalty: float = penalty, best: list[Any] = best) -> float:
            nonlocal steps
            if on_step is not None:
                on_step(steps)
            steps += 1
            logits = with_both(z @ W[:-1] + W[-1])
            value = (
                weight @ F.cross_entropy(logits, y, reduction="none") + penalty / 2 * W[:-1].square().sum()
            )
            (W.grad,) = torch.autograd.grad(value, W)
            now = float(value.detach())
            if now < best[0]:
                best[:] = [now, W.detach().clone()]
            return now

        try:
            optimizer.step(loss)
        except EndEarly:  # the smaller penalties would begin where this one ended
            found += [best[1]] * (len(PENALTIES) - len(found))
            break
        found.append(W.detach().clone())
    return torch.stack(found), steps


def _ridge(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    """The same for numbers, ``[P, D + 1, T]``, by the normal equations in float64."""
    width, y = z.shape[1] + 1, y.reshape(len(y), -1).double()
    gram, moment = (torch.zeros(width, columns, dtype=torch.float64) for columns in (width, y.shape[1]))
    for start in range(0, len(z), _CHUNK):
        rows = slice(start, start + _CHUNK)
        part = F.pad(z[rows].double(), (0, 1), value=1.0)
        weighted = part.T * weight[rows]
        gram += weighted @ part
        moment += weighted @ y[rows]
    shrunk = torch.ones(width, dtype=torch.float64)
    shrunk[-1] = 0  # not the bias
    solved = [torch.linalg.solve(gram + penalty * shrunk.diag(), moment) for penalty in PENALTIES]
    return torch.stack(solved).float()


def _losses(outputs: Tensor, y: Tensor) -> Tensor:
    """Cross-entropy ``[1]``, or squared error of each number ``[T]``."""
    if y.is_floating_point():
        return (outputs - y.reshape(len(y), -1)).square().mean(0)
    return F.cross_entropy(with_both(outputs), y).reshape(1)


ENTRIES = (
    Model(
        "linear",
        Linear,
        "regression on features, neighbours' means and known labels, without a network",
        WU,
        space={"label_input": (True, False), "components": (32, 64, 128)},
        training={},
        traits=frozenset({"fitted-directly", "uses-labels"}),
        added={"neighbours": True},
        aliases=("propagated-linear",),
    ),
    Model(
        "feature-linear",
        Linear,
        "regression on the features alone, without a network",
        WU,
        preset={"neighbours": False, "label_input": False},
        space={"components": (32, 64, 128)},
        training={},
        traits=frozenset({"fitted-directly", "ignores-graph"}),
    ),
)
