"""A page of results as a LaTeX document: booktabs tables that a paper can take over."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, Value
from allpass.papers.pages.shades import captioned, on_white
from allpass.report.wording import clean

_OPENING = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{adjustbox, amssymb, array, booktabs, caption, float, graphicx}
\usepackage[table]{xcolor}
\begin{document}
"""
_SIGNS = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{sign: "\\" + sign for sign in "{}$&#_%"},
    **{"−": "$-$", "±": r"$\pm$", "×": r"$\times$", "·": r"$\cdot$", "≤": r"$\leq$", "≥": r"$\geq$"},
    **{"≈": r"$\approx$", "≠": r"$\neq$", "∞": r"$\infty$", "→": r"$\rightarrow$", "↑": r"$\uparrow$"},
    **{"↓": r"$\downarrow$", "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "○": r"$\circ$"},
    **{"◐": r"$\ominus$", "†": r"$\dagger$", "Â": r"$\hat{A}$", "ᵀ": "$^T$", "\N{NO-BREAK SPACE}": "~"},
    **{"–": "--", "—": "---", "…": r"\ldots{}", "“": "``", "”": "''", "’": "'", "‘": "`"},
    **{"α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "θ": r"$\theta$"},
    **{"λ": r"$\lambda$", "μ": r"$\mu$", "ρ": r"$\rho$", "σ": r"$\sigma$", "Δ": r"$\Delta$", "¹": "$^1$"},
    **{"²": "$^2$", "³": "$^3$", "⁻": "$^-$", "₀": "$_0$", "₁": "$_1$", "₂": "$_2$"},
}
_LINE = 60  # signs in a line of a column; more of them go into further lines
_EM = 0.52  # the width of a sign
_PAGE_WIDTH, _PAGE_LINES = 45, 48  # in em, and without caption and header
_LIGATURE = re.compile(r"([-`',])(?=\1)")
_KNOWN = {"Ll", "Lu"}  # letters of Latin-1, which the encoding of the fonts has


def latex(page: Page) -> str:
    """The page as a document of its own.

    Args:
        page: What to show. Pictures are PDF files beside the document.
    """
    parts = [f"\\section*{{{escape(page.title)}}}"]
    parts += [part for block in page.below_title() for part in _block(block)]
    return _OPENING + "\n\n".join(parts) + "\n\\end{document}\n"


def escape(text: str) -> str:
    r"""Text that stands for itself in LaTeX; a sign that its fonts may lack is named by its number.

    Args:
        text: Plain characters.

    Example:
        >>> escape("100% of H_agg --quick")
        '100\\% of H\\_agg -{}-quick'
    """
    if not text.strip():
        return ""
    return "".join(map(_sign, _LIGATURE.sub("\\1\0", clean(text)))).replace("\0", "{}")


def _sign(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign.isascii() or (ord(sign) < 0x100 and unicodedata.category(sign) in _KNOWN):
        return sign
    return f"\\texttt{{U+{ord(sign):04X}}}"


def _block(block: Block) -> Iterable[str]:
    match block:
        case Heading(text):
            yield f"\\subsection*{{{escape(text)}}}"
        case Text():
            for part in block.parts():
                yield escape(part) if isinstance(part, str) else _list(part)
        case Table():
            yield _table(block)
        case Picture(name, caption):
            graphics = f"\\includegraphics[width=\\linewidth]{{{name}.pdf}}"
            yield _float("figure", f"{graphics}\n\\caption*{{{escape(caption)}}}")


def _list(items: Iterable[str]) -> str:
    lines = "\n".join(f"\\item {{}}{escape(item)}" for item in items)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"


def _table(table: Table) -> str:
    """One float a page: tables that are wider than a page are made smaller, those that are longer go on in the next."""
    rows = [[value.text for value in row] for row in table.values()]
    columns = zip(*rows, strict=True) if rows else [[""]] * len(table.header)
    lengths = list(map(_line, table.header, columns))
    scale = min(1.0, _PAGE_WIDTH / sum(_EM * (length + 2) for length in lengths))
    widths = "".join(f">{{\\raggedright\\arraybackslash}}p{{{_EM * length:.1f}em}}" for length in lengths)
    header = " & ".join(map(escape, table.header)) + r" \\"
    parts, left = list[list[str]](), 0.0
    for row, texts in zip(table.values(), rows, strict=True):
        lines = max(1, *(-(-len(text) // length) for text, length in zip(texts, lengths, strict=True)))
        if lines * scale > left:
            parts.append([])
            left = _PAGE_LINES
        left -= lines * scale
        parts[-1].append(" & ".join(map(_cell, row)) + r" \\")
    return "\n\n".join(
        _float(
            "table",
            f"\\caption*{{{escape(captioned(table))}{' (continued)' * (number > 0)}}}\n"
            "\\begin{adjustbox}{max width=\\linewidth}\n"
            f"\\begin{{tabular}}{{{widths}}}\n\\toprule\n{header}\n\\midrule\n"
            + "\n".join(part)
            + "\n\\bottomrule\n\\end{tabular}\n\\end{adjustbox}",
        )
        for number, part in enumerate(parts or [[]])
    )


def _line(header: str, texts: Sequence[str]) -> int:
    """Signs in a line of a column: all of its longest text, or many; a header may take several lines."""
    words = (len(word) for word in header.split())
    return max(min(max(map(len, texts), default=0), _LINE), *words, 1)


def _float(kind: str, content: str) -> str:
    return f"\\begin{{{kind}}}[H]\n\\centering\n{content}\n\\end{{{kind}}}"


def _cell(value: Value) -> str:
    text = escape(value.text)
    if value.best and text:
        text = f"\\textbf{{{text}}}"
    colour = "" if value.shade is None else f"\\cellcolor[HTML]{{{on_white(value.shade)}}}"
    return colour + (f"{{{text}}}" if text[:1] == "[" else text)  # a bracket after \\ would be its option
