"""The templates of all pages, with what they may call."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from allpass.report import wording


@cache
def environment() -> Environment:
    """One for all: everything is escaped, and a name that is not given is an error."""
    found = Environment(
        loader=PackageLoader("allpass.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("clean", "sentence", "shorten", "symbol")
    found.filters |= {name: getattr(wording, name) for name in names}
    return found
