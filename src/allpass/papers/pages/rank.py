"""The page of ranks over depth: every known value beside the range over all draws, and the curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

from allpass.papers.pages.head import head, is_quick, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, of_kind
from allpass.papers.rank import RankStudy
from allpass.papers.study import Row, Study
from allpass.report.canvas import in_style, legend, name_outer, panels
from allpass.report.theme import light
from allpass.report.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GONE = 3  # below it a mean rank has collapsed; a graph of two parts keeps 2
_MAIN = {"tanh": ("low", "-"), "identity": ("both", "--"), "relu": ("high", "-.")}
_SOURCE = ", source"
_LINES = {"gcn": ("high", "-."), "snowball": ("both", "--"), "krylov": ("low", "-")}


@dataclass(frozen=True)
class _Curve:
    """One row, with its texts as numbers; the first number of each is that of layer 1."""

    network: str
    activation: str
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @classmethod
    def of(cls, row: Row) -> _Curve:
        low, high = (tuple(map(int, str(row[name]).split())) for name in ("low", "high"))
        mean, deviation = (tuple(map(float, str(row[name]).split())) for name in ("mean", "deviation"))
        return cls(str(row["network"]), str(row["activation"]), mean, deviation, low, high)

    def until(self, rank: float) -> int:
        """The last layer before the mean falls below a rank."""
        return next((layer for layer, mean in enumerate(self.mean) if mean < rank), len(self.mean))


_Curves: TypeAlias = Mapping[tuple[str, str], _Curve]


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``rank``.

    Args:
        study: The study.
        rows: Its rows.
    """
    ranks = of_kind(study, RankStudy)
    curves = {(curve.network, curve.activation): curve for curve in map(_Curve.of, rows)}
    blocks: list[Block] = [*head(study, rows)]
    if rows:
        blocks += [
            Text(_claim(ranks, rows, curves) + _setup(ranks, rows)),
            Picture("rank-depth", _caption(rows), partial(_three, ranks, curves)),
            Heading("Value by value"),
            *(
                _values(ranks, curves, network, judged=_judged(rows))
                for network in dict.fromkeys(name for name, _ in curves)
            ),
            Heading("What the curves of the source show"),
            _read_off(ranks, curves),
            Heading("All activations"),
            Picture(
                "rank-activations",
                f"Mean rank by layer for every activation; at most {ranks.network['width']}.",
                partial(_all, ranks, curves),
            ),
            _landmarks(ranks, curves),
        ]
    blocks += notes(study, rows)
    return Page(study.title, tuple(blocks), _findings(ranks, rows, curves) if _judged(rows) else ())


def _findings(study: RankStudy, rows: Sequence[Row], curves: _Curves) -> tuple[str, ...]:
    known, within = _checked(rows)
    return (
        f"What can be read off the published curves, and ours: {'; '.join(_seen(study, curves))}.",
        f"Values of an independent computation within {study.margin} of the range of our draws: {within} of {known}. "
        "The source prints none.",
    )


def _seen(study: RankStudy, curves: _Curves) -> Iterator[str]:
    """What both curves show, in words."""
    table = _read_off(study, curves)
    for words, *cells in table.rows:
        pairs = zip(table.header[1::2], cells[::2], cells[1::2], strict=True)
        told = (f"{theirs} and {ours} ({name.removesuffix(_SOURCE)})" for name, theirs, ours in pairs)
        yield f"{words} {', '.join(told)}"


def _checked(rows: Sequence[Row]) -> tuple[int, int]:
    """How many values are known, and how many of them hold."""
    known, within = (sum(int(cast(int, row[name])) for row in rows) for name in ("known", "within"))
    return known, within


def _judged(rows: Sequence[Row]) -> bool:
    """Whether ranks can be held against known ones: not so where there are none, or those of a quick run."""
    return bool(rows) and not is_quick(rows)


def _claim(study: RankStudy, rows: Sequence[Row], curves: _Curves) -> str:
    """What is claimed of known values, and how many of them do it."""
    if not _judged(rows):
        return ""
    known, within = _checked(rows)
    missed = [
        f"{study.networks[curve.network]} with {study.activations[curve.activation]} after layer {layer}"
        for curve in curves.values()
        for layer, _, holds in _checks(study, curve)
        if not holds
    ]
    ranges = [
        (rank, curve.low[layer - 1], curve.high[layer - 1])
        for curve in curves.values()
        for layer, rank, _ in _checks(study, curve)
    ]
    inside, fixed = (
        sum(low <= rank <= high for rank, low, high in ranges),
        sum(low == high for _, low, high in ranges),
    )
    return (
        f"The claim: each value of an independent computation lies within [lowest − {study.margin}, highest + "
        f"{study.margin}] of {rows[0]['runs']} draws. "
        f"{within} of {known} such values do, which are called known here; {inside} lie in the range itself, and at "
        f"{fixed} all draws are equal." + f" The others: {'; '.join(missed)}." * bool(missed) + "\n\n"
    )


def _setup(study: RankStudy, rows: Sequence[Row]) -> str:
    """What was drawn, and how ranks are counted."""
    runs, parts = rows[0]["runs"], rows[0]["graphs_in_parts"]
    return (
        "Every weight is drawn from N(0, 1); nothing is trained or rescaled. The graph is "
        f"G({study.graph['nodes']}, {study.graph['p']:g}) with {study.graph['features']} features. Layers are "
        f"{study.network['width']} wide, which is the highest rank there can be; Krylov layers have "
        f"{study.network['blocks']} blocks. The rank is numerical: a singular value counts as 0 below the largest one "
        f"times {count(study.graph['nodes'])} times the spacing of float64. Of the {runs} graphs {parts or 'none'} "
        f"{'is' if parts == 1 else 'are'} in more than one part."
    )


def _caption(rows: Sequence[Row]) -> str:
    return (
        f"Rank of the hidden features by layer: mean of {rows[0]['runs']} draws, shaded by one standard deviation. "
        "Rings are the known values."
    )


def _values(study: RankStudy, curves: _Curves, network: str, *, judged: bool) -> Table:
    """Known values and ranges of one architecture; where they are judged, with those that lie outside."""
    mine = [curve for curve in curves.values() if curve.network == network and _checks(study, curve)]
    header = ["layer"]
    columns: list[list[str]] = []
    for curve in mine:
        name = study.activations[curve.activation]
        header += [f"{name}, known", f"{name}, ours"]
        checks = _checks(study, curve)
        columns.append([str(rank) for _, rank, _ in checks])
        columns.append(
            [_range(curve, layer) + " (outside)" * (judged and not holds) for layer, _, holds in checks]
        )
    layers = [str(layer) for layer in study.layers if mine and layer <= len(mine[0].low)]
    return Table(
        f"{study.networks[network]}: known ranks, and the lowest to highest of ours.",
        tuple(header),
        tuple(zip(layers, *columns, strict=True)),
    )


def _read_off(study: RankStudy, curves: _Curves) -> Table:
    """Three things that can be seen in the printed curves, beside the same of ours."""
    full = study.network["width"] - 0.5
    seen: tuple[tuple[str, str, str, Callable[[_Curve], str]], ...] = (
        ("identity: full up to layer", "full", "identity", lambda curve: str(curve.until(full))),
        (f"ReLU: below {_GONE} from layer", "gone", "relu", lambda curve: _after(curve, _GONE)),
        ("tanh: rank after the last layer", "tanh", "tanh", _with_deviation),
    )
    names = [
        network for network in study.networks if any(curve.network == network for curve in curves.values())
    ]
    rows = []
    for words, key, activation, ours in seen:
        cells = [words]
        for network in names:
            curve = curves.get((network, activation))
            cells += [study.curves[network][key], "–" if curve is None else ours(curve)]
        rows.append(tuple(cells))
    header = [text for network in names for text in (f"{study.networks[network]}{_SOURCE}", "ours")]
    return Table(
        f"Read off the curves of the source by eye, beside the mean of ours; full is a mean of {full:g} or more.",
        ("", *header),
        tuple(rows),
    )


def _landmarks(study: RankStudy, curves: _Curves) -> Table:
    width = study.network["width"]
    return Table(
        f"Up to where the mean rank is full ({width - 0.5:g} or more of {width}), from where it is below half "
        f"of that and below {_GONE}, and the rank after the last layer with its standard deviation over draws.",
        (
            "network and activation",
            "full up to layer",
            "below half from",
            f"below {_GONE} from",
            "last layer",
        ),
        tuple(
            (
                f"{study.networks[curve.network]}, {study.activations[curve.activation]}",
                str(curve.until(width - 0.5)),
                _after(curve, width / 2),
                _after(curve, _GONE),
                _with_deviation(curve),
            )
            for curve in curves.values()
        ),
    )


def _checks(study: RankStudy, curve: _Curve) -> list[tuple[int, int, bool]]:
    return study.checks(curve.network, curve.activation, curve.low, curve.high)


def _range(curve: _Curve, layer: int) -> str:
    low, high = curve.low[layer - 1], curve.high[layer - 1]
    return str(low) if low == high else f"{low} to {high}"


def _after(curve: _Curve, rank: float) -> str:
    layer = curve.until(rank) + 1
    return str(layer) if layer <= len(curve.mean) else "never"


def _with_deviation(curve: _Curve) -> str:
    return f"{curve.mean[-1]:.1f} ± {curve.deviation[-1]:.1f}"


@in_style
def _three(study: RankStudy, curves: _Curves) -> Figure:
    """A panel for each architecture, with the activations whose ranks are known."""
    figure, grid = _panels(study, 1, len(study.networks), 3.1)
    for panel, (network, title) in zip(grid[0], study.networks.items(), strict=True):
        panel.set_title(title, fontsize=9, loc="left")
        for activation, (role, line) in _MAIN.items():
            curve = curves.get((network, activation))
            if curve is None:
                continue
            layers = range(1, len(curve.mean) + 1)
            panel.plot(layers, curve.mean, line, color=light(role), label=study.activations[activation])
            spread = list(zip(curve.mean, curve.deviation, strict=True))
            panel.fill_between(
                layers,
                [mean - deviation for mean, deviation in spread],
                [min(mean + deviation, study.network["width"]) for mean, deviation in spread],
                color=light(role),
                alpha=0.2,
                linewidth=0,
            )
            known = _checks(study, curve)
            panel.plot(
                [layer for layer, *_ in known],
                [rank for _, rank, _ in known],
                "o",
                color=light(role),
                markerfacecolor="none",
                markersize=4,
            )
    legend(figure, grid)
    return figure


@in_style
def _all(study: RankStudy, curves: _Curves) -> Figure:
    """A panel for each activation, with all architectures."""
    figure, grid = _panels(study, 2, -(-len(study.activations) // 2), 4.2)
    axes = [panel for row in grid for panel in row]
    for panel, (activation, title) in zip(axes, study.activations.items(), strict=False):
        panel.set_title(title, fontsize=9, loc="left")
        for network, (role, line) in _LINES.items():
            curve = curves.get((network, activation))
            if curve is not None:
                layers = range(1, len(curve.mean) + 1)
                panel.plot(layers, curve.mean, line, color=light(role), label=study.networks[network])
    for panel in axes[len(study.activations) :]:
        panel.set_axis_off()
    legend(figure, grid)
    return figure


def _panels(study: RankStudy, rows: int, columns: int, height: float) -> tuple[Figure, list[list[Axes]]]:
    figure, grid = panels(rows, columns, height, sharex=True, sharey=True)
    name_outer(grid, "layer", ["rank"] * rows)
    grid[0][0].set(xlim=(0, study.network["depth"]), ylim=(0, 1.05 * study.network["width"]))
    for row in grid:
        for panel in row:
            panel.grid(axis="y")
    return figure, grid
