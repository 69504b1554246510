"""Whole networks by name, composed from ``allpass.nn``."""

from allpass.models.catalog import MODELS, create, resolve
from allpass.models.entry import GRID, Model

__all__ = ["GRID", "MODELS", "Model", "create", "resolve"]
