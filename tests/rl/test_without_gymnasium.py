from __future__ import annotations

import subprocess
import sys


def test_only_what_needs_gymnasium_asks_for_it() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None  # as if it were not installed
import allpass.rl
from allpass.rl import TabularMDP, Transitions, load_process
import numpy as np
TabularMDP(np.eye(2), [0, 0], 0.9)
Transitions.from_arrays([0], [0], [1.0], [1])
load_process("four-rooms").optimal()
for ask in ("from allpass.rl import TransitionRecorder", "load_process('FrozenLake-v1')",
            "load_process('four-rooms').to_env()", "from allpass.rl import ShapedDQN"):
    try:
        exec(ask)
    except ImportError as error:
        print(error)
from allpass.cli.main import run
sys.argv = ["allpass", "rl", "solve", "FrozenLake-v1"]
run()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    said = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    assert len(said) == 5
    assert all("pip install 'allpass[rl]'" in line for line in said)


def test_learners_ask_for_stable_baselines3() -> None:
    code = """
import sys
sys.modules["stable_baselines3"] = None
from allpass.rl import ShapedPPO
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'allpass[rl]'" in done.stderr
