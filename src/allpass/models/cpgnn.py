"""CPGNN: a perceptron's beliefs about classes, corrected by what the neighbours' beliefs make likely."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.models.mlp import FeatureLayer
from allpass.models.stack import Stack
from allpass.nn.cheby import ChebConv
from allpass.nn.cpgnn import WITH_HETEROPHILY, CompatibilityConv, estimate_compatibility
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.label_propagation import one_hot

PRIORS: dict[str, Callable[..., nn.Module]] = {"mlp": FeatureLayer, "cheby": ChebConv}
"""The layers of the prior: of features alone, or Chebyshev filters of degree 2."""


class CPGNN(nn.Module):
    r"""CPGNN (`Zhu et al., AAAI 2021 <https://arxiv.org/abs/2009.13566>`_).

    .. math::
        \bar B^{(0)} = \mathrm{softmax}(\mathrm{prior}(X)) - \frac{1}{C}, \qquad
        \mathrm{logits} = \bar B^{(K)}

    with the propagation of :class:`~allpass.nn.cpgnn.CompatibilityConv`. It trains like any model. The paper's own
    way has three steps, for which there are two hooks:

    1. :attr:`prior` (itself a model: ``prior(x, edge_index)`` gives logits) is trained alone, 400 epochs in the paper;
    2. ``warm_start(x, edge_index, labels, mask)`` sets the compatibility matrix to what the training labels and the
       beliefs of the prior show;
    3. everything is trained on ``loss(output, x, edge_index, labels, mask)``, in place of the cross-entropy:

    .. math::
        \mathrm{CE}(\bar B^{(K)}, Y) + \lambda \, \mathrm{CE}(\mathrm{prior}(X), Y) +
        \eta \sum_i \Big| \sum_j \bar H_{ij} \Big|

    Args:
        in_channels: Number of features.
        out_channels: Number of classes C.
        prior: The network that believes first: ``"mlp"`` (CPGNN-MLP) or ``"cheby"`` (CPGNN-Cheby).
        hidden_channels: Width of the prior.
        num_prior_layers: Layers of the prior.
        num_layers: Steps K of the propagation.
        filter: The matrix that beliefs travel along.
        dropout: Probability of dropout between the layers of the prior.
        bias: Add biases to the prior; the paper has none.
        cotraining: :math:`\lambda`, the weight of the prior's own loss; 1 in the authors' code.
        regularisation: :math:`\eta`, which keeps the rows of :math:`\bar H` summing to 0; 1 in the authors' code.

    Notes:
        ``loss`` runs the prior once more, in training with a mask of dropout of its own. Both hooks multiply by the
        mask and never index by it, so that replicas trained together may have masks of their own.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        prior: str = "mlp",
        hidden_channels: int = 64,
        num_prior_layers: int = 2,
        num_layers: int = 2,
        filter: Filter = "A",  # noqa: A002 - the word of the formula
        dropout: float = 0.5,
        bias: bool = False,
        cotraining: float = 1.0,
        regularisation: float = 1.0,
    ) -> None:
        super().__init__()
        if prior not in PRIORS:
            raise InputError(f"Got the prior {prior!r}.", f"Expected one of {', '.join(PRIORS)}.")
        self.prior = Stack(
            partial(PRIORS[prior], bias=bias),
            in_channels,
            hidden_channels,
            out_channels,
            num_layers=num_prior_layers,
            dropout=dropout,
            input_dropout=False,
        )
        self.propagation = CompatibilityConv(out_channels, num_layers=num_layers, filter=filter)
        self.cotraining, self.regularisation = float(cotraining), float(regularisation)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        beliefs = self.prior(x, A).softmax(dim=1)
        return self.propagation(beliefs - 1 / beliefs.shape[1], A)

    def loss(self, output: Tensor, x: Features, edge_index: Graph, labels: Tensor, mask: Tensor) -> Tensor:
        """The whole objective, a number: two cross-entropies on the mask, and the row sums of the compatibility."""
        rows = self.propagation.compatibility.sum(dim=1).abs().sum()
        own = _cross_entropy(self.prior(x, edge_index), labels, mask)
        return _cross_entropy(output, labels, mask) + self.cotraining * own + self.regularisation * rows

    @torch.no_grad()
    def warm_start(self, x: Features, edge_index: Graph, labels: Tensor, mask: Tensor) -> None:
        """Set the compatibility matrix from the labels in the mask and from what the prior believes of the others."""
        x, A = read(x, edge_index)
        training = self.prior.training
        beliefs = self.prior.eval()(x, A).softmax(dim=1)
        self.prior.train(training)
        self.propagation.compatibility.copy_(estimate_compatibility(beliefs, A, labels, mask))

    def parameter_groups(self) -> dict[str, list[str]]:
        """The compatibility matrix as the group ``compatibility``: the authors decay the weights of the prior alone."""
        return {"compatibility": ["propagation.compatibility"]}


def _cross_entropy(logits: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
    """The mean over the nodes in the mask."""
    Y = one_hot(labels, mask, logits.shape[1], logits.dtype)
    return -(Y * logits.log_softmax(dim=1)).sum() / Y.sum().clamp(min=1)


ENTRIES = (
    Model(
        "cpgnn",
        CPGNN,
        "learns which classes link, and corrects a perceptron by it",
        WITH_HETEROPHILY,
        space={"lr": (0.01,), "weight_decay": (5e-4,), "dropout": (0.0, 0.5), "num_layers": (1, 2)},
        training={"lr": 0.01, "weight_decay": 5e-4, "weight_decay:compatibility": 0.0},
        aliases=("cpgnn-mlp",),
    ),
)
