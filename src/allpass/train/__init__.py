"""The training engine: many runs at once, each with its own split, settings, seed and end."""

from allpass.train.fit import Replica, fit
from allpass.train.optimizers import OPTIMIZERS
from allpass.train.run import Key, Run
from allpass.train.scores import SCORES
from allpass.train.selection import SELECTION
from allpass.train.stopping import STOPPING, stopping
from allpass.train.store import Store
from allpass.train.tasks import TASKS, task

__all__ = [
    "OPTIMIZERS",
    "SCORES",
    "SELECTION",
    "STOPPING",
    "TASKS",
    "Key",
    "Replica",
    "Run",
    "Store",
    "fit",
    "stopping",
    "task",
]
