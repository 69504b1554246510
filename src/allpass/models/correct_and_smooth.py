"""Correct and Smooth as a model: another model is trained first, then known labels mend its predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.direct import Direct, Examples
from allpass.models.entry import Model
from allpass.nn.correct_and_smooth import HUANG, CorrectAndSmooth
from allpass.nn.inputs import Features, Filter

BASE = "base"
"""The setting that names the model whose predictions are mended."""

_LEAST = 1e-6  # a probability below it counts as this much, so that its logarithm exists
_PREFIX = "base."


class CorrectedModel(Direct):
    """Any model with Correct and Smooth after it.

    The base model is trained by itself first, with its own default settings, and put in with :meth:`attach`.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes, or of numbers to regress; 1 for one of two classes by one logit.
        base: The model whose predictions are mended, by name.
        num_layers: Steps of the correction and of the smoothing.
        correct_alpha: Share of the neighbours in a step of the correction, from 0 to 1.
        smooth_alpha: The same for the smoothing.
        filter: The matrix that errors and predictions travel along, a name of ``allpass.graph.MATRICES``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        base: str = "mlp-2",
        num_layers: int = 50,
        correct_alpha: float = 0.8,
        smooth_alpha: float = 0.8,
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    ) -> None:
        self.in_channels, self.out_channels, self.base = in_channels, out_channels, base
        self.step = CorrectAndSmooth(
            num_layers=num_layers, correct_alpha=correct_alpha, smooth_alpha=smooth_alpha, filter=filter
        )
        self._model: nn.Module | Direct | None = None
        self._base_reads_labels = False

    def attach(self, model: nn.Module | Direct, *, reads_labels: bool) -> None:
        """Put in the base model; its predictions are mended from now on.

        Args:
            model: The model.
            reads_labels: Whether it is called with the labels of the training nodes.
        """
        self._model, self._base_reads_labels = model, reads_labels

    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:  # noqa: ARG002
        return self(examples.x, examples.graph, labels=examples.target, mask=examples.train)

    def __call__(
        self, x: Features, edge_index: Operator, *, labels: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        if self._model is None:
            raise InputError("The base model is not trained yet.", "Train it and attach it first.")
        if labels is None or mask is None:
            raise InputError(
                "Got no labels to correct by.", "Pass labels= and mask=, those of the training nodes."
            )
        given = {"labels": labels, "mask": mask} if self._base_reads_labels else {}
        with torch.no_grad():
            outputs = self._model(x, edge_index, **given)
            if labels.is_floating_point():
                return self.step(outputs, edge_index, labels=labels, mask=mask)
            one_logit = outputs.shape[1] == 1
            chances = (
                torch.cat([1 - outputs.sigmoid(), outputs.sigmoid()], 1) if one_logit else outputs.softmax(1)
            )
            mended = self.step(chances, edge_index, labels=labels, mask=mask).clamp(min=_LEAST)
            logits = (mended / mended.sum(1, keepdim=True)).log()
        return logits[:, 1:] - logits[:, :1] if one_logit else logits

    def state_dict(self) -> dict[str, Tensor]:
        state = {} if self._model is None else self._model.state_dict()
        return {_PREFIX + name: value for name, value in state.items()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        if self._model is None:
            raise InputError("There is no base model to load.", "Attach one first.")
        base = {name.removeprefix(_PREFIX): value for name, value in state.items()}
        if isinstance(self._model, nn.Module):
            self._model.to(
                next((part.dtype for part in base.values() if part.is_floating_point()), torch.float32)
            )
        self._model.load_state_dict(base)


ENTRIES = (
    Model(
        "correct-and-smooth",
        CorrectedModel,
        "mends the predictions of another model by the known labels around each node",
        HUANG,
        space={
            "correct_alpha": (0.5, 0.8, 0.95),
            "smooth_alpha": (0.5, 0.8, 0.95),
            "base": ("mlp-2", "feature-trees"),
        },
        training={},
        traits=frozenset({"fitted-directly", "uses-labels"}),
        aliases=("c&s",),
    ),
)
