"""Names to entries: aliases, citations and "did you mean". Every catalogue of allpass is one of these."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar, runtime_checkable

from allpass.errors import InputError, UnknownNameError, did_you_mean


@runtime_checkable
class Named(Protocol):
    """What a registry holds: anything that knows its name and where it was published."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    @property
    def citation(self) -> str: ...


EntryT = TypeVar("EntryT", bound=Named)


def canonical(name: str) -> str:
    """Lower case, with every separator a hyphen: ``"Deezer_Europe "`` becomes ``"deezer-europe"``."""
    name = unicodedata.normalize("NFC", name)  # a letter with its accent may be typed as one sign or as two
    return name.strip().lower().replace("_", "-").replace(" ", "-")


class Registry(Generic[EntryT]):
    """An ordered catalogue of named entries.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Fruit:
        ...     name: str
        ...     aliases: tuple[str, ...] = ()
        ...     citation: str = ""
        >>> fruits = Registry[Fruit]("fruit")
        >>> _ = fruits.add(Fruit("pear", aliases=("williams",)))
        >>> fruits["Williams"].name
        'pear'
        >>> fruits["paer"]
        Traceback (most recent call last):
        ...
        allpass.errors.UnknownNameError: There is no fruit 'paer'. Did you mean 'pear'?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, EntryT] = {}
        self._names: dict[str, str] = {}
        self._spellings: list[str] = []

    def add(self, entry: EntryT) -> EntryT:
        """Register ``entry`` under its name and its aliases; returns it."""
        keys = [canonical(name) for name in (entry.name, *entry.aliases)]
        for key in keys:
            if key in self._names:
                raise InputError(
                    f"The {self.kind} name {key!r} is taken by {self._names[key]!r}.", "Choose another name."
                )
        self._names.update(dict.fromkeys(keys, entry.name))
        self._spellings += (entry.name, *entry.aliases)
        self._entries[entry.name] = entry
        return entry

    def __getitem__(self, name: str) -> EntryT:
        if not isinstance(name, str):
            raise InputError(
                f"Got a name of type {type(name).__name__} for the {self.kind}.",
                f"Expected a string, such as {next(iter(self._entries), '')!r}.",
            )
        key = canonical(name)
        if key not in self._names:
            raise UnknownNameError(f"There is no {self.kind} {name!r}.", did_you_mean(key, self._spellings))
        return self._entries[self._names[key]]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and canonical(name) in self._names

    def __iter__(self) -> Iterator[EntryT]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def names(self) -> tuple[str, ...]:
        """The entries' own names, in the order they were added."""
        return tuple(self._entries)
