"""The TOML file of a study: what it says of itself, and what it runs."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from allpass.papers.study import Words


def read_spec(name: str) -> tuple[Words, dict[str, Any]]:
    """The words and the other entries of the file of a study; entries of its table ``study`` stand beside the tables.

    Args:
        name: The ID of the study.

    Example:
        >>> words, content = read_spec("examples")
        >>> list(content["graphs"])
        ['bipartite', 'high-pass', 'limitation']
    """
    text = (resources.files("allpass.papers") / "specs" / f"{name}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    words = content.pop("words")
    words["findings"] = tuple(words["findings"])
    return Words(**words), {**content.pop("study", {}), **content}
