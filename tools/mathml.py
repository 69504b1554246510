r"""The formulas of docstrings and pages, from LaTeX to MathML, which browsers draw without any script.

Only what the project writes is understood: scripts, fractions, roots, accents, Greek, sums, named functions, sized
brackets and aligned lines. Anything else is an error, so that no formula is ever shown wrong in silence.

Example:
    >>> to_mathml("a_i")
    '<math><mrow><msub><mi>a</mi><mi>i</mi></msub></mrow></math>'
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"\\(?:text|operatorname|mathrm|mathcal|mathbb)\{[^{}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL
)
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega"
)
_SYMBOLS = {
    "partial": "∂", "top": "⊤", "in": "∈", "times": "×", "cdot": "·", "le": "≤", "ge": "≥", "ne": "≠",
    "approx": "≈", "propto": "∝", "to": "→", "mapsto": "↦", "dots": "…", "ldots": "…",
    "infty": "∞", "mid": "∣", "cup": "∪", "cap": "∩",
    "subset": "⊂", "setminus": "∖", "odot": "⊙", "pm": "±", "forall": "∀", "ell": "ℓ",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
    "leftarrow": "←", "lVert": "‖", "rVert": "‖",
    "{": "{", "}": "}", "|": "‖", "%": "%",
}  # fmt: skip
_SPACES = {",": "0.17em", ";": "0.28em", " ": "0.3em", "quad": "1em", "qquad": "2em"}
_ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307"}
_LARGE = {"sum": "∑", "prod": "∏"}
_SIZES = {"big": "1.2em", "Big": "1.6em", "bigg": "2em", "Bigg": "2.4em"}
_FUNCTIONS = {"log", "exp", "cos", "sin", "arccos", "max", "min", "arg"}
_ALPHABETS = {"mathcal": "SCRIPT", "mathbb": "DOUBLE-STRUCK"}


def to_mathml(latex: str, *, block: bool = False) -> str:
    """A ``<math>`` element; ``block`` for a formula on lines of its own."""
    braced = re.sub(r"\\(mathcal|mathbb)\s+([A-Za-z])", r"\\\1{\2}", latex.strip())
    tokens = [token for token in _TOKEN.findall(braced) if not token.isspace()]
    body = _Parser(tokens, block).whole()
    return f'<math display="block">{body}</math>' if block else f"<math>{body}</math>"


class _Parser:
    """A recursive reader of tokens."""

    def __init__(self, tokens: list[str], block: bool) -> None:
        self.tokens, self.place, self.block = tokens, 0, block

    def whole(self) -> str:
        """All lines, each of one or several aligned cells."""
        lines: list[list[str]] = [[]]
        while True:
            lines[-1].append(self.row())
            stop = self.take() if self.peek() else ""
            if stop == "}":
                raise ValueError("A formula closes a group that it never opened.")
            if stop == r"\\":
                lines.append([])
            elif not stop:
                break
        if len(lines) == 1 and len(lines[0]) == 1:
            return lines[0][0]
        rows = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in line)}</mtr>" for line in lines)
        return f'<mtable displaystyle="true">{rows}</mtable>'

    def row(self) -> str:
        """Everything up to the end of the group, the cell or the line."""
        parts = []
        while self.peek() not in ("", "}", "&", r"\\"):
            parts.append(self.scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """An atom with what stands below and above it."""
        tags = ("munder", "mover", "munderover") if self.peek()[1:] in _LARGE and self.block else ()
        under, over, both = tags or ("msub", "msup", "msubsup")
        base, below, above = self.atom(), "", ""
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                below = self.atom()
            else:
                above = self.atom()
        if not below and not above:
            return base
        tag = both if below and above else under if below else over
        return f"<{tag}>{base}{below}{above}</{tag}>"

    def atom(self) -> str:
        """One symbol, group or command with its arguments."""
        token = self.take()
        if token == "{":
            if word := self.word():
                return f'<mi mathvariant="normal">{word}</mi>'
            group = self.row()
            if self.take() != "}":
                raise ValueError("A formula does not close a group that it opened.")
            return group
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "_^&}":
            raise ValueError(f"A formula has a {token!r} out of place.")
        return _operator({"-": "−", "*": "∗", "'": "′"}.get(token, token))

    def word(self) -> str:
        """The letters of a group that is a word, as the index of H_{edge} is; nothing for e_{uv} and the like."""
        end = self.tokens.index("}", self.place) if "}" in self.tokens[self.place :] else self.place
        letters = self.tokens[self.place : end]
        if len(letters) < 3 or not all(letter.isalpha() for letter in letters):
            return ""
        self.place = end + 1
        return "".join(letters)

    def command(self, name: str) -> str:
        """What a backslash begins."""
        if name in _SYMBOLS:
            return _operator(_SYMBOLS[name])
        if name.endswith("}"):
            return _letters(*name[:-1].split("{"))
        if name in _SPACES:
            return _space(name)
        if name in _LARGE:
            return f"<mo>{_LARGE[name]}</mo>"
        if name.lower() in _GREEK.split():
            case = "CAPITAL" if name[0].isupper() else "SMALL"
            letter = name.upper().replace("LAMBDA", "LAMDA")  # so Unicode spells it
            return f"<mi>{unicodedata.lookup(f'GREEK {case} LETTER {letter}')}</mi>"
        if name in _FUNCTIONS:
            return f"<mi>{name}</mi>" + _space("," if self.peek() != "(" else "")
        if name in _ACCENTS:
            return _accented(self.atom(), _ACCENTS[name])
        if name in _SIZES:
            size = f'stretchy="true" minsize="{_SIZES[name]}" maxsize="{_SIZES[name]}"'
            return self.atom().replace('stretchy="false"', size)
        if name in ("left", "right"):  # a bracket as tall as what it holds
            return self.atom().replace('stretchy="false"', 'stretchy="true"')
        if name == "frac":
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.atom()}</msqrt>"
        raise ValueError(f"The formula command \\{name} is not known: write it another way, or add it.")

    def peek(self) -> str:
        """The next token, or nothing at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        """The next token, which is then behind us."""
        if not self.peek():
            raise ValueError("A formula ends in the middle.")
        self.place += 1
        return self.tokens[self.place - 1]


def _space(name: str) -> str:
    return f'<mspace width="{_SPACES[name]}"></mspace>' if name else ""


def _operator(symbol: str) -> str:
    # As a number, so that Markdown sees neither an emphasis nor the border of a table cell in it.
    text = f"&#{ord(symbol)};" if symbol.isascii() else symbol
    return f'<mo stretchy="false">{text}</mo>'


def _accented(letter: str, mark: str) -> str:
    """The accent as part of the letter: every font places it well, not only the mathematical ones."""
    found = re.fullmatch("(?:<mrow>)?<mi>(.)</mi>(?:</mrow>)?", letter)
    if not found:
        raise ValueError(f"A formula puts an accent on more than one letter: {letter}.")
    return f"<mi>{_styled(found[1], 'ITALIC')}{mark}</mi>"


def _letters(style: str, text: str) -> str:
    if style == "text":
        return f"<mtext>{text.replace(' ', '&#160;')}</mtext>"
    if style in _ALPHABETS:
        return f"<mi>{''.join(_styled(letter, _ALPHABETS[style]) for letter in text)}</mi>"
    return f'<mi mathvariant="normal">{text}</mi>'


def _styled(letter: str, alphabet: str) -> str:
    """Unicode has most of these letters among the mathematical alphabets, and those it had before by themselves."""
    name = f"{alphabet} {'CAPITAL' if letter.isupper() else 'SMALL'} {letter}"
    try:
        return unicodedata.lookup(f"MATHEMATICAL {name}")
    except KeyError:
        return unicodedata.lookup(name)
