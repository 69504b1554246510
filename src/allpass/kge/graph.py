"""A knowledge graph: triplets (head, relation, tail) as whole numbers, in three parts, and the names they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.arguments import share
from allpass.display import brief
from allpass.errors import InputError, UnknownNameError, did_you_mean

Triplets = NDArray[np.int64]
"""Rows (head, relation, tail), ``[T, 3]``."""

_NONE: Triplets = np.zeros((0, 3), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Triplets to learn from, and two parts to measure with. Make one with :meth:`from_arrays` or ``kge.load``.

    Args:
        train: Triplets to learn from, ``[T, 3]``; a triplet that occurs several times counts as often.
        valid: Triplets that choose the epoch.
        test: Triplets that are only measured.
        entities: A name for each entity.
        relations: A name for each relation.
        name: Of the graph.
        account: What was found while it was read.

    Example:
        >>> graph = KnowledgeGraph.from_arrays([[0, 0, 1], [1, 0, 2]])
        >>> graph.num_entities, graph.num_relations
        (3, 1)
    """

    train: Triplets
    entities: tuple[str, ...]
    relations: tuple[str, ...]
    valid: Triplets = field(default_factory=_NONE.copy)
    test: Triplets = field(default_factory=_NONE.copy)
    name: str = "triplets"
    account: Account = field(default_factory=Account)

    @classmethod
    def from_arrays(
        cls,
        train: Any,
        valid: Any = None,
        test: Any = None,
        *,
        entities: int | Sequence[str] | None = None,
        relations: int | Sequence[str] | None = None,
        name: str = "triplets",
    ) -> Self:
        """Triplets of whole numbers from 0.

        Args:
            train: ``[T, 3]``.
            valid: ``[V, 3]``.
            test: ``[U, 3]``.
            entities: How many there are, or their names; by default as many as the triplets need.
            relations: How many there are, or their names.
            name: Of the graph.
        """
        parts = [_checked(part, rows) for part, rows in (("train", train), ("valid", valid), ("test", test))]
        if not len(parts[0]):
            raise InputError("Got no triplet to learn from.", "Pass at least one row (head, relation, tail).")
        everything = np.concatenate(parts)
        found = _names("entities", entities, int(everything[:, [0, 2]].max()) + 1)
        acts = _names("relations", relations, int(everything[:, 1].max()) + 1)
        return cls(parts[0], found, acts, parts[1], parts[2], name)

    @property
    def num_entities(self) -> int:
        """Number of entities."""
        return len(self.entities)

    @property
    def num_relations(self) -> int:
        """Number of relations."""
        return len(self.relations)

    @property
    def triplets(self) -> Triplets:
        """All parts, one below the other."""
        return np.concatenate([self.train, self.valid, self.test])

    def split(self, valid: float = 0.1, test: float = 0.1, *, seed: int = 0) -> Self:
        """The same graph with shares of its training triplets moved to the other two parts, at random.

        For every entity and every relation one triplet stays in training; so fewer may move than were asked for.

        Args:
            valid: Share to choose the epoch with.
            test: Share to measure with.
            seed: Decides which.
        """
        wanted = [
            round(share(name, part) * len(self.train)) for name, part in (("valid", valid), ("test", test))
        ]
        if sum(wanted) >= len(self.train):
            raise InputError(
                f"Got valid={valid} and test={test}.", "Leave triplets to learn from: less than 1 in all."
            )
        order = np.random.default_rng(seed).permutation(len(self.train))
        rows = self.train[order]
        needed = np.zeros(len(rows), dtype=bool)
        _, first = np.unique(rows[:, [0, 2]].ravel(), return_index=True)
        needed[first // 2] = True
        needed[np.unique(rows[:, 1], return_index=True)[1]] = True
        free = np.sort(order[~needed])
        free = np.random.default_rng([seed, 1]).permutation(free)
        lacking = sum(wanted) - len(free)
        if lacking > 0:
            wanted = [count * len(free) // max(sum(wanted), 1) for count in wanted]
        moved = [np.sort(free[: wanted[0]]), np.sort(free[wanted[0] : sum(wanted)])]
        kept = np.ones(len(self.train), dtype=bool)
        kept[np.concatenate(moved)] = False
        account = Account()
        account.extend(self.account)
        account.add(
            "few-free-triplets",
            max(lacking, 0),
            f"Only {len(free):,} of {len(self.train):,} triplets can leave training: the others hold the only mention "
            "of an entity or a relation.",
        )
        return replace(
            self,
            train=self.train[kept],
            valid=np.concatenate([self.valid, self.train[moved[0]]]),
            test=np.concatenate([self.test, self.train[moved[1]]]),
            account=account,
        )

    def __repr__(self) -> str:
        return brief(
            f"KnowledgeGraph {self.name}: {self.num_entities:,} entities, {self.num_relations:,} relations",
            f"{len(self.train):,} triplets for training, {len(self.valid):,} for validation, {len(self.test):,} "
            "for test",
        )


def number_of(name: object, names: Sequence[str], what: str) -> int:
    """The number of an entity or a relation by its name, or by the number itself.

    Args:
        name: A name, or a whole number.
        names: All names.
        what: ``"entity"`` or ``"relation"``, for the message.
    """
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        if 0 <= name < len(names):
            return int(name)
        raise UnknownNameError(
            f"There is no {what} {name}.", f"Expected a number from 0 to {len(names) - 1:,}."
        )
    try:
        return names.index(str(name))
    except ValueError:
        cure = did_you_mean(str(name), names)
        raise UnknownNameError(f"There is no {what} {str(name)!r} in the training.", cure) from None


def _checked(part: str, rows: Any) -> Triplets:
    if rows is None:
        return _NONE.copy()
    array = np.asarray(rows)
    if not array.size:
        return _NONE.copy()
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(
            f"Got {part} triplets of shape {list(array.shape)}.", "Expected [T, 3]: head, relation, tail."
        )
    if array.dtype.kind not in "iu":
        raise InputError(
            f"Got {part} triplets of type {array.dtype}.", "Expected whole numbers; kge.load reads names."
        )
    if array.min() < 0:
        row = int((array < 0).any(axis=1).argmax())
        raise InputError(f"The {part} triplet {row} is {array[row].tolist()}.", "Expected numbers from 0.")
    return array.astype(np.int64)


def _names(what: str, given: int | Sequence[str] | None, needed: int) -> tuple[str, ...]:
    names = range(needed if given is None else given) if isinstance(given, int | None) else given
    if len(names) < needed:
        raise InputError(f"Got {len(names)} {what}; the triplets use number {needed - 1}.", "Pass more.")
    return tuple(map(str, names))
