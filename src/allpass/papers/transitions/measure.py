"""How far predicted transitions are from the true ones: ranks, probabilities, values and policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.model import TransitionModel
from allpass.rl.dynamics.pooling import left_out
from allpass.rl.dynamics.scores import realistic_ranks, variation
from allpass.rl.learners.worlds import TableWorld
from allpass.rl.load import load_process
from allpass.rl.mdp import TabularMDP
from allpass.rl.reconstruction import losses
from allpass.rl.recording.transitions import Transitions

Array = NDArray[np.float64]

LAKE = "FrozenLake8x8-v1"
OWN = (250, 500, 1000, 2000, 4000)
"""Steps of the next policy itself."""
POLICIES = 8
"""Earlier policies, of ``PER_POLICY`` steps each."""
PER_POLICY = 500


def every_pair(mdp: TabularMDP) -> TransitionCounts:
    """One step for each transition of a deterministic process."""
    P = mdp.P.tocoo()
    state, action = np.divmod(P.row, mdp.num_actions)
    live = ~mdp.terminal[state]
    after = P.col[live]
    steps = Transitions.from_arrays(
        state[live], action[live], mdp.edge_rewards()[live], after, terminated=mdp.terminal[after]
    )
    return TransitionCounts.of(steps, mdp)


def held_out(world: str, share: float, model: str, seed: int, prior: float) -> dict[str, float]:
    """Predict a random share of the pairs of a deterministic world from the others."""
    mdp = load_process(world)
    counts = every_pair(mdp)
    out = left_out(counts, share, seed)
    fitted = TransitionModel(model, like=mdp, prior=prior, seed=seed).fit_counts(counts.without(out))
    truth = mdp.P.toarray()[out].argmax(axis=1)
    P = fitted.P[out]
    ranks, moved = realistic_ranks(P, truth), truth != np.flatnonzero(out) // mdp.num_actions
    kinds = {"moved": moved, "blocked": ~moved}  # Taxi forbids actions that would stay, so none is blocked
    return {
        "mrr": float((1 / ranks).mean()),
        **{name: float((1 / ranks[kind]).mean()) for name, kind in kinds.items() if kind.any()},
        "hits": float((ranks <= 1).mean()),
        "chance": float(P[np.arange(len(truth)), truth].mean()),
        **losses(fitted, mdp),
    }


def sampled(samples: int, model: str, seed: int, prior: float) -> dict[str, float]:
    """Steps of the random policy on the slippery lake."""
    mdp = load_process(LAKE)
    uniform = mdp.mask / mdp.mask.sum(axis=1, keepdims=True)
    fitted = TransitionModel(model, like=mdp, prior=prior, seed=seed).fit(walk(mdp, uniform, samples, seed))
    asked = fitted.counts.asked
    return {"tv": variation(fitted.P[asked], mdp.P.toarray()[asked]), **losses(fitted, mdp)}


def next_policy(model: str, seed: int, prior: float) -> Array:
    """Total variation of the chain of the next policy, by steps that were recorded.

    ``model="own"`` counts the steps of that policy itself, ``OWN`` of them; any other learns from ``POLICIES`` earlier
    policies, one after the other, and gets no step of the next one.
    """
    mdp = load_process(LAKE)
    draw = np.random.default_rng([seed, 1])
    policies = [
        draw.dirichlet(np.full(mdp.num_actions, 0.5), size=mdp.num_states) for _ in range(POLICIES + 1)
    ]
    live = ~mdp.terminal
    true = mdp.state_chain(policies[-1]).toarray()[live]
    found = []
    if model == "own":
        steps = walk(mdp, policies[-1], OWN[-1], seed)
        for n in OWN:
            counts = TransitionCounts.of(steps[:n], mdp)
            moves = counts.C.toarray().reshape(mdp.num_states, mdp.num_actions, -1).sum(axis=1)[live]
            guess = prior / mdp.num_states
            found.append(variation((moves + guess) / (moves.sum(axis=1, keepdims=True) + prior), true))
        return np.array(found)
    history = [walk(mdp, policy, PER_POLICY, 100 * seed + k) for k, policy in enumerate(policies[:-1])]
    for k in range(1, POLICIES + 1):
        fitted = TransitionModel(model, like=mdp, prior=prior, seed=seed).fit(history[:k])
        found.append(variation(fitted.induced(policies[-1]).toarray()[live], true))
    return np.array(found)


def walk(mdp: TabularMDP, policy: Array, steps: int, seed: int) -> Transitions:
    """Steps of a policy ``[S, A]``; episodes begin as the process says."""
    world, draw = TableWorld(mdp, 1), np.random.default_rng([seed, 2])
    rows = np.zeros(1, dtype=np.int64)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("state", "action", "reward", "next_state", "terminated")
    }
    state = int(world.reset(rows, draw.random(1))[0])
    cumulated = policy.cumsum(axis=1)
    for _ in range(steps):
        action = min(int(np.searchsorted(cumulated[state], draw.random(), side="right")), mdp.num_actions - 1)
        after, reward, ended = (column[0] for column in world.step(rows, np.array([action]), draw.random(1)))
        for name, value in zip(columns, (state, action, reward, after, ended), strict=True):
            columns[name].append(value)
        state = int(world.reset(rows, draw.random(1))[0]) if ended else int(after)
    return Transitions.from_arrays(**columns)


def measured(settings: Mapping[str, Any], seed: int) -> tuple[dict[str, float], dict[str, Array]]:
    """The scores and curves of an arm."""
    model, prior = settings["model"], settings["prior"]
    if settings["part"] == "held-out":
        return held_out(settings["world"], settings["share"], model, seed, prior), {}
    if settings["part"] == "samples":
        return sampled(settings["samples"], model, seed, prior), {}
    curve = next_policy(model, seed, prior)
    return {"tv": float(curve[-1])}, {"tv": curve}
