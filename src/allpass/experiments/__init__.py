"""What was published, run again: tables and figures as studies, our numbers beside the printed ones."""

from allpass.experiments.catalogue import STUDIES
from allpass.experiments.executors.cluster import RayCluster
from allpass.experiments.executors.executor import Event, Executor
from allpass.experiments.executors.local import Local
from allpass.experiments.runner import Failure, Progress, reproduce
from allpass.experiments.study import Plan, Study, Task

__all__ = [
    "STUDIES",
    "Event",
    "Executor",
    "Failure",
    "Local",
    "Plan",
    "Progress",
    "RayCluster",
    "Study",
    "Task",
    "reproduce",
]
