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
from allpass.report.rl.curves import learning_curves
from allpass.report.rl.layout import Layout, layout
from allpass.report.rl.maps import function_maps, value_map
from allpass.report.svg import inline_svg
from allpass.report.theme import css_variables
from allpass.report.wording import clean, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from allpass.rl import Solution, TabularMDP
    from allpass.rl.spreading import Spread

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
        kind: What the page is about, above its name.
        about: What it shows of that, for the title of the window.
    """

    name: str
    summary: str
    facts: tuple[tuple[str, str, str], ...]
    charts: tuple[Chart, ...]
    command: str = ""
    kind: str = "a decision process as a graph"
    about: str = "values of its states"


def render(page: Page) -> str:
    """The page as text; the same page gives the same text."""
    themes = {theme: css_variables(theme) for theme in ("light", "dark")}
    template = environment().get_template("rl.html.j2")
    return template.render(page=page, name=clean(page.name), themes=themes, version=__version__)


def write(page: Page, path: str | Path) -> Path:
    """Write the page to a file, whole or not at all; returns the path."""
    return write_whole(path, render(page).encode("utf-8", "replace"))


def solution_page(mdp: TabularMDP, solution: Solution, name: str, command: str = "") -> Page:
    """The page of a solved process: its values, and the first eigenfunctions of its graph."""
    from allpass.rl import create_basis

    charts = solution_charts(mdp, solution)
    if (~mdp.terminal).sum() >= 8:
        functions = create_basis("combinatorial", mdp, 8)
        charts += (function_chart(mdp, functions, "combinatorial Laplacian"),)
    return Page(name, worth(mdp, solution), facts_of(mdp), charts, command)


def basis_page(
    mdp: TabularMDP, functions: np.ndarray, basis: str, error: float, name: str, command: str = ""
) -> Page:
    """The page of basis functions: the first of them, and the optimal values that they leave ``error`` of."""
    count = functions.shape[1]
    summary = f"{count} functions leave {error:.0%} of the variation of the optimal values."
    charts = (function_chart(mdp, functions, basis), *solution_charts(mdp, mdp.optimal()))
    return Page(name, summary, facts_of(mdp), charts, command)


def spread_page(spread: Spread, name: str, command: str = "") -> Page:
    """The page of a potential: how it spreads, what it saves, and the optimal values."""
    mdp = spread.mdp
    charts = (*spread_charts(spread), *solution_charts(mdp, mdp.optimal()))
    return Page(name, saved(spread), facts_of(mdp), charts, command)


def render_process(mdp: TabularMDP) -> str:
    """The page of a process for a notebook."""
    return render(solution_page(mdp, mdp.optimal(), "Decision process"))


def render_spread(spread: Spread) -> str:
    """The page of a potential for a notebook."""
    return render(spread_page(spread, f"Potential {spread.potential}"))


def worth(mdp: TabularMDP, solution: Solution) -> str:
    """The value of an episode, in one sentence."""
    return f"An episode is worth {float(mdp.start @ solution.values):.4g} at its start under the best policy."


def saved(spread: Spread) -> str:
    """What a potential saves, in one sentence."""
    low, high = spread.interval()
    seeds, episodes = spread.shaped.shape
    less = "fewer" if spread.saved >= 0 else "more"
    ends = sorted((low, high) if spread.saved >= 0 else (-low, -high))
    return (
        f"With the potential {spread.potential}, Q-learning needs {abs(spread.saved):.0%} {less} steps for {episodes} "
        f"episodes (95% interval {ends[0]:.0%} to {ends[1]:.0%}, {seeds} seeds)."
    )


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
    names = state_names(mdp)
    order = np.argsort(-solution.values, kind="stable")[:_ROWS]
    actions = mdp.actions or range(mdp.num_actions)
    rows = [
        (names[state], number(solution.values[state]), str(actions[solution.policy[state]]))
        for state in order
    ]
    where = "on the grid" if mdp.positions is not None else "on the graph of states"
    reading = "Dark states are worth more: their discounted future rewards under the best policy are larger. "
    if mdp.positions is None:
        reading += _drawn(layout(mdp), int((~mdp.terminal).sum()))
    elif mdp.grid is not None:
        reading += "Arrows show that policy, G is a goal."
    figure = value_map(mdp, solution.values, solution.policy)
    return (chart("values", f"Optimal values {where}", reading, figure, ("state", "value", "action"), rows),)


def function_chart(mdp: TabularMDP, functions: np.ndarray, basis: str) -> Chart:
    """The first basis functions."""
    shown = functions[:, : min(8, functions.shape[1])]
    names = [f"function {place + 1}" for place in range(shown.shape[1])]
    labels = state_names(mdp)
    rows = [(labels[s], *(number(value) for value in shown[s])) for s in range(min(mdp.num_states, _ROWS))]
    reading = (
        "Each picture is one function of the states, orange above and blue below 0, on its own scale. "
        "Smooth functions come first; values of nearby states are sums of few of them."
    )
    return chart(
        "functions",
        f"The first basis functions ({basis})",
        reading,
        function_maps(mdp, shown, names),
        ("state", *(str(place + 1) for place in range(shown.shape[1]))),
        rows,
    )


def spread_charts(spread: Spread) -> tuple[Chart, ...]:
    """The potential of the first seed while it spreads, and the steps of all seeds."""
    mdp, curves = spread.mdp, spread.curves()
    places = np.unique(np.linspace(0, len(spread.fits) - 1, 8).round().astype(int))
    episodes = [spread.fits[place][0] for place in places]
    phi = np.column_stack([spread.fits[place][1] for place in places])
    labels, order = state_names(mdp), np.argsort(-phi[:, -1], kind="stable")[:_ROWS]
    maps = chart(
        "potential",
        "The potential while it spreads",
        "The potential of the first seed after some of its episodes: orange states are good to reach, blue ones bad, "
        "and pale ones unknown or far from any reward. All pictures have one scale.",
        function_maps(mdp, phi, [_after(count) for count in episodes], one_scale=True),
        ("state", *map(str, episodes)),
        [(labels[state], *(number(value) for value in phi[state])) for state in order],
    )
    rows = [
        (str(episode + 1), *(number(part[episode]) for curve in curves.values() for part in curve))
        for episode in range(spread.shaped.shape[1])
    ]
    headers = [f"{name}, {part}" for name in curves for part in ("mean", "low", "high")]
    learning = chart(
        "learning",
        "Learning curves",
        "Steps of Q-learning up to the end of each episode, with the potential and without: mean over seeds, and its "
        "95% interval as a band. Both arms start alike: before a reward is met there is nothing to spread.",
        learning_curves(curves),
        ("episode", *headers),
        rows,
    )
    return maps, learning


def _after(episodes: int) -> str:
    return f"after {episodes} episode{'s' * (episodes != 1)}"


def _drawn(graph: Layout, count: int) -> str:
    """How the graph was drawn, and what was left out of it."""
    shown, parts = graph.parts
    text = "States are nodes, moves lines; states a few moves apart are drawn near each other."
    if parts > 1:
        text += f" No move connects the {parts:,} parts of the graph."
    if len(graph.states) < count:
        text += f" Drawn: {len(graph.states):,} of {count:,} states"
        text += f", in the {shown} largest parts." if shown < parts else "."
    return text


def state_names(mdp: TabularMDP) -> list[str]:
    """The states by name, or else by number."""
    return [str(name) for name in (mdp.states or range(mdp.num_states))]
