"""All studies by their IDs."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.errors import UnknownNameError, did_you_mean
from allpass.papers import depth, examples, homophily, rank
from allpass.papers.complexity import study as complexity
from allpass.papers.study import Study
from allpass.papers.synthetic import study as synthetic
from allpass.papers.tables import bars
from allpass.papers.tables.spec import TABLES, read_spec
from allpass.papers.tables.study import TableStudy

_OTHERS = (bars, homophily, synthetic, rank, depth, examples, complexity)


class _Studies(dict[str, Study]):
    """Studies by their IDs; one that is not there is answered with near matches."""

    def __missing__(self, name: str) -> Study:
        raise UnknownNameError(f"There is no study {name!r}.", did_you_mean(name, self))


STUDIES: Mapping[str, Study] = _Studies(
    **{name: TableStudy(read_spec(name)) for name in TABLES},
    **{other.STUDY.id: other.STUDY for other in _OTHERS},
)
"""Every study by its ID."""
