"""A small reader of LaTeX: braces, environments and cells close; nothing of the text is a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from tests.papers.pages.samples import PAGE, texts
from tools.kept import FOLDER

from allpass.papers import pages as room
from allpass.papers.pages.latex import escape, latex
from allpass.papers.pages.page import Page, Table, Value
from allpass.papers.pages.shades import on_white

COMMANDS = {
    *(
        "textbackslash",
        "textasciicircum",
        "textasciitilde",
        "textless",
        "textgreater",
        "textbar",
        "textquotedbl",
    ),
    *(
        "ldots",
        "texttt",
        "pm",
        "times",
        "cdot",
        "leq",
        "geq",
        "approx",
        "neq",
        "infty",
        "rightarrow",
        "uparrow",
        "downarrow",
    ),
    *(
        "blacktriangle",
        "blacktriangledown",
        "circ",
        "ominus",
        "dagger",
        "hat",
        "alpha",
        "beta",
        "gamma",
        "delta",
        "theta",
        "lambda",
    ),
    *("mu", "rho", "sigma", "Delta"),
}


def check_braces(text: str) -> None:
    depth = 0
    for sign in re.sub(r"\\[{}\\]", "", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0


@given(texts)
def test_text_is_never_a_command(text: str) -> None:
    escaped = escape(text)
    check_braces(escaped)
    assert set(re.findall(r"\\([A-Za-z]+)", escaped)) <= COMMANDS
    assert not re.search(r"(?<!\\)[#%&_]", escaped)
    assert "\n" not in escaped
    assert escaped.replace(r"\$", "").count("$") % 2 == 0
    assert all(ord(sign) < 0x100 for sign in escaped)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50% & more_", r"50\% \& more\_"),
        ("−1.5 ± 2", r"$-$1.5 $\pm$ 2"),
        ("--quick", "-{}-quick"),
        ("a\\b", r"a\textbackslash{}b"),
        ("é", "é"),
        ("100\N{NO-BREAK SPACE}000", "100~000"),
        ("Âᵀ", r"$\hat{A}$$^T$"),
        ("数", r"\texttt{U+6570}"),
        ("", ""),
    ],
)
def test_escapes(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_every_sign_of_the_pages_has_its_command() -> None:
    """Those of the pages that there are, and those that other rows would put there."""
    pages = [*FOLDER.glob("*.md")]
    sources = [path for path in Path(room.__file__).parent.rglob("*.py") if path.name != "latex.py"]
    assert len(pages) > 10 < len(sources)
    signs = {sign for path in (*pages, *sources) for sign in path.read_text(encoding="utf-8")}
    assert {sign for sign in signs if "U+" in escape(f"a{sign}b")} == set()


def test_a_whole_document() -> None:
    text = latex(PAGE)
    check_braces(text)
    opened: list[str] = []
    for kind, name in re.findall(r"(?<!\\)\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    assert text.endswith("\\end{document}\n")
    assert text.count(r"\end{document}") == 1
    assert r"\includegraphics[width=\linewidth]{line.pdf}" in text
    for package in ("booktabs", "graphicx", "caption", "float", "[table]{xcolor}"):
        assert package in text.split(r"\begin{document}")[0]


def test_cells_are_bold_and_coloured() -> None:
    rows = (("[x]", Value("1 & 2", best=True, shade=1.0)), (Value("", shade=0.0), "y"))
    text = latex(Page("t", (Table("c", ("a", "b"), rows),)))
    lines = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    best, worst = on_white(1.0), on_white(0.0)
    assert lines == [
        rf"{{[x]}} & \cellcolor[HTML]{{{best}}}\textbf{{1 \& 2}} \\",
        rf"\cellcolor[HTML]{{{worst}}} & y \\",
    ]


def test_a_long_table_goes_on_with_its_header_in_the_next_float() -> None:
    rows = tuple((f"row {number}", "some words " * 20) for number in range(60))
    text = latex(Page("t", (Table("What it shows", ("a", "b"), rows),)))
    floats = text.split(r"\begin{table}")[1:]
    assert len(floats) > 1
    assert [("(continued)" in part, part.count("a & b"), part.count("midrule")) for part in floats] == [
        (number > 0, 1, 1) for number in range(len(floats))
    ]
    assert re.findall(r"row (\d+)", text) == [str(number) for number in range(60)]
    assert all(part.count(r"\\") < 50 for part in floats)


def test_a_column_is_as_wide_as_its_texts_and_a_header_breaks() -> None:
    rows = (("x", "y" * 30), ("x", "z" * 500))
    text = latex(Page("t", (Table("c", ("a header of many words", "b"), rows),)))
    first, second = (float(width) for width in re.findall(r"p\{([0-9.]+)em\}", text))
    assert first < 5 < second < 40


@pytest.mark.parametrize("rows", [(), (("", ""),)])
def test_a_table_of_nothing_has_its_header(rows: tuple[tuple[str, str], ...]) -> None:
    assert r"a & b \\" in latex(Page("t", (Table("c", ("a", "b"), rows),)))
