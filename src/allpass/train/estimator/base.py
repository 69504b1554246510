"""What the estimators of classes and of numbers share: reading what is given, training, judging."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    column_or_1d,
    validate_data,
)
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.draft import many
from allpass.data.load import load
from allpass.data.split_rules import stratified
from allpass.data.splits import Split
from allpass.data.structural import with_constant_feature
from allpass.errors import InputError
from allpass.models.catalog import resolve
from allpass.train.estimator.given import Array, Nodes, is_graph, of_rows, places_of, spread, stored_split
from allpass.train.estimator.parameters import Parameters
from allpass.train.folds import train_folds


class NodeEstimator(Parameters):
    """An estimator of labels at nodes; scikit-learn's mixins come after it, so ``score`` is the one defined here."""

    _task: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the bases after this one
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        edge_index: Any = None,
        split: Split | None = None,
    ) -> Self:
        """Train on a graph, on rows of features, or on some nodes of ``graph``.

        Args:
            X: A graph: anything that ``allpass.load`` takes except a SciPy matrix. Or features ``[N, F]``. With the
                parameter ``graph``: the numbers of the nodes to learn from.
            y: Labels of the rows or nodes.
            sample_weight: How much each node, row or number counts in the loss where it trains.
            edge_index: Edges ``[2, E]`` between rows of features; by default there are none.
            split: Which nodes train and which validate, by default the masks of the graph. Without masks every node
                with a label trains, except the share ``validation``.
        """
        seed = _seed(self.random_state)
        nodes = self._nodes(X, y, edge_index, split, sample_weight, fitting=True)
        data = self._learnable(nodes)
        weight, options = self._weighed(nodes, self._options)
        (trained,) = train_folds(
            self.model,
            data,
            [self._sets(nodes, data.y, seed)],
            self._model_settings,
            seed=seed,
            parts=("val",) if nodes.split is not None and nodes.split.val.any() else (),
            sample_weight=weight,
            **options,
        )
        if trained.epoch is None:
            raise InputError(
                "Training diverged: the loss was NaN from the first epoch.",
                "Lower lr, or scale the features.",
            )
        self.trained_ = trained
        self._has_edges = data.num_edges > 0 and "graph" in resolve(self.model)[0].needs
        return self

    def predict(self, X: Any, *, edge_index: Any = None) -> Array:
        """The class of every node, one of ``classes_``, or its number. The class is the most likely one.

        Args:
            X: A graph, the one that was trained on or another; or features ``[N, F]``; or, with the parameter
                ``graph``, the numbers of nodes.
            edge_index: Edges ``[2, E]`` between rows of features. A model that was trained with edges needs them.
        """
        check_is_fitted(self)
        graph, places = self._asked(X, edge_index)
        return self._answer(graph)[places]

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        edge_index: Any = None,
        split: Split | None = None,
    ) -> float:
        """The accuracy, or R² of numbers, on test nodes; on all labelled nodes where no split or mask names any.

        Args:
            X: A graph with labels, features ``[N, F]``, or the numbers of nodes.
            y: Labels of the rows or nodes.
            sample_weight: Weights of the nodes, rows or numbers.
            edge_index: Edges ``[2, E]`` between rows of features.
            split: Whose test nodes to judge on, in place of the masks of the graph.
        """
        check_is_fitted(self)
        nodes = self._nodes(X, y, edge_index, split, sample_weight, fitting=False)
        judged = nodes.known
        if nodes.split is not None and nodes.split.test.any():
            judged = judged & nodes.split.test.numpy()
        if not judged.any():
            raise InputError("There is no label to judge by.", "Give labels, or another split=.")
        weight = None if nodes.weight is None else nodes.weight[judged]
        return self._measure(nodes.labels[judged], self._answer(nodes.graph)[judged], weight)

    def _asked(self, X: Any, edge_index: Any) -> tuple[Data, Any]:
        """The graph to predict on, and the nodes that are asked for."""
        if is_graph(X):
            self._refuse_edges(edge_index, "a graph")
            return self._load(X), slice(None)
        if self.graph is not None:
            self._refuse_edges(edge_index, "the parameter graph")
            graph = self._load(self.graph)
            return graph, places_of(X, graph)
        x = validate_data(self, X, accept_sparse="csr", reset=False)
        return self._rows(x, edge_index, fitting=False), slice(None)

    def _load(self, given: Any) -> Data:
        graph = load(given) if self._task == "classification" else load(given, task=self._task)
        if "ignores-features" in resolve(self.model)[0].traits:
            graph = with_constant_feature(graph)
        if graph.x is None:
            raise InputError(
                f"The graph {graph.name!r} has no features x.",
                "Make some with allpass.load(..., features_from='degree'), or take a model of the structure, such as "
                "'structure-trees'.",
            )
        return graph

    def _rows(self, x: Any, edge_index: Any, *, fitting: bool) -> Data:
        if edge_index is None and not fitting and self._has_edges:
            raise InputError(
                "The model was fitted with edges, and got rows of features without any.",
                "Pass edge_index=; for nodes without neighbours an empty one, np.empty((2, 0), dtype=int).",
            )
        return of_rows(x, edge_index, getattr(self, "feature_names_in_", None))

    def _nodes(
        self,
        X: Any,
        y: Any,
        edge_index: Any,
        split: Split | None,
        sample_weight: Any,
        *,
        fitting: bool,
    ) -> Nodes:
        if is_graph(X):
            self._refuse_edges(edge_index, "a graph")
            if y is not None:
                raise InputError("Got y beside a graph, which has its own labels.", "Set them as data.y.")
            nodes = self._of_graph(self._load(X), fitting=fitting)
            split = split or stored_split(X, nodes.graph)
            weight = _checked_weight(sample_weight, nodes.graph)
        elif self.graph is not None:
            self._refuse_edges(edge_index, "the parameter graph")
            nodes, weight = self._of_places(X, y, sample_weight, fitting=fitting)
        else:
            numeric = self._task == "regression"
            x, y = validate_data(self, X, y, accept_sparse="csr", y_numeric=numeric, reset=fitting)
            nodes = Nodes(self._rows(x, edge_index, fitting=fitting), y, np.ones(len(y), dtype=bool))
            weight = _checked_weight(sample_weight, x)
        if split is not None and len(split.train) != len(nodes.known):
            raise InputError(
                f"Got a split of {len(split.train)} nodes for {len(nodes.known)}.", "Give one of this graph."
            )
        return Nodes(nodes.graph, nodes.labels, nodes.known, split, nodes.codes, weight)

    def _of_graph(self, graph: Data, *, fitting: bool) -> Nodes:
        if graph.y is None:
            raise InputError(f"The graph {graph.name!r} has no labels y.", "Set data.y.")
        if fitting:
            self._note_features(graph)
        labels, known = self._words(graph)
        return Nodes(graph, labels, known, codes=graph.y)

    def _of_places(self, X: Any, y: Any, sample_weight: Any, *, fitting: bool) -> tuple[Nodes, Array | None]:
        """Some nodes of the graph: the labels of all others are hidden."""
        graph = self._load(self.graph)
        places = places_of(X, graph)
        weight = _checked_weight(sample_weight, places)
        weight = None if weight is None else spread(weight, places, graph.num_nodes, 0)
        if y is None:
            nodes = self._of_graph(graph, fitting=fitting)
            chosen = spread(np.ones(len(places), dtype=bool), places, graph.num_nodes, False)
            return Nodes(graph, nodes.labels, nodes.known & chosen, codes=nodes.codes), weight
        labels = column_or_1d(y, warn=True)
        if len(labels) != len(places):
            raise InputError(f"Got {len(labels)} labels for {len(places)} nodes.", "Pass one for each node.")
        if fitting:
            self._note_features(graph)
        known = spread(np.ones(len(places), dtype=bool), places, graph.num_nodes, False)
        return Nodes(graph, spread(labels, places, graph.num_nodes, labels[0]), known), weight

    def _note_features(self, graph: Data) -> None:
        self.n_features_in_ = graph.num_features
        names = graph.get("feature_names")
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _sets(self, nodes: Nodes, target: Tensor, seed: int) -> Split:
        """Training, validation and test nodes, all with a label."""
        known = torch.from_numpy(nodes.known)
        none = torch.zeros_like(known)
        given = nodes.split or Split(known, none, none, name="labelled")
        train, val, test = (mask & known for mask in (given.train, given.val, given.test))
        if not val.any():
            kinds = none.long() if target.is_floating_point() else target
            held = share("validation", self.validation, above_zero=True)
            if held == 1:
                raise InputError(
                    "Got validation=1, which leaves no training nodes.", "Pass less, such as 0.2."
                )
            rng = np.random.default_rng([seed, *b"validation"])  # apart from other draws of this seed
            chosen = stratified(torch.where(train, kinds, -1).numpy(), rng, train=1 - held, val=0)[2]
            val[torch.from_numpy(chosen)] = True
            train = train & ~val
        if not (train.any() and val.any()):
            raise InputError(
                f"Got {many(int((train | val).sum()), 'sample')} for training and validation together.",
                "Label more nodes.",
            )
        return Split(train, val, test, name=given.name, seed=seed)

    def _weighed(self, nodes: Nodes, options: dict[str, Any]) -> tuple[Tensor | None, dict[str, Any]]:
        """The weights of the nodes, and the training options that remain."""
        return None if nodes.weight is None else torch.from_numpy(nodes.weight), options

    @staticmethod
    def _refuse_edges(edge_index: Any, what: str) -> None:
        if edge_index is not None:
            raise InputError(f"Got edge_index= beside {what}, which has its own edges.", "Leave it out.")

    @abstractmethod
    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        """The labels of a graph as its user writes them, and which of them are known."""

    @abstractmethod
    def _learnable(self, nodes: Nodes) -> Data:
        """The graph with the labels that a model learns, -1 or NaN where a label is unknown."""

    @abstractmethod
    def _answer(self, graph: Data) -> Array:
        """The prediction for every node, as the user writes labels."""

    @abstractmethod
    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        """How good predictions are."""


def _seed(state: Any) -> int:
    if isinstance(state, Integral):
        return whole_number("random_state", int(state), least=0)
    return int(check_random_state(state).randint(2**31 - 1))


def _checked_weight(given: Any, like: Any) -> Array | None:
    """Weights of nodes as scikit-learn checks them; None for none."""
    if given is None:
        return None
    like = np.empty((like.num_nodes, 0)) if isinstance(like, Data) else like
    count, wanted = np.asarray(given).size, _num_samples(like)
    if count not in (1, wanted):
        raise InputError(
            f"Got {count:,} weights in sample_weight for {wanted:,} rows or nodes.", "Pass one each."
        )
    found: Array = _check_sample_weight(given, like, ensure_non_negative=True)
    return found
