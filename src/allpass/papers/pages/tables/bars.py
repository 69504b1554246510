"""The page of the report's six bar charts: the best rival, three networks, and their ACM and ACMII versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text
from allpass.papers.pages.tables.accepted import accepted
from allpass.papers.pages.tables.bar_charts import bar_charts
from allpass.papers.pages.tables.cells import NOT_YET, Results, signed, title_of
from allpass.papers.pages.tables.changes import MARKED, Change
from allpass.papers.pages.tables.gains import Chart, Gain, OverAll, chart_of, gain_of, over_all
from allpass.papers.pages.tables.pairs import INTERVALS, VERSIONS, Version, difference, kind_of
from allpass.papers.study import Row, Study
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.bars import CHARTS

_AXES = "The axes do not begin at 0."


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``acm-bars``.

    Args:
        study: The study.
        rows: Its rows.
    """
    results = Results(study, rows)
    known: dict[Version, dict[str, Chart]] = {
        version: {column.name: chart_of(results, column, version) for column in results.spec.columns}
        for version in VERSIONS
    }
    shown: list[Block] = [
        Picture(
            "acm-bars-published",
            "Bars: published accuracy with its deviation; dots: ours with the same settings, where they were run, with "
            f"theirs, on the same {_splits(results)} splits for all networks, by which the source did not choose; "
            f"dotted line: what the most frequent class gives on those.{_on_theirs(results)} {_AXES} The arrow is the "
            "gain of the best ACM or ACMII network over the best rival, in points.",
            partial(bar_charts, known["published"], known["same"], _names(results, "same")),
        )
    ]
    if _any(known["honest"]):
        shown.append(
            Picture(
                "acm-bars-honest",
                "The same charts of our honest numbers: settings chosen on validation nodes alone, corrected data "
                "where a name stands in brackets. Networks that are not run yet have no bar, and a rival “so far” is "
                "the best of those that are. Dotted line: what the most frequent class gives. "
                f"{_AXES}",
                partial(bar_charts, known["honest"], {}, _names(results, "honest")),
            )
        )
    return Page(
        study.title,
        (
            *head(study, rows),
            *shown,
            Heading("The gain over the best rival"),
            _gains(results, known),
            _all_rivals(over_all(known)),
            *_rivals(results, known["same"]),
            *_ahead_already(known["honest"]),
            Heading("The gain over the network itself"),
            Text(f"{INTERVALS} {MARKED}"),
            *(_own(results, version, known[version]) for version in VERSIONS if _any(known[version])),
            *notes(study, rows),
        ),
        _findings(known) if rows else (),
    )


def _names(results: Results, kind: Kind) -> dict[str, str]:
    """The title of every chart."""
    return {column.name: title_of(column, kind) for column in results.spec.columns}


def _splits(results: Results) -> str:
    """On how many splits a network of the table is run."""
    counts = {int(column.protocol.splits["count"]) for column in results.spec.columns}
    return " or ".join(map(str, sorted(counts)))


def _on_theirs(results: Results) -> str:
    """Told where numbers of ours are on the splits that the source chose by, since those on others are not there."""
    alone = [
        cell
        for cell in results.spec.cells
        if cell.row in CHARTS.rows
        and cell.has_fresh
        and results.get(cell, "same") is not None
        and results.get(cell, "fresh") is None
    ]
    return f" Dots that are still on the splits by which it did: {len(alone)}." if alone else ""


def _gains(results: Results, known: Mapping[Version, Mapping[str, Chart]]) -> Table:
    lines = []
    for column in results.spec.columns:
        charts = {version: known[version][column.name] for version in VERSIONS}
        lines.append(
            (
                column.name,
                f"+{CHARTS.gains[column.name]:.2f}",
                *(_told(chart, version, charts["published"]) for version, chart in charts.items()),
            )
        )
    return Table(
        f"The best ACM or ACMII network minus the best rival, in points. {INTERVALS} The choice of the best is not "
        f"corrected for. There are {len(CHARTS.rivals)} rivals; ours with the same settings has those whose settings "
        "were published. Nothing is said before all that can be are run; where the best published rival is not among "
        "them, its published mean stands beside, since a gain over the others alone may say little.",
        ("graph", "gain in the caption", *VERSIONS.values()),
        tuple(lines),
    )


def _rivals(results: Results, charts: Mapping[str, Chart]) -> tuple[Block, ...]:
    """What our rivals are worth: a gain over networks that are not as good as published is easy."""
    rows = [
        (cell, row)
        for cell in results.spec.cells
        if cell.row in CHARTS.rivals and (row := results.get(cell, "same")) is not None
    ]
    if not rows:
        return ()
    verdicts = [accepted(cell, row) for cell, row in rows]
    idle = [
        f"{bar.row} on {column}"
        for column, chart in charts.items()
        for bar in chart.bars.values()
        if bar.row in CHARTS.rivals and not bar.learns
    ]
    text = (
        f"With the same settings {verdicts.count(True)} of {len(verdicts) - verdicts.count(None)} rivals agree with or "
        "exceed what was published of them; a gain over the others says little."
    )
    if idle:
        text += f" No better than the most frequent class: {', '.join(idle)}."
    return (Text(text),)


def _ahead_already(charts: Mapping[str, Chart]) -> tuple[Block, ...]:
    """Where a rival that is run, though others wait, is ahead of all ACM and ACMII networks that are."""
    found = []
    for column, chart in charts.items():
        rival, best = chart.best(CHARTS.rivals), chart.best(CHARTS.augmented)
        if chart.waiting and rival and best and rival.mean >= best.mean:
            found.append(f"{column} ({rival.row} over {best.row}: {difference(rival, best)})")
    if not found:
        return ()
    return (
        Text(f"Honest, a rival has a higher mean than all ACM and ACMII networks on: {', '.join(found)}."),
    )


def _findings(known: Mapping[Version, Mapping[str, Chart]]) -> tuple[str, ...]:
    parts = []
    for version, title in VERSIONS.items():
        gains = [gain for chart in known[version].values() if (gain := gain_of(chart)) is not None]
        if not gains:
            continue
        ahead = sum(gain.best.mean > gain.rival.mean for gain in gains)
        clear = sum(difference(gain.best, gain.rival).side == 1 for gain in gains)
        waiting = len(known[version]) - len(gains)
        parts.append(
            f"{title}, on {ahead} of {len(gains)} (by 95% intervals on {clear}){_of_rivals(gains)}"
            + f" ({waiting} not known yet)" * bool(waiting)
        )
    return (
        f"Graphs on which the best ACM or ACMII network is ahead of the best rival: {'; '.join(parts)}.",
        *_told_over_all(over_all(known)),
    )


def _told_over_all(found: Sequence[OverAll]) -> tuple[str, ...]:
    ours = [one.ours for one in found if one.ours is not None]
    own = (
        f", with ours at the same settings on {sum(gain > 0 for gain in ours)} of {len(ours)}" if ours else ""
    )
    names = ", ".join(sorted({row for _, row in CHARTS.left_out.values()}))
    text = (
        f"The charts leave out rivals of the same table ({names} are the best of them). The best ACM or ACMII network "
        f"is ahead of the best published rival of all on {sum(one.published > 0 for one in found)} of {len(found)} "
        f"graphs as published{own}."
    )
    return (text,) if found else ()


def _all_rivals(found: Sequence[OverAll]) -> Table:
    return Table(
        "The best ACM or ACMII network minus the best published rival of the whole table, those too that the charts "
        "leave out, in points.",
        ("graph", "best published rival", "its mean", VERSIONS["published"], VERSIONS["same"]),
        tuple(
            (
                one.column,
                one.rival,
                f"{one.mean:.2f}",
                signed(one.published),
                NOT_YET if one.ours is None else signed(one.ours),
            )
            for one in found
        ),
    )


def _of_rivals(gains: Sequence[Gain]) -> str:
    """How many rivals these are gains over, where it is not all of them."""
    few, many = (choose(gain.rivals for gain in gains) for choose in (min, max))
    if few == len(CHARTS.rivals):
        return ""
    return f" over {few if few == many else f'{few} to {many}'} of {len(CHARTS.rivals)} rivals"


def _told(chart: Chart, version: Version, published: Chart) -> str:
    gain = gain_of(chart)
    if gain is None:
        return (
            f"{chart.waiting} of {len(CHARTS.rivals)} rivals not run yet" if chart.waiting else "not run yet"
        )
    if version == "published":
        return str(gain)
    first = gain_of(published)
    absent = (
        f"; {signed(gain.best.mean - first.rival.mean)} over the published {first.rival.row}, not among them"
        if first is not None and first.rival.row not in chart.bars
        else ""
    )
    return f"{gain}, {gain.rivals} of {len(CHARTS.rivals)} rivals{absent}"


def _any(charts: Mapping[str, Chart]) -> bool:
    return any(chart.bars for chart in charts.values())


def _own(results: Results, version: Version, known: Mapping[str, Chart]) -> Table:
    lines = []
    for base, versions in CHARTS.families.items():
        for name in versions:
            found = [
                str(Change.between(bars[name], bars[base])) if {name, base} <= bars.keys() else "not run yet"
                for bars in (known[column.name].bars for column in results.spec.columns)
            ]
            lines.append((f"{name} minus {base}", *found))
    names = _names(results, kind_of(version))
    return Table(f"In points, {VERSIONS[version]}.", ("networks", *names.values()), tuple(lines))
