"""Where tasks are done: in this process, in several, or on a cluster."""

from allpass.train.executors.cluster import RayCluster
from allpass.train.executors.executor import Event, Executor
from allpass.train.executors.local import Local
from allpass.train.executors.task import Task

__all__ = ["Event", "Executor", "Local", "RayCluster", "Task"]
