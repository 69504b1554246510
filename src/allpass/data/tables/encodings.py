"""How each column of a table became features, so that another table can be read the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

KINDS = ("number", "category", "date", "text")


@dataclass(frozen=True)
class Encoding:
    """How one column became features.

    Args:
        column: Its name.
        kind: ``"number"`` as it is, ``"category"`` as one 0/1 column a value, ``"date"`` as seconds since 1970,
            ``"text"`` as TF-IDF of its words.
        format: How dates are written; empty for those that the file marks as dates.
        words: The vocabulary of a text.
        idf: The inverse document frequency of each word.

    Example:
        >>> bio = Encoding("bio", "text", words=("cat", "dog"), idf=(1.0, 1.4))
        >>> bio.features
        ('bio: cat', 'bio: dog')
        >>> Encoding.from_dict(bio.to_dict()) == bio
        True
    """

    column: str
    kind: str
    format: str = ""
    words: tuple[str, ...] = ()
    idf: tuple[float, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that the words of a text become."""
        return tuple(f"{self.column}: {word}" for word in self.words)

    def to_dict(self) -> dict[str, Any]:
        """As plain data for a file, without what is empty."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
            if value
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Encoding:
        """What :meth:`to_dict` wrote; raises ``ValueError`` for anything else."""
        words = tuple(str(word) for word in content.get("words", ()))
        idf = tuple(float(value) for value in content.get("idf", ()))
        found = cls(str(content["column"]), str(content["kind"]), str(content.get("format", "")), words, idf)
        if found.kind not in KINDS or len(words) != len(idf) or bool(words) != (found.kind == "text"):
            raise ValueError(f"the encoding of the column {found.column!r} is damaged")
        return found
