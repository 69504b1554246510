"""All studies by their IDs."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.experiments.spec import read_spec
from allpass.experiments.study import Study
from allpass.experiments.tables import TableStudy

_TABLES = ("table1", "acm-random", "acm-fixed", "acm-deezer", "ablation")

STUDIES: Mapping[str, Study] = {name: TableStudy(read_spec(name)) for name in _TABLES}
"""Every study by its ID, in the order of the list."""
