from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tools.mathml import to_mathml


def text(latex: str, block: bool = False) -> str:
    return "".join(ElementTree.fromstring(to_mathml(latex, block=block)).itertext())


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a + b", "a+b"),
        ("a - b", "a−b"),
        (r"\lambda \le 2", "λ≤2"),
        (r"\Gamma", "Γ"),
        (r"\mathbb{R}^{M \times N}", "ℝM×N"),
        (r"\mathcal N_v", "𝒩v"),
        (r"|\mathcal{E}|", "|ℰ|"),
        (r"\{u : y_u \ne y_v\}", "{u:yu≠yv}"),
        (r"\arg\min_m \lVert x \rVert", "argminm‖x‖"),
        (r"\operatorname{mean}_{u}", "meanu"),
        (r"\text{edges to earlier classes}", "edges\u00a0to\u00a0earlier\u00a0classes"),
        (r"\hat A", "𝐴\u0302"),
        (r"\bar{p}_k", "𝑝\u0304k"),
        (r"0.25 x", "0.25x"),
        (r"W'", "W′"),
    ],
)
def test_symbols(latex, expected):
    assert text(latex) == expected


def test_scripts_fractions_and_roots():
    assert to_mathml("x_i^2") == "<math><mrow><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></mrow></math>"
    assert to_mathml("x^2_i") == to_mathml("x_i^2")
    assert (
        to_mathml(r"\frac{a}{b}").count("<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>") == 1
    )
    assert "<msqrt>" in to_mathml(r"\sqrt{n}")


def test_a_word_as_index_is_upright_and_two_letters_are_a_product():
    assert '<mi mathvariant="normal">edge</mi>' in to_mathml("H_{edge}")
    assert "<mi>u</mi><mi>v</mi>" in to_mathml("e_{uv}")


def test_sums_carry_their_limits_below_on_lines_of_their_own():
    assert "<munder>" in to_mathml(r"\sum_k c_k", block=True)
    assert "<munder>" not in to_mathml(r"\sum_k c_k")


def test_lines_are_aligned():
    assert to_mathml(r"a &= b \\ c &= d", block=True).count("<mtr>") == 2


def test_markdown_finds_nothing_to_act_on():
    written = to_mathml(r"|a_{bcd}| * \{x\} - [y]")
    assert not set("|*_[]{}") & set(written)


@pytest.mark.parametrize(
    ("latex", "complaint"),
    [
        (r"\unheardof{x}", "unheardof"),
        ("{a", "ends in the middle"),
        ("a}", "never opened"),
        ("_a", "out of place"),
        (r"\frac{a}", "ends in the middle"),
        (r"\hat{AB}", "more than one letter"),
    ],
)
def test_what_is_not_understood_is_an_error(latex, complaint):
    with pytest.raises(ValueError, match=complaint):
        to_mathml(latex)


def test_brackets_grow_where_they_are_told_to():
    assert to_mathml(r"\left(x\right)").count('stretchy="true"') == 2
    assert to_mathml(r"(x)").count('stretchy="false"') == 2
    assert text(r"a \leftarrow \left(b + c\right)") == "a←(b+c)"
