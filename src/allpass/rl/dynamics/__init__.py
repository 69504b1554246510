"""Transitions P(s'|s, a) learned from recorded steps, also of pairs (s, a) that were never tried."""

from __future__ import annotations

from allpass.rl.dynamics.catalog import DYNAMICS
from allpass.rl.dynamics.model import TransitionModel

__all__ = ["DYNAMICS", "TransitionModel"]
