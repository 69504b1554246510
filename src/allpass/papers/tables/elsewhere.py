"""What others report for networks on the same graphs: beside a table, for a reader who asks how strong its rows are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from allpass.errors import InputError
from allpass.papers.checks import check_keys, check_name


@dataclass(frozen=True)
class Elsewhere:
    """Means of one source.

    Args:
        source: Where they were published.
        about: How its networks differ from ours.
        means: In percent, by column and by network, as the source calls it.
    """

    source: str
    about: str
    means: Mapping[str, Mapping[str, float]]

    @classmethod
    def read(cls, given: object, columns: Collection[str]) -> Elsewhere:
        """From an entry of a spec, checked.

        Args:
            given: The entry.
            columns: The columns of the table.
        """
        check_keys(given, (), needed=("source", "about", "means"))
        assert isinstance(given, Mapping)  # so says the check
        means: dict[str, Mapping[str, float]] = {}
        for column, of_column in given["means"].items():
            check_name("column", column, columns)
            means[column] = {name: _mean(name, value) for name, value in of_column.items()}
        return cls(given["source"], given["about"], means)


def _mean(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 100:
        raise InputError(f"{name} is {value!r}.", "Expected a mean in percent.")
    return float(value)
