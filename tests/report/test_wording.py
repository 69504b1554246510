from __future__ import annotations

import math

import pytest

from allpass.report import wording


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.81, "0.810"),
        (0.0, "0.000"),
        (-0.05, "−0.050"),
        (1e-9, "<0.001"),
        (-1e-9, ">−0.001"),
        (4083.06, "4,083"),
        (math.nan, "undefined"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_number(value: float, text: str):
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.5, "50%"), (1.0, "100%"), (0.0, "0%"), (0.0086, "0.9%"), (1e-5, "<0.1%"), (math.nan, "undefined")],
)
def test_percent(share: float, text: str):
    assert wording.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1101, "1.1k"),
        (25_000, "25k"),
        (3_200_000, "3.2M"),
        (10**9, "1G"),
    ],
)
def test_compact(value: int, text: str):
    assert wording.compact(value) == text


def test_count():
    assert wording.count(1234567) == "1,234,567"


def test_words():
    assert wording.words("edge_homophily") == "edge homophily"
    assert wording.words("p_value") == "p-value"


@pytest.mark.parametrize(("text", "shown"), [("near 0", "Near 0"), ("p-value of", "p-value of"), ("", "")])
def test_sentence(text: str, shown: str):
    assert wording.sentence(text) == shown


def test_clean_makes_one_printable_line():
    assert wording.clean("a\n b\x00\x1b\ud800") == "a b���"
    assert wording.clean(" \n") == "(no name)"
    assert wording.clean("数学 ü") == "数学 ü"


@pytest.mark.parametrize("length", [5, 12, 18])
def test_shorten_keeps_both_ends(length: int):
    short = wording.shorten("abcdefghijklmnopqrstuvwxyz", length)
    assert len(short) == length
    assert short[0] == "a"
    assert short[-1] == "z"
    assert wording.shorten("abc", length) == "abc"


def test_symbol():
    assert wording.symbol("H_agg^M") == "H<sub>agg</sub><sup>M</sup>"
    assert wording.symbol("S_agg(Â, X)") == "S<sub>agg</sub>(Â, X)"
    assert wording.symbol("<b>_x") == "&lt;b&gt;<sub>x</sub>"
