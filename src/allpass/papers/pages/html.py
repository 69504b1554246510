"""A page of results as one HTML file that needs nothing else."""

from __future__ import annotations

from markupsafe import Markup

from allpass.papers.pages.page import Block, Page, Picture, Value
from allpass.papers.pages.shades import captioned, tint
from allpass.report.environment import environment
from allpass.report.svg import inline_svg
from allpass.report.theme import css_variables
from allpass.report.wording import clean

LONG = 30
"""How many signs a cell has that may be broken into lines."""


def html(page: Page) -> str:
    """The page as text, light or dark as its reader has it. The same page gives the same text.

    Args:
        page: What to show. Pictures stand in the file itself.
    """
    return (
        environment()
        .get_template("results.html.j2")
        .render(
            page=page,
            kind=_kind,
            svg=_svg,
            tint=tint,
            captioned=captioned,
            shown=_shown,
            LONG=LONG,
            themes={theme: css_variables(theme) for theme in ("light", "dark")},
        )
    )


def _kind(block: Block) -> str:
    return type(block).__name__.lower()


def _shown(value: Value) -> str:
    return clean(value.text) if value.text.strip() else ""


def _svg(picture: Picture, number: int) -> Markup:
    return inline_svg(picture.draw(), f"picture-{number}", clean(picture.name), clean(picture.caption))
