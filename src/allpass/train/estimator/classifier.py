"""The estimator of classes at nodes."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.draft import many
from allpass.errors import InputError
from allpass.train.estimator.base import NodeEstimator
from allpass.train.estimator.given import Array, Nodes


class NodeClassifier(NodeEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no annotations
    """A classifier of nodes with scikit-learn's interface.

    It works in pipelines, ``cross_val_score`` and ``GridSearchCV``. These split rows and know no edges. To use them on
    a graph, pass it as ``graph=`` and give the numbers of nodes as ``X``.

    Settings of the model and options of the training are parameters: ``NodeClassifier("gcn", lr=0.05, epochs=300)``.
    Those left out have the defaults of :class:`~allpass.train.config.TrainingConfig` and of the model, as in
    :func:`~allpass.train.fit.fit` and on the command line.

    Args:
        model: A name of ``allpass.models.MODELS``.
        graph: A graph whose nodes are named by number in ``X``: anything that ``allpass.load`` takes.
        validation: Share of the training nodes, the same of every class, that decides when to stop and which epoch to
            keep, where no split and no mask names such nodes.
        random_state: Seed of the weights, the dropout and the validation nodes.
        **settings: Settings of the model (``allpass models NAME`` lists them), ``lr``, ``weight_decay``, and fields of
            :class:`~allpass.train.config.TrainingConfig`. ``class_weight`` may also be a weight for each class:
            ``{"fraud": 10, "fine": 1}``.

    Attributes:
        classes_: The classes, in the order of the columns of ``predict_proba``.
        n_features_in_: Number of features.
        feature_names_in_: Their names, where the data has some.
        trained_: The :class:`~allpass.train.trained.Trained` model with its scores; it can be saved.

    Example:
        >>> from allpass.data import contextual_sbm
        >>> graph = contextual_sbm([30, 30], [[4, 1], [1, 4]], num_features=8)
        >>> nodes = NodeClassifier("gcn", lr=0.05, epochs=50).fit(graph)
        >>> nodes.predict(graph)[:3], nodes.predict_proba(graph).shape
        (array([0, 0, 0]), (60, 2))
        >>> NodeClassifier("gcn", droput=0.3)
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: NodeClassifier has no parameter 'droput'. Did you mean 'dropout' or 'input_dropout'?
    """

    _task = "classification"

    def __init__(
        self,
        model: str = "acm-gcn",
        *,
        graph: Any = None,
        validation: float = 0.2,
        random_state: int | np.random.RandomState | None = 0,
        **settings: Any,
    ) -> None:
        super().__init__(model, graph=graph, validation=validation, random_state=random_state, **settings)

    def predict_proba(self, X: Any, *, edge_index: Any = None) -> Array:
        """The probability ``[N, C]`` of every class, in the order of ``classes_``.

        Args:
            X: As in ``predict``.
            edge_index: As in ``predict``.
        """
        check_is_fitted(self)
        graph, places = self._asked(X, edge_index)
        return self._probabilities(graph)[places]

    def _probabilities(self, graph: Data) -> Array:
        found: Array = self.trained_.probabilities(graph).numpy()
        some = found[:, self._columns]
        if len(self._columns) == found.shape[1]:
            return some
        return some / some.sum(axis=1, keepdims=True)  # a class without a label in training is no answer

    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        if graph.y.is_floating_point():
            raise InputError(
                "The labels of the graph are numbers to predict, not classes.",
                'Use NodeRegressor, or load the graph with task="classification" to make a class of each number.',
            )
        y, names = graph.y.numpy(), graph.get("class_names")
        words = np.arange(y.max(initial=0) + 1) if names is None else np.array(_numbers(names) or names)
        return words[np.maximum(y, 0)], y >= 0

    def _learnable(self, nodes: Nodes) -> Data:
        check_classification_targets(nodes.labels[nodes.known])
        self.classes_, first, codes = np.unique(
            nodes.labels[nodes.known], return_index=True, return_inverse=True
        )
        if len(self.classes_) < 2:
            raise InputError(
                f"Got labels of {many(len(self.classes_), 'class', 'classes')}.",
                "Label nodes of two classes or more.",
            )
        data, known = copy.copy(nodes.graph), torch.from_numpy(nodes.known)
        if nodes.codes is not None:  # as the other doors train
            data.y = torch.where(known, nodes.codes, -1)
            self._columns = nodes.codes[known].numpy()[first]
            return data
        data.class_names = [str(name) for name in self.classes_]
        data.y = torch.full((len(known),), -1)
        data.y[known] = torch.from_numpy(codes)
        self._columns = np.arange(len(self.classes_))
        return data

    def _weighed(self, nodes: Nodes, options: dict[str, Any]) -> tuple[Tensor | None, dict[str, Any]]:
        """Weights that are given by class become weights of the nodes."""
        weight, options = super()._weighed(nodes, options)
        given = options.get("class_weight")
        if not isinstance(given, Mapping):
            return weight, options
        each = compute_class_weight(dict(given), classes=self.classes_, y=nodes.labels[nodes.known])
        by_node = np.ones(len(nodes.known))
        by_node[nodes.known] = each[np.searchsorted(self.classes_, nodes.labels[nodes.known])]
        options = {name: value for name, value in options.items() if name != "class_weight"}
        found = torch.from_numpy(by_node)
        return found if weight is None else weight * found, options

    def _answer(self, graph: Data) -> Array:
        return self.classes_[self._probabilities(graph).argmax(axis=1)]

    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        return float(accuracy_score(truth, answer, sample_weight=weight))


def _numbers(names: Sequence[str]) -> list[int] | None:
    """Classes that were numbers, as numbers again."""
    try:
        return [int(name) for name in names]
    except ValueError:
        return None
