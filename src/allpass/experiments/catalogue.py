"""All studies by their IDs."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.experiments import depth, examples, homophily, rank
from allpass.experiments.complexity import study as complexity
from allpass.experiments.study import Study
from allpass.experiments.synthetic import study as synthetic
from allpass.experiments.tables import bars
from allpass.experiments.tables.spec import TABLES, read_spec
from allpass.experiments.tables.study import TableStudy

_OTHERS = (bars, homophily, synthetic, rank, depth, examples, complexity)

STUDIES: Mapping[str, Study] = {
    **{name: TableStudy(read_spec(name)) for name in TABLES},
    **{other.STUDY.id: other.STUDY for other in _OTHERS},
}
"""Every study by its ID."""
