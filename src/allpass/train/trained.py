"""What remains of a training: a network with all it takes to use it again, on the same nodes or on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.data.structural import check_same_nodes, with_constant_feature, with_features_like
from allpass.data.tables.encodings import Encoding, completed
from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.adjacency import FOURTH, NETWORK
from allpass.models.catalog import resolve
from allpass.models.correct_and_smooth import BASE
from allpass.models.direct import Direct
from allpass.models.entry import LABEL_INPUT
from allpass.nn.inputs import Features, as_features
from allpass.nn.mixing import ChannelMixing
from allpass.train import network, predictions, reading
from allpass.train.adjacency import adjacency
from allpass.train.alignment import aligned, check_words, fills_of, rows_of
from allpass.train.fit import Replica
from allpass.train.job import device_of
from allpass.train.places import hash_of_ids, ids_of, places_by_id, reordered, taken
from allpass.train.rare import Threshold, best_threshold, rarer_class
from allpass.train.rules.scores import SCORES
from allpass.train.runs.versions import versions
from allpass.train.scaling import Scaler
from allpass.train.shown import trained_table, trained_text

if TYPE_CHECKING:
    import pandas as pd

SETS = {"train": 1, "val": 2, "test": 3}
"""What ``Trained.sets`` has for the nodes of each set of the split; 0 for the others."""

CHANNELS = ("low", "high", "identity")
"""The channels of a layer that mixes and does not name them."""


class StoredGraph(Protocol):
    """The graph of a training in a file."""

    def read(self, trained: Trained) -> Data:
        """Read it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Trained:
    """A trained network and what belongs to it.

    Args:
        model: Its name in ``allpass.models.MODELS``.
        settings: Everything that was chosen, of the model and of the training.
        weights: What its state dict holds, on the CPU.
        in_channels: Number of features.
        out_channels: Number of outputs.
        num_nodes: Number of nodes of the graph that it was trained on.
        task: ``"classification"``, ``"binary"`` or ``"regression"``.
        score: What it is measured by.
        scaler: What is done to features first.
        undirected: Whether edges are taken as going both ways.
        units: How the numbers it regresses were scaled for the training; its outputs are in their own units again.
        class_names: A name for each class, where the data has some.
        feature_names: A name for each feature, where the data has some.
        fills: What stood for missing numbers in the data, by the name of the feature.
        labels: Labels of the training nodes, for models that are called with them: classes ``[N]``, -1 elsewhere, or
            numbers in the units of the training, NaN elsewhere.
        sets: Which set of the split each node of the training was in, a number of :data:`SETS`.
        graph: The graph it was trained on, which new nodes can be joined to; see :meth:`with_graph`.
        encodings: How the columns of a table were read; ``allpass.load(..., encodings=trained.encodings)`` reads
            another table in the same way.
        threshold: When the rarer of two classes is predicted; without one the more likely class is.
        scores: Losses and scores at the reported epoch.
        estimate: The test score over the splits of its training: ``mean``, ``low``, ``high``, ``count``, ...
        refit: Whether it was trained on all labels afterwards, so that no node is left to test it by.
        dataset: The name of the graph, for people.
        fingerprint: The hash of its content.
        nodes: The hash of its node ids in their order, where it has some.
        split: The name of the split.
        seed: The seed of weights and dropout.
        epoch: The reported epoch.
        versions: Versions and machine by name.
        device: Where predictions are computed.
    """

    model: str
    settings: Mapping[str, object]
    weights: Mapping[str, Tensor]
    in_channels: int
    out_channels: int
    num_nodes: int
    task: str
    score: str
    scaler: Scaler
    undirected: bool = True
    units: Scaler | None = None
    class_names: tuple[str, ...] | None = None
    feature_names: tuple[str, ...] | None = None
    fills: Mapping[str, float] = field(default_factory=dict)
    encodings: tuple[Encoding, ...] = ()
    threshold: Threshold | None = None
    labels: Tensor | None = None
    sets: Tensor | None = None
    graph: Data | StoredGraph | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    estimate: Mapping[str, float | None] = field(default_factory=dict)
    refit: bool = False
    dataset: str = ""
    fingerprint: str = ""
    nodes: str = ""
    split: str = ""
    seed: int = 0
    epoch: int | None = None
    versions: Mapping[str, str] = field(default_factory=versions)
    device: torch.device | str = "cpu"

    def __repr__(self) -> str:
        return trained_text(self)

    def _repr_html_(self) -> str:
        return trained_table(self)

    @classmethod
    def of(cls, replica: Replica, data: Data) -> Trained:
        """What a training leaves, ready to predict.

        Args:
            replica: The training.
            data: The graph it was trained on.

        Example:
            >>> from allpass.data import contextual_sbm, splits
            >>> from allpass.train import fit
            >>> data = contextual_sbm([30, 30], [[0.9, 0.1], [0.1, 0.9]], num_features=4)
            >>> (run,) = fit("gcn", data, splits(data, "random", count=1), epochs=50)
            >>> trained = Trained.of(run, data)
            >>> trained.predict(data)[:3]
            array([0, 0, 0])
        """
        config, units = replica.config, replica.units
        entry, task = resolve(replica.model)[0], config.recipe(data).task
        data = with_constant_feature(data) if "ignores-features" in entry.traits else data
        names, scaler = _names(data, "feature_names"), Scaler.of(data.x, config.scaling)
        fills = fills_of(data.x, names)
        trained = cls(
            model=replica.model,
            settings=dict(replica.settings),
            weights=dict(replica.weights),
            in_channels=data.x.shape[1],
            out_channels=task.out_channels(data.y),
            num_nodes=data.num_nodes,
            task=task.name,
            score=task.score,
            scaler=scaler,
            undirected=config.undirected,
            units=units,
            class_names=_names(data, "class_names"),
            feature_names=names,
            fills=fills,
            labels=_shown(data.y, replica.split.train, units)
            if entry.reads_labels(replica.settings)
            else None,
            sets=_sets(replica.split),
            encodings=known_fills(data.get("encodings") or (), names, fills, scaler),
            scores=dict(replica.scores),
            dataset=str(data.get("name") or ""),
            fingerprint=str(data.get("fingerprint") or ""),
            nodes=hash_of_ids(data),
            split=replica.split.name,
            seed=replica.seed,
            epoch=replica.epoch,
        )
        return trained if units is None else replace(trained, scores=trained._measured(data, replica.split))

    def with_threshold(self, data: Data, split: Split) -> Trained:
        """The same; where the rarer of two classes is rare, with the best threshold on validation nodes."""
        if self.num_classes != 2 or self.epoch is None:
            return self
        (positive, rare), value = rarer_class(data.y), None
        if rare:
            chances = self.probabilities(data)[split.val, positive]
            value = best_threshold(chances, data.y[split.val] == positive)
        return replace(self, threshold=Threshold(positive, value))

    def at(self, threshold: float) -> Trained:
        """The same with another threshold: the rarer of two classes is predicted from this probability on.

        Args:
            threshold: A probability.
        """
        if self.num_classes != 2:
            what = f"{self.num_classes} classes" if self.num_classes else "numbers"
            raise InputError(f"Got threshold={threshold} for a model of {what}.", "It is for two classes.")
        positive = (
            1 if self.threshold is None else self.threshold.positive
        )  # older checkpoints do not name it
        return replace(self, threshold=Threshold(positive, threshold))

    def on(self, device: torch.device | str) -> Trained:
        """The same, computing on another device; predictions come back to the CPU.

        Args:
            device: ``"cpu"``, ``"cuda"``, or ``"auto"`` for CUDA where there is one.
        """
        return replace(self, device=device_of(device))

    def with_graph(self, data: Data | None) -> Trained:
        """The same with the graph of its training, for new nodes that link to it; ``None`` takes it away.

        Args:
            data: The graph. ``allpass.train.save`` writes it too.
        """
        return replace(self, graph=data)

    @cached_property
    def training_graph(self) -> Data:
        """The graph of the training; complains where it was not kept."""
        if self.graph is None:
            raise InputError(
                f"The model {self.model!r} was kept without the graph of its training.",
                "Pass a graph; or train without --no-graph, in Python with save(trained.with_graph(data), folder).",
            )
        return self.graph if isinstance(self.graph, Data) else self.graph.read(self)

    def read(self, target: Any = None, **given: Any) -> Data:
        """A graph in the columns of the training; labels may be absent.

        Args:
            target: Anything that :func:`allpass.load` takes. With nothing at all it is the graph of the training.
            **given: ``edges`` and ``nodes`` of another graph, or ``new`` and ``edges``: a table of new nodes, which are
                joined to the graph of the training (or to ``target``), and a table of edges between them and its
                nodes. Options of :func:`allpass.load`, such as ``unknown_nodes="drop"``.
        """
        return reading.read(self, target, **given)

    @property
    def num_classes(self) -> int:
        """How many classes it tells apart; 0 for numbers."""
        if self.task == "regression":
            return 0
        return 2 if self.task == "binary" else self.out_channels

    def classes(self, probabilities: Tensor) -> Tensor:
        """The predicted class of every node, by its number, from the probabilities ``[N, C]``."""
        return (
            probabilities.argmax(dim=1) if self.threshold is None else self.threshold.classes(probabilities)
        )

    @cached_property
    def network(self) -> nn.Module | Direct:
        """The model itself; a network is in evaluation mode."""
        return network.trained(self.model, self.settings, self.weights, **self.sizes)

    @property
    def sizes(self) -> dict[str, Any]:
        """What a network of its kind is built with beside settings."""
        return {name: getattr(self, name) for name in ("in_channels", "out_channels", "num_nodes")}

    @property
    def dtype(self) -> torch.dtype:
        """The precision it was trained in."""
        return next((part.dtype for part in self.weights.values() if part.is_floating_point()), torch.float32)

    def outputs(self, data: Data) -> Tensor:
        """What the network gives for every node, ``[N, out_channels]``: logits, or numbers.

        Args:
            data: The graph it was trained on, or another with the same features. Complains where a node gets NaN.
        """
        found = self._outputs(data)
        predictions.check_numbers(found if self.task == "regression" else self._chances(found), data)
        return found

    def _outputs(self, data: Data) -> Tensor:
        """The same, whatever comes out."""
        own = self.in_training_order(data)
        x, graph, given = self.inputs(own)
        with torch.no_grad():
            found = self.in_units(self._called(x, graph, given).cpu())
        return found if own is data else found[self._bound_places(data)]

    def _called(self, x: Features, graph: Operator, given: Mapping[str, Tensor]) -> Tensor:
        if not isinstance(self.network, nn.Module):  # fitted models run on the CPU alone
            return self.network(x, graph, **given)
        device = device_of(self.device)
        moved = {name: tensor.to(device) for name, tensor in given.items()}
        output: Tensor = self.network.to(device)(x.to(device), graph.to(device), **moved)
        return output

    def in_training_order(self, data: Data) -> Data:
        """The graph with its nodes in the order of the training, where the model has weights for each; else as it is.

        Args:
            data: A graph; complains where such a model meets other nodes.
        """
        if not self._fixed_nodes:
            return data
        places = self._bound_places(data)
        new = [ids_of(data)[node] for node in (places < 0).nonzero().flatten().tolist()[:1]]
        if new or len(places) != self.num_nodes:
            which = f"{new[0]!r} is not among" if new else f"only {len(places):,} are left of"
            raise InputError(
                f"{self.model!r} has weights for each of the {self.num_nodes:,} nodes of its training; {which} them.",
                "Give the same nodes, or train a model that takes new ones, such as 'acm-gcn'.",
            )
        order = places.argsort()
        if bool((order == torch.arange(len(order))).all()):
            return data
        return reordered(data, order, None if data.get("x") is None else rows_of(data.x, order))

    def in_units(self, outputs: Tensor) -> Tensor:
        """Outputs of the network in the units of the labels."""
        if self.units is None:
            return outputs
        mean, deviation = (outputs.new_tensor(part) for part in (self.units.mean, self.units.deviation))
        return outputs * deviation + mean

    def inputs(self, data: Data) -> tuple[Features, Operator, dict[str, Tensor]]:
        """Scaled features, the adjacency, and what else the network is called with."""
        x = as_features(self.scaler(self.features(data)).to(self.dtype))
        graph = adjacency(data, self.dtype, undirected=self.undirected)
        if self.labels is None:
            return x, graph, {}
        labels = self._shown_labels(data)
        return x, graph, {"labels": labels, "mask": known_labels(labels)}

    def features(self, data: Data) -> Tensor:
        """The features of other data in the columns of the training, not yet scaled; complains where that cannot be."""
        if data.edge_index is None:
            raise InputError("The data has no edges.", "Load it with allpass.load, or set data.edge_index.")
        data = with_features_like(data, self.feature_names)
        if data.x is None:
            raise InputError("The data has no features x.", "Load it with allpass.load, or set data.x.")
        names = _names(data, "feature_names")
        check_words(names, data.get("encodings") or (), self.encodings)
        check_same_nodes(names, self.feature_names)
        return aligned(data.x, names, self.in_channels, self.feature_names, self.fills)

    def predict(self, data: Any = None, **given: Any) -> NDArray[Any]:
        """The class of every node, by name where classes have names, else by number; or the numbers it regresses.

        The class is the most likely one. A rare class of two is predicted where its probability reaches ``threshold``.

        Args:
            data: A graph as it is, or anything that :meth:`read` takes, and so are the others.
            **given: With ``new`` the new nodes alone are predicted, in the order of their table.
        """
        data, rows = self._asked(data, given)
        if self.task == "regression":
            numbers: NDArray[Any] = self.outputs(data)[rows].numpy()
            return numbers[:, 0] if self.out_channels == 1 else numbers
        chosen: NDArray[Any] = self.classes(self.probabilities(data)[rows]).numpy()
        return chosen if self.class_names is None else np.array(self.class_names, dtype=object)[chosen]

    def probabilities(self, data: Any = None, **given: Any) -> Tensor:
        """The probability of every class, ``[N, C]`` in float64; arguments as in :meth:`predict`."""
        self._must_classify("probabilities")
        data, rows = self._asked(data, given)
        return self._chances(self.outputs(data)[rows])

    def _chances(self, outputs: Tensor) -> Tensor:
        """The probability of every class from outputs of the network."""
        outputs = outputs.double()
        if self.task == "binary":  # one logit, of class 1
            return torch.cat([-outputs, outputs], dim=1).sigmoid()
        return outputs.softmax(dim=1)

    def table(
        self, data: Any = None, *, probabilities: bool = False, only_unlabelled: bool = False, **given: Any
    ) -> pd.DataFrame:
        """What ``allpass predict`` writes, as a pandas frame: a row for each node, under its own id.

        Args:
            data: As in :meth:`predict`, and so are the others.
            probabilities: Add the probability of every class.
            only_unlabelled: Only nodes without a label.
            **given: See ``data``.
        """
        import pandas as pd

        headings, rows = predictions.table(
            self, self._asked(data, given)[0], probabilities=probabilities, only_unlabelled=only_unlabelled
        )
        return pd.DataFrame(rows, columns=headings)

    def _asked(self, data: Any, given: Mapping[str, Any]) -> tuple[Data, Any]:
        """The graph, and the nodes that were asked about."""
        if isinstance(data, Data) and not given:
            return data, slice(None)
        found = self.read(data, **given)
        return found, slice(None) if found.get("asked") is None else found.asked

    def measure(self, data: Data, mask: Tensor, score: str | None = None) -> float:
        """A score on some nodes.

        Args:
            data: A graph with labels.
            mask: The nodes, bool ``[N]``.
            score: A name of ``SCORES``; by default the one it was trained with.
        """
        scorer = SCORES[self.score if score is None else score]
        return float(scorer(self._outputs(data).unsqueeze(0), self.labels_of(data), mask.unsqueeze(0)))

    def _measured(self, data: Data, split: Split) -> dict[str, float]:
        masks = {"train": split.train, "val": split.val, "test": split.test}
        kinds = {"loss": "mse", "score": self.score}
        return {
            f"{part}_{kind}": self.measure(data, mask, score)
            for kind, score in kinds.items()
            for part, mask in masks.items()
        }

    def confusion(self, data: Data, mask: Tensor) -> NDArray[np.int64]:
        """How many nodes of the mask are of class i (row) and are taken for class j (column).

        Args:
            data: A graph with labels.
            mask: The nodes, bool ``[N]``; one without a label does not count.
        """
        probabilities, truth = self.probabilities(data), self.labels_of(data)
        counted, C = mask & (truth >= 0), probabilities.shape[1]
        cells = truth[counted] * C + self.classes(probabilities)[counted]
        table: NDArray[np.int64] = torch.bincount(cells, minlength=C * C).reshape(C, C).numpy()
        return table

    def mixing(self, data: Data) -> list[dict[str, float]]:
        """The mean weight of each channel, layer by layer; empty where a model does not mix channels."""
        if not isinstance(self.network, nn.Module):
            return []
        self.outputs(data)
        found = []
        for part in self.network.modules():
            mixing = getattr(part, "mixing", None)
            if isinstance(mixing, ChannelMixing) and mixing.weights is not None:
                names = getattr(part, "channels", CHANNELS)
                found.append(dict(zip(names, mixing.weights.mean(dim=0).tolist(), strict=True)))
        return found

    @property
    def _fixed_nodes(self) -> bool:
        """Whether it has weights for each node."""
        entry = resolve(self.model)[0]
        inner = {str(self._choices[key]) for key in (BASE, NETWORK) if key in entry.settings} - {FOURTH}
        return any("fixed-nodes" in part.traits for part in (entry, *(resolve(name)[0] for name in inner)))

    def places(self, data: Data) -> Tensor | None:
        """For each node its number in the training, -1 for a new one, ``[N]``; nothing where that cannot be known."""
        ids = hash_of_ids(data)
        same = ids == self.nodes and (ids or data.get("fingerprint") == self.fingerprint)
        if same and data.num_nodes == self.num_nodes:
            return torch.arange(self.num_nodes)
        if ids and self.graph is None and self.nodes == (found := data.get("known_places", ("", None)))[0]:
            return found[1]  # joined to the graph of the training
        if not ids or self.graph is None:
            return None
        return places_by_id(ids_of(data), ids_of(self.training_graph))

    def _bound_places(self, data: Data) -> Tensor:
        """The same for a model that knows the nodes of its training one by one."""
        places = self.places(data)
        if places is not None:
            return places
        if data.num_nodes == self.num_nodes and not (self.nodes and hash_of_ids(data)):
            return torch.arange(self.num_nodes)
        what = "has weights for" if self._fixed_nodes else "reads the labels of"
        if self.nodes and hash_of_ids(data):
            raise InputError(
                f"The node ids are not those of the training, or in another order; {self.model!r} {what} its nodes.",
                "Give the same nodes in the same order, or train without --no-graph to align them by id.",
            )
        raise InputError(
            f"Got {data.num_nodes:,} nodes; {self.model!r} {what} the {self.num_nodes:,} nodes it was trained on.",
            "Give the same nodes in the same order, or train a model that takes new ones, such as 'acm-gcn'"
            + (" or this one with label_input=False." if LABEL_INPUT in self._choices else "."),
        )

    def _shown_labels(self, data: Data) -> Tensor:
        """The labels of the training nodes, in the order of the data; complains where none is there."""
        assert self.labels is not None
        missing = torch.nan if self.labels.is_floating_point() else -1
        labels = taken(self.labels, self._bound_places(data), missing)
        if not bool(known_labels(labels).any()):
            raise InputError(
                f"{self.model!r} reads the labels of its training nodes, and none of these is in the data.",
                "Pass new nodes with new= and edges= that link them to the training"
                + (", or train with label_input=False." if LABEL_INPUT in self._choices else "."),
            )
        return labels

    @property
    def _choices(self) -> dict[str, object]:
        return {**resolve(self.model)[0].settings, **self.settings}

    def _must_classify(self, what: str) -> None:
        if self.task == "regression":
            raise InputError(f"The model regresses numbers; there are no {what}.", "Use predict.")

    def labels_of(self, data: Data) -> Tensor:
        """The labels of a graph, numbered as in training: other data may have its classes in another order."""
        if data.y is None:
            raise InputError(
                "The data has no labels y to compare with.", "Name the label column, or set data.y."
            )
        names = _names(data, "class_names")
        if self.task == "regression" or names is None or self.class_names in (None, names):
            return data.y
        place = {name: number for number, name in enumerate(self.class_names or ())}
        if unknown := [name for name in names if name not in place]:
            raise InputError(
                f"The data has a class {unknown[0]!r} that the model was not trained on.",
                f"It knows {', '.join(map(repr, place))}.",
            )
        return torch.where(
            data.y >= 0, torch.tensor([place[name] for name in names])[data.y.clamp(min=0)], -1
        )


def known_labels(labels: Tensor) -> Tensor:
    """Which nodes have a label in ``Trained.labels``, bool ``[N]``."""
    if labels.is_floating_point():
        return ~labels.reshape(len(labels), -1).isnan().any(1)
    return labels >= 0


def _shown(y: Tensor, train: Tensor, units: Scaler | None) -> Tensor:
    """The labels of the training nodes as the model was called with them."""
    if not y.is_floating_point():
        return torch.where(train, y, -1)
    numbers = y.reshape(len(y), -1)
    numbers = numbers if units is None else units(numbers)
    return torch.where(train.unsqueeze(1), numbers, torch.nan).reshape(y.shape)


def _sets(split: Split) -> Tensor:
    found = torch.zeros(len(split.train), dtype=torch.uint8)
    for part, number in SETS.items():
        found[getattr(split, part)] = number
    return found


def known_fills(
    encodings: Sequence[Encoding], names: Sequence[str] | None, fills: Mapping[str, float], scaler: Scaler
) -> tuple[Encoding, ...]:
    """Encodings that know what stands for a missing number; in older files that is the mean, where it was measured."""
    means = dict(zip(names or (), scaler.mean, strict=False))
    return completed(encodings, names, {**means, **fills})


def _names(data: Data, key: str) -> tuple[str, ...] | None:
    names = data.get(key)
    return None if names is None else tuple(str(name) for name in names)
