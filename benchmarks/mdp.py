"""Values and optimal policies of a grid of 250,000 states against QuantEcon's ``DiscreteDP``, both sparse.

QuantEcon is a peer for measuring alone: ``pip install quantecon`` (0.11.4 was measured). Both sides are asked for a
residual :math:`|V - T V|` of 1e-8 in every state, and each result is checked. QuantEcon's own limit of 250 iterations,
at which it stops without a word, is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from allpass.rl import TabularMDP
from benchmarks.timing import Row, race

TOLERANCE = 1e-8
DISCOUNT = 0.99
SIDE = 500
REPEATS = 5
METHODS = {
    "value iteration": ("value-iteration", "value_iteration"),
    "modified policy iteration": ("modified-policy-iteration", "modified_policy_iteration"),
}


def run(device: str) -> list[Row]:
    """Evaluation, value iteration and modified policy iteration, for two kinds of rewards."""
    if device != "cpu":
        return []
    threads = torch.get_num_threads()
    try:
        import quantecon  # noqa: F401
    except ImportError:
        print("mdp needs its peer: pip install quantecon")
        return []
    torch.set_num_threads(threads)  # the import changes it
    _cases(process(8, "step"), "")  # compiles what the peer compiles at its first call
    rows = []
    for rewards in ("step", "random"):
        said = {"step": "a cost for each step", "random": "random rewards"}[rewards]
        for case, candidates in _cases(process(SIDE, rewards), f", {said}").items():
            rows.append(race(case, candidates, goal=1.0, repeats=REPEATS, least=0))
    return rows


def process(side: int, rewards: str) -> TabularMDP:
    """A square with one goal in its corner and moves that slip to the side in one of five cases.

    Args:
        side: Cells along each side.
        rewards: ``"step"``: each step costs 1; ``"goal"``: the goal gives 1; ``"random"``: each action of each state
            has a normal reward.
    """
    drawing = "\n".join(["." * side] * (side - 1) + ["." * (side - 1) + "G"])
    costs = {"step_reward": -1.0, "goal_reward": 0.0} if rewards == "step" else {}
    mdp = TabularMDP.from_grid(drawing, DISCOUNT, slip=0.2, **costs)
    if rewards != "random":
        return mdp
    drawn = np.random.default_rng(0).normal(size=mdp.mask.shape)
    drawn[mdp.terminal] = 0
    return TabularMDP(mdp.P, drawn, DISCOUNT)


def peer(mdp: TabularMDP) -> Any:
    """The process as QuantEcon takes it."""
    from quantecon.markov import DiscreteDP

    pairs = np.flatnonzero(mdp.mask.ravel())
    state, action = np.divmod(pairs, mdp.num_actions)
    return DiscreteDP(mdp.r[pairs], sp.csr_matrix(mdp.P[pairs]), mdp.discount, state, action)


def _cases(mdp: TabularMDP, said: str) -> dict[str, dict[str, Callable[[], object]]]:
    """The contests about one process, and a check of each result."""
    ddp = peer(mdp)
    best = mdp.optimal(tolerance=1e-12)
    tolerance = TOLERANCE / max(
        1.0, float(np.abs(best.values).max())
    )  # ours is relative to the largest value
    chain, reward = mdp.state_chain(best.policy), mdp.state_rewards(best.policy)

    def evaluated(V: Any) -> object:
        return _checked(np.abs(reward + DISCOUNT * (chain @ V) - V).max(), V)

    def optimal(V: Any) -> object:
        Q = (mdp.r + DISCOUNT * (mdp.P @ V)).reshape(mdp.mask.shape)
        return _checked(np.abs(Q.max(axis=1) - V).max(), V)

    cases: dict[str, dict[str, Callable[[], object]]] = {
        f"evaluation{said}": {
            "ours": lambda: evaluated(mdp.values(best.policy, tolerance=tolerance)),
            "QuantEcon": lambda: evaluated(ddp.evaluate_policy(best.policy)),
        }
    }
    bound = (
        TOLERANCE * 2 * DISCOUNT / (1 - DISCOUNT)
    )  # QuantEcon's epsilon bounds the distance to the optimum

    def ours(method: Any) -> object:
        return optimal(mdp.optimal(method=method, tolerance=tolerance).values)

    def theirs(method: str) -> object:
        return optimal(ddp.solve(method=method, epsilon=bound, max_iter=1_000_000).v)

    for name, (own, method) in METHODS.items():
        cases[name + said] = {"ours": partial(ours, own), "QuantEcon": partial(theirs, method)}
    return cases


def _checked(residual: float, V: Any) -> object:
    if not residual <= TOLERANCE:
        raise AssertionError(f"The residual is {residual:.1e}, over {TOLERANCE:.0e}.")
    return V
