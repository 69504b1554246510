"""How deep a GCN trains: accuracy, and the sizes of signals and gradients in every layer before and after."""

from allpass.papers.depth.grid import read_grid
from allpass.papers.depth.study import DepthStudy

STUDY = DepthStudy(read_grid())
"""The study of all that the report leaves open."""

__all__ = ["STUDY", "DepthStudy"]
