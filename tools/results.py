"""Results of benchmarks as tables: times beside those of named peers, accuracy beside published values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.run import TOOLS
from benchmarks.timing import RESULTS
from benchmarks.verdict import MODELS

from allpass.data.draft import many
from benchmarks import kge, verdict_rows
from tools import blocks
from tools.blocks import table


class InputMissingError(Exception):
    """A block cannot be made here; the message says what is missing."""


def benchmark(name: str) -> str:
    """The results of one benchmark: milliseconds of each candidate, and ours against the best peer."""
    found = _read(name)
    rows = found["rows"]
    candidates = list(dict.fromkeys(key for row in rows for key in row["seconds"]))
    times = ([_milliseconds(row["seconds"].get(key)) for key in candidates] for row in rows)
    heads = ("case", *(f"{key}, ms>" for key in candidates), "ratio>")
    shown = table(
        heads, ((row["case"], *time, f"{row['ratio']:.2f}") for row, time in zip(rows, times, strict=True))
    )
    devices = sorted({"cpu", "cuda"} & {row["case"].split()[0] for row in rows}) or ["cpu"]
    return f"{shown}\n\nMeasured on {_machine(found, *devices)}; {_statistic(rows)}"


def engine(name: str) -> str:
    """The training engine against each peer: how many times as fast, and how far from a copy of the same bytes."""
    found = _read(name)
    by_peer: dict[str | None, list[dict[str, Any]]] = {}
    for row in found["rows"]:
        by_peer.setdefault(next((key for key in row["seconds"] if key != "ours"), None), []).append(row)
    shown = [_against(peer, rows) for peer, rows in by_peer.items()]
    device = "cuda" if name.endswith("-cuda") else "cpu"
    return "\n\n".join((*shown, f"Measured on {_machine(found, device)}."))


def _against(peer: str | None, rows: Sequence[dict[str, Any]]) -> str:
    cases = [row["case"].removesuffix(f": {1 / row['ratio']:.1f} times as fast") for row in rows]
    if peer is None:
        pairs = zip(cases, rows, strict=True)
        return table(("case", "ratio>"), ((case, f"{row['ratio']:.2f}") for case, row in pairs))
    times = [[_milliseconds(row["seconds"][key]) for key in ("ours", peer)] for row in rows]
    if any(row["goal"] is None for row in rows):
        last, ratios = ["times as long>"], [[f"{row['ratio']:.1f}"] for row in rows]
    else:
        last = ["times as fast>", "goal>"]
        ratios = [[f"{1 / row['ratio']:.1f}", f"{1 / row['goal']:.3g}"] for row in rows]
    return table(
        ("case", "ours, ms>", f"{peer}, ms>", *last),
        ((case, *time, *ratio) for case, time, ratio in zip(cases, times, ratios, strict=True)),
    )


def grid() -> str:
    """A whole grid by the clock."""
    found = _read("grid")
    chosen = found["chosen"]
    setting = ", ".join(f"`{name}` {value:g}" for name, value in chosen["setting"].items())
    memory = "" if found["peak_bytes"] is None else f", {found['peak_bytes'] / 2**30:.1f} GiB at the peak"
    return (
        f"**{found['settings']} settings on {found['splits']} splits: {found['runs']:,} runs with {found['epochs']:,} "
        f"epochs in {found['seconds']:.1f} s**{memory}; {found['diverged'] or 'none'} of them diverged. Validation "
        f"chooses {setting}, which has a test accuracy of {100 * chosen['test_accuracy']:.1f}%.\n\n"
        f"Measured on {_machine(found, found['device'])}."
    )


def sweeps() -> str:
    """A sweep with more workers and with early stopping, against one worker and every setting on every split."""
    found = _read("sweeps")
    before = found["sweeps"][0]
    rows = [
        (
            str(one["workers"]),
            "yes" if one["early_stop"] else "no",
            f"{one['runs']:,}",
            f"{one['seconds']:.1f}",
            f"{before['seconds'] / one['seconds']:.1f}",
            f"{100 * one['test_score']:.1f}%",
        )
        for one in found["sweeps"]
    ]
    gap, machine = found["difference"], found["machine"]
    same = (
        "The numbers do not depend on the workers."
        if found["same_numbers"]
        else "The numbers depend on the workers!"
    )
    shown = table(
        ("workers>", "early stopping", "runs>", "seconds>", "times as fast>", "chosen: test accuracy>"), rows
    )
    return (
        f"{shown}\n\n{found['trials']} settings of `{found['model']}` on {found['count']} splits of {found['nodes']:,} "
        f"nodes. The setting that early stopping chooses differs in test accuracy by {100 * gap['mean']:+.2f} points, "
        f"95% interval {100 * gap['low']:+.2f} to {100 * gap['high']:+.2f}. {same} "
        f"Measured on {machine['processor']}, {many(machine['cores'], 'core')}, torch {machine['torch']}."
    )


def triplets() -> str:
    """Triplet embeddings of allpass and of PyKEEN on the same triplets."""
    return kge.summary(kge.kept())


def verdict() -> str:
    """What following the diagnosis costs, graph by graph."""
    rows = verdict_rows.read(RESULTS / "verdict.csv")
    found = {
        name: verdict_rows.regret([row for row in rows if row.graph == name], MODELS)
        for name in dict.fromkeys(row.graph for row in rows)
    }
    heads = ("graph", "score", "recommended", "its test score>", "best of ten", "its test score>", "regret>")
    lines = [
        (
            name,
            one.best.score,
            f"`{one.recommended.model}`",
            f"{100 * one.recommended.mean:.1f}",
            f"`{one.best.model}`",
            f"{100 * one.best.mean:.1f}",
            f"{100 * one.difference.mean:.1f} ({100 * one.difference.low:.1f} to {100 * one.difference.high:.1f})",
        )
        for name, one in found.items()
        if one is not None
    ]
    return f"{table(heads, lines)}\n\n{verdict_rows.judged(rows, MODELS)}"


def accuracy() -> str:
    """Ours and the published code on the same splits, beside what was published."""
    found = _read("accuracy")
    heads = (
        "dataset",
        "runs a split>",
        "ours>",
        "transcription>",
        "difference>",
        "not below>",
        "authors' code>",
        "published>",
    )
    rows = []
    for name, row in found.items():
        gap, published = row["difference"], row["published"]
        rows.append(
            (
                f"`{name}`" + ("" if row["holds"] else " ○"),
                str(row["plan"]["seeds"]),
                *(f"{row[key]['mean']:.2f}" for key in ("ours", "transcription")),
                _whole(f"{_signed(gap['mean'])} ({_signed(gap['low'])} to {_signed(gap['high'])})"),
                _signed(published["limit"], 1),
                _whole(f"{published['rerun_mean']:.2f} ± {published['rerun_std']:.2f}"),
                _whole(f"{published['mean']:.2f} ± {published['std']:.2f}"),
            )
        )
    below = sum(not row["holds"] for row in found.values())
    zero = sum(row["difference"]["low"] <= 0 <= row["difference"]["high"] for row in found.values())
    mark = f"○ The interval reaches below its limit: {below} of {len(found)}. " if below else ""
    said = f"{mark}Intervals that hold 0: {zero} of {len(found)}."
    first = next(iter(found.values()))
    return f"{table(heads, rows)}\n\n{said} Measured on {_machine(first, first['plan']['device'])}."


def _read(name: str) -> dict[str, Any]:
    path = blocks.ROOT / "benchmarks" / "results" / f"{name}.json"
    if not path.is_file():
        command = f"python -m benchmarks.{name}" if name in TOOLS else "make bench"
        raise InputMissingError(f"it needs {path.relative_to(blocks.ROOT)}: run {command}")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _machine(found: dict[str, Any], *devices: str) -> str:
    """What was measured on; a machine with a GPU may have done it on its CPU."""
    machine = found["machine"]
    threads = many(machine["threads"], "thread")
    named = {"cpu": f"{machine['processor']}, {threads}", "cuda": machine["cuda"]}
    return f"{' and '.join(named[device] for device in devices)}, torch {machine['torch']}"


def _statistic(rows: Sequence[dict[str, Any]]) -> str:
    """What the ratio is, and the rows where the plainer ratio of the medians would miss the goal."""
    said = "ratio = ours / best peer, the median over turns of the times of one turn."
    over = []
    for row in rows:
        peers = [t for name, t in row["seconds"].items() if name != "ours"]
        if not peers or row["goal"] is None:
            continue
        ratio = row["seconds"]["ours"] / min(peers)
        if row["ratio"] <= row["goal"] < ratio:
            over.append(f"{row['case']} {ratio:.2f}")
    return f"{said} The ratio of the medians misses its goal in: {'; '.join(over)}." if over else said


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    time = 1000 * seconds
    return f"{time:,.2f}" if time >= 1 else f"{time:#.3g}"


def _signed(value: float, digits: int = 2) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def _whole(cell: str) -> str:
    return cell.replace(" ", "\u00a0")  # no browser may break it
