"""What was found of depth, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import median_low

from allpass.papers.depth.study import EXPLODED
from allpass.papers.pages.depth.findings import LEVEL, Findings, failures
from allpass.papers.pages.depth.predictions import told_predictions
from allpass.papers.pages.tables.cells import NOT_YET, number
from allpass.papers.study import Plan
from allpass.report.wording import count


def finding(findings: Findings) -> tuple[str, ...]:
    """What came of it, for the first page of the results."""
    by_depth: dict[str, list[int]] = {"better": [], "worse": []}
    for place in findings.compared:
        if word := findings.verdict(place):
            by_depth[word].append(place.layers)
    better, worse = (f"{len(depths)}{_with_layers(depths)}" for depths in by_depth.values())
    return (
        f"{_said_of_best(findings)} Nothing of this was published: it is a study of our own.",
        f"Of {count(len(findings.compared))} networks that do not diverge {better} are significantly better than with "
        f"{findings.grid.baseline}, and {worse} worse.",
        _said_of_learning(findings),
        *told_predictions(findings),
    )


def _said_of_best(findings: Findings) -> str:
    """The accuracy with the fewest and with the most layers on every dataset, of the network to choose there."""
    ends = findings.depths[0], findings.depths[-1]
    told, sizes = [], []
    for dataset in findings.present("datasets"):
        means = []
        for depth in ends:
            rows = [
                row
                for place, row in findings.found.items()
                if (place.dataset, place.layers) == (dataset, depth)
            ]
            chosen = max(rows, key=lambda row: number(row, "validation") or 0.0, default=None)
            means.append(NOT_YET if chosen is None else f"{number(chosen, 'mean') or 0.0:.1f}")
            sizes += [len(rows)] if rows else []
        told.append(f"{findings.grid.datasets[dataset]} {' and '.join(means)}")
    few, most = min(sizes), max(sizes)
    return (
        f"Mean accuracy on test nodes with {ends[0]} and with {ends[1]} layers, in percent, of the network with the "
        f"best mean accuracy on validation nodes among {few if few == most else f'{few} to {most}'}: "
        f"{'; '.join(told)}."
    )


def _with_layers(depths: Sequence[int]) -> str:
    """Where these all are."""
    found = " or ".join(str(depth) for depth in sorted(set(depths)))
    return f" (with {found} layers)" if depths else ""


def summary(findings: Findings) -> str:
    """All that was found, a paragraph each."""
    paragraphs = (
        _said_of_protocol,
        _said_of_reach,
        _said_of_learning,
        _said_of_help,
        _said_of_training,
        _said_of_divergence,
    )
    return "\n\n".join(say(findings) for say in paragraphs)


def _said_of_protocol(findings: Findings) -> str:
    grid = findings.grid
    protocol = grid.how(Plan(quick=any(row["quick"] for row in findings.rows)))
    splits, stop = protocol.splits, protocol.stop
    return (
        f"Every network is trained on {splits['count']} splits, with {' and '.join(map(str, grid.tried['lr']))} as "
        f"learning rate, {grid.fixed['hidden_channels']} hidden channels, for at most {stop['max_epochs']} epochs "
        f"(fewer if the validation loss does not fall for {stop['patience']}); effective-degree has alpha = "
        f"{grid.fixed['alpha']}. What the initialisations are stands in the documentation under “How weights begin”."
    )


def _said_of_reach(findings: Findings) -> str:
    grid = findings.grid
    lines = []
    for dataset in findings.present("datasets"):
        places = product((dataset,), findings.present("activations"), findings.present("initialisations"))
        reached = [reach for place in places if (reach := findings.reach(*place)) is not None]
        if reached:
            sure, possible = zip(*reached, strict=True)
            lines.append(
                f"- {grid.datasets[dataset]}: surely to {_spread(sure)}, possibly to {_spread(possible)}"
            )
    return (
        f"A combination trains to a depth if up to there its accuracy is within {grid.tolerance:g} points of its own "
        f"accuracy with {grid.depths[0]} layers: surely, if the 95% interval of the difference, over splits of this "
        "very graph, lies there, and possibly, if some of it does. That depth is, in the middle over all "
        "initialisations and activations, and from the least to the greatest:\n\n" + "\n".join(lines)
    )


def _spread(depths: Sequence[int]) -> str:
    """The middle one and, where they differ, the ends."""
    least, greatest = min(depths), max(depths)
    ends = "" if least == greatest else f" ({least} to {greatest})"
    return f"{median_low(depths)} layers{ends}"


def _said_of_learning(findings: Findings) -> str:
    deepest = findings.depths[-1]
    networks = {name: findings.networks(name, deepest) for name in findings.present("initialisations")}
    told = ", ".join(
        f"{name} {sum(map(findings.learns, places))} of {len(places)}"
        for name, places in networks.items()
        if places
    )
    return (
        f"Networks with {deepest} layers that do better than the most frequent class, by the 95% interval of their "
        f"accuracy: {told}."
    )


def _said_of_help(findings: Findings) -> str:
    compared, baseline = findings.compared, findings.grid.baseline
    better, worse = (
        [place for place in compared if findings.verdict(place) == word] for word in ("better", "worse")
    )
    diverging = sum(map(findings.diverges, findings.found))
    lost = f"{count(diverging)} of {count(len(findings.found))} networks diverged in all their runs. "
    if not compared:
        return f"{lost}Nothing could be compared with {baseline} yet."
    ahead = [findings.ahead(place) for place in compared]
    above, below = sum(one.low > 0 for one in ahead), sum(one.high < 0 for one in ahead)
    return (
        f"{lost}Of the others {count(len(compared))} are compared with {baseline}, with the same activation, depth and "
        f"splits: {len(better)} are significantly better, {sum(map(findings.without_rival, better))} of them where "
        f"{baseline} does no better than the most frequent class; {len(worse)} are significantly worse (paired t test "
        "corrected for splits that share nodes; Holm over all depths and initialisations of a dataset with an "
        f"activation, at {LEVEL:g}). That is a strict question to few splits: in half of the comparisons a difference "
        f"has to be {findings.needed():.0f} points or more. Without the correction for many questions {above} are "
        f"better and {below} worse, where chance alone gives about {len(compared) * LEVEL / 2:.0f} of each."
    )


def _said_of_training(findings: Findings) -> str:
    lost, unfitted = findings.lost()
    if not lost:
        return "No deep network loses more than that against the shallow one."
    return (
        f"Networks that lose more than {findings.grid.tolerance:g} points against the shallow one: {count(lost)}. Of "
        f"these, {count(unfitted)} lose more than that on the training nodes too, at the reported epoch, or diverged; "
        "the others fit those as well as the shallow network, and fail on new ones."
    )


def _said_of_divergence(findings: Findings) -> str:
    diverged, exploded, tried = failures(findings.rows)
    return (
        f"Of {count(tried)} runs, those with the learning rate that was not chosen included, {count(diverged)} "
        f"diverged: their loss stopped being a number. {count(exploded)} more exploded: their best validation loss is "
        f"over {EXPLODED} times that of even odds for all classes."
        + " Where squared gradients are too small for single precision, Adam does not move the weights."
        * bool(exploded)
    )
