"""What was published, run again: tables and figures as studies, our numbers beside the printed ones."""

from allpass.experiments.catalogue import STUDIES
from allpass.experiments.runner import Failure, Progress, reproduce
from allpass.experiments.study import Plan, Study

__all__ = [
    "STUDIES",
    "Failure",
    "Plan",
    "Progress",
    "Study",
    "reproduce",
]
