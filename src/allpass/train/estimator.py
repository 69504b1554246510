"""Networks with scikit-learn's manners: ``fit``, ``predict`` and ``score``, on graphs and on plain arrays."""

from __future__ import annotations

import copy
import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.data import BaseData

from allpass.data.arguments import share, whole_number
from allpass.data.draft import many, splits_of_masks
from allpass.data.load import load
from allpass.data.split_rules import stratified
from allpass.data.splits import Split
from allpass.errors import InputError, did_you_mean
from allpass.train.folds import train_folds
from allpass.train.rules.stopping import stopping

Array = NDArray[Any]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class _Nodes:
    """What is learnt from or judged on: a graph, its labels as the user knows them, and which of them are known."""

    graph: Data
    labels: Array
    known: NDArray[np.bool_]
    split: Split | None


def _names_settings(init: Callable[Concatenate[T, P], None]) -> Callable[Concatenate[T, P], None]:
    """Answer an argument that there is not: most such are settings of the model."""
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def made(self: T, /, *args: P.args, **given: P.kwargs) -> None:
        for name in given:
            if name not in known:
                near = did_you_mean(name, known)
                raise InputError(
                    f"{type(self).__name__} has no argument {name!r}.",
                    f"{near + ' ' if near.startswith('Did') else ''}Settings of the model, and lr and weight_decay, "
                    f"go into settings=, such as settings={{{name!r}: ...}}.",
                )
        init(self, *args, **given)

    return made


class _NodeEstimator:
    """What both estimators do; scikit-learn's classes come after it, so that ``score`` is this one."""

    _task: str

    @_names_settings
    def __init__(
        self,
        model: str = "acm-gcn",
        settings: Mapping[str, object] | None = None,
        *,
        validation: float = 0.2,
        epochs: int = 1000,
        patience: int = 100,
        scaling: str = "auto",
        undirected: bool = True,
        label_input: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        device: str | torch.device = "cpu",
    ) -> None:
        self.model = model
        self.settings = settings
        self.validation = validation
        self.epochs = epochs
        self.patience = patience
        self.scaling = scaling
        self.undirected = undirected
        self.label_input = label_input
        self.random_state = random_state
        self.device = device

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the classes that come after
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any = None, *, edge_index: Any = None, split: Split | None = None) -> Self:
        """Train on a graph, or on rows of features.

        Args:
            X: A graph: anything that ``allpass.load`` takes but a SciPy matrix. Or features ``[N, F]``.
            y: Labels ``[N]`` beside features, all of them known.
            edge_index: Edges ``[2, E]`` between the rows of features; by default there are none.
            split: Which nodes train and which validate. By default the masks of the graph say so; without masks
                every node with a label trains, but for the share ``validation``.
        """
        if not (self.settings is None or isinstance(self.settings, Mapping)):
            kind = type(self.settings).__name__
            raise InputError(f"Got settings of type {kind}.", 'Expected one choice, such as {"lr": 0.05}.')
        epochs = whole_number("epochs", self.epochs, least=1)
        patience = whole_number("patience", self.patience, least=1)
        seed = _seed(self.random_state)
        nodes = self._nodes(X, y, edge_index, split, fitting=True)
        data = self._learnable(nodes)
        (trained,) = train_folds(
            self.model,
            data,
            [self._sets(nodes, data.y, seed)],
            self.settings or {},
            seed=seed,
            stop=stopping("patience-loss", max_epochs=epochs, patience=patience),
            scaling=self.scaling,
            undirected=self.undirected,
            label_input=self.label_input,
            device=self.device,
            parts=("val",) if nodes.split is not None and nodes.split.val.any() else (),
            class_weight=self._class_weight(),
        )
        if trained.epoch is None:
            raise InputError(
                "The loss was no number from the first epoch on.", "Lower lr, or scale the features."
            )
        self.trained_ = trained
        return self

    def predict(self, X: Any, *, edge_index: Any = None) -> Array:
        """The class of every node, one of ``classes_``: the most likely one, also of rare classes; or its number.

        Args:
            X: A graph, the one that was trained on or another; or features ``[N, F]``.
            edge_index: Edges ``[2, E]`` between the rows of features; by default there are none.
        """
        check_is_fitted(self)
        return self._answer(self._graph(X, edge_index))

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        edge_index: Any = None,
        split: Split | None = None,
    ) -> float:
        """The accuracy, or R² of numbers, on test nodes; where no split or mask names any, on all that have a label.

        Args:
            X: A graph with labels, or features ``[N, F]``.
            y: Labels ``[N]`` beside features.
            sample_weight: Weights ``[N]`` of the nodes.
            edge_index: Edges ``[2, E]`` between the rows of features; by default there are none.
            split: Whose test nodes to judge on, in place of the masks of the graph.
        """
        check_is_fitted(self)
        nodes = self._nodes(X, y, edge_index, split, fitting=False)
        judged = nodes.known
        if nodes.split is not None and nodes.split.test.any():
            judged = judged & nodes.split.test.numpy()
        if not judged.any():
            raise InputError("There is no label to judge by.", "Give labels, or another split=.")
        weight = None if sample_weight is None else np.asarray(sample_weight)[judged]
        return self._measure(nodes.labels[judged], self._answer(nodes.graph)[judged], weight)

    def _graph(self, X: Any, edge_index: Any) -> Data:
        if not _is_graph(X):
            return self._of_rows(validate_data(self, X, accept_sparse="csr", reset=False), edge_index)
        if edge_index is not None:
            raise InputError("Got edge_index= beside a graph, which has its own edges.", "Leave it out.")
        return load(X) if self._task == "classification" else load(X, task=self._task)

    def _of_rows(self, x: Any, edge_index: Any) -> Data:
        """Rows of features and edges between them, checked like every graph."""
        data = Data(x=x, num_nodes=x.shape[0])
        data.edge_index = (
            torch.empty((2, 0), dtype=torch.int64) if edge_index is None else torch.as_tensor(edge_index)
        )
        if hasattr(self, "feature_names_in_"):
            data.feature_names = self.feature_names_in_.tolist()
        return load(data)

    def _nodes(self, X: Any, y: Any, edge_index: Any, split: Split | None, *, fitting: bool) -> _Nodes:
        if not _is_graph(X):
            numeric = self._task == "regression"
            X, y = validate_data(self, X, y, accept_sparse="csr", y_numeric=numeric, reset=fitting)
            graph, labels, known = self._of_rows(X, edge_index), y, np.ones(len(y), dtype=bool)
        else:
            graph = self._graph(X, edge_index)
            if y is not None:
                raise InputError("Got y beside a graph, which has its own labels.", "Set them as data.y.")
            if graph.y is None:
                raise InputError(f"The graph {graph.name!r} has no labels y.", "Set data.y.")
            if graph.x is None:
                raise InputError(
                    f"The graph {graph.name!r} has no features x.",
                    "Make some with allpass.load(..., features_from='degree'), or set data.x.",
                )
            if fitting:
                self._note_features(graph)
            labels, known = self._words(graph)
            split = split or _stored_split(X, graph)
        if split is not None and len(split.train) != len(known):
            raise InputError(
                f"Got a split of {len(split.train)} nodes for {len(known)}.", "Give one of this graph."
            )
        return _Nodes(graph, labels, known, split)

    def _note_features(self, graph: Data) -> None:
        self.n_features_in_ = graph.num_features
        names = graph.get("feature_names")
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _sets(self, nodes: _Nodes, target: Tensor, seed: int) -> Split:
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
                    "Got validation=1, which leaves nothing to learn from.", "Pass less, such as 0.2."
                )
            rng = np.random.default_rng([seed, *b"validation"])  # not what else a seed has drawn
            chosen = stratified(torch.where(train, kinds, -1).numpy(), rng, train=1 - held, val=0)[2]
            val[torch.from_numpy(chosen)] = True
            train = train & ~val
        if not (train.any() and val.any()):
            raise InputError(
                f"Got {many(int((train | val).sum()), 'sample')} to learn from and to validate on.",
                "Label more nodes.",
            )
        return Split(train, val, test, name=given.name, seed=seed)

    def _class_weight(self) -> str | None:
        """How classes count in the loss; numbers have none."""
        return None

    @abstractmethod
    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        """The labels of a graph as its user knows them, and which of them are known."""

    @abstractmethod
    def _learnable(self, nodes: _Nodes) -> Data:
        """The graph with the labels that a network learns, -1 or NaN where nothing is known."""

    @abstractmethod
    def _answer(self, graph: Data) -> Array:
        """What the network says, as the user knows labels."""

    @abstractmethod
    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        """How good the answer is."""


class NodeClassifier(_NodeEstimator, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no annotations
    """A network that tells the classes of nodes, with scikit-learn's manners.

    It stands wherever a scikit-learn classifier stands: in pipelines, in ``cross_val_score``, in ``GridSearchCV``.
    These cut rows of features apart and know no edges; with a graph, call the methods themselves.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: Of the model, and ``lr`` and ``weight_decay``; those left out are the model's own.
        validation: Share of the training nodes, the same of every class, that decides when to stop and which epoch
            to keep, where no split and no mask names such nodes.
        epochs: The most epochs.
        patience: How many epochs may pass without a lower validation loss.
        scaling: How features are scaled: ``"none"``, ``"rows"``, ``"columns"``, or ``"auto"``, by their kind.
        undirected: Take edges as going both ways.
        label_input: Let networks read the labels of the training nodes as features.
        random_state: Decides the weights, the masks of dropout and the validation nodes.
        device: Where to train.
        class_weight: ``"balanced"`` lets all classes count the same in the loss of the training nodes; ``None`` or
            ``"none"`` lets all nodes count the same.

    Attributes:
        classes_: The classes, in the order of the columns of ``predict_proba``.
        n_features_in_: Number of features.
        feature_names_in_: Their names, where the data has some.
        trained_: The :class:`~allpass.train.trained.Trained` network, with its scores; it can be saved.

    Example:
        >>> from allpass.data import contextual_sbm
        >>> graph = contextual_sbm([30, 30], [[4, 1], [1, 4]], num_features=8)
        >>> nodes = NodeClassifier("gcn", epochs=50).fit(graph)
        >>> nodes.predict(graph)[:3], nodes.predict_proba(graph).shape
        (array([0, 0, 0]), (60, 2))
    """

    _task = "classification"

    @_names_settings
    def __init__(
        self,
        model: str = "acm-gcn",
        settings: Mapping[str, object] | None = None,
        *,
        validation: float = 0.2,
        epochs: int = 1000,
        patience: int = 100,
        scaling: str = "auto",
        undirected: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        device: str | torch.device = "cpu",
        label_input: bool = False,
        class_weight: str | None = None,
    ) -> None:
        super().__init__(
            model,
            settings,
            validation=validation,
            epochs=epochs,
            patience=patience,
            scaling=scaling,
            undirected=undirected,
            random_state=random_state,
            device=device,
            label_input=label_input,
        )
        self.class_weight = class_weight

    def _class_weight(self) -> str | None:
        return self.class_weight

    def predict_proba(self, X: Any, *, edge_index: Any = None) -> Array:
        """The probability ``[N, C]`` of every class, in the order of ``classes_``.

        Args:
            X: A graph, the one that was trained on or another; or features ``[N, F]``.
            edge_index: Edges ``[2, E]`` between the rows of features; by default there are none.
        """
        check_is_fitted(self)
        return self.trained_.probabilities(self._graph(X, edge_index)).numpy()

    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        if graph.y.is_floating_point():
            raise InputError(
                "The labels of the graph are numbers to predict, not classes.",
                'Use NodeRegressor, or load the graph with task="classification" to make a class of each number.',
            )
        y, names = graph.y.numpy(), graph.get("class_names")
        words = np.arange(y.max(initial=0) + 1) if names is None else np.array(_numbers(names) or names)
        return words[np.maximum(y, 0)], y >= 0

    def _learnable(self, nodes: _Nodes) -> Data:
        check_classification_targets(nodes.labels)
        self.classes_, codes = np.unique(nodes.labels[nodes.known], return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"Got labels of {many(len(self.classes_), 'class', 'classes')}: there is nothing to tell apart.",
                "Label nodes of two classes or more.",
            )
        data = copy.copy(nodes.graph)
        data.class_names = [str(name) for name in self.classes_]
        data.y = torch.full((len(nodes.known),), -1)
        data.y[torch.from_numpy(nodes.known)] = torch.from_numpy(codes)
        return data

    def _answer(self, graph: Data) -> Array:
        return self.classes_[self.trained_.probabilities(graph).argmax(dim=1).numpy()]

    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        return float(accuracy_score(truth, answer, sample_weight=weight))


class NodeRegressor(_NodeEstimator, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # no annotations
    """A network that tells a number of every node; everything else is as in :class:`NodeClassifier`.

    Numbers are learnt with mean 0 and deviation 1, and told in their own unit. ACM networks end in a ReLU and can
    tell nothing below the mean; give them another: ``settings={"activation": "elu"}``.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: As there.
        validation: As there; of all training nodes alike.
        epochs: As there.
        patience: As there.
        scaling: As there.
        undirected: As there.
        random_state: As there.
        device: As there.
    """

    _task = "regression"

    @_names_settings
    def __init__(
        self,
        model: str = "sage",
        settings: Mapping[str, object] | None = None,
        *,
        validation: float = 0.2,
        epochs: int = 1000,
        patience: int = 100,
        scaling: str = "auto",
        undirected: bool = True,
        label_input: bool = False,
        random_state: int | np.random.RandomState | None = 0,
        device: str | torch.device = "cpu",
    ) -> None:
        super().__init__(
            model,
            settings,
            validation=validation,
            epochs=epochs,
            patience=patience,
            scaling=scaling,
            undirected=undirected,
            label_input=label_input,
            random_state=random_state,
            device=device,
        )

    def _words(self, graph: Data) -> tuple[Array, NDArray[np.bool_]]:
        if not graph.y.is_floating_point():
            raise InputError(
                "The graph was loaded with classes for labels.",
                'Load it with task="regression", or use NodeClassifier.',
            )
        y = graph.y.numpy()
        return y, ~np.isnan(y)

    def _learnable(self, nodes: _Nodes) -> Data:
        data = copy.copy(nodes.graph)
        data.y = torch.from_numpy(nodes.labels.astype(np.float32))
        return data

    def _answer(self, graph: Data) -> Array:
        return self.trained_.predict(graph)

    def _measure(self, truth: Array, answer: Array, weight: Array | None) -> float:
        return float(r2_score(truth, answer, sample_weight=weight))


def _seed(state: Any) -> int:
    return int(state) if isinstance(state, Integral) else int(check_random_state(state).randint(2**31 - 1))


def _is_graph(X: Any) -> bool:
    return isinstance(X, (str, Path, BaseData)) or (hasattr(X, "adj") and hasattr(X, "is_directed"))


def _stored_split(given: Any, graph: Data) -> Split | None:
    """What the masks of a graph say."""
    names = {part: f"{part}_mask" for part in ("train", "val", "test")} if isinstance(given, Data) else {}
    masks = {part: given[name].cpu().numpy() for part, name in names.items() if name in given}
    stored = (graph.get("stored_splits") or {}).get("stored", [])
    found = splits_of_masks(masks, len(graph.y)) if masks else stored  # masks may be newer than the account
    if len(found) > 1:
        raise InputError(
            f"The masks of the graph are {len(found)} splits.", 'Pass one: split=splits(data, "stored")[0].'
        )
    return found[0] if found else None


def _numbers(names: Sequence[str]) -> list[int] | None:
    """Classes that were numbers, as numbers again."""
    try:
        return [int(name) for name in names]
    except ValueError:
        return None
