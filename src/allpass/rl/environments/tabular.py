"""Any finite process as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.environments.grids import Grid, check_grid_options
from allpass.rl.gymnasium_extra import require_gymnasium
from allpass.rl.mdp import TabularMDP

require_gymnasium("An environment")
import gymnasium as gym  # noqa: E402

_COLOURS = {
    "#": (60, 60, 60),
    ".": (235, 235, 235),
    "S": (200, 215, 240),
    "G": (90, 170, 90),
    "H": (40, 70, 130),
}
_DOOR, _AGENT = (240, 205, 130), (200, 60, 60)
_PIXELS = 16


class TabularEnv(gym.Env[Any, Any]):
    """An environment that samples a :class:`TabularMDP`.

    Observations and actions are numbers. An episode begins in a state drawn from ``mdp.start`` and terminates in a
    terminal state; the environment itself never truncates. ``info["action_mask"]`` says which actions are allowed. One
    that is not leaves the state as it is and gives no reward.

    Args:
        mdp: The process.
        render_mode: ``"ansi"``: text; ``"rgb_array"``: a picture, for grids.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 8}  # noqa: RUF012

    def __init__(self, mdp: TabularMDP, *, render_mode: str | None = None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InputError(f"Got render_mode={render_mode!r}.", "Expected 'ansi', 'rgb_array' or None.")
        self.mdp = mdp
        self.render_mode = render_mode
        self.observation_space = gym.spaces.Discrete(mdp.num_states)
        self.action_space = gym.spaces.Discrete(mdp.num_actions)
        self._indptr, self._after = mdp.P.indptr.tolist(), mdp.P.indices
        self._rewards = mdp.edge_rewards()
        self._chance = mdp.P.data
        self._start = np.flatnonzero(mdp.start)
        self._start_sum = mdp.start[self._start].cumsum()
        self._mask = mdp.mask.astype(np.int8)
        self._terminal = mdp.terminal
        self._state: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode; ``options={"state": s}`` begins it in state s."""
        super().reset(seed=seed)
        if options and "state" in options:
            self._state = self.mdp.index(options["state"])
        else:
            self._state = int(self._start[_draw(self._start_sum, self.np_random.random())])
        return self._state, self._info()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action."""
        if self._state is None:
            raise gym.error.ResetNeeded("Call reset before step.")
        if not 0 <= action < self.mdp.num_actions:
            raise InputError(f"Got action {action!r}.", f"Expected 0 to {self.mdp.num_actions - 1}.")
        row = self._state * self.mdp.num_actions + int(action)
        first, last = self._indptr[row], self._indptr[row + 1]
        reward = 0.0
        if last > first:
            place = first
            if last > first + 1:
                place += _draw(self._chance[first:last].cumsum(), self.np_random.random())
            self._state, reward = int(self._after[place]), float(self._rewards[place])
        return self._state, reward, bool(self._terminal[self._state]), False, self._info()

    def render(self) -> Any:
        """The grid with the agent as ``A``, or the name of the state, as text or as a picture."""
        if self.render_mode is None:
            return None
        drawn = self._drawing()
        if self.render_mode == "ansi":
            return "\n".join("".join(line) for line in drawn) + "\n"
        colours = np.array(
            [[_COLOURS.get(symbol, _DOOR) for symbol in line] for line in drawn], dtype=np.uint8
        )
        colours[drawn == "A"] = _AGENT
        return colours.repeat(_PIXELS, axis=0).repeat(_PIXELS, axis=1)

    def _drawing(self) -> NDArray[np.str_]:
        """Characters of the grid; without a grid, the states in a line."""
        state = self._state
        if self.mdp.grid is None:
            drawn = np.full((1, self.mdp.num_states), ".")
            drawn[0, self._terminal] = "G"
            if state is not None:
                drawn[0, state] = "A"
            return drawn
        drawn = self.mdp.grid.symbols.copy()
        drawn[drawn == " "] = "."
        if state is not None and state < len(self.mdp.grid.cells):
            drawn[tuple(self.mdp.grid.cells[state])] = "A"
        return drawn

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask[self._state].copy()}


def grid(grid: str | Grid = "four-rooms", *, render_mode: str | None = None, **options: Any) -> TabularEnv:
    """``allpass/Grid-v0``: a grid drawn as text or by name; options of :class:`~allpass.rl.Grid`."""
    check_grid_options({name: value for name, value in options.items() if name != "discount"})
    return TabularMDP.from_grid(grid, **options).to_env(render_mode=render_mode)


def four_rooms(*, render_mode: str | None = None, **options: Any) -> TabularEnv:
    """``allpass/FourRooms-v0``: four rooms of 13 x 13 cells."""
    return grid("four-rooms", render_mode=render_mode, **options)


def one_way_doors(*, render_mode: str | None = None, **options: Any) -> TabularEnv:
    """``allpass/OneWayDoors-v0``: four rooms in a ring of doors that open in one direction."""
    return grid("one-way-doors", render_mode=render_mode, **options)


def _draw(cumulative: NDArray[np.float64], uniform: float) -> int:
    return int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
