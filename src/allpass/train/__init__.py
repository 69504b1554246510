"""Trainings in batches, each with its own split, settings and seed; comparisons, sweeps, estimators, checkpoints."""

from allpass.train.checkpoint import load, save
from allpass.train.compare import Comparison, compare
from allpass.train.executors.cluster import RayCluster
from allpass.train.executors.executor import Event, Executor
from allpass.train.executors.local import Local
from allpass.train.executors.task import Task
from allpass.train.fit import Replica, fit
from allpass.train.folds import best, train_folds
from allpass.train.given import divide
from allpass.train.kept import fit_into
from allpass.train.learned_graph import LearnedGraph, learned_graph
from allpass.train.refit import refit
from allpass.train.rules.optimizers import OPTIMIZERS
from allpass.train.rules.scores import SCORES
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import STOPPING, stopping
from allpass.train.rules.tasks import TASKS, task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.scaling import SCALINGS, Scaler
from allpass.train.search import SEARCHES
from allpass.train.statistics import estimate, holm, overlap_of, paired
from allpass.train.sweep import Sweep, sweep
from allpass.train.trained import Trained

__all__ = [
    "OPTIMIZERS",
    "SCALINGS",
    "SCORES",
    "SEARCHES",
    "SELECTION",
    "STOPPING",
    "TASKS",
    "Comparison",
    "Event",
    "Executor",
    "Key",
    "LearnedGraph",
    "Local",
    "RayCluster",
    "Replica",
    "Run",
    "Scaler",
    "Store",
    "Sweep",
    "Task",
    "Trained",
    "best",
    "compare",
    "divide",
    "estimate",
    "fit",
    "fit_into",
    "holm",
    "learned_graph",
    "load",
    "overlap_of",
    "paired",
    "refit",
    "save",
    "stopping",
    "sweep",
    "task",
    "train_folds",
]
