"""The page of a process: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from allpass import __version__
from allpass.files import write_whole
from allpass.report.charts import Chart
from allpass.report.environment import environment
from allpass.report.rl.maps import function_maps, value_map
from allpass.report.svg import inline_svg
from allpass.report.theme import css_variables
from allpass.report.wording import clean, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from allpass.rl import Solution, TabularMDP

_ROWS = 200  # of the table of a picture


@dataclass(frozen=True)
class Page:
    """What a page of a process shows.

    Args:
        name: Of the environment or log.
        summary: The result, in one sentence.
        facts: Name, value and a few words for each tile.
        charts: The pictures, in their order.
        command: What makes the page again.
    """

    name: str
    summary: str
    facts: tuple[tuple[str, str, str], ...]
    charts: tuple[Chart, ...]
    command: str = ""


def render(page: Page) -> str:
    """The page as text; the same page gives the same text."""
    themes = {theme: css_variables(theme) for theme in ("light", "dark")}
    template = environment().get_template("rl.html.j2")
    return template.render(page=page, name=clean(page.name), themes=themes, version=__version__)


def write(page: Page, path: str | Path) -> Path:
    """Write the page to a file, whole or not at all; returns the path."""
    return write_whole(path, render(page).encode("utf-8", "replace"))


def chart(
    key: str,
    title: str,
    reading: str,
    figure: Figure,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> Chart:
    """A picture with its words and its numbers."""
    svg = inline_svg(figure, f"figure-{key}", title, reading)
    return Chart(key, title, reading, svg, tuple(headers), tuple(tuple(row) for row in rows[:_ROWS]))


def facts_of(mdp: TabularMDP) -> tuple[tuple[str, str, str], ...]:
    """The tiles that every page of a process begins with."""
    return (
        ("States", f"{mdp.num_states:,}", "nodes of the graph"),
        ("Actions", f"{mdp.num_actions:,}", f"{mdp.mask.sum() / mdp.num_states:.1f} allowed on average"),
        ("Transitions", f"{mdp.P.nnz:,}", "with a probability above 0"),
        ("Ends", f"{int(mdp.terminal.sum()):,}", "absorbing states without reward"),
        ("Discount", f"{mdp.discount:g}", "of the next reward"),
    )


def solution_charts(mdp: TabularMDP, solution: Solution) -> tuple[Chart, ...]:
    """The value map."""
    names = _names(mdp)
    order = np.argsort(-solution.values, kind="stable")[:_ROWS]
    actions = mdp.actions or range(mdp.num_actions)
    rows = [
        (names[state], number(solution.values[state]), str(actions[solution.policy[state]]))
        for state in order
    ]
    where = "on the grid" if mdp.positions is not None else "on the graph of states"
    reading = "Dark states are worth more: their discounted future rewards under the best policy are larger. "
    if mdp.positions is None:
        reading += "States are placed by the second and third eigenfunction of the graph; lines are moves."
    elif mdp.grid is not None:
        reading += "Arrows show that policy, G is a goal."
    figure = value_map(mdp, solution.values, solution.policy)
    return (chart("values", f"Optimal values {where}", reading, figure, ("state", "value", "action"), rows),)


def function_chart(mdp: TabularMDP, functions: np.ndarray, names: Sequence[str], basis: str) -> Chart:
    """The first basis functions."""
    shown = functions[:, : min(8, functions.shape[1])]
    labels = _names(mdp)
    rows = [(labels[s], *(number(value) for value in shown[s])) for s in range(min(mdp.num_states, _ROWS))]
    reading = (
        "Each picture is one function of the states, orange above and blue below 0, on its own scale. "
        "Smooth functions come first; values of nearby states are sums of few of them."
    )
    return chart(
        "functions",
        f"The first basis functions ({basis})",
        reading,
        function_maps(mdp, shown, names[: shown.shape[1]]),
        ("state", *(str(place + 1) for place in range(shown.shape[1]))),
        rows,
    )


def _names(mdp: TabularMDP) -> list[str]:
    return [str(name) for name in (mdp.states or range(mdp.num_states))]
