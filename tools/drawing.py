"""Boxes and arrows as SVG: small files, real text, no fonts, mid-tone ink that is read on light and on dark ground.

Labels know two marks: ``H_L`` and ``H_{l+1}`` put what follows below the line, ``A^k`` above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from xml.sax.saxutils import escape

INK, LOW, HIGH, OWN, EXTRA = "#555555", "#2563a8", "#c2511c", "#2e7d4f", "#7a4fa3"
SIZE, MARGIN, PADDING, LINE = 14, 8, 9, 19
ROOM = 1.1
"""How much wider a label may be than it is estimated: fonts of readers differ, and nothing is to be cut off."""
_MARKED = re.compile(r"([_^])(\{[^}]*\}|.)")
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|()[] ·-…"), frozenset("mwMWÂ−+=→αΣ⊙")

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle in the drawing.

    Args:
        x: Its centre, from the left.
        y: Its centre, from the top.
        width: Its width.
        height: Its height.
        text: What stands in it.
    """

    x: float
    y: float
    width: float
    height: float
    text: str = ""

    @property
    def left(self) -> Point:
        """The middle of the left side; likewise the others."""
        return self.x - self.width / 2, self.y

    @property
    def right(self) -> Point:
        return self.x + self.width / 2, self.y

    @property
    def top(self) -> Point:
        return self.x, self.y - self.height / 2

    @property
    def bottom(self) -> Point:
        return self.x, self.y + self.height / 2

    def touches(self, other: Box) -> bool:
        """Whether the two share an area."""
        across = abs(self.x - other.x) < (self.width + other.width) / 2
        return across and abs(self.y - other.y) < (self.height + other.height) / 2


class Drawing:
    """A diagram that grows by calls and is written by :meth:`svg`.

    Args:
        title: What it shows, in a few words.
        description: The same in sentences, for those who do not see it.
    """

    def __init__(self, title: str, description: str) -> None:
        self.title, self.description = title, description
        self.boxes: list[Box] = []
        self._parts: list[str] = []
        self._areas: list[Box] = []

    def box(
        self,
        x: float,
        y: float,
        *lines: str,
        colour: str = INK,
        width: float = 0,
        height: float = 0,
        dashed: bool = False,
        round_: bool = False,
    ) -> Box:
        """A box around lines of text, as wide as they need, or as told; ``round_`` for an operation."""
        wide = width or max((text_width(line) for line in lines), default=0) + 2 * PADDING
        high = height or LINE * len(lines) + PADDING
        box = Box(x, y, max(wide, high) if round_ and not width else wide, high, " ".join(lines))
        self.boxes.append(box)
        self._areas.append(box)
        corner = high / 2 if round_ else 5
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<rect x="{_n(box.x - box.width / 2)}" y="{_n(box.y - high / 2)}" width="{_n(box.width)}"'
            f' height="{_n(high)}" rx="{_n(corner)}" fill="{colour}" fill-opacity="0.12" stroke="{colour}"{dashes}/>'
        )
        for number, line in enumerate(lines):
            self._write(x, y + LINE * (number - (len(lines) - 1) / 2), line, "middle", INK, SIZE)
        return box

    def dot(self, x: float, y: float, colour: str = INK, radius: float = 9, text: str = "") -> Box:
        """A node of a graph."""
        self._parts.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{colour}" fill-opacity="0.25"'
            f' stroke="{colour}"/>'
        )
        if text:
            self._write(x, y, text, "middle", INK, SIZE - 2)
        node = Box(x, y, 2 * radius, 2 * radius, text)
        self._areas.append(node)
        return node

    def text(
        self, x: float, y: float, words: str, *, anchor: str = "middle", colour: str = INK, size: float = SIZE
    ) -> None:
        """Words on their own, with room for a wide font; ``anchor`` is ``start``, ``middle`` or ``end``."""
        wide = ROOM * text_width(words) * size / SIZE
        shift = {"start": wide / 2, "middle": 0, "end": -wide / 2}[anchor]
        self._areas.append(Box(x + shift, y, wide, size, words))
        self._write(x, y, words, anchor, colour, size)

    def arrow(
        self,
        *points: Point,
        label: str = "",
        colour: str = INK,
        dashed: bool = False,
        head: bool = True,
        weight: float = 1.3,
    ) -> None:
        """A line through points, with a head at its end and a label above its longest level part."""
        corners = _pruned(points)
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<path d="{_rounded(_shortened(corners, 6 if head else 0))}" fill="none" stroke="{colour}"'
            f' stroke-width="{weight:g}"{dashes}/>'
        )
        if head:
            self._parts.append(f'<path d="{_head(*corners[-2:])}" fill="{colour}"/>')
        self._areas.extend(Box(x, y, 2, 2) for x, y in corners)
        if label:
            (x1, y1), (x2, y2) = max(pairwise(corners), key=lambda ends: abs(ends[0][0] - ends[1][0]))
            self.text((x1 + x2) / 2 - (3 if head else 0), min(y1, y2) - 10, label, size=SIZE - 1)

    def circle(self, x: float, y: float, radius: float, colour: str = INK) -> None:
        """A dashed circle that marks a region."""
        self._parts.append(
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="none" stroke="{colour}" stroke-dasharray="5 4"/>'
        )
        self._areas.append(Box(x, y, 2 * radius, 2 * radius))

    def svg(self) -> str:
        """The whole file."""
        left = min(area.x - area.width / 2 for area in self._areas) - MARGIN
        top = min(area.y - area.height / 2 for area in self._areas) - MARGIN
        width = max(area.x + area.width / 2 for area in self._areas) + MARGIN - left
        height = max(area.y + area.height / 2 for area in self._areas) + MARGIN - top
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_n(left)} {_n(top)} {_n(width)} {_n(height)}"'
            f' width="{_n(width)}" height="{_n(height)}" role="img" aria-labelledby="title description"'
            ' font-family="sans-serif">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            *self._parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _write(self, x: float, y: float, words: str, anchor: str, colour: str, size: float) -> None:
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y + 0.35 * size)}" font-size="{size:g}" text-anchor="{anchor}"'
            f' fill="{colour}">{_marked(words, size)}</text>'
        )


def across(first: Box, second: Box) -> tuple[Point, ...]:
    """The way from a box to one on its right: level, or with two corners half-way."""
    (x1, y1), (x2, y2) = first.right, second.left
    middle = (x1 + x2) / 2
    return ((x1, y1), (middle, y1), (middle, y2), (x2, y2)) if y1 != y2 else ((x1, y1), (x2, y2))


def down(first: Box, second: Box) -> tuple[Point, ...]:
    """The way from a box to one below it: straight, or with two corners half-way; a wide box is met from above."""
    (x1, y1), (x2, y2) = first.bottom, second.top
    if abs(x1 - x2) < second.width / 2:
        return (x1, y1), (x1, y2)
    middle = (y1 + y2) / 2
    return (x1, y1), (x1, middle), (x2, middle), (x2, y2)


def spoke(first: Box, second: Box) -> tuple[Point, Point]:
    """The straight way from one dot to another, from rim to rim."""
    start, end = (first.x, first.y), (second.x, second.y)
    return _towards(start, end, first.width / 2 + 1), _towards(end, start, second.width / 2 + 1)


def text_width(words: str) -> float:
    """How wide a label is, about; real widths are the reader's font's business.

    Example:
        >>> text_width("H_L") < text_width("HL")
        True
    """
    raised = _MARKED.findall(words)
    plain = _MARKED.sub("", words)
    letters = plain + "".join(mark.strip("{}") for _, mark in raised)
    small = sum(_advance(letter) for _, mark in raised for letter in mark.strip("{}"))
    return SIZE * (sum(map(_advance, letters)) - 0.25 * small)


def _advance(letter: str) -> float:
    return 0.34 if letter in _NARROW else 0.8 if letter in _WIDE else 0.58


def _marked(words: str, size: float) -> str:
    """The label with its marks as shifted parts."""
    parts, place, shift = [], 0, 0.0
    for found in _MARKED.finditer(words):
        parts.append(_shifted(words[place : found.start()], -shift, size, small=False))
        down = 0.28 * size if found[1] == "_" else -0.38 * size
        back = 0.0 if words[place : found.start()] else -shift  # two marks in a row
        parts.append(_shifted(found[2].strip("{}"), down + back, size, small=True))
        place, shift = found.end(), down
    return "".join(parts) + _shifted(words[place:], -shift, size, small=False)


def _shifted(words: str, down: float, size: float, *, small: bool) -> str:
    if not words or (not down and not small):
        return escape(words)
    font = f' font-size="{_n(0.75 * size)}"' if small else ""
    return f'<tspan dy="{_n(down)}"{font}>{escape(words)}</tspan>'


def _pruned(points: Sequence[Point]) -> list[Point]:
    """Without points given twice in a row."""
    return [point for number, point in enumerate(points) if number == 0 or point != points[number - 1]]


def _shortened(points: Sequence[Point], by: float) -> list[Point]:
    """The last part a little shorter, so that the line ends inside its head."""
    (x1, y1), (x2, y2) = points[-2:]
    length = hypot(x2 - x1, y2 - y1)
    return [*points[:-1], (x2 - by * (x2 - x1) / length, y2 - by * (y2 - y1) / length)]


def _rounded(points: Sequence[Point], radius: float = 6) -> str:
    """A path with its corners cut round."""
    path = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        near, far = _towards(corner, before, radius), _towards(corner, after, radius)
        path.append(f"L{_n(near[0])} {_n(near[1])}Q{_n(corner[0])} {_n(corner[1])} {_n(far[0])} {_n(far[1])}")
    return "".join([*path, f"L{_n(points[-1][0])} {_n(points[-1][1])}"])


def _towards(start: Point, end: Point, by: float) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1])
    share = min(by / length, 0.5)
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _head(before: Point, tip: Point) -> str:
    length = hypot(tip[0] - before[0], tip[1] - before[1])
    u, v = (tip[0] - before[0]) / length, (tip[1] - before[1]) / length
    x, y = tip[0] - 8 * u, tip[1] - 8 * v
    return f"M{_n(tip[0])} {_n(tip[1])}L{_n(x - 4 * v)} {_n(y + 4 * u)}L{_n(x + 4 * v)} {_n(y - 4 * u)}Z"


def _n(number: float) -> str:
    """A coordinate, no longer than it has to be."""
    return f"{round(number, 1) + 0:g}"  # + 0 takes the sign from -0
