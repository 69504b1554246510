"""Further triplets of states: distances on walks are distances in the graph, roles are shared."""

from __future__ import annotations

import numpy as np
from tests.rl.dynamics.worlds import every_pair

from allpass.rl import TabularMDP
from allpass.rl.dynamics.contexts import no_contexts, role_contexts, visited_chain, walk_contexts
from allpass.rl.dynamics.counts import TransitionCounts

CORRIDOR = TabularMDP.from_grid("S........G", discount=0.9)
COUNTS = TransitionCounts.of(every_pair(CORRIDOR), CORRIDOR)


def test_states_met_g_steps_apart_can_be_reached_in_g_steps() -> None:
    rows = walk_contexts(COUNTS, np.random.default_rng(0), window=4)
    chain = visited_chain(COUNTS).toarray()
    np.testing.assert_allclose(chain.sum(axis=1), 1)
    assert set(rows[:, 1]) == {4, 5, 6}
    for gap in (2, 3, 4):
        reach = np.linalg.matrix_power(chain, gap)
        of_gap = rows[rows[:, 1] == 2 + gap]
        assert len(of_gap)
        assert (reach[of_gap[:, 0], of_gap[:, 2]] > 0).all()
    assert not len(no_contexts(COUNTS, np.random.default_rng(0)))


def test_states_of_one_role_are_joined() -> None:
    rows = role_contexts(COUNTS, np.random.default_rng(0), depth=2)
    assert rows[:, 1].min() == 4
    degree = ((visited_chain(COUNTS) + visited_chain(COUNTS).T).toarray() > 0).sum(axis=1)
    same = degree[rows[:, 0]] == degree[rows[:, 2]]
    assert same.mean() > 0.7
