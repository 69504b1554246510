"""What the settings of a model mean, read from the docstring of its builder."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Callable

_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n {8,}\S.*)*)", re.MULTILINE)
_DEFAULT = re.compile(r"\bby default (.+?)(?:[.;:](?:\s|$)|$)", re.DOTALL | re.IGNORECASE)
_TRAINING = {"lr": "Learning rate", "weight_decay": "Weight decay"}


def arguments(build: Callable[..., object]) -> dict[str, str]:
    """The section Args of a docstring, as it is written: name to text.

    Example:
        >>> arguments(arguments)
        {}
    """
    doc = inspect.getdoc(build) or ""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", doc, re.MULTILINE)
    found = _ARGUMENT.findall(section[1]) if section else []
    return {name: re.sub(r"\s+", " ", text).strip() for name, text in found}


def first_sentence(text: str) -> str:
    """The text up to the first full stop that a new sentence follows.

    Example:
        >>> first_sentence("n + 1: the output layer counts. The tables of the paper give n.")
        'n + 1: the output layer counts.'
    """
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def default_in_words(text: str) -> str | None:
    """What an argument is when it is left out, where its text says so.

    Example:
        >>> default_in_words("Probability of dropout of coefficients; by default as ``dropout``.")
        'as ``dropout``'
    """
    found = _DEFAULT.search(text)
    return found[1] if found else None


def training_words(key: str) -> str:
    """What ``lr``, ``weight_decay`` and those of a group (``lr:GROUP``) are; nothing for other keys.

    Example:
        >>> training_words("lr:filter")
        'Learning rate of the parameter group filter.'
    """
    name, _, group = key.partition(":")
    if name not in _TRAINING:
        return ""
    return f"{_TRAINING[name]} of the parameter group {group}." if group else f"{_TRAINING[name]}."


def plain(text: str) -> str:
    r"""A docstring's words without its marks, for a terminal.

    Example:
        >>> plain(r"The matrix :math:`\hat A` with :math:`\lambda`, ``'A_rw'``; see :class:`~allpass.nn.gcn.GCNConv`.")
        "The matrix Â with λ, 'A_rw'; see GCNConv."
    """
    text = re.sub(r":\w+:`~[\w.]*?(\w+)`|:(?!math)\w+:`([\w.]+)`", lambda found: found[1] or found[2], text)
    return spelled(text).replace("``", "")


def spelled(text: str) -> str:
    """The text with its formulas in letters; code keeps its marks."""
    return re.sub(r":math:`([^`]+)`", lambda found: _formula(found[1]), text)


def _formula(text: str) -> str:
    for accent, sign in (("hat", "\u0302"), ("bar", "\u0304")):
        text = re.sub(rf"\\{accent} (\w)", rf"\1{sign}", text)
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", text)
    text = re.sub(r"\\sqrt\{(\w+)\}", r"√\1", text).replace(r"\dots", "...").replace(r"\pm", "±")
    text = re.sub(r"\\([a-z]+)", lambda found: _letter(found[1]), text)
    return unicodedata.normalize("NFC", text)


def _letter(name: str) -> str:
    try:
        return unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda')}")
    except KeyError:
        return name
