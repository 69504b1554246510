"""Trainings of one model on one graph: which are wanted, how each is done, and the way they are done together."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.data.fingerprint import fingerprint
from allpass.data.splits import Split
from allpass.data.structural import with_constant_feature
from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models.catalog import resolve
from allpass.models.correct_and_smooth import BASE, CorrectedModel
from allpass.models.direct import EndEarly
from allpass.models.entry import LABEL_INPUT, Model
from allpass.nn.inputs import as_features
from allpass.train.adjacency import adjacency
from allpass.train.config import TrainingConfig
from allpass.train.direct import evaluated, fitted
from allpass.train.engine.batch import REPORTED, Batch, Outcome, is_random
from allpass.train.engine.gradients import Gradients, Problem
from allpass.train.engine.loop import train
from allpass.train.engine.plan import at_once, in_parts
from allpass.train.network import Sizes, unfitted, untrained
from allpass.train.refusals import check_graph, check_masks, check_precision, check_sample_weight, rate
from allpass.train.rules.weights import weighted
from allpass.train.runs.run import Key
from allpass.train.scaling import Scaler

TRAINING = ("lr", "weight_decay")
"""Settings that are not of the model; ``lr:GROUP`` is one of them too."""

_LOG = logging.getLogger(__name__)
_PARTS = ("train", "val", "test")
THIN = 0.2
"""The share of nonzero features up to which a sparse product is the faster one."""


@dataclass(frozen=True)
class Wanted:
    """One training that is wanted.

    Args:
        settings: Everything that is chosen, of the model and of the training.
        split: Which nodes it learns from and is judged on.
        seed: Decides its weights and the masks of its dropout.
        target: What it learns, where that is not the label of the data.
    """

    settings: Mapping[str, object]
    split: Split
    seed: int
    target: Tensor | None = None


@dataclass(frozen=True)
class TrainingProgress:
    """How far a training is.

    Args:
        batch: What is being trained right now; nothing for a model without epochs.
        ended: Runs that have ended before it.
        runs: Runs in all.
        step: The step of a model without epochs.
    """

    batch: Batch | None
    ended: int
    runs: int
    step: int = 0

    def stop(self) -> None:
        """End the runs now; each keeps its best epoch or step so far."""
        if self.batch is None:
            raise EndEarly
        self.batch.alive.zero_()

    @property
    def epoch(self) -> int:
        """Epochs that this batch has run, or steps."""
        return self.step if self.batch is None else int(self.batch.epoch)

    @property
    def alive(self) -> int:
        """Replicas that are still being trained."""
        return 1 if self.batch is None else int(self.batch.alive.sum())

    @property
    def share(self) -> float:
        """How much of the batch is done, from 0 to 1, if every replica runs all its epochs."""
        if self.batch is None:
            return 0.0
        members, most = len(self.batch.rows), self.batch.recipe.stopping.max_epochs
        return (self.alive * self.epoch / most + members - self.alive) / members

    @property
    def members(self) -> int:
        """Runs in the batch."""
        return 1 if self.batch is None else len(self.batch.rows)

    @property
    def best(self) -> float:
        """The best validation score among the batch, NaN where there is none."""
        if self.batch is None:
            return math.nan
        scores, score = self.batch.reported[:, REPORTED.index("val_score")], self.batch.recipe.task.scorer
        known = scores[~scores.isnan()]
        return score.sign * float(score.gain(known).max()) if len(known) else math.nan


ProgressCallback = Callable[[TrainingProgress], None]


class Job:
    """Runs of one model on one graph.

    Args:
        model: A name of ``allpass.models.MODELS``.
        data: The graph with features and labels.
        wanted: The runs; settings are filled up with the model's own.
        config: How every one is trained.
        curves: Keep the measures of every epoch.
        wrap: Makes of each network the one that is trained, such as one with a loss of its own.
        sample_weight: How much each node counts in the loss where it trains, ``[N]``; by default 1.
    """

    def __init__(
        self,
        model: str,
        data: Data,
        wanted: Sequence[Wanted],
        config: TrainingConfig,
        *,
        curves: bool = False,
        wrap: Callable[[nn.Module], nn.Module] | None = None,
        sample_weight: Tensor | None = None,
    ) -> None:
        self.model = model
        self.entry, numbered = resolve(model)
        self.config, self.recipe, self.wrap, self.curves = config, config.recipe(data), wrap, curves
        named = self._settings_in(config)
        wanted = [replace(run, settings={**named, **run.settings}) for run in wanted] if named else wanted
        for run in wanted:
            for key, value in run.settings.items():
                self._check(str(key), value)
        defaults = {**self.entry.training, **self.entry.settings, **numbered}
        self.wanted = [
            Wanted(
                _without_defaults({**defaults, **run.settings}, self.entry), run.split, run.seed, run.target
            )
            for run in wanted
        ]
        structure_alone = "ignores-features" in self.entry.traits and isinstance(data, Data)
        self.data = with_constant_feature(data) if structure_alone else data
        if wrap is not None and not self.entry.is_network:
            raise InputError(f"Got wrap= for {self.entry.name!r}, which is no network.", "Leave it out.")
        found = device_of(config.device)
        self.device = found if self.entry.is_network else torch.device("cpu")  # trees run nowhere else
        self.sample_weight = sample_weight
        self._bases: dict[str, Job] = {}
        self._steps: dict[object, Gradients] = {}
        self._check_data()

    def run(
        self,
        numbers: Sequence[int],
        on_progress: ProgressCallback | None = None,
        *,
        take: Callable[[Sequence[int]], Sequence[int]] = lambda part: part,
        weights: bool = True,
    ) -> Iterator[dict[int, Outcome]]:
        """Train some of the runs; gives by number, now and then, those that have ended since.

        Args:
            numbers: Which of the runs.
            on_progress: Called every few epochs.
            take: Asked before a part of them is trained, which of it to train.
            weights: Keep the weights.
        """
        ended = set[int]()

        def watch(reached: TrainingProgress) -> None:
            if on_progress is not None:
                on_progress(replace(reached, ended=len(ended), runs=len(numbers)))

        if not self._has_epochs:
            for number in numbers:
                for taken in take([number]):
                    found = self._without_epochs(taken, watch, weights=weights)
                    ended.add(taken)
                    yield {taken: found}
            return

        def watch_batch(batch: Batch) -> None:
            watch(TrainingProgress(batch, len(ended), len(numbers)))

        def train_part(part: Sequence[int]) -> Iterator[dict[int, Outcome]]:
            left = [number for number in take(part) if number not in ended]
            if not left:
                return
            for batch in train(self.batch(left), watch_batch if on_progress else None, weights=weights):
                now = {left[place]: outcome for place, outcome in batch.items()}
                ended.update(now)
                yield now

        for members in self._groups(numbers):
            yield from in_parts(members, at_once(self.batch, members, self.device), train_part)

    def key(self, number: int) -> Key:
        """What identifies a run in a store; where it is trained is no part of it."""
        run, rule = self.wanted[number], self.recipe.stopping
        added = self.entry.added
        settings = {
            name: value for name, value in run.settings.items() if name not in added or value != added[name]
        }
        return Key(
            dataset=getattr(self.data, "name", None) or "unnamed",
            fingerprint=self._fingerprint,
            model=self.entry.name,
            settings=settings,
            split=run.split.name,
            split_hash=run.split.fingerprint,
            seed=run.seed,
            protocol={
                "task": self.recipe.task.name,
                "score": self.recipe.task.score,
                "optimizer": self.recipe.optimizer.name,
                "stopping": {"rule": type(rule).__name__, **asdict(rule)},
                "selection": self.recipe.selection.name,
                "scaling": self.config.scaling,
                "undirected": self.config.undirected,
                "precision": "tf32" if self.config.tf32 else str(self.config.dtype).removeprefix("torch."),
                **self._weights,
                **self._of_base(number),
            },
        )

    def _of_base(self, number: int) -> dict[str, object]:
        """What a key says of the model whose predictions are corrected: the settings that it is trained with."""
        base = self.wanted[number].settings.get(BASE) if BASE in self.entry.settings else None
        return {} if base is None else {BASE: self._base(str(base)).key(number).settings}

    @cached_property
    def _fingerprint(self) -> str:
        return str(self.data.get("fingerprint") or fingerprint(self.data))

    @property
    def _weights(self) -> dict[str, str]:
        """What a key says of weights: nothing where there are none, as in runs stored before there were any."""
        name, weight = self.recipe.class_weight, self.sample_weight
        of_classes = {} if name == "none" else {"class_weight": name}
        return (
            of_classes
            if weight is None
            else {**of_classes, "sample_weight": fingerprint(Data(y=weight, num_nodes=len(weight)))}
        )

    def _settings_in(self, config: TrainingConfig) -> dict[str, object]:
        """Training options that are settings of this model."""
        options = {LABEL_INPUT: config.label_input, "patience": config.patience}
        found: dict[str, object] = {
            name: value
            for name, value in options.items()
            if value is not None and name in self.entry.settings
        }
        if config.label_input and self._has_epochs and "uses-labels" not in self.entry.traits:
            found[LABEL_INPUT] = True
        return found

    def _check(self, key: str, value: object) -> None:
        if key.split(":")[0] in TRAINING and self._has_epochs:
            rate(key, value)
        elif key == LABEL_INPUT and self._has_epochs:
            self._check_label_input(value)
        elif key not in self.entry.settings:
            known = sorted((*self.entry.settings, *((*TRAINING, LABEL_INPUT) if self._has_epochs else ())))
            raise UnknownNameError(
                f"There is no setting {key!r} of the model {self.entry.name!r}.", did_you_mean(key, known)
            )

    def _check_label_input(self, value: object) -> None:
        if not isinstance(value, bool):
            raise InputError(f"Got label_input = {value!r}.", "Expected True or False.")
        if not value:
            return
        why = None
        if "ignores-features" in self.entry.traits:
            why = "reads no features, and labels are given to a network as features"
        elif self.wrap is not None or hasattr(self.entry.build, "loss"):
            why = "has a loss of its own here, which knows of no hidden labels"
        if why:
            raise InputError(
                f"Got label_input = True for {self.entry.name!r}: it {why}.", "Leave it out, or use 'gcn'."
            )

    def _check_data(self) -> None:
        check_graph(self.data)
        check_sample_weight(self.sample_weight, self.data.num_nodes)
        asking = {
            "the rule that ends a run": self.recipe.stopping.needs_validation,
            "the choice of the epoch": self.recipe.selection.needs_validation,
        }
        different = list({id(run.split): run.split for run in self.wanted}.values())
        for split in different:
            check_masks(split, self.data.num_nodes, [words for words, asks in asking.items() if asks])
        for part in _PARTS if different else ():
            masks = _masks(different, part)
            notes = self.recipe.task.check(self.data, {part: masks})
            for note in notes if part == "train" or bool(masks.any()) else ():  # sets may be left out
                _tell(note)

    @cached_property
    def problem(self) -> Problem:
        """What all runs share, on the device."""
        data, dtype = self.data, self.config.dtype
        graph = adjacency(data, dtype, undirected=self.config.undirected)
        scaled = Scaler.of(data.x, self.config.scaling)(data.x).to(dtype)
        check_precision(scaled, dtype)
        x = as_features(thin(scaled))
        target = data.y.to(self.device)
        loss = weighted(self.recipe.task.loss, self.recipe.class_weight, self._on_device(self.sample_weight))
        labels = "uses-labels" in self.entry.traits  # those that read them by choice are no networks
        return Problem(x.to(self.device), graph.to(self.device), target, loss, labels)

    def _on_device(self, weight: Tensor | None) -> Tensor | None:
        return None if weight is None else weight.to(self.device, self.config.dtype)

    def share(self, other: Job) -> None:
        """Take the features and the graph from another job on the same data, with the same scaling and precision."""
        self.__dict__["problem"] = replace(other.problem, labels="uses-labels" in self.entry.traits)

    def _groups(self, numbers: Sequence[int]) -> list[list[int]]:
        """Runs that differ in rates and dropout alone train together: only those have the same shapes."""
        groups: dict[object, list[int]] = {}
        for number in numbers:
            groups.setdefault(self._group(self.wanted[number]), []).append(number)
        return list(groups.values())

    def _group(self, run: Wanted) -> object:
        """Equal for runs of the same shapes."""
        shape = {key: value for key, value in run.settings.items() if self._shapes(key)}
        shape.pop("dropout", None)
        return repr(sorted(shape.items())), run.target is None

    def _shapes(self, key: str) -> bool:
        """Whether a setting decides what the network is like, not how it is trained."""
        return key in self.entry.settings or key == LABEL_INPUT

    def batch(self, numbers: Sequence[int]) -> Batch:
        """Some of the runs of one shape, ready to be trained."""
        runs = [self.wanted[number] for number in numbers]
        names = {name: None for run in runs for name in run.settings if name.split(":")[0] in TRAINING}
        rates = {
            name: torch.tensor([_rate(run.settings, name) for run in runs], dtype=torch.float64)
            for name in names
        }
        targets = [self._in_units(run, run.target) for run in runs if run.target is not None]
        truths = [self._in_units(run, self.data.y) for run in runs] if self._has_units else []
        networks = self._networks(runs)
        together = self.device.type == "cuda" and "not-batchable" not in self.entry.traits
        kind = self._group(runs[0]), any(is_random(network) for network in networks)
        batch = Batch(
            networks,
            replace(self.problem, labels=self.entry.reads_labels(runs[0].settings)),
            torch.stack([_masks([run.split for run in runs], part) for part in _PARTS]).to(self.device),
            rates,
            self.recipe,
            targets=torch.stack(targets).to(self.device) if targets else None,
            truths=torch.stack(truths).to(self.device) if truths else None,
            together=together,
            curves=self.curves,
            gradients=self._steps.get(kind),
        )
        if not together:  # recorded once for all batches of this shape
            self._steps[kind] = batch.gradients
        return batch

    def units(self, number: int) -> Scaler | None:
        """The unit in which a run learns numbers, that of its training labels; nothing for classes."""
        return self._units(self.wanted[number]) if self._has_units else None

    @property
    def _has_units(self) -> bool:
        return self.recipe.task.name == "regression"

    def _units(self, run: Wanted) -> Scaler:
        return Scaler.of(self.data.y.reshape(len(self.data.y), -1)[run.split.train], "columns")

    def _in_units(self, run: Wanted, labels: Tensor) -> Tensor:
        """Numbers with mean 0 and deviation 1 on the training nodes, so that their unit does not matter."""
        if not self._has_units:
            return labels
        return self._units(run)(labels.reshape(len(labels), -1)).reshape(labels.shape)

    @property
    def _has_epochs(self) -> bool:
        return self.entry.is_network and "parameter-free" not in self.entry.traits

    def _without_epochs(self, number: int, on_progress: ProgressCallback, *, weights: bool) -> Outcome:
        """One run of a model that is fitted in one call, or has nothing to train."""
        run = self.wanted[number]
        target = None if run.target is None else self._in_units(run, run.target)
        given: dict[str, Any] = {"target": target, "weights": weights, "curves": self.curves}
        problem = self.problem
        if self._has_units:
            problem = replace(problem, target=self._in_units(run, self.data.y).to(self.device))
        if self.entry.is_network:
            network = self._network(run).to(self.device)
            self._refuse_weights("learns nothing from a loss")
            return evaluated(network, problem, self.recipe.task, run.split, **given)
        model = unfitted(self.entry.name, run.settings, **self._sizes)
        if isinstance(model, CorrectedModel):
            (found,) = self._base(model.base).run([number], on_progress)
            first = found[number]
            model.load_state_dict({f"{BASE}.{name}": value for name, value in first.weights.items()})
            model.steps, model.sampled = first.epochs, first.sampled
        return fitted(
            model,
            problem,
            self.recipe.task,
            run.split,
            class_weight=self.recipe.class_weight,
            sample_weight=self.sample_weight,
            seed=run.seed,
            on_step=lambda step: on_progress(TrainingProgress(None, 0, 1, step)),
            **given,
        )

    def _base(self, base: str) -> Job:
        """The trainings of a model whose predictions are corrected, at its own defaults."""
        if base not in self._bases:  # one job for all runs: they share the graph and the features
            self._bases[base] = Job(
                base,
                self.data,
                [Wanted({}, run.split, run.seed, run.target) for run in self.wanted],
                self.config.changed(label_input=None, patience=None),
                sample_weight=self.sample_weight,
            )
        return self._bases[base]

    @property
    def _sizes(self) -> Sizes:
        return Sizes(
            in_channels=self.problem.x.shape[1],
            out_channels=self.recipe.task.out_channels(self.data.y),
            num_nodes=self.problem.graph.shape[0],
        )

    def _networks(self, runs: Sequence[Wanted]) -> list[nn.Module]:
        """A network for each run; those of one seed and the same settings begin alike, and one is made for all."""
        made: dict[str, nn.Module] = {}
        found = []
        for run in runs:
            of_model = {key: value for key, value in run.settings.items() if self._shapes(key)}
            name = repr((sorted(of_model.items()), run.seed))
            if name not in made:
                made[name] = self._network(run).to(self.device)
            found.append(made[name])
        return found

    def _network(self, run: Wanted) -> nn.Module:
        network = untrained(
            self.entry.name,
            run.settings,
            **self._sizes,
            graph=self.problem.graph,
            seed=run.seed,
            dtype=self.config.dtype,
        )
        network = network if self.wrap is None else self.wrap(network)
        if not hasattr(network, "refresh") and any(hasattr(part, "refresh") for part in network.modules()):
            raise InputError(
                f"Got {self.entry.name!r} in a wrapper: it chooses candidates between epochs, out of its reach.",
                "Leave out wrap= and label_input, or train 'gcn'.",
            )
        if hasattr(network, "loss"):
            self._refuse_weights("has a loss of its own, in which weights have no place")
        return network

    def _refuse_weights(self, why: str) -> None:
        if self._weights:
            raise InputError(
                f"Got {' and '.join(self._weights)} for {self.entry.name!r}: it {why}.",
                "Leave them out, or train another model.",
            )


def _without_defaults(settings: dict[str, object], entry: Model) -> dict[str, object]:
    """A network that reads no labels has no such setting, so its key is the one it always had."""
    if LABEL_INPUT not in entry.settings and not settings.get(LABEL_INPUT):
        settings.pop(LABEL_INPUT, None)
    return settings


def _masks(splits: Sequence[Split], part: str) -> Tensor:
    return torch.stack([getattr(split, part) for split in splits])


def _rate(settings: Mapping[str, object], name: str) -> float:
    """A rate of a run; a group of parameters without one of its own has that of all."""
    return rate(name, settings.get(name, settings[name.split(":")[0]]))


@cache
def _tell(note: str) -> None:
    """Once: a sweep says the same of its splits at every batch."""
    _LOG.warning(note)


def thin(x: Tensor) -> Tensor:
    """Features stored sparse where most of them are 0; the numbers are the same, and so are the masks of dropout."""
    mostly_zero = x.layout == torch.strided and int(x.count_nonzero()) <= THIN * x.numel()
    return x.to_sparse_csr() if mostly_zero else x


def device_of(name: torch.device | str) -> torch.device:
    """The device of a name, where this machine has it; ``"auto"`` is CUDA where there is one, and else the CPU.

    Example:
        >>> device_of("gpu")
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: There is no device 'gpu'. Expected 'auto', 'cpu', 'cuda' or 'cuda:1'.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise InputError(f"There is no device {name!r}.", "Expected 'auto', 'cpu', 'cuda' or 'cuda:1'.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(
            f"Got the device {str(name)!r}, and there are {torch.cuda.device_count()} CUDA devices here.",
            "Use 'cpu', or a torch with CUDA on a machine that has it.",
        )
    return device
