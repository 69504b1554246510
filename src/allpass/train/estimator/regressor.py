"""The estimator of numbers at nodes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import r2_score
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.train.estimator.base import NodeEstimator
from allpass.train.estimator.given import Array, Nodes


class NodeRegressor(NodeEstimator, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # no annotations
    """A regressor of nodes with scikit-learn's interface; parameters are those of ``NodeClassifier``.

    Numbers are learnt with mean 0 and deviation 1, and predicted in their own unit. ACM networks end in a ReLU, so
    they cannot predict below the mean; give them another activation: ``NodeRegressor("acm-gcn", activation="elu")``.

    Args:
        model: A name of ``allpass.models.MODELS``.
        graph: A graph whose nodes are named by number in ``X``.
        validation: Share of the training nodes that decides when to stop and which epoch to keep, where no split and
            no mask names such nodes.
        random_state: Seed of the weights, the dropout and the validation nodes.
        **settings: Settings of the model, ``lr``, ``weight_decay``, and fields of
            :class:`~allpass.train.config.TrainingConfig`.
    """

    _task = "regression"

    def __init__(
        self,
        model: str = "sage",
        *,
        graph: Any = None,
        validation: float = 0.2,
        random_state: int | np.random.RandomState | None = 0,
        **settings: Any,
    ) -> None:
        super().__init__(model, graph=graph, validation=validation, random_state=random_state, **settings)

    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        if not graph.y.is_floating_point():
            raise InputError(
                "The graph was loaded with classes for labels.",
                'Load it with task="regression", or use NodeClassifier.',
            )
        y = graph.y.numpy()
        return y, ~np.isnan(y)

    def _learnable(self, nodes: Nodes) -> Data:
        data = copy.copy(nodes.graph)
        labels = np.where(nodes.known, nodes.labels.astype(np.float64), np.nan)
        data.y = nodes.codes if nodes.codes is not None else torch.from_numpy(labels.astype(np.float32))
        return data

    def _answer(self, graph: Data) -> Array:
        return self.trained_.predict(graph)

    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        return float(r2_score(truth, answer, sample_weight=weight))
