"""Published tables as data: what was printed, how it was made, and our number beside it."""

from allpass.experiments.spec import SPECS, Cell, Column, Spec, read_spec

__all__ = ["SPECS", "Cell", "Column", "Spec", "read_spec"]
