"""Potentials: rewards spread over the graph of states, for shaping."""

from allpass.rl.potentials.catalog import POTENTIALS, ShuffledPotential, create_potential
from allpass.rl.potentials.diffusion import DiffusionPotential
from allpass.rl.potentials.interface import Potential
from allpass.rl.potentials.learned import LearnedPotential
from allpass.rl.potentials.network import PotentialNetwork
from allpass.rl.potentials.tabular import (
    BestPathPotential,
    HarmonicPotential,
    MessagePotential,
    SoftPotential,
)

__all__ = [
    "POTENTIALS",
    "BestPathPotential",
    "DiffusionPotential",
    "HarmonicPotential",
    "LearnedPotential",
    "MessagePotential",
    "Potential",
    "PotentialNetwork",
    "ShuffledPotential",
    "SoftPotential",
    "create_potential",
]
