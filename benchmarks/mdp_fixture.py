"""``python -m benchmarks.mdp_fixture``: QuantEcon's values of small processes, kept for the tests of the solvers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from allpass.files import write_whole
from allpass.rl import TabularMDP
from benchmarks.mdp import peer, process

TARGET = Path(__file__).parents[1] / "tests" / "rl" / "solvers" / "quantecon.json"
TIES = 2000


def results(mdp: TabularMDP) -> dict[str, Any]:
    """Optimal values, and those of the first allowed action."""
    ddp = peer(mdp)
    return {
        "optimal": ddp.solve(method="value_iteration", epsilon=1e-12, max_iter=100_000).v.round(12).tolist(),
        "first_action": ddp.evaluate_policy(mdp.mask.argmax(axis=1)).round(12).tolist(),
    }


def main() -> None:
    """Solve and write."""
    import quantecon

    cycling = peer(process(30, "goal")).solve(method="policy_iteration", max_iter=TIES)
    found = {
        "quantecon": quantecon.__version__,
        "processes": {
            "step": results(process(15, "step")),
            "goal": results(process(15, "goal")),
            "random": results(process(15, "random")),
            "Taxi-v4": results(TabularMDP.from_gymnasium("Taxi-v4", 0.9)),
        },
        "policy_iteration_on_ties": {"limit": TIES, "iterations": int(cycling.num_iter)},
    }
    write_whole(TARGET, (json.dumps(found) + "\n").encode())
    print(f"kept in {TARGET.name}; policy iteration ended after {cycling.num_iter} of {TIES} policies")


if __name__ == "__main__":
    main()
