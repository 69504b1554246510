"""What was published, run again: tables and figures as studies, our numbers beside the printed ones."""

from allpass.papers.catalogue import STUDIES
from allpass.papers.runner import Failure, Progress, reproduce
from allpass.papers.study import Plan, Study

__all__ = [
    "STUDIES",
    "Failure",
    "Plan",
    "Progress",
    "Study",
    "reproduce",
]
