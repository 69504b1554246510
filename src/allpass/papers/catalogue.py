"""All studies by their IDs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allpass.errors import UnknownNameError, did_you_mean
from allpass.papers import (
    complexity,
    examples,
    homophily,
    rank,
    rl_auxiliary,
    rl_bases,
    rl_exploration,
    rl_rewards,
    rl_transitions,
    rl_triplets,
    rl_values,
)
from allpass.papers.adjacency import generated as adjacency_generated
from allpass.papers.adjacency import study as adjacency
from allpass.papers.depth import study as depth
from allpass.papers.study import Study
from allpass.papers.synthetic import study as synthetic
from allpass.papers.tables import bars, gains
from allpass.papers.tables.report import no_facts
from allpass.papers.tables.spec import TABLES, read_table
from allpass.papers.tables.study import TableStudy


class _Studies(dict[str, Study[Any]]):
    """Studies by their IDs; an unknown one is answered with near matches."""

    def __missing__(self, name: str) -> Study[Any]:
        raise UnknownNameError(f"There is no study {name!r}.", did_you_mean(name, self))


_MORE = {"table1": gains.few_labels, "ablation": gains.channels}

_ALL: tuple[Study[Any], ...] = (
    *(TableStudy(read_table(name), _MORE.get(name, no_facts)) for name in TABLES),
    bars.STUDY,
    homophily.STUDY,
    synthetic.STUDY,
    rank.STUDY,
    depth.STUDY,
    examples.STUDY,
    complexity.STUDY,
    rl_values.STUDY,
    rl_bases.STUDY,
    rl_rewards.STUDY,
    rl_exploration.STUDY,
    adjacency.STUDY,
    adjacency_generated.STUDY,
    rl_transitions.STUDY,
    rl_triplets.STUDY,
    rl_auxiliary.STUDY,
)

STUDIES: Mapping[str, Study[Any]] = _Studies({study.id: study for study in _ALL})
"""Every study by its ID."""
