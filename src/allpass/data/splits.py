"""Train, validation and test masks by name: always a list, seeded, reproducible, recorded."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.data.many_classes import check_classes
from allpass.data.split_rules import Nodes, Sets, capped, capped_in_turn, few_label, stratified
from allpass.errors import InputError, did_you_mean
from allpass.registry import Registry

MOST_SPLITS = 10_000
"""Splits that one call draws, or a file holds, at most: their masks would fill the memory."""


@dataclass(frozen=True)
class Split:
    """One division of the nodes.

    Args:
        train: Training nodes, bool ``[N]``.
        val: Validation nodes, bool ``[N]``.
        test: Test nodes, bool ``[N]``.
        name: The rule that made it, for the record: ``"geom-gcn/3"``.
        seed: The seed that made it; nothing when it was read from a file.
    """

    train: Tensor
    val: Tensor
    test: Tensor
    name: str
    seed: int | None = None

    @cached_property
    def fingerprint(self) -> str:
        """The first 128 bits of the sha256 of its three masks, in hex: two splits agree exactly when these do."""
        masks = torch.stack([self.train, self.val, self.test]).cpu().numpy()
        return hashlib.sha256(f"{masks.shape}".encode() + np.packbits(masks).tobytes()).hexdigest()[:32]


@dataclass(frozen=True)
class SplitRule:
    """A way to divide the nodes.

    Args:
        name: Its name in :func:`splits`.
        summary: What it does, in one sentence.
        draw: Draws the three sets from labels and a generator.
        stream: Draws one split after the other from labels, the number of features and a seed. With neither the splits
            come with the data.
        options: The options it takes, with their defaults. ``salt`` says whether the seed is hashed with the graph.
        aliases: Other names.
        citation: Where it was published.
    """

    name: str
    summary: str
    draw: Callable[..., Sets] | None = None
    stream: Callable[..., Iterator[Sets]] | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    citation: str = ""

    @property
    def drawn(self) -> bool:
        """Whether it can be drawn for any labels; else the splits come with the data."""
        return self.draw is not None or self.stream is not None


SPLITS = Registry[SplitRule]("split")
SPLITS.add(
    SplitRule("public", "The Planetoid split: 20 nodes a class, 500 and 1000.", citation="arXiv:1603.08861")
)
SPLITS.add(SplitRule("geom-gcn", "The ten Geom-GCN splits, 48/32/20.", citation="arXiv:2002.05287"))
SPLITS.add(SplitRule("platonov", "The ten splits of Platonov et al., 50/25/25.", citation="arXiv:2302.11640"))
SPLITS.add(SplitRule("deezer", "The five Deezer-Europe splits, 50/25/25.", citation="arXiv:2104.01404"))
SPLITS.add(SplitRule("linkx", "The five splits of Lim et al., 50/25/25.", citation="arXiv:2110.14446"))
SPLITS.add(SplitRule("stored", "The masks of your own tables."))
SPLITS.add(
    SplitRule(
        "random",
        "Equal counts of every class train: nominally 60/20/20, as GPRGNN and ACM draw it.",
        capped,
        options={"train": 0.6, "val": 0.2},
        aliases=("60/20/20",),
        citation="arXiv:2006.07988",
    )
)
SPLITS.add(
    SplitRule(
        "acm-search",
        "The same out of one stream, as the released ACM search draws them: seed 42, ten for each of its settings.",
        stream=capped_in_turn,
        options={"train": 0.6, "val": 0.2, "skip": 0, "linear": 0},
        citation="arXiv:2210.07606",
    )
)
SPLITS.add(
    SplitRule(
        "stratified",
        "The same shares of every class.",
        stratified,
        options={"train": 0.6, "val": 0.2, "salt": "graph"},
    )
)
SPLITS.add(
    SplitRule(
        "few-label",
        "A small percentage of every class trains.",
        few_label,
        options={"percent": 5.0, "rule": "ceil", "val": 500, "test": 1000},
        aliases=("percent",),
        citation="arXiv:1906.02174",
    )
)


def splits(data: Data, name: str, *, count: int = 10, seed: int = 0, **options: Any) -> list[Split]:
    """Divide the nodes of ``data`` by a named rule.

    Split k of seed s depends on s, k, the rule and the graph, not on ``count``. Nodes without a label (negative)
    are in no set. Splits that come with the data are read, not drawn: at most ``count`` of them, and ``seed``
    does not matter.

    ``stratified``, the default for your own data, hashes the seed with the graph's fingerprint. Otherwise the splits of
    seed 0 repeat whatever else was drawn by NumPy's generator of seed 0, such as the labels of a generated graph: its
    first permutation placed the mines of Minesweeper, and has all 2,000 in its first 2,000 places. ``random``,
    ``acm-search`` and ``few-label`` draw from the seed and the labels alone, because published results rest on these
    very splits.

    Args:
        data: A graph with labels ``y``.
        name: ``"stratified"``, ``"random"`` (``"60/20/20"``), ``"acm-search"``, ``"few-label"`` (``"percent"``), or
            splits that come with the data: ``"public"``, ``"geom-gcn"``, ``"platonov"``, ``"deezer"``, ``"linkx"``,
            ``"stored"``.
        count: How many splits.
        seed: Where the random numbers start.
        options: ``train`` and ``val`` shares for random, acm-search and stratified; ``salt`` for stratified
            (``"graph"`` or ``"none"``: whether the seed is hashed with the graph); ``skip`` (how many
            splits came before) and ``linear`` (the width of a map drawn before each) for acm-search; ``percent``,
            ``rule`` (``"ceil"`` or ``"june"``), ``val`` and ``test`` counts for few-label.

    Example:
        >>> data = Data(y=torch.arange(100) % 4)
        >>> first, second = splits(data, "stratified", count=2)
        >>> first.name, int(first.train.sum()), int(first.val.sum()), int(first.test.sum())
        ('stratified/0', 60, 20, 20)
    """
    if not isinstance(data, Data):
        raise InputError(f"Got {data!r:.60} in place of a graph.", "Load it first: allpass.load(...).")
    rule = SPLITS[name]
    unknown = set(options) - set(rule.options)
    if unknown:
        wrong = min(unknown)
        cure = did_you_mean(wrong, rule.options) if rule.options else "It takes none."
        raise InputError(f"The split {rule.name!r} has no option {wrong!r}.", cure)
    count, seed = whole_number("count", count, least=1, most=MOST_SPLITS), whole_number("seed", seed)
    if not rule.drawn:
        return _stored(data, rule.name)[:count]
    labels = _labels(data)
    settings = {**rule.options, **options}
    salt = _salt(data, settings.pop("salt", "none"))
    found = itertools.islice(_sets(rule, labels, data.num_features, seed, salt, settings), count)
    return [_split(rule, labels, seed, k, sets, settings) for k, sets in enumerate(found)]


def salt_of(data: Data) -> int:
    """A number that differs between graphs: the hash of its fingerprint, or of its labels where it has none."""
    known = data.get("fingerprint")
    if known is None:
        y = data.y.detach().cpu().contiguous().numpy()
        known = f"{y.dtype} {y.shape} {hashlib.sha256(y.data).hexdigest()}"
    return int(hashlib.sha256(str(known).encode()).hexdigest()[:32], 16)


def shares(found: Sequence[Split]) -> str:
    """The drawn shares of training, validation and test nodes in percent, as a mean over splits.

    Example:
        >>> data = Data(y=torch.tensor([0] * 90 + [1] * 10))
        >>> shares(splits(data, "stratified")), shares(splits(data, "random"))
        ('60/20/20', '40/20/40')
    """
    sizes = [[int(part.sum()) for part in (split.train, split.val, split.test)] for split in found]
    mean = np.mean([[size / max(sum(row), 1) for size in row] for row in sizes], axis=0)
    return "/".join(f"{share:.0%}".rstrip("%") for share in mean)


def several(given: Split | Iterable[Split]) -> list[Split]:
    """One split or several, as a list; anything else is refused, the name of a rule too.

    Example:
        >>> several("mine")
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: Got 'mine' in place of a split. Pass one or several: splits(data, "stratified").
    """
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in found:
        if not isinstance(one, Split):
            raise InputError(
                f"Got {repr(one)[:80]} in place of a split.",
                'Pass one or several: splits(data, "stratified").',
            )
    return found


def check_split(split: Split, y: Tensor) -> list[str]:
    """What is odd about a split, in sentences; an empty list when nothing is.

    Args:
        split: The split.
        y: Labels ``[N]``, negative where missing.
    """
    sets = {"training": split.train, "validation": split.val, "test": split.test}
    findings = [f"The {name} set is empty." for name, mask in sets.items() if not mask.any()]
    for one, other in (("training", "validation"), ("training", "test"), ("validation", "test")):
        shared = int((sets[one] & sets[other]).sum())
        if shared:
            findings.append(f"{shared} nodes are in both the {one} and the {other} set.")
    if y.is_floating_point():
        return findings
    present = {name: set(y[mask & (y >= 0)].tolist()) for name, mask in sets.items()}
    for name, mask in sets.items():
        unlabelled = int((mask & (y < 0)).sum())
        if unlabelled:
            findings.append(f"{unlabelled} {name} nodes have no label.")
    for name in sets:
        absent = sorted(set().union(*present.values()) - present[name]) if present[name] else []
        if absent:
            which = ("class " if len(absent) == 1 else "classes ") + ", ".join(map(str, absent))
            outcome = (
                "what is not shown cannot be learnt" if name == "training" else "nothing is measured there"
            )
            findings.append(f"The {name} set has no node of {which}: {outcome}.")
    outside = int(((y >= 0) & ~(split.train | split.val | split.test)).sum())
    if outside:
        findings.append(f"{outside} of {int((y >= 0).sum())} labelled nodes are in no set.")
    return findings


def _salt(data: Data, salt: object) -> list[int]:
    """What the seed is hashed with."""
    if salt not in ("graph", "none"):
        raise InputError(f"Got salt={salt!r}.", did_you_mean(str(salt), ("graph", "none")))
    return [salt_of(data)] if salt == "graph" else []


def _sets(
    rule: SplitRule, labels: Nodes, features: int, seed: int, salt: Sequence[int], settings: Mapping[str, Any]
) -> Iterator[Sets]:
    """What a rule draws, split after split."""
    if rule.stream is not None:
        yield from rule.stream(labels, features, seed, **settings)
    elif rule.draw is not None:
        for k in itertools.count():
            rng = np.random.default_rng(np.random.SeedSequence([seed, k, *salt]))
            yield rule.draw(labels, rng, **settings)


def _split(
    rule: SplitRule, labels: Nodes, seed: int, k: int, sets: Sets, settings: Mapping[str, Any]
) -> Split:
    for nodes, word in zip(sets, ("training", "validation", "test"), strict=True):
        if len(nodes) == 0 and not (word == "validation" and settings["val"] == 0):
            sizes = "/".join(str(len(one)) for one in sets)
            raise InputError(
                f"The split {rule.name!r} of {int((labels >= 0).sum())} labelled nodes gives {sizes} training, "
                f"validation and test nodes: the {word} set is empty.",
                "Choose options that fit ("
                + ", ".join(f"{key}={value!r}" for key, value in settings.items())
                + " were used), or another rule.",
            )
    masks = torch.zeros(3, len(labels), dtype=torch.bool)
    for mask, nodes in zip(masks, sets, strict=True):
        mask[torch.from_numpy(nodes)] = True
    return Split(masks[0], masks[1], masks[2], f"{rule.name}/{k}", seed)


def _stored(data: Data, name: str) -> list[Split]:
    """The splits that came with the data, or an error that says which there are."""
    found: Mapping[str, list[Split]] = getattr(data, "stored_splits", None) or {}
    if name in found:
        return list(found[name])
    title = getattr(data, "name", None)
    called = f" {title!r}" if title else ""
    if title == "cora" and getattr(data, "source", None) == "embedded":
        raise InputError(
            f"The embedded Cora comes in its own row order and has no {name!r} splits.",
            "They need the Planetoid files: load 'cora-planetoid'; or draw splits by the rule 'stratified'.",
        )
    has = "It has " + ", ".join(repr(one) for one in found) if found else "It came with none"
    raise InputError(
        f"The data{called} has no stored splits {name!r}.",
        f"{has}; 'stratified', 'random' and 'few-label' are drawn for any labels.",
    )


def _labels(data: Data) -> Nodes:
    """The class labels, or an error that says why they cannot be divided."""
    y = data.y
    if y is None:
        raise InputError("The data has no labels y to divide by.", "Name the label column, or set data.y.")
    if y.dim() != 1 or y.is_floating_point() or y.is_complex():
        raise InputError(
            f"Got labels y of shape {list(y.shape)} and type {y.dtype}; expected class numbers of shape [N].",
            "Turn them into integers 0, 1, 2, ... with -1 where a label is missing.",
        )
    check_classes(y)
    labels: Nodes = y.detach().cpu().numpy().astype(np.int64)
    num_labelled = int((labels >= 0).sum())
    if num_labelled < 3:
        raise InputError(
            f"Got {num_labelled} labelled nodes of {len(labels)}; training, validation and test need one each.",
            "Give labels to at least three nodes.",
        )
    labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)[
        1
    ]  # no rule divides an empty class
    return labels
