"""How numbers, names and symbols are written: the same in tables, figures and on the page."""

from __future__ import annotations

import math
import re
import unicodedata

from markupsafe import Markup, escape

_UNPRINTABLE = {"Cc", "Cs", "Co", "Cn"}
_WORDS = {
    "p_value": "p-value",
    "with_graph": "with averaging",
    "without_graph": "features alone",
    "half_depth": "rounds to half",
    "morans_i": "Moran's I",
    "gearys_c": "Geary's C",
    "classifier_linear": "classifier test, linear kernel",
    "classifier_arc_cosine": "classifier test, arc-cosine kernel",
    "classifier_naive_bayes": "classifier test, naive Bayes",
}
_SPACES = re.compile(r"[^\S\N{NO-BREAK SPACE}]+")
_SCRIPTED = re.compile(r"_(\w+)|\^(\w+)")


def number(value: float, digits: int = 3) -> str:
    """Three decimals, a true minus sign, and words where there is no number.

    Example:
        >>> number(0.81), number(-0.05), number(0.0001), number(float("nan"))
        ('0.810', '−0.050', '<0.001', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    least = 10**-digits
    if 0 < abs(value) < least / 2:
        return f"<{least:.{digits}f}" if value > 0 else f">−{least:.{digits}f}"
    return f"{value:,.{digits if abs(value) < 1000 else 0}f}".replace("-", "−")


def short(value: float) -> str:
    """A measured value in four digits, thousands apart.

    Example:
        >>> short(0.12345), short(-3.5), short(1234.5), short(412_345.6), short(6.02e23)
        ('0.1235', '−3.5', '1,234', '412,346', '6.02e+23')
    """
    text = f"{value:,.0f}" if 1000 <= abs(value) < 1e12 else f"{value:.4g}"
    return text.replace("-", "−")


def count(value: int) -> str:
    """Thousands apart: ``12,345``."""
    return f"{value:,}".replace("-", "−")


def compact(value: int) -> str:
    """Short enough to stand over a bar: ``1,101`` becomes ``1.1k``.

    Example:
        >>> compact(987), compact(1101), compact(25_000), compact(3_200_000)
        ('987', '1.1k', '25k', '3.2M')
    """
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")):
        if value >= size:
            short = f"{value / size:.1f}" if value < 10 * size else f"{value / size:.0f}"
            return short.removesuffix(".0") + unit
    return str(value)


def percent(share: float) -> str:
    """A share in percent; small ones with a decimal, so that something does not look like nothing.

    Example:
        >>> percent(0.5), percent(0.0086), percent(0.0), percent(0.0001)
        ('50%', '0.9%', '0%', '<0.1%')
    """
    if math.isnan(share):
        return "undefined"
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"


def words(name: str) -> str:
    """A key in words: ``"edge_homophily"`` becomes ``"edge homophily"``."""
    return _WORDS.get(name, name.replace("_", " "))


def sentence(text: str) -> str:
    """With a capital letter at the front, unless that letter is a symbol."""
    return text if text[1:2] in "-_" else text[:1].upper() + text[1:]


def clean(text: str) -> str:
    """One line without control characters: names come from files, and files hold anything."""
    shown = (
        "\ufffd" if unicodedata.category(sign) in _UNPRINTABLE else sign
        for sign in _SPACES.sub(" ", text).strip()
    )
    return "".join(shown) or "(no name)"


def shorten(text: str, length: int) -> str:
    """A clean name of at most ``length`` signs, its middle left out where it is longer."""
    text = clean(text)
    if len(text) <= length:
        return text
    tail = length // 3
    return text[: length - tail - 1] + "…" + text[len(text) - tail :]


def symbol(text: str) -> Markup:
    """A metric's symbol with its subscripts and superscripts: ``H_agg^M`` becomes H with agg below and M above."""
    marked = _SCRIPTED.sub(
        lambda match: f"<sub>{match[1]}</sub>" if match[1] else f"<sup>{match[2]}</sup>", str(escape(text))
    )
    return Markup(marked)  # noqa: S704 - escaped before the tags were put in
