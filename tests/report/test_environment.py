"""Templates escape what they show, and do not pass over what is missing."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from allpass.report.environment import environment


def test_what_is_shown_is_escaped() -> None:
    assert environment().from_string("{{ text }}").render(text="<b>") == "&lt;b&gt;"


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'text' is undefined"):
        environment().from_string("{{ text }}").render()
