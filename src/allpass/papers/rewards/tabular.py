"""Q-learning on the four rooms of 22 x 22 cells, shaped by what each seed has recorded so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.rl.learners import DynaQ, QLearning, Shaping, TableWorld, learn
from allpass.rl.mdp import TabularMDP
from allpass.rl.potentials import LearnedPotential, Potential, PotentialNetwork, create_potential

GRID = "four-rooms-22"
DISCOUNT = 0.99

ARMS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "harmonic": {"potential": "harmonic"},
    "soft": {"potential": "soft"},
    "best-path": {"potential": "best-path"},
    "gcn": {"network": "gcn", "epochs": 50, "lr": 0.02, "propagation": 10.0},
    "acm-gcn": {"network": "acm-gcn", "epochs": 50, "lr": 0.05, "propagation": 10.0},
    "dyna-1": {"planning": 1},
    "dyna-10": {"planning": 10},
    "dyna-50": {"planning": 50},
}
"""Where the potential comes from, or how many recorded steps Dyna-Q repeats after each. Potentials are fitted after
the first episode and after every 10 more. The settings of both networks were chosen on seeds 0 to 9."""


@dataclass(frozen=True)
class Learned:
    """What some seeds needed; one entry for each seed.

    Args:
        steps: Steps of each episode, ``[R, episodes]``.
        updates: Updates of the table, ``[R]``.
        fits: Fits of the potential, ``[R]``.
    """

    steps: NDArray[np.int64]
    updates: NDArray[np.int64]
    fits: NDArray[np.int64]


def learn_grid(settings: Mapping[str, Any], seeds: Sequence[int], *, episodes: int = 100) -> Learned:
    """Let some seeds learn; each does the same alone and among others.

    Args:
        settings: A value of ``ARMS``.
        seeds: The seeds.
        episodes: Episodes of each.
    """
    mdp = TabularMDP.from_grid(GRID, DISCOUNT)
    size = len(seeds), mdp.num_states, mdp.num_actions
    planning = settings.get("planning")
    learner = DynaQ(*size, planning=planning) if planning else QLearning(*size)
    shaping = None
    if "potential" in settings or "network" in settings:
        shaping = Shaping(
            lambda seed: _potential(settings, seed, mdp.num_states), seeds, mdp.num_states, discount=DISCOUNT
        )
    history = learn(TableWorld(mdp, len(seeds)), learner, seeds, episodes=episodes, bonus=shaping)
    fits = np.zeros(len(seeds), dtype=np.int64) if shaping is None else shaping.fits
    return Learned(history.steps, history.updates, fits)


def _potential(settings: Mapping[str, Any], seed: int, num_states: int) -> Potential:
    if "potential" in settings:
        return create_potential(settings["potential"])
    options = {name: value for name, value in settings.items() if name != "network"}
    return LearnedPotential(
        PotentialNetwork(settings["network"], seed=seed, **options), num_states=num_states
    )
