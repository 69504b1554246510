"""The colours of figures and page, by role: one for light paper, one for a dark screen.

Figures are drawn in the light colours; on the page each of them is replaced by the CSS variable of its role, so that a
figure follows the reader's theme. Blue, orange, indigo and grey differ in lightness too, so they stay apart for readers
who see fewer colours and in a grey print.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Colour(NamedTuple):
    """One role's colour on light and on dark ground."""

    light: str
    dark: str


COLOURS = {
    "ground": Colour("#f5f6f8", "#0f141a"),
    "panel": Colour("#ffffff", "#171d25"),
    "ink": Colour("#1b2430", "#e6eaf0"),
    "muted": Colour("#566170", "#9ca8b6"),
    "line": Colour("#dde2e8", "#2c3541"),
    "track": Colour("#e8ecf1", "#273039"),
    "accent": Colour("#1d5f9e", "#7ab8ee"),
    "accent-soft": Colour("#edf4fb", "#16283a"),
    "good": Colour("#0b6e63", "#55cdb9"),
    "bad": Colour("#a8440a", "#f2a06a"),
    "best": Colour("#1e7d32", "#7fd192"),
    "worst": Colour("#c3261c", "#f58b80"),
    "note": Colour("#4f5c6b", "#a5b2c1"),
    "note-soft": Colour("#eef1f4", "#222b35"),
    "low": Colour("#2671b3", "#5fa8e6"),
    "both": Colour("#2b3a67", "#ccd6f6"),
    "high": Colour("#e08a1e", "#f0a548"),
    "neither": Colour("#ccd2da", "#434f5d"),
    "on-low": Colour("#fefefe", "#0c1117"),
    "on-high": Colour("#1b2431", "#0c1118"),
    "heat": Colour("#0a3a6e", "#66a9e4"),
    "under-heat": Colour("#05080c", "#ffffff"),
    "on-heat": Colour("#fdfdfd", "#020406"),
}
HEAT_TURN = 0.67  # strength of a heat-map cell above which its number is written in "on-heat"

_ROLES = {colour.light: role for role, colour in COLOURS.items()}
_HEX = re.compile(r"#[0-9a-f]{6}\b")


def light(role: str) -> str:
    """The colour of a role on light ground, for drawing."""
    return COLOURS[role].light


def css_variables(theme: str) -> str:
    """The colours of ``"light"`` or ``"dark"`` as CSS declarations."""
    return " ".join(f"--{role}: {getattr(colour, theme)};" for role, colour in COLOURS.items())


def follow_theme(style: str) -> str:
    """Replace every drawn colour in a CSS declaration by the variable of its role."""
    return _HEX.sub(lambda match: f"var(--{_ROLES[match[0]]})" if match[0] in _ROLES else match[0], style)
