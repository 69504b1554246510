"""Label propagation: what the graph and the known labels say without any feature."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from torch import Tensor, nn

from allpass.errors import InputError
from allpass.models.entry import Model
from allpass.nn.inputs import Features, Filter, Graph
from allpass.nn.label_propagation import LITTLE, ZHOU, LabelPropagation, one_hot

_LEAST = 1e-12  # a share below it counts as this much, so that its logarithm exists

Output: TypeAlias = Literal["log-shares", "scores"]


class LabelPropagationModel(nn.Module):
    r"""The labels of the training nodes, spread over the edges; nothing is trained.

    Classes come out as logarithms of shares,
    :math:`\log \frac{Y_{ic} + \epsilon p_c}{\sum_k Y_{ik} + \epsilon}`, with the class shares p among the training
    nodes and :math:`\epsilon = 10^{-3}`: a node out of reach of all labels gets p. Numbers come out as weighted means.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers; 1 for one of two classes by one logit.
        num_layers: Steps that labels travel.
        alpha: Share of the neighbours in every step, from 0 to 1.
        filter: The matrix that labels travel along, a name of ``allpass.graph.MATRICES``.
        clamp: After every step set the training nodes back to their labels.
        clip: After every step cut the scores to [0, 1].
        output: For classes ``"log-shares"``, or the ``"scores"`` Y themselves.
    """

    def __init__(
        self,
        in_channels: int,  # noqa: ARG002 - called like every model
        out_channels: int,
        *,
        num_layers: int = 50,
        alpha: float = 0.9,
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
        clamp: bool = False,
        clip: bool = False,
        output: Output = "log-shares",
    ) -> None:
        super().__init__()
        if output not in get_args(Output):
            raise InputError(f"Got output = {output!r}.", f"Expected one of {', '.join(get_args(Output))}.")
        self.out_channels, self.output = out_channels, output
        self.spread = LabelPropagation(
            max(out_channels, 2), num_layers=num_layers, alpha=alpha, filter=filter, clamp=clamp, clip=clip
        )

    def forward(
        self,
        x: Features,
        edge_index: Graph,
        edge_weight: Tensor | None = None,
        *,
        labels: Tensor,
        mask: Tensor,
    ) -> Tensor:
        Y = self.spread(x, edge_index, edge_weight, labels=labels, mask=mask)
        if labels.is_floating_point():
            return Y
        if self.output == "log-shares":
            known = one_hot(labels, mask, Y.shape[1], Y.dtype)
            prior = known.sum(0) / known.sum().clamp(min=1)
            Y = ((Y + LITTLE * prior) / (Y.sum(1, keepdim=True) + LITTLE)).clamp(min=_LEAST).log()
        return Y[:, 1:] - Y[:, :1] if self.out_channels == 1 else Y


ENTRIES = (
    Model(
        "label-propagation",
        LabelPropagationModel,
        "spreads the training labels over the edges; no features, no weights",
        ZHOU,
        space={"alpha": (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99), "filter": ("A_sym", "A_rw")},
        training={},
        traits=frozenset({"parameter-free", "uses-labels", "ignores-features"}),
        added={"output": "scores"},
        aliases=("lp",),
    ),
)
