"""Networks of polynomial filters: SGC, ChebNet, and a perceptron followed by APPNP, GPR or a Bernstein filter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from torch import Tensor, nn

from allpass.models.entry import GRID, Model
from allpass.models.mlp import mlp
from allpass.models.stack import Norm, Stack
from allpass.nn.activations import ActivationLike
from allpass.nn.bern import BERN, Beginning, BernFilter
from allpass.nn.cheby import CHEBY, ChebConv
from allpass.nn.dropout import Dropout
from allpass.nn.inputs import Features, Filter, Graph, read
from allpass.nn.pagerank import APPNP, GPR, PPNP, GPRFilter
from allpass.nn.polynomial import SGC, PolynomialFilter, SGConv


def sgc(
    in_channels: int,
    out_channels: int,
    *,
    hops: int = 2,
    filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
    bias: bool = False,
    dropout: float = 0.0,
) -> Stack:
    """One linear map of features averaged ``hops`` times.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hops: How often neighbours are averaged, 0 or more.
        filter: The matrix that averages, a name of ``allpass.graph.MATRICES``.
        bias: Add a bias.
        dropout: Probability of dropout of the input features.
    """
    layer = partial(SGConv, hops=hops, filter=filter, bias=bias)
    return Stack(layer, in_channels, out_channels, out_channels, num_layers=1, dropout=dropout)


def cheby(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    degree: int = 2,
    lambda_max: float = 2.0,
    filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    norm: Norm = "none",
) -> Stack:
    """Chebyshev filters in a row.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width in between.
        num_layers: Number of layers.
        degree: Degree of the polynomials, 0 or more; PyG counts terms, one more.
        lambda_max: What counts as the largest eigenvalue of the Laplacian.
        filter: The matrix S beside the Laplacian I - S, a name of ``allpass.graph.MATRICES``.
        activation: Between layers, a name of ``ACTIVATIONS``, a module or a function.
        dropout: Probability of dropout before every layer.
        norm: Between layer and activation: ``"none"``, ``"layer"``, ``"batch"`` or ``"pair"``.
    """
    layer = partial(ChebConv, degree=degree, lambda_max=lambda_max, filter=filter)
    return Stack(
        layer,
        in_channels,
        hidden_channels,
        out_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
        norm=norm,
    )


class Decoupled(nn.Module):
    """A perceptron predicts from the features alone, then a filter propagates the predictions.

    Args:
        encoder: The perceptron, called as ``encoder(x, edge_index)``.
        filter: The filter.
        dropout: Probability of dropout between the two.
    """

    def __init__(self, encoder: nn.Module, filter: PolynomialFilter, dropout: float = 0.0) -> None:  # noqa: A002
        super().__init__()
        self.encoder, self.dropout, self.filter = encoder, Dropout(dropout), filter

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        return self.filter(self.dropout(self.encoder(x, A)), A)

    def parameter_groups(self) -> dict[str, list[str]]:
        """The coefficients of the filter, which are trained without weight decay, as the group ``filter``."""
        return {"filter": [f"filter.{name}" for name, _ in self.filter.named_parameters()]}


def appnp(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    hops: int = 10,
    alpha: float = 0.1,
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    filter_dropout: float = 0.0,
    edge_dropout: float = 0.0,
) -> Decoupled:
    """Predict, then propagate by personalised PageRank.

    The authors decay the weights of the first layer alone (by 5e-3) and drop half of the edges in every step
    (``edge_dropout=0.5``); the tables of later papers decay all weights and drop none, as the defaults here.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the perceptron.
        num_layers: Layers of the perceptron.
        hops: Steps of the propagation, 0 or more.
        alpha: Share of the predictions that is put back in every step, from 0 to 1.
        filter: The matrix that predictions travel along, a name of ``allpass.graph.MATRICES``.
        activation: Between layers of the perceptron.
        dropout: Probability of dropout before every layer of the perceptron.
        filter_dropout: Probability of dropout between perceptron and propagation.
        edge_dropout: Probability of dropping an entry of the matrix, anew in every step.
    """
    encoder = mlp(
        in_channels,
        out_channels,
        hidden_channels=hidden_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )
    return Decoupled(encoder, APPNP(hops, alpha, filter=filter, edge_dropout=edge_dropout), filter_dropout)


def gprgnn(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    hops: int = 10,
    alpha: float = 0.1,
    init: str | Sequence[float] = "ppr",
    filter: Filter = "A_hat_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    filter_dropout: float = 0.5,
) -> Decoupled:
    """Predict, then propagate by PageRank with learned weights.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the perceptron.
        num_layers: Layers of the perceptron.
        hops: Steps of the propagation, 0 or more.
        alpha: What the first weights of the steps are made of, from 0 to 1.
        init: The first weights: ``"ppr"``, ``"nppr"``, ``"random"``, ``"sgc"``, or ``hops + 1`` numbers.
        filter: The matrix that predictions travel along, a name of ``allpass.graph.MATRICES``.
        activation: Between layers of the perceptron.
        dropout: Probability of dropout before every layer of the perceptron.
        filter_dropout: Probability of dropout between perceptron and propagation, the authors' ``dprate``.
    """
    encoder = mlp(
        in_channels,
        out_channels,
        hidden_channels=hidden_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )
    return Decoupled(encoder, GPRFilter(hops, alpha=alpha, init=init, filter=filter), filter_dropout)


def bernnet(
    in_channels: int,
    out_channels: int,
    *,
    hidden_channels: int = 64,
    num_layers: int = 2,
    degree: int = 10,
    init: Beginning = "ones",
    filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    activation: ActivationLike = "relu",
    dropout: float = 0.5,
    filter_dropout: float = 0.5,
) -> Decoupled:
    """Predict, then filter with a learned Bernstein polynomial.

    The authors begin with ``init="ones"``: an all-pass filter, so that the untrained network does not see the graph.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the perceptron.
        num_layers: Layers of the perceptron.
        degree: Degree of the polynomial, 0 or more.
        init: How the response begins: ``"ones"``, an all-pass filter, or ``"ramp"``, a falling line.
        filter: The matrix S beside the Laplacian I - S, a name of ``allpass.graph.MATRICES``.
        activation: Between layers of the perceptron.
        dropout: Probability of dropout before every layer of the perceptron.
        filter_dropout: Probability of dropout between perceptron and filter, the authors' ``dprate``.
    """
    encoder = mlp(
        in_channels,
        out_channels,
        hidden_channels=hidden_channels,
        num_layers=num_layers,
        activation=activation,
        dropout=dropout,
    )
    return Decoupled(encoder, BernFilter(degree, init=init, filter=filter), filter_dropout)


ENTRIES = (
    Model(
        "sgc-1",
        sgc,
        "averages neighbours once, then one linear map",
        SGC,
        preset={"hops": 1},
        space=GRID,
    ),
    Model(
        "sgc-2",
        sgc,
        "averages neighbours twice, then one linear map",
        SGC,
        preset={"hops": 2},
        space=GRID,
        numbered="hops",
        aliases=("sgc",),
    ),
    Model(
        "cheby",
        cheby,
        "stacks Chebyshev filters of the Laplacian",
        CHEBY,
        space={**GRID, "degree": (1, 2, 3)},
        aliases=("chebnet",),
    ),
    Model(
        "appnp",
        appnp,
        "predicts, then spreads predictions by personalised PageRank",
        PPNP,
        space={
            "lr": (0.002, 0.01, 0.05),
            "weight_decay": (0.0, 5e-4),
            "alpha": (0.1, 0.2, 0.5, 0.9),
            "dropout": (0.5,),
        },
    ),
    Model(
        "gprgnn",
        gprgnn,
        "predicts, then spreads predictions with a learned weight for each hop",
        GPR,
        space={
            "lr": (0.002, 0.01, 0.05),
            "weight_decay": (0.0, 5e-4),
            "alpha": (0.0, 0.1, 0.2, 0.5, 0.9, 1.0),
            "filter_dropout": (0.5, 0.7),
        },
        training={"lr": 0.01, "weight_decay": 5e-4, "weight_decay:filter": 0.0},
        aliases=("gpr-gnn",),
    ),
    Model(
        "bernnet",
        bernnet,
        "predicts, then filters with a learned response over all frequencies",
        BERN,
        space={
            "lr": (0.01, 0.05),
            "lr:filter": (0.001, 0.002, 0.01, 0.05),
            "weight_decay": (0.0, 5e-4),
            "filter_dropout": (0.0, 0.5, 0.6, 0.7, 0.9),
        },
        training={"lr": 0.01, "weight_decay": 5e-4, "weight_decay:filter": 0.0},
    ),
)
