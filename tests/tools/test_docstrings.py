from __future__ import annotations

import ast
import re

import pytest
from tools.blocks import ROOT
from tools.docstrings import to_markdown


def test_plain_text_stays():
    text = "Summary.\n\nArgs:\n    x: A signal, ``[N]``."
    assert to_markdown(text) == text


def test_formulas_become_mathml():
    shown = to_markdown(
        "With :math:`a_i`:\n\n.. math::\n    b = \\\\frac{1}{2}\n\nand more.".replace("\\\\", "\\")
    )
    assert shown.count("<math") == 2
    assert "math::" not in shown
    assert shown.endswith("and more.")


def test_a_formula_may_begin_on_the_line_of_its_directive():
    shown = to_markdown("Text.\n\n.. math:: a = b\n    + c\n\nMore.")
    assert shown.count("<math") == 1
    assert "<mo" in shown.split("More.")[0]
    assert shown.endswith("More.")


def test_roles_become_references():
    def resolve(kind, name):
        return f"allpass.{kind}.{name}"

    shown = to_markdown("See :func:`~metrics.profile` and :class:`Operator`.", resolve)
    assert (
        '<autoref optional identifier="allpass.func.metrics.profile"><code>profile</code></autoref>' in shown
    )
    assert '<autoref optional identifier="allpass.class.Operator"><code>Operator</code></autoref>' in shown


def test_links():
    shown = to_markdown("Of `Kipf and Welling,\nICLR 2017 <https://arxiv.org/abs/1609.02907>`_, with ``x``.")
    assert shown == "Of [Kipf and Welling,\nICLR 2017](https://arxiv.org/abs/1609.02907), with ``x``."


def test_doctests_stand_under_the_heading_that_shows_them():
    assert to_markdown("Summary.\n\nExample:\n    >>> 1\n    1") == "Summary.\n\nExamples:\n    >>> 1\n    1"


def test_tables():
    text = """Before.

====  ======
name  matrix
====  ======
``A``  :math:`A`
``B``  one that is
      two lines long
====  ======

After."""
    lines = to_markdown(text).splitlines()
    assert lines[2:4] == ["| name | matrix |", "| --- | --- |"]
    assert lines[4].startswith("| ``A`` | <span><math>")
    assert lines[5] == "| ``B`` | one that is two lines long |"
    assert lines[-1] == "After."


def test_a_table_without_header_that_goes_on_after_a_comma():
    text = "    ===  ===\n    a,   1\n    b    2\n    c    3\n    ===  ==="
    assert to_markdown(text).splitlines() == [
        "    |  |  |",
        "    | --- | --- |",
        "    | a, b | 1 2 |",
        "    | c | 3 |",
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "src" / "allpass").rglob("*.py")), ids=lambda path: path.stem)
def test_every_docstring_of_the_package_can_be_shown(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            shown = to_markdown(ast.get_docstring(node) or "")
            assert not re.search(r":\w+:`|\.\. \w+::|^ *=+  +=+", shown, re.MULTILINE)
