"""Grids drawn as text, with walls, goals, holes, one-way doors and slips, as a finite process."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError, UnknownNameError, did_you_mean

Index = NDArray[np.int64]

ACTIONS = ("up", "right", "down", "left")
MOVES = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
DOORS = "^>v<"
_SYMBOLS = "#. SGH" + DOORS

FOUR_ROOMS = """
#############
#S    #     #
#     #     #
#           #
#     #     #
#     #     #
## ####     #
#     ### ###
#     #     #
#     #     #
#           #
#     #    G#
#############
"""

FOUR_ROOMS_22 = "\n".join(
    "#" * 22
    if row in (0, 21)
    else "####..#########..#####"
    if row == 10
    else "#"
    + ("S" if row < 10 else ".") * 9
    + ("." if row in (5, 6, 16, 17) else "#")
    + ("....G....." if row == 16 else "." * 10)
    + "#"
    for row in range(22)
)

ONE_WAY_DOORS = """
#############
#S    >     #
#     #     #
#     #     #
#     #     #
#     #     #
##^######v###
#     #     #
#     #     #
#  G  <     #
#     #     #
#     #     #
#############
"""

GRIDS = {"four-rooms": FOUR_ROOMS, "four-rooms-22": FOUR_ROOMS_22, "one-way-doors": ONE_WAY_DOORS}
"""Grids by name: the four rooms of Sutton, Precup and Singh (1999), those of 22 x 22 cells of Klissarov and Precup
(2020) with one goal, and four rooms in a ring of one-way doors."""


@dataclass(frozen=True)
class Grid:
    """A grid drawn as text, and the process of an agent that walks on it.

    ``#`` is a wall, ``.`` or a space a free cell, ``S`` a cell where episodes start (by default every free cell), ``G``
    a goal and ``H`` a hole, both of which end the episode. ``^ > v <`` are one-way doors: cells that are entered and
    left in their direction alone. A move into a wall or out of the grid leaves the agent where it is.

    Args:
        text: The drawing, or the name of one of ``GRIDS``.
        slip: Probability that a move goes to one of the two sides instead, half of it for each.
        goal_reward: Reward of the step into a goal.
        hole_reward: Reward of the step into a hole.
        step_reward: Reward of every other step.
    """

    text: str
    slip: float = 0.0
    goal_reward: float = 1.0
    hole_reward: float = 0.0
    step_reward: float = 0.0

    def __post_init__(self) -> None:
        if "\n" not in self.text and not set(self.text) <= set(_SYMBOLS):
            if self.text not in GRIDS:
                raise UnknownNameError(f"There is no grid {self.text!r}.", did_you_mean(self.text, GRIDS))
            object.__setattr__(self, "text", GRIDS[self.text])
        if not 0 <= self.slip <= 1:
            raise InputError(f"Got slip={self.slip}.", "Expected a probability from 0 to 1.")
        strange = sorted(set(self.text) - set(_SYMBOLS) - set("\r\n\t"))
        if strange or "\t" in self.text:
            raise InputError(
                f"The grid has the symbol {(strange or ['tab'])[0]!r}.",
                "Expected # walls, . free, S start, G goal, H hole, and doors ^ > v <.",
            )
        if not len(self.cells):
            raise InputError("The grid has no free cell.", "Draw free cells as '.' or spaces.")
        self._check_goals()

    @cached_property
    def symbols(self) -> NDArray[np.str_]:
        """The drawing as characters ``[H, W]``; short lines are filled with walls."""
        lines = [line.rstrip("\r") for line in self.text.strip("\r\n").split("\n")]
        width = max(map(len, lines))
        return np.array([list(line.ljust(width, "#")) for line in lines])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        height, width = self.symbols.shape
        return height, width

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """``[H, W]``: goals and holes."""
        return np.isin(self.symbols, ["G", "H"])

    @cached_property
    def cells(self) -> Index:
        """Row and column of every cell in which the agent can be, ``[N, 2]``, line by line."""
        return np.argwhere((self.symbols != "#") & ~self.ends)

    @cached_property
    def numbers(self) -> Index:
        """``[H, W]``: the number of each cell's state; N for goals and holes, -1 for walls."""
        numbers = np.where(self.ends, len(self.cells), -1)
        numbers[tuple(self.cells.T)] = np.arange(len(self.cells))
        return numbers

    @cached_property
    def targets(self) -> Index:
        """Row and column that each move from each cell leads to, ``[N, 4, 2]``, without slips."""
        here = self.cells[:, None, :]
        there = here + MOVES
        inside = ((there >= 0) & (there < self.shape)).all(axis=-1)
        safe = np.where(inside[..., None], there, here)
        symbol = self.symbols[safe[..., 0], safe[..., 1]]
        arrows = np.array(list(DOORS))
        own = self.symbols[tuple(self.cells.T)][:, None]
        against = (np.isin(symbol, arrows) & (symbol != arrows)) | (np.isin(own, arrows) & (own != arrows))
        blocked = ~inside | (symbol == "#") | against
        return np.where(blocked[..., None], here, there)

    def arrays(self) -> dict[str, Any]:
        """What :class:`~allpass.rl.TabularMDP` takes: transitions, rewards, names, start and positions."""
        N, has_end = len(self.cells), bool(self.ends.any())
        S = N + has_end
        chances = [(0, 1 - self.slip), (1, self.slip / 2), (-1, self.slip / 2)]
        row = (np.arange(N)[:, None] * 4 + np.arange(4)).ravel()
        rows, columns, data, rewards = [], [], [], []
        for turn, chance in chances:
            if chance > 0:
                place = np.roll(self.targets, -turn, axis=1).reshape(
                    -1, 2
                )  # what the action to the side does
                rows.append(row)
                columns.append(self.numbers[tuple(place.T)])
                data.append(np.full(4 * N, chance))
                rewards.append(data[-1] * self._rewards(place))
        P, earned = (_summed(rows, columns, part, (4 * S, S)) for part in (data, rewards))
        names: list[Any] = list(map(tuple, self.cells.tolist()))
        r = earned.sum(axis=1) if not self.slip else earned.multiply(_inverse(P)).tocsr()
        if has_end:  # the end keeps to itself
            end = sp.csr_array((np.ones(4), (np.arange(4 * N, 4 * S), np.full(4, N))), shape=P.shape)
            P, names = P + end, [*names, "end"]
        starts = self.symbols[tuple(self.cells.T)] == "S"
        start = np.append(starts if starts.any() else np.ones(N), [0.0] * has_end)
        positions = np.vstack([self.cells, np.full((int(has_end), 2), np.nan)])
        return {
            "transitions": P,
            "rewards": r,
            "states": names,
            "actions": ACTIONS,
            "start": start / start.sum(),
            "positions": positions,
        }

    def _rewards(self, place: Index) -> NDArray[np.float64]:
        symbol = self.symbols[tuple(place.T)]
        ending = np.where(symbol == "H", self.hole_reward, self.step_reward)
        return np.where(symbol == "G", self.goal_reward, ending)

    def _check_goals(self) -> None:
        """Refuse a goal that no start can reach."""
        if "G" not in self.symbols:
            return
        starts = self.symbols[tuple(self.cells.T)] == "S"
        reached = starts.copy() if starts.any() else np.ones(len(self.cells), dtype=bool)
        state = self.numbers[self.targets[..., 0], self.targets[..., 1]]
        frontier = reached
        while frontier.any():
            after = np.zeros(len(self.cells) + 1, dtype=bool)
            after[state[frontier].ravel()] = True
            frontier = after[:-1] & ~reached
            reached = reached | frontier
        places = self.targets[reached].reshape(-1, 2)
        if not (self.symbols[tuple(places.T)] == "G").any():
            raise InputError(
                "No goal of the grid can be reached from a start.", "Open a wall or move S or G."
            )


def check_grid_options(options: dict[str, Any]) -> None:
    """Refuse what a grid does not have, and what is not a number."""
    known = [field.name for field in fields(Grid) if field.name != "text"]
    for name, value in options.items():
        if name not in known:
            raise UnknownNameError(f"A grid has no argument {name!r}.", did_you_mean(name, known))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"Got {name}={value!r} for a grid.", "Expected a number.")


def _summed(rows: list[Any], columns: list[Any], data: list[Any], shape: tuple[int, int]) -> Any:
    P = sp.csr_array((np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    P.sum_duplicates()
    return P


def _inverse(P: Any) -> Any:
    """1 / P where P is not 0."""
    return sp.csr_array((1 / P.data, P.indices, P.indptr), shape=P.shape)
