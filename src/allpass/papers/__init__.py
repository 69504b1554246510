"""Published tables and figures, run again."""

from allpass.papers.catalogue import STUDIES
from allpass.papers.result import Result
from allpass.papers.runner import Failure, Progress, reproduce
from allpass.papers.seeded import SeededStudy
from allpass.papers.study import Plan, Study, Words

__all__ = ["STUDIES", "Failure", "Plan", "Progress", "Result", "SeededStudy", "Study", "Words", "reproduce"]
