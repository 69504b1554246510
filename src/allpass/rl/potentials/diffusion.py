"""Approximate values by diffusion: a graph network tells the ends of successful episodes from their beginnings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.potentials.interface import Steps
from allpass.rl.potentials.learned import Array, LearnedPotential
from allpass.rl.potentials.network import PotentialNetwork
from allpass.rl.potentials.visited import VisitedGraph


class DiffusionPotential(LearnedPotential):
    """Values that diffuse from the last states of successful episodes (label 1) and the first (label 0).

    Labels and settings are those of Klissarov and Precup's diffusion-based approximate values (2018): a GCN of three
    layers without a penalty along edges. A state at both ends is labelled with the share of its visits at the last. An
    episode is successful where the last state has a label above 0. Rows of an episode are in the order of its steps.

    Args:
        network: Any :class:`~allpass.rl.potentials.PotentialNetwork`; by default that GCN.
        span: Number of states that are labelled at each end of an episode.
        num_states: Number of states, where they are numbers.
        radius: Join vectors at most this far apart too, as columns scaled to deviation 1 measure it.
    """

    def __init__(
        self,
        network: PotentialNetwork | None = None,
        *,
        span: int = 40,
        num_states: int | None = None,
        radius: float | None = 0.02,
    ) -> None:
        if span < 1:
            raise InputError(f"Got span = {span}.", "Expected at least one state.")
        network = network or PotentialNetwork("gcn", num_layers=3, propagation=0.0, weight_decay=1e-2)
        super().__init__(network, num_states=num_states, radius=radius)
        self.span = span

    def _labels(self, steps: Steps, visited: VisitedGraph) -> tuple[NDArray[np.int64], Array]:
        before, after = visited.find(np.asarray(steps.state)), visited.find(np.asarray(steps.next_state))
        episode = np.asarray(steps.episode)
        good = set(visited.labelled[visited.labels > 0].tolist())
        first: list[NDArray[np.int64]] = []
        last: list[NDArray[np.int64]] = []
        for number in np.unique(episode):
            rows = np.flatnonzero(episode == number)
            if int(after[rows[-1]]) in good:
                half = min(self.span, -(-len(rows) // 2))  # a short episode has no state with both labels
                first.append(before[rows[:half]])
                last.append(after[rows[-half:]])
        if not first:
            return np.empty(0, dtype=np.int64), np.empty(0)
        begins, ends = (
            np.bincount(np.concatenate(part), minlength=len(visited.states)) for part in (first, last)
        )
        nodes = np.flatnonzero(begins + ends)
        return nodes, ends[nodes] / (begins + ends)[nodes]
