"""The door: a process from the name of an environment or a grid, from a log of steps, or from an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from allpass.data.tables.tabular import TABLE_SUFFIXES
from allpass.errors import InputError, MissingFileError
from allpass.rl.environments.grids import GRIDS, check_grid_options
from allpass.rl.mdp import TabularMDP
from allpass.rl.recording.transitions import Transitions


def load_process(source: Any, discount: float = 0.99, **arguments: Any) -> TabularMDP:
    """The process behind a name, a file or an object.

    Args:
        source: The id of a Gymnasium environment that knows its transitions, the name of a grid, the path of a log (CSV
            or Parquet) or of a drawing (``.txt``), an environment, a :class:`~allpass.rl.Transitions`, or a process.
        discount: Factor of later rewards.
        **arguments: Of the environment or the grid, such as ``is_slippery=False``.

    Example:
        >>> load_process("FrozenLake-v1", is_slippery=False)
        TabularMDP(states=17, actions=4, discount=0.99, terminal=1)
    """
    if isinstance(source, TabularMDP):
        return source.with_discount(discount)
    if isinstance(source, Transitions):
        return TabularMDP.from_transitions(source, discount)
    if not isinstance(source, (str, Path)):
        return TabularMDP.from_gymnasium(source, discount)
    name, suffix = str(source), Path(source).suffix.lower()
    if name in GRIDS or suffix == ".txt":
        check_grid_options(arguments)
    if name in GRIDS:
        return TabularMDP.from_grid(name, discount, **arguments)
    if suffix == ".txt" or suffix in TABLE_SUFFIXES:
        if not Path(source).is_file():
            raise MissingFileError(f"There is no file {name!r}.", "Check the path.")
        if suffix == ".txt":
            return TabularMDP.from_grid(Path(source).read_text(encoding="utf-8"), discount, **arguments)
        if arguments:
            raise InputError(
                f"Got {', '.join(arguments)} for a log of steps.", "Arguments belong to environments."
            )
        return TabularMDP.from_transitions(Transitions.read(source), discount)
    from allpass.rl.environments.ids import make

    return TabularMDP.from_gymnasium(make(name, also=GRIDS, **arguments), discount)
