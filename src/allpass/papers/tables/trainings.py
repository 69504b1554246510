"""Trainings as plain data: one model on one dataset, by a protocol, with some settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import islice
from statistics import fmean
from typing import Any, cast

from torch import Tensor
from torch_geometric.data import Data

from allpass.data import Split
from allpass.data import splits as draw
from allpass.papers.at_hand import graph_of
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.train.config import TrainingOptions
from allpass.train.few_labels import STRATEGIES, few_labels
from allpass.train.fit import job_of
from allpass.train.job import Job
from allpass.train.kept import run_of, runs_of
from allpass.train.runs.run import Key, Run
from allpass.train.runs.versions import versions
from allpass.train.statistics import overlap_of


@dataclass(frozen=True)
class Trainings:
    """Settings times splits.

    Args:
        dataset: A name of ``allpass.data.DATASETS``.
        model: A name of ``allpass.models.MODELS``.
        protocol: How the runs are made.
        settings: What is tried.
        strategy: A few-label strategy around the model; or empty.
        score: What is reported in place of accuracy; or empty.
        tied: What some of the settings change of the protocol.
        seeds: With which each setting is trained on each split; a strategy has one.
    """

    dataset: str
    model: str
    protocol: Protocol
    settings: tuple[Mapping[str, Any], ...]
    strategy: str = ""
    score: str = ""
    tied: Tie = field(default_factory=Tie)
    seeds: tuple[int, ...] = (0,)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Trainings:
        """From plain data."""
        known = {
            "protocol": Protocol(**content["protocol"]),
            "settings": tuple(content["settings"]),
            "tied": Tie(**content["tied"]),
            "seeds": tuple(content["seeds"]),
        }
        return cls(**{**content, **known})

    def keys(self) -> list[Key]:
        """What identifies each run, setting by setting, split by split within, and seed by seed within that."""
        return list(self.each_key())

    def each_key(self) -> Iterator[Key]:
        """The same one by one: thousands take a while."""
        each = len(prepared(self.dataset, self.protocol)[1]) * len(self.seeds)
        keys = {held: part._each_key() for held, part in self._parts().items()}
        for settings in self.settings:
            yield from islice(keys[self.tied.holds(settings)], each)

    def _each_key(self) -> Iterator[Key]:
        """Of trainings that have one protocol."""
        job = self._job("cpu")
        chosen: dict[str, Any] = {}
        if self.strategy:
            entry = STRATEGIES[self.strategy]
            chosen = {"strategy": entry.name, "strategy_options": dict(entry.options)}
        for number in range(len(job.wanted)):
            key = job.key(number)
            yield replace(key, protocol={**key.protocol, **chosen}) if chosen else key

    def majority(self) -> float:
        """The accuracy of saying the most frequent class of the validation nodes, averaged over the splits."""
        data, parts = prepared(self.dataset, self.protocol)
        return fmean(majority(data.y, part.val, part.test) for part in parts)

    def overlap(self) -> float:
        """How much its splits share, as :func:`~allpass.train.statistics.overlap_of` counts it."""
        return overlap_of(prepared(self.dataset, self.protocol)[1])

    def runs(self, left: Collection[str], device: str) -> Iterator[Sequence[Run]]:
        """Train, and give the runs as they end.

        Args:
            left: The identities of those that are wanted; all where it is empty.
            device: Where to train.
        """
        for part in self._parts().values():
            keys = list(part._each_key())
            wanted = [number for number, key in enumerate(keys) if not left or key.identity in left]
            if self.strategy:
                yield from part._by_strategy(keys, wanted, device)
            elif wanted:
                yield from runs_of(part._job(device), keys, wanted)

    def _parts(self) -> dict[bool, Trainings]:
        """Those with the protocol and those that change it, as trainings of one protocol each."""
        protocols = {False: self.protocol, True: self.protocol.changed(self.tied.changes)}
        found = {}
        for held, protocol in protocols.items():
            mine = tuple(settings for settings in self.settings if self.tied.holds(settings) is held)
            if mine:
                found[held] = replace(self, protocol=protocol, settings=mine, tied=Tie())
        return found

    def _by_strategy(self, keys: Sequence[Key], wanted: Sequence[int], device: str) -> Iterator[list[Run]]:
        data, parts = prepared(self.dataset, self.protocol)
        made_with = versions(device)
        options = cast(TrainingOptions, vars(self.protocol.training(device, self.score)))
        for place, settings in enumerate(self.settings):
            mine = [number for number in wanted if number // len(parts) == place]
            if mine:
                of_mine = [parts[number % len(parts)] for number in mine]
                found = few_labels(self.strategy, self.model, data, of_mine, settings, **options)
                yield [run_of(keys[number], run, made_with) for number, run in zip(mine, found, strict=True)]

    def _job(self, device: str) -> Job:
        data, parts = prepared(self.dataset, self.protocol)
        training = self.protocol.training(device, self.score)
        return job_of(self.model, data, parts, self.settings, self.seeds, training)


def majority(y: Tensor, known: Tensor, asked: Tensor) -> float:
    """The accuracy on some nodes of the most frequent class of others.

    Args:
        y: Labels ``[N]``.
        known: The nodes whose classes are counted, bool ``[N]``.
        asked: The nodes that are judged, bool ``[N]``.
    """
    answer = y[known].bincount().argmax()
    return float((y[asked] == answer).double().mean())


def prepared(dataset: str, protocol: Protocol) -> tuple[Data, list[Split]]:
    """The graph of a protocol and its splits, read and drawn once."""
    options = tuple(sorted(protocol.splits.items()))
    return _prepared(dataset, protocol.unlabelled, options)


@lru_cache(maxsize=32)
def _prepared(
    dataset: str, unlabelled: str, options: tuple[tuple[str, Any], ...]
) -> tuple[Data, list[Split]]:
    data = graph_of(dataset, unlabelled)
    return data, draw(data, **dict(options))
