"""The card of a checkpoint: everything about a trained model but its tensors, in the types of JSON, and its checks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

import torch
from torch import Tensor

from allpass.canonical import plain
from allpass.data.tables.encodings import Encoding
from allpass.models.catalog import resolve
from allpass.train import network
from allpass.train.rare import Threshold
from allpass.train.rules.scores import SCORES
from allpass.train.rules.tasks import TASKS
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained, known_fills

_LABELS, _SETS = "training/labels", "training/sets"  # no parameter has a name with a slash
_MANY = 10_000
_WORDS: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "settings": dict,
    "in_channels": int,
    "out_channels": int,
    "num_nodes": int,
    "task": str,
    "score": str,
    "scaler": dict,
    "undirected": bool,
    "units": (dict, NoneType),
    "class_names": (list, NoneType),
    "feature_names": (list, NoneType),
    "fills": dict,
    "encodings": list,
    "threshold": (dict, NoneType),
    "scores": dict,
    "estimate": dict,
    "refit": bool,
    "dataset": str,
    "fingerprint": str,
    "nodes": str,
    "split": str,
    "seed": int,
    "epoch": (int, NoneType),
    "versions": dict,
}


class CardError(ValueError):
    """What is wrong with a card, in words that follow "it cannot be used:"."""


def to_card(trained: Trained) -> dict[str, Any]:
    """Everything but the tensors, in the types of JSON; a score that is NaN is None."""
    words = {
        **{key: getattr(trained, key) for key in _WORDS},
        "scaler": trained.scaler.to_dict(),
        "units": None if trained.units is None else trained.units.to_dict(),
        "encodings": [encoding.to_dict() for encoding in trained.encodings],
        "threshold": None if trained.threshold is None else trained.threshold.to_dict(),
        "scores": {key: value if math.isfinite(value) else None for key, value in trained.scores.items()},
    }
    card: dict[str, Any] = plain(words, "checkpoint")
    return card


def to_tensors(trained: Trained) -> dict[str, Tensor]:
    """The tensors by name."""
    tensors = {name: value.contiguous() for name, value in trained.weights.items()}
    more = {_LABELS: trained.labels, _SETS: trained.sets}
    return tensors | {name: value for name, value in more.items() if value is not None}


def from_card(card: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Trained:
    """The trained model of a card and its tensors.

    Raises:
        CardError: An entry is missing, of the wrong kind, or does not fit the others. What the parts of a card raise
            by themselves is passed on.
    """
    for key, kind in _WORDS.items():
        if key not in card or not isinstance(card[key], kind) or (kind is int and card[key] is True):
            raise CardError(f"the card has no sound entry {key!r}")
    weights = dict(tensors)
    labels, sets = weights.pop(_LABELS, None), weights.pop(_SETS, None)
    trained = Trained(
        **{
            **{key: card[key] for key in _WORDS},
            "settings": {key: _frozen(value) for key, value in card["settings"].items()},
            "scaler": Scaler.from_dict(card["scaler"]),
            "units": None if card["units"] is None else Scaler.from_dict(card["units"]),
            "class_names": _frozen(card["class_names"]),
            "feature_names": _frozen(card["feature_names"]),
            "threshold": None if card["threshold"] is None else Threshold(**card["threshold"]),
            "fills": {name: float(value) for name, value in card["fills"].items()},
            "encodings": tuple(map(Encoding.from_dict, card["encodings"])),
            "scores": {k: math.nan if v is None else float(v) for k, v in card["scores"].items()},
        },
        weights=weights,
        labels=labels,
        sets=sets,
    )
    for wrong in _problems(trained):
        raise CardError(wrong)
    encodings = known_fills(trained.encodings, trained.feature_names, trained.fills, trained.scaler)
    trained = replace(trained, encodings=encodings)
    _check_weights(trained)
    return trained


def _problems(trained: Trained) -> Iterator[str]:
    """What is wrong with the entries, each by itself and with the others."""
    for name in ("in_channels", "out_channels", "num_nodes"):
        if not 0 < getattr(trained, name) < 2**31:
            yield f"{name} is {getattr(trained, name)}"
    if trained.task not in TASKS or trained.score not in SCORES:
        yield f"it knows no task {trained.task!r} with the score {trained.score!r}"
    elif trained.task not in SCORES[trained.score].tasks:
        yield f"the score {trained.score!r} is not for {trained.task}"
    elif trained.task == "binary" and trained.out_channels != 1:
        yield f"a binary model has 1 output, not {trained.out_channels}"
    yield from _scaling_problems("features", trained.scaler, trained.in_channels)
    if trained.units is not None:
        yield from _scaling_problems("labels", trained.units, trained.out_channels)
        if trained.task != "regression":
            yield "classes have no units"
    yield from _name_problems(trained)
    if not all(value is None or _is_number(value) for value in trained.estimate.values()):
        yield "its estimate is no number"
    for what, numbers in (("fill", trained.fills), ("score", trained.scores)):
        for name, value in numbers.items():
            if math.isinf(value) or (what == "fill" and math.isnan(value)):
                yield f"the {what} of {name!r} is {value}"
    if trained.threshold is not None and trained.num_classes != 2:
        yield "it has a threshold, which is for two classes"
    if not 0 <= trained.seed < 2**64 or (trained.epoch is not None and trained.epoch < 0):
        yield f"the seed is {trained.seed} and the epoch {trained.epoch}"
    if not all(isinstance(value, str) for value in trained.versions.values()):
        yield "a version is no text"
    yield from _size_problems(trained)
    yield from _label_problems(trained)


def _size_problems(trained: Trained) -> Iterator[str]:
    """Sizes that the weights cannot have: a network of such sizes is not built."""
    entry, most = resolve(trained.model)[0], sum(value.numel() for value in trained.weights.values())
    if not entry.is_network:
        return
    sizes: dict[str, object] = {key: trained.settings.get(key) for key in entry.settings}
    sizes |= trained.sizes if "fixed-nodes" in entry.traits else {"in_channels": trained.in_channels}
    for name, value in sizes.items():
        if isinstance(value, int) and value > (_MANY if name.startswith("num_l") else max(_MANY, most)):
            yield f"{name} is {value}, which does not fit the {most} values of its weights"


def _scaling_problems(what: str, scaler: Scaler, count: int) -> Iterator[str]:
    if scaler.kind not in ("none", "rows", "columns", "mixed"):
        yield f"it knows no scaling {scaler.kind!r}"
    wanted = count if scaler.kind in ("columns", "mixed") else 0
    sound = all(map(_is_number, (*scaler.mean, *scaler.deviation)))
    if not len(scaler.mean) == len(scaler.deviation) == wanted:
        yield f"the scaling of {what} has {len(scaler.mean)} means and {len(scaler.deviation)} deviations for {wanted}"
    elif not sound or not all(value > 0 for value in scaler.deviation):
        yield f"the scaling of {what} has a mean or a deviation that cannot be used"


def _name_problems(trained: Trained) -> Iterator[str]:
    classes, features = trained.class_names, trained.feature_names
    for names in (classes, features):
        if names is not None and not all(isinstance(name, str) for name in names):
            yield "a name is no text"
            return
    if classes is not None and trained.task != "regression":
        if len(classes) < trained.num_classes:
            yield f"it names {len(classes)} of {trained.num_classes} classes"
        if len(set(classes)) < len(classes):
            yield "two classes have the same name"
    if features is not None and len(features) != trained.in_channels:
        yield f"it names {len(features)} of {trained.in_channels} features"
    columns = [encoding.column for encoding in trained.encodings]
    if len(set(columns)) < len(columns):
        yield "a column was read in two ways"


def _label_problems(trained: Trained) -> Iterator[str]:
    labels, sets = trained.labels, trained.sets
    if sets is not None and not (
        sets.shape == (trained.num_nodes,) and sets.dtype == torch.uint8 and bool((sets <= 3).all())
    ):
        yield "its sets of nodes are not those of a split"
    if labels is None:
        return
    if labels.shape[:1] != (trained.num_nodes,):
        yield "it has labels of another number of nodes"
    elif trained.task == "regression":
        if not labels.is_floating_point():
            yield "its labels are no numbers"
    elif labels.dtype != torch.int64 or labels.ndim != 1 or bool((labels >= trained.num_classes).any()):
        yield "its labels are no classes of the model"


def _check_weights(trained: Trained) -> None:
    """Raise where the weights are not those of the model: other names, shapes or kinds of numbers, or NaN."""
    if not resolve(trained.model)[0].is_network:
        _ = trained.network  # which checks what it is made of
        return
    settings = network.settings_of_trained(trained.model, trained.settings)
    expected = network.untrained(trained.model, settings, **trained.sizes).state_dict()
    found = trained.weights
    for name in sorted(found.keys() | expected.keys()):
        have, want = (None if name not in side else list(side[name].shape) for side in (found, expected))
        if have != want:
            told = [
                f"a tensor of shape {shape}" if shape is not None else "nothing" for shape in (have, want)
            ]
            raise CardError(f"the weights have {told[0]} as {name!r} where the card asks for {told[1]}")
        if found[name].dtype not in _kinds(expected[name]):
            raise CardError(f"the weights {name!r} are {found[name].dtype}")
        if not bool(torch.isfinite(found[name]).all()):
            raise CardError(f"the weights {name!r} hold NaN or infinity")


def _kinds(expected: Tensor) -> Sequence[torch.dtype]:
    return (torch.float32, torch.float64) if expected.is_floating_point() else (expected.dtype,)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _frozen(value: Any) -> Any:
    """JSON has lists alone; settings and names are tuples."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value
