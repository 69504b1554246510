"""Sentences of the library, in the words of this command line: Python arguments as flags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from allpass.cli.target import OPTIONS

if TYPE_CHECKING:
    from allpass.data.account import Note
    from allpass.errors import AllpassError

LONGEST = 300
"""Characters of an error."""

_FLAGS = {
    "id_column": "--id",
    "source_column": "--source",
    "target_column": "--destination",
    "max_epochs": "--epochs",
    "numbers": "--number",
    "categories": "--category",
}
_NAMES = (
    *OPTIONS,
    "count",
    "seed",
    "trials",
    "epochs",
    "max_epochs",
    "episodes",
    "episode_limit",
    "max_steps",
    "patience",
    "fixed_graph",
    "splits",
    "score",
    "class_weight",
    "threshold",
    "new",
    "only_unlabelled",
    "probabilities",
)
_VALUE = r"""'[^']*'|"[^"]*"|\[[^\]]*\]|-?\w+|"""


def brief(error: AllpassError) -> str:
    """What an error says, in at most 300 characters: a longer one loses the end of its problem, then of its cure.

    Example:
        >>> from allpass.errors import InputError
        >>> brief(InputError("Got max_epochs=0.", "Pass a larger number."))
        'Got --epochs 0. Pass a larger number.'
        >>> long = brief(InputError("Got many words. " * 50, "Pass fewer."))
        >>> len(long) <= 300, long[-20:]
        (True, 'many ... Pass fewer.')
    """
    problem, cure = in_shell_words(error.problem), in_shell_words(error.cure)
    cure = shortened(cure, max(2 * LONGEST // 3, LONGEST - len(problem) - 1))
    return f"{shortened(problem, LONGEST - len(cure) - 1)} {cure}".strip()


def shortened(sentence: str, room: int) -> str:
    """A sentence that is cut between words, and says so, where it has no room.

    Example:
        >>> shortened("Known names: gcn, gat, sage.", 23)
        'Known names: gcn, ...'
    """
    return sentence if len(sentence) <= room else f"{sentence[: room - 4].rsplit(' ', 1)[0]} ..."


def told(note: Note) -> str:
    """A note on the data, with its cure where it has one."""
    return in_shell_words(f"{note.what} {note.cure}".strip())


def in_shell_words(sentence: str) -> str:
    """The library's cures name Python arguments; say them as the flags of this command line.

    Example:
        >>> in_shell_words("Pass unknown_nodes='drop', or name the column with label=.")
        'Pass --unknown-nodes drop, or name the column with --label.'
        >>> in_shell_words("Got max_epochs=0. Pass fixed_graph=True, or label=False.")
        'Got --epochs 0. Pass --fixed-graph, or --no-label.'
        >>> in_shell_words("Pass missing_labels='' to make classes of such values.")
        "Pass --missing-labels '' to make classes of such values."
        >>> in_shell_words("To keep the direction, pass undirected=False.")
        'To keep the direction, pass --directed.'
    """
    return re.sub(rf"\b(?P<name>{'|'.join(_NAMES)})=(?P<value>{_VALUE})", _flag, sentence)


def _flag(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    word = _FLAGS.get(name, "--" + name.replace("_", "-"))
    if (name, value) == ("undirected", "False"):  # of training, where edges go both ways by default
        return "--directed"
    if value == "False":
        return word.replace("--", "--no-", 1)
    if value.startswith("["):
        value = ",".join(item.strip(" '\"") for item in value[1:-1].split(","))
    if value == "''":
        return f"{word} ''"
    value = value.strip("'\"")
    return word if value in ("", "True") else f"{word} {value if ' ' not in value else repr(value)}"
