"""The page of the study of depth: how deep each combination trains, what helps, and whether predictions hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from statistics import fmean, median_low

from allpass.experiments.depth.grid import Combination
from allpass.experiments.depth.study import EXPLODED
from allpass.experiments.study import Row, Study
from allpass.report.results.depth import figures
from allpass.report.results.depth.findings import LEVEL, Findings
from allpass.report.results.head import head
from allpass.report.results.page import Block, Heading, Page, Picture, Table, Text, Value
from allpass.report.results.shades import shaded
from allpass.report.results.tables.cells import NOT_YET, number, signed
from allpass.report.wording import count

_SIGNS = {"better": " ▲", "worse": " ▼", "": ""}


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``depth``.

    Args:
        study: The study.
        rows: Its rows.
    """
    blocks: list[Block] = [*head(study, rows)]
    if rows:
        findings = Findings(study, rows)
        blocks += [
            Heading("What was found"),
            Text(_summary(findings)),
            _reach(findings),
            _learning(findings),
            _learning_deepest(findings),
            _help(findings),
            _divergence(findings),
        ]
        for dataset in findings.present("datasets"):
            blocks += _of_dataset(findings, dataset)
    blocks += [Heading("Notes"), Text("\n".join(f"- {note}" for note in study.notes))]
    return Page(study.title, tuple(blocks), _finding(findings) if rows else "")


def _finding(findings: Findings) -> str:
    verdicts = [findings.verdict(place) for place in findings.compared]
    return (
        f"{_said_of_learning(findings)} Of {count(len(verdicts))} networks that do not diverge "
        f"{verdicts.count('better')} are significantly better than with {findings.grid.baseline}, and "
        f"{verdicts.count('worse')} worse."
    )


def _summary(findings: Findings) -> str:
    paragraphs = (
        _said_of_protocol,
        _said_of_reach,
        _said_of_learning,
        _said_of_help,
        _said_of_training,
        _said_of_divergence,
        _said_of_growth,
    )
    return "\n\n".join(say(findings) for say in paragraphs)


def _said_of_protocol(findings: Findings) -> str:
    grid = findings.grid
    splits, stop = grid.protocol.splits, grid.protocol.stop
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
        f"accuracy with {grid.depths[0]} layers: surely, if the 95% interval of the difference over the splits lies "
        "there, and possibly, if some of it does. That depth is, in the middle over all initialisations and "
        "activations, and from the least to the greatest:\n\n" + "\n".join(lines)
    )


def _spread(depths: Sequence[int]) -> str:
    """The middle one and, where they differ, the ends."""
    least, greatest = min(depths), max(depths)
    ends = "" if least == greatest else f" ({least} to {greatest})"
    return f"{median_low(depths)} layers{ends}"


def _said_of_learning(findings: Findings) -> str:
    deepest = findings.depths[-1]
    networks = {name: findings.networks(name, deepest) for name in findings.present("initialisations")}
    learning = {name: sum(map(findings.learns, places)) for name, places in networks.items() if places}
    told = {
        min(learning, key=learning.__getitem__),
        max(learning, key=learning.__getitem__),
        findings.grid.baseline,
    }
    return (
        f"With {deepest} layers these do better than the most frequent class, by the 95% interval of their accuracy: "
        + ", ".join(
            f"{learning[name]} of {len(networks[name])} from {name}" for name in learning if name in told
        )
        + (", and the others between." if len(learning) > len(told) else ".")
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
    intervals = [
        (number(findings.found[place], "difference_low"), number(findings.found[place], "difference_high"))
        for place in compared
    ]
    above = sum(low is not None and low > 0 for low, _ in intervals)
    below = sum(high is not None and high < 0 for _, high in intervals)
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
    diverged, exploded, tried = (
        _total(findings.rows, f"tried{kind}") for kind in ("_diverged", "_exploded", "")
    )
    return (
        f"Of {count(tried)} runs, those with the learning rate that was not chosen included, {count(diverged)} "
        f"diverged: their loss stopped being a number. {count(exploded)} more exploded: their best validation loss is "
        f"over {EXPLODED} times that of even odds for all classes."
        + " Weights whose gradients single precision cannot square are not moved by Adam."
        * bool(exploded)
    )


def _said_of_growth(findings: Findings) -> str:
    lines = []
    for activation, title in findings.grid.activations.items():
        places = [place for place in findings.found if place.activation == activation and place.layers > 2]
        known = [growth for place in places if (growth := findings.growth(place)) is not None]
        if known:
            between, near = (
                sum(getattr(one, name) for one in known) for name in ("between", "nearer_to_alike")
            )
            left = f" ({len(places) - len(known)} more are out of range)" if len(places) > len(known) else ""
            lines.append(
                f"- {title}: between the two in {count(between)} of {count(len(known))} networks{left}, nearer to the "
                f"second in {count(near)}"
            )
    if not lines:
        return "No network here has the hidden layers that predictions could be compared on."
    return (
        "Before training the forward variance changes from layer to layer by some factor. Two predictions of it are at "
        "hand: for neighbours that are independent, as most of the initialisations take them, and for neighbours that "
        "are the same. Both take Tanh for the identity, which it is of small signals alone. The measured factor "
        "lies:\n\n" + "\n".join(lines)
    )


def _reach(findings: Findings) -> Table:
    datasets, activations = findings.present("datasets"), findings.present("activations")
    grid = findings.grid

    def cell(name: str, dataset: str) -> str:
        places = [(dataset, activation, name) for activation in activations]
        depths = [(findings.reach(*place), "+" * findings.may_grow(*place)) for place in places]
        return " / ".join("none" if depth is None else f"{depth}{more}" for depth, more in depths)

    return Table(
        "The depth to which each combination trains, surely–possibly: "
        + " / ".join(grid.activations[activation] for activation in activations)
        + ". 0: the shallowest network too does no better than the most frequent class; +: deeper ones are not run "
        "yet; none: none is.",
        ("initialisation", *(grid.datasets[dataset] for dataset in datasets)),
        tuple(
            (name, *(cell(name, dataset) for dataset in datasets))
            for name in findings.present("initialisations")
        ),
    )


def _learning(findings: Findings) -> Table:
    return Table(
        "Networks that do better than the most frequent class: the 95% interval of their accuracy lies above it. Over "
        "all datasets and activations, which are no independent trials: activations share splits.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, findings.present("initialisations"), partial(_learn, findings)),
    )


def _learning_deepest(findings: Findings) -> Table:
    deepest, datasets = findings.depths[-1], findings.present("datasets")

    def cell(name: str, dataset: str) -> str:
        return _learn(
            findings, [place for place in findings.networks(name, deepest) if place.dataset == dataset]
        )

    return Table(
        f"The same of the deepest networks, {deepest} layers, by dataset: how many activations.",
        ("initialisation", *(findings.grid.datasets[dataset] for dataset in datasets)),
        tuple(
            (name, *(cell(name, dataset) for dataset in datasets))
            for name in findings.present("initialisations")
        ),
    )


def _learn(findings: Findings, places: Sequence[Combination]) -> str:
    return f"{sum(map(findings.learns, places))} of {len(places)}" if places else "–"


def _help(findings: Findings) -> Table:
    asked = set(findings.compared)

    def cell(places: Sequence[Combination]) -> str:
        diverged = sum(map(findings.diverges, places))
        places = [place for place in places if place in asked]
        verdicts = [findings.verdict(place) for place in places]
        ahead = [number(findings.found[place], "difference") or 0.0 for place in places]
        lost = [f"{diverged} diverged"] * bool(diverged)
        if not ahead:
            return ", ".join(lost) or "–"
        told = [f"{verdicts.count(word)} {word}" for word in ("better", "worse") if word in verdicts]
        return f"{signed(fmean(ahead), 1)} ({', '.join([f'of {len(ahead)}', *told, *lost])})"

    others = [name for name in findings.present("initialisations") if name != findings.grid.baseline]
    return Table(
        f"Accuracy against {findings.grid.baseline}, in points: the mean of all that did not diverge, "
        "over datasets and activations; and how many are significantly better or worse.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, others, cell),
    )


def _divergence(findings: Findings) -> Table:
    def cell(places: Sequence[Combination]) -> str:
        rows = [findings.found[place] for place in places]
        diverged, exploded, tried = (_total(rows, f"tried{kind}") for kind in ("_diverged", "_exploded", ""))
        return f"{diverged} + {exploded} of {tried}" if rows else "–"

    return Table(
        "Runs that diverged + exploded, over all datasets, activations, splits and learning rates.",
        ("initialisation", *(f"{depth} layers" for depth in findings.depths)),
        _by_depth(findings, findings.present("initialisations"), cell),
    )


def _by_depth(
    findings: Findings, names: Sequence[str], cell: Callable[[Sequence[Combination]], str]
) -> tuple[tuple[str, ...], ...]:
    """A line for each initialisation, with what a function says of its networks of every depth."""
    return tuple(
        (name, *(cell(findings.networks(name, depth)) for depth in findings.depths)) for name in names
    )


def _of_dataset(findings: Findings, dataset: str) -> list[Block]:
    title = findings.grid.datasets[dataset]
    chance = next(row["majority"] for row in findings.rows if row["dataset"] == dataset)
    blocks: list[Block] = [
        Heading(title),
        Picture(
            f"depth-{dataset}",
            f"{title}: accuracy over depth, mean of the splits with its 95% interval; a point at 0 has diverged in all "
            "runs, and points of one depth stand side by side. The grey line is what the most frequent class gives, "
            f"{chance:.1f}%.",
            partial(figures.accuracy, findings, dataset),
        ),
        _accuracies(findings, dataset),
    ]
    blocks += [
        Picture(
            f"depth-{dataset}-{depth}",
            f"{title}, {depth} layers: sizes in every layer in powers of ten (log10), the median of the runs, from "
            f"{len(findings.grid.profiles['initialisations'])} of the initialisations. Lines: measured. Dotted: "
            "predicted for independent neighbours; dashed: for neighbours that are the same (not of gradients). Energy "
            "is the sum of squares of all signals. A line ends where single precision does.",
            partial(figures.sizes, findings, dataset, depth),
        )
        for depth in findings.grid.profiles["depths"]
        if any((place.dataset, place.layers) == (dataset, depth) for place in findings.found)
    ]
    growths = _growths(findings, dataset)
    return blocks if growths is None else [*blocks, growths]


def _accuracies(findings: Findings, dataset: str) -> Table:
    grid, lines = findings.grid, []
    for activation, name in product(findings.present("activations"), findings.present("initialisations")):
        places = [Combination(dataset, activation, name, depth) for depth in findings.depths]
        rows = [findings.found.get(place) for place in places]
        if any(row is not None for row in rows):
            lines.append((f"{grid.activations[activation]}, {name}", places, rows))
    columns = [
        shaded(
            [number(rows[column], "mean") for _, _, rows in lines],
            [_accuracy(findings, places[column]) for _, places, _ in lines],
        )
        for column in range(len(findings.depths))
    ]
    body: list[tuple[Value | str, ...]] = [
        (name, *(column[line] for column in columns)) for line, (name, _, _) in enumerate(lines)
    ]
    return Table(
        f"{grid.datasets[dataset]}: mean accuracy in percent with half of its 95% interval over splits of this graph. "
        f"▲ and ▼: significantly better or worse than {grid.baseline}; best of a column in bold.",
        ("activation, initialisation", *(f"{depth} layers" for depth in findings.depths)),
        tuple(body),
    )


def _accuracy(findings: Findings, place: Combination) -> str:
    row = findings.found.get(place)
    mean, low, high = (number(row, name) for name in ("mean", "low", "high"))
    if row is None or mean is None:
        return NOT_YET
    if findings.diverges(place):
        return "diverged"
    margin = "" if low is None or high is None else f" ± {(high - low) / 2:.1f}"
    diverged = f" ({row['diverged']} diverged)" if row["diverged"] else ""
    return f"{mean:.1f}{margin}{_SIGNS[findings.verdict(place)]}{diverged}"


def _growths(findings: Findings, dataset: str) -> Table | None:
    """Of the deepest networks whose layers are drawn."""
    grid = findings.grid
    deep = [depth for depth in findings.depths if depth in grid.profiles["depths"]]
    activations, lines = findings.present("activations"), []
    for name in findings.present("initialisations") if deep else ():
        places = [Combination(dataset, activation, name, deep[-1]) for activation in activations]
        if any(place in findings.found for place in places):
            lines.append((name, *(_factor(findings, place) for place in places)))
    if not lines:
        return None
    return Table(
        f"{grid.datasets[dataset]}, {deep[-1]} layers: by what the forward variance is multiplied in a hidden layer "
        "before training; in brackets what was predicted for neighbours that are independent and for the same. "
        "–: not run yet.",
        ("initialisation", *(grid.activations[activation] for activation in activations)),
        tuple(lines),
    )


def _factor(findings: Findings, place: Combination) -> str:
    if place not in findings.found:
        return "–"
    growth = findings.growth(place)
    if growth is None:
        return "out of range"
    return f"{10**growth.measured:.3g} ({10**growth.independent:.3g}; {10**growth.alike:.3g})"


def _total(rows: Sequence[Row], name: str) -> int:
    return sum(int(row[name] or 0) for row in rows)
