"""Measurements and a trained comparison, put together into findings and a recommendation: data, no drawing."""

from allpass.diagnosis.answers import Answer
from allpass.diagnosis.chance import Chance
from allpass.diagnosis.diagnose import Diagnosis, Mixing, diagnose
from allpass.diagnosis.facts import DegreeHistogram, Facts, Range
from allpass.diagnosis.filtering import Separation
from allpass.diagnosis.findings import Finding
from allpass.diagnosis.frequency import Frequencies
from allpass.diagnosis.numbers import Numbers
from allpass.diagnosis.oversmoothing import Smoothing
from allpass.diagnosis.recommendation import Recommendation
from allpass.diagnosis.verdict import Verdict

__all__ = [
    "Answer",
    "Chance",
    "DegreeHistogram",
    "Diagnosis",
    "Facts",
    "Finding",
    "Frequencies",
    "Mixing",
    "Numbers",
    "Range",
    "Recommendation",
    "Separation",
    "Smoothing",
    "Verdict",
    "diagnose",
]
