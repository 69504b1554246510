from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest

from allpass.errors import InputError, MissingFileError, UnknownNameError
from allpass.rl import TabularMDP, Transitions, load_process


def test_every_source_is_a_process(tmp_path: Path) -> None:
    steps = Transitions.from_arrays([0, 1], [0, 0], [0.0, 1.0], [1, 2], terminated=[0, 1])
    drawing = tmp_path / "grid.txt"
    drawing.write_text("S.G")
    sources = {
        "four-rooms": 104,
        "FrozenLake-v1": 17,
        str(drawing): 3,
        str(steps.save(tmp_path / "log.csv")): 3,
        steps.save(tmp_path / "log.parquet"): 3,
        steps: 3,
        gym.make("CliffWalking-v1"): 49,
        TabularMDP.from_grid("S.G"): 3,
    }
    for source, states in sources.items():
        mdp = load_process(source, 0.5)
        assert (mdp.num_states, mdp.discount) == (states, 0.5)


def test_arguments_reach_the_environment() -> None:
    assert load_process("FrozenLake-v1", is_slippery=False).P.nnz < load_process("FrozenLake-v1").P.nnz
    assert load_process("four-rooms", slip=0.5).P.nnz > load_process("four-rooms").P.nnz


def test_bad_sources_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'four-rooms'"):
        load_process("four-room")
    with pytest.raises(InputError, match=r"unexpected keyword argument 'is_slipery'\. Check") as caught:
        load_process("FrozenLake-v1", is_slipery=False)
    assert len(str(caught.value)) < 200
    with pytest.raises(MissingFileError, match="There is no file"):
        load_process("log.parquet")
    log = Transitions.from_arrays([0], [0], [0.0], [1]).save(tmp_path / "log.csv")
    with pytest.raises(InputError, match="Got slip for a log"):
        load_process(log, slip=0.1)
