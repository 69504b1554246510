"""Groups of options that several verbs share: a verb takes each group as one parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from typer.models import ArgumentInfo

Verb = Callable[..., None]


def grouped(
    name: str, declared: Callable[..., None], build: Callable[[dict[str, Any]], Any]
) -> Callable[[Verb], Verb]:
    """A decorator that replaces the parameter ``name`` of a verb by a group of arguments and options.

    Args:
        name: The parameter.
        declared: Its parameters are the group; never called.
        build: Makes the value of the parameter from what the command line gave.
    """
    group = inspect.signature(declared, eval_str=True).parameters

    def decorate(verb: Verb) -> Verb:
        own = inspect.signature(verb, eval_str=True).parameters

        @functools.wraps(verb)
        def with_options(**given: Any) -> None:
            verb(**{name: build({key: given.pop(key) for key in group})}, **given)

        together = [part.replace(kind=inspect.Parameter.KEYWORD_ONLY) for part in _merged(name, own, group)]
        with_options.__signature__ = inspect.Signature(together)  # type: ignore[attr-defined]
        with_options.__annotations__ = {part.name: part.annotation for part in together}
        del with_options.__wrapped__
        return with_options

    return decorate


def _merged(
    name: str, own: Mapping[str, inspect.Parameter], group: Mapping[str, inspect.Parameter]
) -> list[inspect.Parameter]:
    """Arguments of the group stand where the parameter was, its options at the end."""
    place = list(own).index(name)
    mine = [part for part in own.values() if part.name != name]
    arguments = [part for part in group.values() if _is_argument(part)]
    options = [part for part in group.values() if not _is_argument(part)]
    return [*mine[:place], *arguments, *mine[place:], *options]


def _is_argument(part: inspect.Parameter) -> bool:
    return any(isinstance(one, ArgumentInfo) for one in getattr(part.annotation, "__metadata__", ()))
