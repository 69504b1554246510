"""How each column of a table was read, so that another table can be read the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from allpass.data.tables.written_numbers import FORMATS

FEATURES = ("number", "category", "date", "text")
"""The kinds of columns that become features."""

KINDS = (*FEATURES, "label", "id", "left out")

MISSING = " is missing"
"""What follows the name of a column in the name of the 0/1 feature that says where it has no value."""


@dataclass(frozen=True)
class Encoding:
    """How one column was read.

    Args:
        column: Its name.
        kind: ``"number"`` as it is, ``"category"`` as one 0/1 column a value, ``"date"`` as seconds since 1970,
            ``"text"`` as TF-IDF of its words; or ``"label"``, ``"id"`` or ``"left out"``.
        format: How dates are written, or numbers that are not plain ones; empty for those that the file marks as
            dates. Of a label the task.
        words: The vocabulary of a text.
        idf: The inverse document frequency of each word.
        values: The values of a category that have a column each. Of a label the values that mean a missing one, where
            they were named.
        fill: What stands for a missing number or date.
        gaps: Whether a 0/1 column says where values are missing.
        precise: Whether the features were kept in float64.

    Example:
        >>> bio = Encoding("bio", "text", words=("cat", "dog"), idf=(1.0, 1.4))
        >>> bio.features
        ('bio: cat', 'bio: dog')
        >>> Encoding.from_dict(bio.to_dict()) == bio
        True
        >>> Encoding("team", "category", values=("blue", "red"), gaps=True).features
        ('team=blue', 'team=red', 'team is missing')
    """

    column: str
    kind: str
    format: str = ""
    words: tuple[str, ...] = ()
    idf: tuple[float, ...] = ()
    values: tuple[str, ...] = ()
    fill: float | None = None
    gaps: bool = False
    precise: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features that the column becomes."""
        gap = (self.column + MISSING,) if self.gaps else ()
        if self.kind == "text":
            return tuple(f"{self.column}: {word}" for word in self.words)
        if self.kind == "category":
            return (*(f"{self.column}={value}" for value in self.values), *gap)
        return (self.column, *gap) if self.kind in FEATURES else ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for a file, without what is empty."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
            if value or (key == "fill" and value is not None)
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Encoding:
        """What :meth:`to_dict` wrote; raises ``ValueError`` for anything else."""
        fill = content.get("fill")
        found = cls(
            str(content["column"]),
            str(content["kind"]),
            str(content.get("format", "")),
            tuple(str(word) for word in content.get("words", ())),
            tuple(float(value) for value in content.get("idf", ())),
            tuple(str(value) for value in content.get("values", ())),
            None if fill is None else float(fill),
            content.get("gaps", False) is True,
            content.get("precise", False) is True,
        )
        sound = (
            found.kind in KINDS
            and len(found.words) == len(found.idf)
            and bool(found.words) == (found.kind == "text")
            and (not found.values or found.kind in ("category", "label"))
            and len(set(found.values)) == len(found.values)
            and (found.kind != "number" or found.format in ("", *FORMATS))
            and (found.fill is None or (math.isfinite(found.fill) and found.kind in ("number", "date")))
        )
        if not sound:
            raise ValueError(f"the encoding of the column {found.column!r} is damaged")
        return found


def of_kind(encodings: Sequence[Encoding], kind: str) -> Encoding | None:
    """The first encoding of a kind, such as that of the label; nothing where there is none."""
    return next((encoding for encoding in encodings if encoding.kind == kind), None)


def described(encodings: Sequence[Encoding], task: str, *, precise: bool) -> tuple[Encoding, ...]:
    """Encodings with what is known once the table was checked: the task of the label, and the precision of features."""
    return tuple(
        replace(encoding, format=task)
        if encoding.kind == "label"
        else replace(encoding, precise=precise and encoding.kind in FEATURES)
        for encoding in encodings
    )


def completed(
    encodings: Sequence[Encoding], names: Sequence[str] | None, fills: Mapping[str, float]
) -> tuple[Encoding, ...]:
    """Encodings with values, fills and gaps; those of older files lack them, but the names of the features tell.

    Args:
        encodings: How columns were read.
        names: The names of all features.
        fills: What stands for missing numbers, by column.
    """
    known = set(names or ())
    found = []
    for encoding in encodings:
        column, gaps = encoding.column, encoding.column + MISSING in known
        if encoding.kind == "category" and not encoding.features:
            start = f"{column}="
            values = tuple(name.removeprefix(start) for name in names or () if name.startswith(start))
            encoding = replace(encoding, values=values, gaps=gaps)
        elif encoding.kind in ("number", "date") and encoding.fill is None:
            encoding = replace(encoding, fill=fills.get(column), gaps=gaps)
        found.append(encoding)
    return tuple(found)
