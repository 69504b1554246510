"""Whole networks by name, composed from ``allpass.nn``."""

from allpass.models.catalog import MODELS, create, resolve
from allpass.models.entry import GRID, Model
from allpass.models.rank import hidden_ranks
from allpass.models.table import ModelCard, ModelRow, SettingRow, describe_model, model_table, setting_rows

__all__ = [
    "GRID",
    "MODELS",
    "Model",
    "ModelCard",
    "ModelRow",
    "SettingRow",
    "create",
    "describe_model",
    "hidden_ranks",
    "model_table",
    "resolve",
    "setting_rows",
]
