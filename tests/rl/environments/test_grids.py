from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError, UnknownNameError
from allpass.rl import GRIDS, Grid, TabularMDP

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def brute_force(text: str, slip: float) -> dict[tuple[object, str], dict[object, tuple[float, float]]]:
    """For each cell and action: next state to (probability, expected reward), by walking on the drawing."""
    lines = text.strip("\n").split("\n")
    cells = {(i, j): symbol for i, line in enumerate(lines) for j, symbol in enumerate(line) if symbol != "#"}
    order = list(STEPS)

    def target(cell: tuple[int, int], action: str) -> tuple[int, int]:
        there = (cell[0] + STEPS[action][0], cell[1] + STEPS[action][1])
        arrow = {"up": "^", "right": ">", "down": "v", "left": "<"}[action]
        if there not in cells:
            return cell
        if any(symbol in "^>v<" and symbol != arrow for symbol in (cells[cell], cells[there])):
            return cell
        return there

    table: dict[tuple[object, str], dict[object, tuple[float, float]]] = {}
    for cell, symbol in cells.items():
        if symbol in "GH":
            continue
        for number, action in enumerate(order):
            after: dict[object, tuple[float, float]] = {}
            for turn, chance in ((0, 1 - slip), (1, slip / 2), (3, slip / 2)):
                place = target(cell, order[(number + turn) % 4])
                name = "end" if cells[place] in "GH" else place
                reward = {"G": 5.0, "H": -2.0}.get(cells[place], -0.1)
                p, r = after.get(name, (0.0, 0.0))
                after[name] = p + chance, r + chance * reward
            table[cell, action] = after
    return table


@given(
    st.lists(st.text("#..S^>v<GH", min_size=5, max_size=5), min_size=2, max_size=5),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_a_grid_is_what_walking_on_the_drawing_gives(lines: list[str], slip: float) -> None:
    text = "\n".join(lines)
    try:
        mdp = TabularMDP.from_grid(text, slip=slip, goal_reward=5, hole_reward=-2, step_reward=-0.1)
    except InputError as error:
        assert "No goal" in str(error) or "no free cell" in str(error)  # noqa: PT017
        return
    states = mdp.states
    assert states is not None
    for (cell, action), after in brute_force(text, slip).items():
        row = mdp.index(cell) * 4 + list(STEPS).index(action)
        got = mdp.P[[row]].toarray().ravel()
        want = np.zeros(mdp.num_states)
        for name, (chance, _) in after.items():
            want[mdp.index(name)] += chance
        np.testing.assert_allclose(got, want, atol=1e-12)
        np.testing.assert_allclose(mdp.r[row], sum(reward for _, reward in after.values()), atol=1e-12)


@pytest.mark.parametrize(("name", "states"), [("four-rooms", 104), ("four-rooms-22", 369)])
def test_named_grids_have_their_states_and_a_way_to_the_goal(name: str, states: int) -> None:
    mdp = TabularMDP.from_grid(name)
    assert mdp.num_states == states
    assert mdp.terminal.sum() == 1
    assert mdp.mask.all()
    chain = mdp.state_chain("uniform")
    for start in np.flatnonzero(mdp.start):
        reached, queue = {start}, deque([start])
        while queue:
            state = queue.popleft()
            new = set(chain[[state]].indices.tolist()) - reached
            reached |= new
            queue.extend(new)
        assert len(reached) == states


def test_doors_cannot_be_passed_backwards() -> None:
    mdp = TabularMDP.from_grid("one-way-doors")
    assert mdp.states is not None
    west, door, east = (mdp.index((1, column)) for column in (5, 6, 7))
    right, left = 1, 3
    move = mdp.P.toarray().reshape(mdp.num_states, 4, -1).argmax(axis=2)
    assert move[west, right] == door
    assert move[door, right] == east
    assert move[east, left] == east
    assert move[door, left] == door
    assert (move[door, [0, 2]] == door).all()


def test_bad_grids_are_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'four-rooms'"):
        Grid("four-room")
    with pytest.raises(InputError, match="symbol 'x'"):
        Grid("S.x\n..G")
    with pytest.raises(InputError, match="No goal of the grid can be reached"):
        Grid("S.#\n..#\n##G")
    with pytest.raises(InputError, match="no free cell"):
        Grid("###\n#G#")
    with pytest.raises(InputError, match="slip=2"):
        Grid("S.G", slip=2)
    assert set(GRIDS) == {"four-rooms", "four-rooms-22", "one-way-doors"}
