"""Whether splits measure what they should: every class on validation and test nodes, and a score that is defined."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import cache

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.named.catalog import DATASETS
from allpass.data.split_rules import LEAST
from allpass.data.splits import Split
from allpass.errors import InputError
from allpass.train.rules.scores import SCORES

Problem = tuple[int, str, str, bool]
"""The class it is about (-1 for all), what is wrong, what to do, and whether it is wrong for named datasets too."""

_NAMED = 3
"""Classes up to which each has a sentence of its own."""

_LOG = logging.getLogger(__name__)
_SETS = {"train": "training", "val": "validation", "test": "test"}
_PLACES = ("embedded", "data folder", "cache", "download")  # where named datasets come from


def check_splits(
    data: Data, folds: Sequence[Split], score: str, *, parts: Sequence[str] = ("val", "test")
) -> list[str]:
    """Refuse splits whose scores would mislead; log and return what is worth knowing about the others.

    Refused are sets without nodes, without a class that has three or more labelled nodes, or with one number as the
    label of all nodes. Named datasets keep the splits of their papers, so there these are notes. A ranking of one class
    alone is undefined and always refused.

    Args:
        data: The graph with labels.
        folds: The splits.
        score: What is measured, a name of ``SCORES``.
        parts: The sets that are measured.
    """
    if not isinstance(data.y, Tensor):
        return []  # refused by the task, in its own words
    notes, found = list(_too_small(data, folds)), dict[tuple[str, int], list[str]]()
    for fold in folds:
        for part in parts:
            mask = getattr(fold, part)
            if len(mask) != data.num_nodes:
                return []  # refused with the other masks that do not fit
            for number, problem, cure, always in _problems(data, fold, part, score):
                if always or not _is_named(data):
                    raise InputError(problem, cure)
                found.setdefault((part, number), []).append(problem)
    notes += [problems[0] + _of_others(len(problems) - 1) for problems in found.values()]
    for note in notes:
        _tell(note)
    return notes


def _problems(data: Data, fold: Split, part: str, score: str) -> Iterator[Problem]:
    mask, where = getattr(fold, part), f"the {_SETS[part]} set of the split {fold.name!r}"
    if data.y.is_floating_point():
        yield from _problems_of_numbers(data, fold, mask, where)
        return
    if not mask.any():
        yield _empty(fold, where)
        return
    y = data.y.long()
    counts, here = (torch.bincount(labels[labels >= 0], minlength=2) for labels in (y, y[mask]))
    here = torch.nn.functional.pad(here, (0, len(counts) - len(here)))
    for number in ((counts >= LEAST) & (here == 0)).nonzero().flatten().tolist():
        yield (
            number,
            f"Class {_name(data, number)} has {int(counts[number]):,} labelled nodes, but none in {where}: "
            "a score there says nothing about it.",
            _cure(fold, "which puts nodes of every class into every set"),
            False,
        )
    if SCORES[score].ranks and int((here > 0).sum()) < 2:
        yield (
            -1,
            f"Only class {_name(data, int(here.argmax()))} is in {where}: {score} is undefined there.",
            "Label three or more nodes of each class and take splits='stratified', or take score='accuracy'.",
            True,
        )


def _problems_of_numbers(data: Data, fold: Split, mask: Tensor, where: str) -> Iterator[Problem]:
    numbers = data.y.reshape(data.num_nodes, -1)
    numbers = numbers[mask & ~numbers.isnan().any(1)]
    if not len(numbers):
        yield _empty(fold, where)
    elif bool((constant := (numbers == numbers[0]).all(0)).any()):
        value = float(numbers[0, constant][0])
        yield (
            -1,
            f"All {len(numbers):,} labels in {where} are {value:g}: there is nothing to predict.",
            _cure(fold, "which draws the sets at random"),
            False,
        )


def _empty(fold: Split, where: str) -> Problem:
    return (
        -1,
        f"There is no node in {where}: no score is defined there.",
        _cure(fold, "which puts nodes into every set"),
        False,
    )


def _cure(fold: Split, why: str) -> str:
    """What to do about a split: masks can be changed where they came with the data, not where they were drawn."""
    if fold.seed is None:
        return f"Change your masks, or take splits='stratified', {why}."
    if fold.name.startswith("stratified/"):
        return "Label more nodes."
    return f"Take splits='stratified', {why}."


def _of_others(count: int) -> str:
    return f" The same holds for {count} other {'split' if count == 1 else 'splits'}." if count else ""


def _too_small(data: Data, folds: Sequence[Split]) -> Iterator[str]:
    """Classes that cannot stand in three sets: each by itself, or many in one sentence."""
    if data.y.is_floating_point():
        return
    counts = torch.bincount(data.y[data.y >= 0].long())
    numbers = ((counts > 0) & (counts < LEAST)).nonzero().flatten()
    needed = f"fewer than the {LEAST} needed to train, validate and test"
    if len(numbers) > _NAMED:
        some = ", ".join(_name(data, number) for number in numbers[:_NAMED].tolist())
        yield (
            f"{len(numbers)} classes ({some}, ...) have one or two labelled nodes, {needed}"
            + _unmeasured(torch.isin(data.y, numbers), folds)
        )
        return
    for number in numbers.tolist():
        size = int(counts[number])
        yield (
            f"Class {_name(data, number)} has {size} labelled {'node' if size == 1 else 'nodes'}, {needed}"
            + _unmeasured(data.y == number, folds)
        )


def _unmeasured(members: Tensor, folds: Sequence[Split]) -> str:
    measured = any(bool((members & (fold.val | fold.test)).any()) for fold in folds)
    return "." if measured else ": used for training only, and no score covers it."


def _is_named(data: Data) -> bool:
    return data.get("name") in DATASETS and data.get("source") in _PLACES


def _name(data: Data, number: int) -> str:
    names = data.get("class_names")
    return str(number) if names is None else repr(str(names[number]))


@cache
def _tell(note: str) -> None:
    _LOG.warning(note)
