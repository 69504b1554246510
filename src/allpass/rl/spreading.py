"""What a potential does for a learner: how it spreads over the states, and the steps that it saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allpass.display import framed, page
from allpass.errors import InputError
from allpass.rl.learners import QLearning, Shaping, TableWorld, learn
from allpass.rl.mdp import TabularMDP
from allpass.rl.potentials import LearnedPotential, Potential, PotentialNetwork, create_potential

Array = NDArray[np.float64]

NETWORKS = ("gcn", "acm-gcn", "krylov")


@dataclass(frozen=True, eq=False)
class Spread:
    """Q-learning with and without a potential.

    Args:
        mdp: The process.
        potential: The name of the potential.
        fits: The potential of the first seed after its fits: number of episodes, and phi ``[S]``.
        shaped: Steps of each episode with the potential, ``[seeds, episodes]``.
        plain: The same without.
    """

    mdp: TabularMDP
    potential: str
    fits: tuple[tuple[int, Array], ...]
    shaped: NDArray[np.int64]
    plain: NDArray[np.int64]

    @property
    def saved(self) -> float:
        """The share of steps that the potential saves; below 0 where it costs some."""
        return float(1 - self.shaped.sum() / self.plain.sum())

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The bootstrap interval of :attr:`saved` over seeds."""
        rows = np.random.default_rng(0).integers(len(self.plain), size=(5_000, len(self.plain)))
        ours, base = self.shaped.sum(axis=1)[rows].sum(axis=1), self.plain.sum(axis=1)[rows].sum(axis=1)
        low, high = np.percentile(1 - ours / base, [50 * (1 - level), 50 * (1 + level)])
        return float(low), float(high)

    def __repr__(self) -> str:
        low, high = self.interval()
        seeds, episodes = self.shaped.shape
        return (
            f"Spread({self.potential}, seeds={seeds}, episodes={episodes}, "
            f"saved={self.saved:.0%} [{low:.0%}, {high:.0%}])"
        )

    def _repr_html_(self) -> str:
        return framed(page(self))

    def curves(self) -> dict[str, tuple[Array, Array, Array]]:
        """Mean number of steps of each episode with its 95% bootstrap interval over seeds, shaped and plain."""
        rows = np.random.default_rng(0).integers(len(self.plain), size=(2_000, len(self.plain)))
        found = {}
        for name, steps in ((self.potential, self.shaped), ("none", self.plain)):
            low, high = np.percentile(steps[rows].mean(axis=1), [2.5, 97.5], axis=0)
            found[name] = steps.mean(axis=0), low, high
        return found


def spread(
    mdp: TabularMDP,
    potential: str = "harmonic",
    *,
    seeds: Sequence[int] = range(10),
    episodes: int = 50,
    refresh_every: int = 5,
    episode_limit: int | None = None,
    max_steps: int = 200_000,
    on_progress: Callable[[int], None] | None = None,
) -> Spread:
    """Let Q-learning act in a process, with and without shaping by a potential of what it has recorded.

    Args:
        mdp: The process, with a state that ends episodes.
        potential: A name of ``allpass.rl.potentials.POTENTIALS``.
        seeds: The seeds, at least two.
        episodes: Episodes of each.
        refresh_every: The potential is fitted after the first episode and after every so many more.
        episode_limit: Steps after which an episode is cut short; by default none is.
        max_steps: Steps of all episodes of a seed together; more is an error.
        on_progress: Called every 1000 steps with how many learners are done, of two for each seed.

    Example:
        >>> found = spread(TabularMDP.from_grid("S.......G"), seeds=range(3), episodes=20)
        >>> found.shaped.shape, found.saved > 0
        ((3, 20), True)
    """
    if len(seeds) < 2:
        raise InputError(f"Got {len(seeds)} seeds.", "Expected at least two, for intervals.")
    if not mdp.terminal.any() and episode_limit is None:
        raise InputError(
            "Got a process without a terminal state, so its episodes never end.", "Pass episode_limit=."
        )
    fits: list[tuple[int, Array]] = []

    def note(row: int, episode: int, phi: Array) -> None:
        if row == 0:
            fits.append((episode, phi))

    def make(seed: int) -> Potential:
        if potential in NETWORKS:
            return LearnedPotential(
                PotentialNetwork(potential, lr=0.02, seed=seed), num_states=mdp.num_states
            )
        return create_potential(potential)

    found = []
    for shaped in (True, False):
        bonus = None
        if shaped:
            settings = {"discount": mdp.discount, "refresh_every": refresh_every}
            bonus = Shaping(make, seeds, mdp.num_states, on_fit=note, **settings)  # type: ignore[arg-type]
        before = 0 if shaped else len(seeds)
        history = learn(
            TableWorld(mdp, len(seeds)),
            QLearning(len(seeds), mdp.num_states, mdp.num_actions, discount=mdp.discount),
            seeds,
            episodes=episodes,
            bonus=bonus,
            episode_limit=episode_limit,
            max_steps=max_steps,
            on_progress=_counted(on_progress, before + len(seeds)),
        )
        if (history.steps == 0).any():
            done = int((history.steps > 0).sum(axis=1).min())
            raise InputError(
                f"A seed ended only {done} of {episodes} episodes in {max_steps:,} steps.",
                "Pass a smaller episodes=, a larger max_steps=, or cut episodes short with episode_limit=.",
            )
        found.append(history.steps)
    return Spread(mdp, potential, tuple(fits), *found)


def _counted(on_progress: Callable[[int], None] | None, total: int) -> Callable[[int], None] | None:
    """Tells how many are done where ``learn`` tells how many are left."""
    return None if on_progress is None else lambda left: on_progress(total - left)
