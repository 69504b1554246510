"""A figure as SVG that lives inside a page: themed, labelled, its ids its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from markupsafe import Markup

from allpass.report.canvas import to_bytes
from allpass.report.theme import follow_theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_FAMILY = re.compile(r"font-family:[^;]*;?\s*")
_FONT = re.compile(r"font: ([\d.]+px) [^;]*")


def inline_svg(figure: Figure, key: str, title: str, description: str) -> Markup:
    """The figure for a page.

    Args:
        figure: What to show.
        key: Unique on the page; every id begins with it, so that clip paths of two figures cannot meet.
        title: Read out instead of the picture.
        description: What the picture shows, for those who cannot see it.
    """
    root = ET.fromstring(to_bytes(figure, ".svg"))  # noqa: S314 - written by matplotlib a moment ago
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):  # a style inside would rule the whole page
                parent.remove(child)
    for element in root.iter():
        _adapt(element, key)
    for measure in ("width", "height", "version", "id"):
        root.attrib.pop(measure, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title {key}-desc")
    _label(root, "desc", key, description)
    _label(root, "title", key, title)
    return Markup(ET.tostring(root, encoding="unicode", short_empty_elements=True))  # noqa: S704 - escaped by ET


def _adapt(element: ET.Element, key: str) -> None:
    element.tag = element.tag.removeprefix(_SVG)
    if "id" in element.attrib:
        element.set("id", f"{key}-{element.attrib['id']}")
    if _HREF in element.attrib:
        element.set("href", f"#{key}-{element.attrib.pop(_HREF)[1:]}")
    for name, value in element.attrib.items():
        if "url(#" in value:
            element.set(name, value.replace("url(#", f"url(#{key}-"))
    if "style" in element.attrib:
        style = _FONT.sub(r"font-size: \1", _FAMILY.sub("", element.attrib["style"]))
        element.set("style", follow_theme(style))


def _label(root: ET.Element, tag: str, key: str, text: str) -> None:
    label = ET.Element(tag, id=f"{key}-{tag}")
    label.text = text
    root.insert(0, label)
