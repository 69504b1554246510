from __future__ import annotations

import subprocess
import sys


def test_only_what_needs_gymnasium_asks_for_it() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None  # as if it were not installed
import allpass.rl
from allpass.rl import TabularMDP, Transitions
import numpy as np
TabularMDP(np.eye(2), [0, 0], 0.9)
Transitions.from_arrays([0], [0], [1.0], [1])
try:
    from allpass.rl import TransitionRecorder
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install 'allpass[rl]'" in done.stdout
