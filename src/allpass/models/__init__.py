"""Whole networks by name, composed from ``allpass.nn``."""

from allpass.models.catalog import MODELS, create, resolve
from allpass.models.entry import GRID, Model
from allpass.models.rank import hidden_ranks

__all__ = ["GRID", "MODELS", "Model", "create", "hidden_ranks", "resolve"]
