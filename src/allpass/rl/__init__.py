"""Markov decision processes as graphs: states are nodes, transitions edges, values signals on them.

Names are imported on first use, so ``import allpass.rl`` needs neither Gymnasium nor torch. It registers the
environments of allpass where Gymnasium is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allpass.rl.agents import AuxiliaryDQN, AuxiliaryPPO, ShapedDQN, ShapedPPO
    from allpass.rl.bases import (
        deepwalk_basis,
        krylov_basis,
        proto_value_functions,
        random_basis,
        successor_basis,
    )
    from allpass.rl.basis_catalog import BASES, create_basis
    from allpass.rl.dynamics import DYNAMICS, TransitionModel
    from allpass.rl.environments.grids import GRIDS, Grid
    from allpass.rl.environments.tabular import TabularEnv
    from allpass.rl.laplacians import Laplacian, laplacian, stationary_distribution, visited_graph
    from allpass.rl.layouts import Layout
    from allpass.rl.load import load_process
    from allpass.rl.mdp import TabularMDP
    from allpass.rl.policies import policy_matrix
    from allpass.rl.potentials import (
        BestPathPotential,
        DiffusionPotential,
        HarmonicPotential,
        LearnedPotential,
        MessagePotential,
        Potential,
        ShuffledPotential,
        SoftPotential,
        create_potential,
    )
    from allpass.rl.projection import LeastSquaresPolicy, least_squares, lspi, lstd, projected_values
    from allpass.rl.recording.recorder import TransitionRecorder, VectorTransitionRecorder
    from allpass.rl.recording.states import Discretizer, as_hash, as_vector
    from allpass.rl.recording.transitions import Transitions
    from allpass.rl.regression import ValueRegression, value_regression
    from allpass.rl.shaped_env import PotentialShaping
    from allpass.rl.solvers.solution import Solution
    from allpass.rl.solvers.successor import td_successor

_HOMES = {
    "AuxiliaryDQN": "agents",
    "AuxiliaryPPO": "agents",
    "BASES": "basis_catalog",
    "BestPathPotential": "potentials",
    "DYNAMICS": "dynamics",
    "DiffusionPotential": "potentials",
    "Discretizer": "recording.states",
    "GRIDS": "environments.grids",
    "Grid": "environments.grids",
    "HarmonicPotential": "potentials",
    "Laplacian": "laplacians",
    "Layout": "layouts",
    "LearnedPotential": "potentials",
    "LeastSquaresPolicy": "projection",
    "MessagePotential": "potentials",
    "Potential": "potentials",
    "PotentialShaping": "shaped_env",
    "ShapedDQN": "agents",
    "ShapedPPO": "agents",
    "ShuffledPotential": "potentials",
    "SoftPotential": "potentials",
    "Solution": "solvers.solution",
    "TabularEnv": "environments.tabular",
    "TabularMDP": "mdp",
    "TransitionModel": "dynamics",
    "TransitionRecorder": "recording.recorder",
    "Transitions": "recording.transitions",
    "ValueRegression": "regression",
    "VectorTransitionRecorder": "recording.recorder",
    "as_hash": "recording.states",
    "as_vector": "recording.states",
    "create_basis": "basis_catalog",
    "create_potential": "potentials",
    "deepwalk_basis": "bases",
    "krylov_basis": "bases",
    "laplacian": "laplacians",
    "least_squares": "projection",
    "load_process": "load",
    "lspi": "projection",
    "lstd": "projection",
    "policy_matrix": "policies",
    "projected_values": "projection",
    "proto_value_functions": "bases",
    "random_basis": "bases",
    "stationary_distribution": "laplacians",
    "successor_basis": "bases",
    "td_successor": "solvers.successor",
    "value_regression": "regression",
    "visited_graph": "laplacians",
}

__all__ = [
    "BASES",
    "DYNAMICS",
    "GRIDS",
    "AuxiliaryDQN",
    "AuxiliaryPPO",
    "BestPathPotential",
    "DiffusionPotential",
    "Discretizer",
    "Grid",
    "HarmonicPotential",
    "Laplacian",
    "Layout",
    "LearnedPotential",
    "LeastSquaresPolicy",
    "MessagePotential",
    "Potential",
    "PotentialShaping",
    "ShapedDQN",
    "ShapedPPO",
    "ShuffledPotential",
    "SoftPotential",
    "Solution",
    "TabularEnv",
    "TabularMDP",
    "TransitionModel",
    "TransitionRecorder",
    "Transitions",
    "ValueRegression",
    "VectorTransitionRecorder",
    "as_hash",
    "as_vector",
    "create_basis",
    "create_potential",
    "deepwalk_basis",
    "krylov_basis",
    "laplacian",
    "least_squares",
    "load_process",
    "lspi",
    "lstd",
    "policy_matrix",
    "projected_values",
    "proto_value_functions",
    "random_basis",
    "stationary_distribution",
    "successor_basis",
    "td_successor",
    "value_regression",
    "visited_graph",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"allpass.rl.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'allpass.rl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


try:
    import gymnasium  # noqa: F401
except ImportError:  # only what needs it asks for it
    pass
else:
    from allpass.rl.environments.ids import register

    register()
