"""Where tasks are done: in this process, in several, or on a cluster."""

from allpass.experiments.executors.cluster import RayCluster
from allpass.experiments.executors.executor import Event, Executor
from allpass.experiments.executors.local import Local

__all__ = ["Event", "Executor", "Local", "RayCluster"]
