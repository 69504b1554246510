r"""How the size of signals and gradients travels through layers: the report's appendix as code.

:func:`allpass.nn.measure_propagation` says what a model really does.

The appendix's network is :math:`Y_0 = X`, :math:`H_{l+1} = \hat A_{rw} Y_l W_l`, :math:`Y_l = f(H_l)` without
biases, for l from 0 to n, with the cross-entropy L summed over all nodes. With entries of :math:`Y_l` and of the
gradients that are independent of each other, and g what f leaves of a second moment (1 for the identity, 1/2 for ReLU):

.. math::
    \mathrm{Var}(H_{l+1}) = r \, F_l \, \mathrm{Var}(W_l) \, E[Y_l^2], \qquad E[Y_l^2] = g \, \mathrm{Var}(H_l)

.. math::
    \mathrm{Var}(\partial L / \partial H_l) = g \, r \, F_{l+1} \, \mathrm{Var}(W_l) \,
    \mathrm{Var}(\partial L / \partial H_{l+1})

.. math::
    \mathrm{Var}(\partial L / \partial W_{l-1}) = N \, r \, E[Y_{l-1}^2] \, \mathrm{Var}(\partial L / \partial H_l)

with r what one averaging leaves of a variance. :data:`Form` says which r.

Where the report slips: the gradient passes through the transpose of :math:`\hat A_{rw}`, so node j gets the sum of
squares of *column* j (:func:`backward_shares`) and not :math:`1 / (d_j + 1)`; the mean over nodes is the same. The
product in its last formula has :math:`F_l` where :math:`F_{l+1}` belongs for the layers behind, which is the same for
equal widths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.matrices import matrix
from allpass.graph.operator import Operator
from allpass.nn.activations import ACTIVATIONS
from allpass.nn.initialisation import SCHEMES, Degrees, weight_variance

Form: TypeAlias = Literal["report", "nodes", "walks"]
r"""What one averaging is taken to leave of a variance.

``"report"``: :math:`1 / (1 + \bar d)`, the report's approximation. ``"nodes"``: the mean of :math:`1 / (d_i + 1)`,
which is exact for independent entries, that is at the first layer. ``"walks"``: nothing is taken for independent but
the weights and the features: l averagings leave :math:`\|\hat A^l\|_F^2 / N`, exact at every layer of a linear network.
"""


@dataclass(frozen=True)
class LayerRecord:
    r"""Sizes at one layer.

    Args:
        name: ``H_1``, ... of a prediction; the module's name of a measurement.
        width: Columns of H_l.
        variance: :math:`\mathrm{Var}(H_l)`, over all nodes and columns.
        energy: :math:`\|H_l\|_F^2`.
        gradient_variance: :math:`\mathrm{Var}(\partial L / \partial H_l)`.
        weight_gradient_variance: :math:`\mathrm{Var}(\partial L / \partial W_{l-1})`, of the layer's largest matrix;
            NaN for a layer without one.
    """

    name: str
    width: int
    variance: float
    energy: float
    gradient_variance: float
    weight_gradient_variance: float


@dataclass(frozen=True)
class Propagation:
    """Records from the first layer to the last; prints as a table."""

    layers: tuple[LayerRecord, ...]

    def __getitem__(self, number: int) -> LayerRecord:
        return self.layers[number]

    def __iter__(self) -> Iterator[LayerRecord]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def growth(self, quantity: str = "variance") -> list[float]:
        """Each layer's value over that of the layer before it."""
        values = [float(getattr(layer, quantity)) for layer in self.layers]
        return [after / before if before else math.nan for before, after in pairwise(values)]

    def __str__(self) -> str:
        head = ("layer", "width", "Var(H)", "energy", "Var(dL/dH)", "Var(dL/dW)")
        rows = [tuple(getattr(layer, field.name) for field in fields(layer)) for layer in self.layers]
        shown = [head, *[tuple(v if isinstance(v, str) else f"{v:.3g}" for v in row) for row in rows]]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        return "\n".join(
            "  ".join(
                c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in shown
        )


def predict_propagation(
    graph: Operator | Tensor,
    widths: Sequence[int],
    weights: str | Sequence[float],
    *,
    form: Form = "nodes",
    activation: str = "identity",
    alpha: float = 0.0,
    input_moment: float = 1.0,
    gradient_variance: float | None = None,
) -> Propagation:
    r"""The sizes that the appendix's network is expected to have.

    Args:
        graph: The adjacency, or (for the forms ``"report"`` and ``"nodes"``) the degrees ``[N]``.
        widths: F_0, ..., F_(n+1): columns of the features, of the hidden layers and of the logits.
        weights: Var(W_0), ..., Var(W_n), or the name of an initialisation.
        form: What one averaging leaves of a variance.
        activation: A name of ``ACTIVATIONS`` whose gain is known.
        alpha: Assumed :math:`E[Y_k Y_j] / E[Y_k^2]` of neighbours, from 0 to 1, for the forward direction (the report
            has none for gradients): a node of degree d keeps :math:`(\alpha d + 1)/(d + 1)`. 0 gives the formulas
            above, 1 those of a perceptron. It is also the alpha of the initialisation.
        input_moment: The mean square of the features.
        gradient_variance: :math:`\mathrm{Var}(\partial L / \partial H_{n+1})`; by default :math:`(C - 1)/C^2`, that of
            logits near 0 for C balanced classes.

    Example:
        >>> flow = predict_propagation(torch.full((100,), 3.0), [8, 8, 8], "glorot")
        >>> [layer.variance for layer in flow]
        [0.25, 0.0625]
    """
    variances = _variances(graph, widths, weights, alpha)
    gain = _gain(activation)
    shares = _shares(graph, form, alpha, gain, len(variances))
    N, C = shares.nodes, widths[-1]
    forward = [input_moment]  # E[Y_0^2], then Var(H_1), Var(H_2), ...
    for l, variance in enumerate(variances):
        forward.append(forward[l] * (gain if l else 1.0) * shares.ahead[l] * widths[l] * variance)
    backward = [(C - 1) / C**2 if gradient_variance is None else gradient_variance]
    for l in reversed(range(1, len(variances))):  # from H_(n+1) down to H_1
        step = shares.back[len(backward) - 1]
        backward.append(backward[-1] * gain * step * widths[l + 1] * variances[l])
    backward.reverse()
    records = []
    for l, (width, G) in enumerate(zip(widths[1:], backward, strict=True), start=1):
        H = forward[l]
        moment = forward[l - 1] * (gain if l > 1 else 1.0)  # E[Y_(l-1)^2]
        records.append(
            LayerRecord(f"H_{l}", width, H, N * width * H, G, N * shares.weight[l - 1] * moment * G)
        )
    return Propagation(tuple(records))


@dataclass(frozen=True)
class _Shares:
    """What is left of a variance at the l-th averaging ahead, at the l-th one back, and in a weight's gradient."""

    nodes: int
    ahead: list[float]
    back: list[float]
    weight: list[float]


def _shares(graph: Operator | Tensor, form: str, alpha: float, gain: float, depth: int) -> _Shares:
    if not 0 <= alpha <= 1:
        raise InputError(f"Got alpha = {alpha}.", "Expected a correlation from 0 to 1.")
    degrees = Degrees.of(graph)
    N = degrees.values.numel()
    if form == "walks":
        if gain != 1 or alpha != 0 or not isinstance(graph, Operator):
            raise InputError(
                "Got form='walks' with an activation, with alpha or without an adjacency.",
                "It is exact for the identity alone, knows the correlations itself, and needs an Operator.",
            )
        squares = [1.0, *_walk_squares(graph, depth)]  # ||Â^l||_F^2 / N
        steps = [after / before for before, after in pairwise(squares)]
        weight = [squares[depth] / (squares[l] * squares[depth - 1 - l]) for l in range(depth)]
        return _Shares(N, steps, steps, weight)
    if form == "nodes":
        ahead, back = (1 - alpha) * degrees.inverse + alpha, degrees.inverse
    elif form == "report":
        ahead, back = 1 / degrees.effective(alpha), 1 / (1 + degrees.mean)
    else:
        raise InputError(f"Got form={form!r}.", f"Expected one of {', '.join(get_args(Form))}.")
    weight_share = (1 - alpha) * degrees.inverse + alpha  # the report too adds up 1 / (d_k + 1) here
    return _Shares(N, [ahead] * depth, [back] * depth, [weight_share] * depth)


def _walk_squares(graph: Operator, depth: int, block: int = 256) -> list[float]:
    """||Â^l||_F^2 / N for l from 1 to ``depth``, some columns at a time."""
    A = matrix(graph.detached().to(torch.float64), "A_hat_rw")
    N = A.shape[0]
    totals = [0.0] * depth
    for start in range(0, N, block):
        signal = torch.zeros(N, min(block, N - start), dtype=A.dtype, device=A.device)
        signal[start : start + block] = torch.eye(signal.shape[1], dtype=A.dtype, device=A.device)
        for l in range(depth):
            signal = A @ signal
            totals[l] += float(signal.square().sum()) / N
    return totals


def _variances(
    graph: Operator | Tensor, widths: Sequence[int], weights: str | Sequence[float], alpha: float
) -> list[float]:
    if len(widths) < 2 or min(widths) < 1:
        raise InputError(f"Got the widths {list(widths)}.", "Expected two or more, each 1 or more.")
    if isinstance(weights, str):
        return [_entry_variance(weights, i, o, graph, alpha) for i, o in pairwise(widths)]
    if len(weights) != len(widths) - 1:
        raise InputError(
            f"Got {len(weights)} variances for {len(widths)} widths.", f"Expected {len(widths) - 1}."
        )
    return list(weights)


def _entry_variance(name: str, fan_in: int, fan_out: int, graph: Operator | Tensor, alpha: float) -> float:
    """Var(W) of a scheme; the entries of an orthogonal W with W^T W = a I have a / max(F_in, F_out)."""
    value = weight_variance(name, fan_in, fan_out, graph, alpha=alpha)
    return value / max(fan_in, fan_out) if SCHEMES[name].shape == "orthogonal" else value


def _gain(activation: str) -> float:
    gain = ACTIVATIONS[activation].gain
    if gain is None:
        known = ", ".join(entry.name for entry in ACTIVATIONS if entry.gain is not None)
        raise InputError(
            f"Got the activation {activation!r}, whose effect on a variance depends on the size of the signal.",
            f"Expected one of {known}; or measure it.",
        )
    return gain


def forward_shares(graph: Operator) -> Tensor:
    r"""What :math:`\hat A_{rw}` leaves of the variance of independent signals at every node, ``[N]``.

    These are the sums of squares of its rows. In a graph without weights and self-loops this is :math:`1 / (d_i + 1)`.

    Example:
        >>> forward_shares(Operator.from_edge_index(torch.tensor([[1, 0, 2, 0], [0, 1, 0, 2]]))).tolist()
        [0.3333333333333333, 0.5, 0.5]
    """
    return Degrees.of(graph).squares


def backward_shares(graph: Operator) -> Tensor:
    r"""The same for gradients, ``[N]``: sums of squares of the *columns*, :math:`\sum_i (\hat A_{rw})_{ij}^2`.

    Hubs get the larger gradients, though forward they have the smaller variance. The mean over nodes is that of
    :func:`forward_shares`.

    Example:
        >>> backward_shares(Operator.from_edge_index(torch.tensor([[1, 0, 2, 0], [0, 1, 0, 2]]))).tolist()
        [0.6111111111111112, 0.3611111111111111, 0.3611111111111111]
    """
    A = matrix(graph.detached().to(torch.float64), "A_hat_rw").T
    assert isinstance(A, Operator)
    return A.values.new_zeros(A.shape[0]).index_add(0, A.pattern.row, A.values**2)
