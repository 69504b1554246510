"""Checks of what a spec says; every complaint begins with the place it is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from allpass.errors import AllpassError, InputError, did_you_mean
from allpass.models.catalog import resolve
from allpass.models.settings import check_settings
from allpass.train.job import TRAINING


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put a place in front of what is complained about inside.

    Example:
        >>> with at("acm-random, column Texas"):
        ...     check_name("dataset", "texsa", ["texas", "cora"])
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: acm-random, column Texas: there is no dataset 'texsa'. Did you mean 'texas'?
    """
    try:
        yield
    except AllpassError as error:
        problem = error.problem[:1].lower() + error.problem[1:]
        raise InputError(f"{place}: {problem}", error.cure) from error


def check_name(kind: str, name: object, known: Collection[str]) -> None:
    """Complain about a name that is not known."""
    if name not in known:
        raise InputError(f"There is no {kind} {name!r}.", did_you_mean(str(name), known))


def check_keys(given: object, known: Collection[str], *, needed: Collection[str] = ()) -> None:
    """Complain about what is no table, has an entry that is not known, or lacks one that is needed."""
    if not isinstance(given, Mapping):
        raise InputError(f"Got {given!r}.", f"Expected a table of {', '.join((*needed, *known))}.")
    for key in given:
        check_name("entry", key, (*needed, *known))
    for key in needed:
        if key not in given:
            raise InputError(f"The entry {key!r} is missing.", f"Expected {', '.join(needed)}.")


def check_settings_of(model: str, settings: Mapping[str, Any], *, rates: bool = True) -> None:
    """Complain about a setting that a model does not have, or a value that it cannot have.

    Args:
        model: A name of ``allpass.models.MODELS``.
        settings: The settings.
        rates: Whether those of its training may be among them.
    """
    entry = resolve(model)[0]
    of_training = {*TRAINING, *entry.training, *entry.space} if rates else set[str]()
    for setting in settings:
        check_name("setting", setting, {*entry.settings, *of_training})
    check_settings(settings, entry.settings)


def check_numbers(kind: str, numbers: Any) -> None:
    """Complain about what is not one or two numbers: a mean and its deviation."""
    if (
        not isinstance(numbers, list)
        or not 1 <= len(numbers) <= 2
        or any(type(n) not in (int, float) for n in numbers)
    ):
        raise InputError(f"{kind} is {numbers!r}.", "Expected a mean and, if known, its deviation.")
