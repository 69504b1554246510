"""`allpass sweep`: many settings of a model, one of them chosen by validation alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.machines import uses_machines
from allpass.cli.options import AsJson, Count, Model, Splits
from allpass.cli.target import Target, default_model, reads_graph
from allpass.cli.training import Training, say_score, trains
from allpass.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from allpass.train.sweep import Sweep

_TRIALS = 30
_SHOWN = 8  # of the best settings


@reads_graph
@uses_machines
@trains
def sweep(
    graph: Target,
    training: Training,
    machines: dict[str, Any],
    model: Model = None,
    grid: Annotated[bool, typer.Option("--grid", help="Try all settings of the space.")] = False,
    trials: Annotated[
        int | None, typer.Option(help=f"How many settings to try; by default {_TRIALS}.", show_default=False)
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="How they are found: random (spread evenly) or optuna.", show_default=False),
    ] = None,
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUES",
            help="Values to try, as in lr=0.01,0.05 or dropout=0:0.9, in place of those that "
            "`allpass models MODEL` lists; may be repeated.",
        ),
    ] = None,
    splits: Splits = "stratified",
    count: Count = 10,
    seed: Annotated[int, typer.Option(help="Decides the splits, the weights, the dropout, the search.")] = 0,
    store: Annotated[
        Path, typer.Option(help="File of runs: those it holds are read, new ones are added.")
    ] = Path("runs.db"),
    early_stop: Annotated[
        bool,
        typer.Option(
            "--early-stop/--no-early-stop",
            help="Stop hopeless settings after a few splits, or train every setting on every split.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Try many settings of a model and choose by validation; stopped, the same command goes on where it was."""
    from allpass.cli.progress import stoppable
    from allpass.cli.progress import training as progress
    from allpass.train.given import divide
    from allpass.train.runs.store import Store
    from allpass.train.space import read_space, space_of
    from allpass.train.sweep import sweep as run_sweep

    if grid and (trials is not None or search is not None):
        raise InputError("The grid tries all settings.", "Leave out --grid, or --trials and --search.")
    data = graph.load()
    model = model or default_model(data)
    labels = {"label_input": (True,)} if training.pop("label_input", None) else {}
    space = {**space_of(model), **labels, **read_space(chosen or [], model)}
    say_score(data, training)
    folds = divide(data, splits, count=count, seed=seed)
    with Store(store) as opened, stoppable(opened), progress(f"sweeping {model}") as on_progress:
        found = run_sweep(
            opened,
            model,
            data,
            folds,
            space,
            search="grid" if grid else search or "random",
            trials=None if grid else _TRIALS if trials is None else trials,
            search_seed=seed,
            seeds=seed,
            early_stop=early_stop,
            on_progress=on_progress,
            **machines,
            **training,
        )
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
        return
    _show(found, store)


def _show(found: Sweep, store: Path) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.data.draft import many

    out = Console()
    splits, diverged = len(found.splits), sum(trial.diverged for trial in found.trials)
    out.print(
        Text.assemble(
            (found.model, "bold"), f" on {found.dataset}, {many(splits, 'split')} of {found.shares}%"
        )
    )
    out.print(
        Text(
            f"{many(len(found.trials), 'choice')} of settings by the search {found.search!r}: "
            f"{many(found.trained, 'run')} trained, {found.read:,} read from {store}"
        )
    )
    if found.stopped:
        out.print(
            Text(
                f"Stopped as hopeless after a few splits: {found.stopped} of {len(found.trials)} "
                "(--no-early-stop trains all of them on every split)"
            )
        )
    if diverged:
        out.print(Text(f"Diverged, and counted as the worst: {many(diverged, 'run')}"))
    out.print()
    out.print(_table(found))
    if len(found.trials) > _SHOWN:
        out.print(Text(f"and {len(found.trials) - _SHOWN:,} more; --json has all", style="dim"))
    out.print()
    out.print(Text(f"Chosen by validation: {_tested(found)}", style="bold"))
    out.print(Text(_claim(found)))
    words = " ".join(f"--set {name}={_word(value)}" for name, value in found.chosen.settings.items())
    out.print(Text(f"To train it: allpass train ... --model {found.model} {words}"), soft_wrap=True)


def _table(found: Sweep) -> Table:
    """The best settings; those that never changed are left out."""
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.train.rules.scores import SCORES

    tried = [trial.settings for trial in found.trials]
    varied = [name for name in tried[0] if any(settings[name] != tried[0][name] for settings in tried)]
    table = plain_table()
    for heading in ("validation", "loss", *["splits"] * bool(found.stopped), *varied):
        table.add_column(Text(heading), justify="right")
    for trial in found.ranked[:_SHOWN]:
        cells = [SCORES[found.score].written(trial.val_score), f"{trial.val_loss:.4g}"]
        cells += [str(trial.splits)] * bool(found.stopped)
        table.add_row(*map(Text, (*cells, *(_word(trial.settings[name]) for name in varied))))
    return table


def _tested(found: Sweep) -> str:
    from allpass.train.rules.scores import SCORES
    from allpass.train.statistics import TELLING

    test, score = found.chosen.test, SCORES[found.score]
    words = f"test {found.score.replace('_', ' ')} {score.written(test.mean)}"
    if not math.isnan(test.low) and test.count >= TELLING:
        ends = f"{score.written(max(test.low, score.low))} to {score.written(min(test.high, score.high))}"
        words += f", 95% interval over splits of this graph {ends}"
    return words + ", in standard deviations of the label" * (score.high == math.inf)


def _claim(found: Sweep) -> str:
    from allpass.train.rules.scores import SCORES

    if not found.optimism > 0:
        return "Choosing by the test nodes would have claimed no more."
    score = SCORES[found.score]
    claimed = score.written(found.tempting.test.mean)
    by = f"{100 * found.optimism:.1f} points" if score.in_percent else score.written(found.optimism)
    return f"Choosing by the test nodes would have claimed {claimed}: an optimism of {by}."


def _word(value: object) -> str:
    """A value as `--set` reads it."""
    return "+".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
