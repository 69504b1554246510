"""`allpass rl transitions`: transitions of an environment or a log, also of pairs that were never tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.options import AsJson, settings_of
from allpass.cli.processes import (
    Discount,
    EnvArg,
    Html,
    Output,
    Target,
    check_outputs,
    command_line,
    load,
    say_written,
    write_csv,
)

if TYPE_CHECKING:
    from allpass.rl import TabularMDP, Transitions
    from allpass.rl.reconstruction import Reconstruction


def transitions(
    target: Target,
    env_arg: EnvArg = None,
    discount: Discount = 0.99,
    model: Annotated[
        str,
        typer.Option(
            help="transe, rotate, quate, dihedral, complex; deepwalk, node2vec, line-1, line-2, struc2vec; smoothing, "
            "back-off, neighbours, inverse-rule; or hybrid."
        ),
    ] = "hybrid",
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting such as dim=64 or epochs=300; may be repeated."
        ),
    ] = None,
    steps: Annotated[
        int, typer.Option(min=1, help="Steps to record of an environment; a log has its own.")
    ] = 2_000,
    policy: Annotated[str, typer.Option(help="Who acts in an environment: random or optimal.")] = "random",
    held_out: Annotated[
        float, typer.Option(help="Share of the tried pairs that are left out to measure with.")
    ] = 0.2,
    prior: Annotated[float, typer.Option(help="How many steps a prediction is worth.")] = 3.0,
    seed: Annotated[int, typer.Option(help="Decides steps, pairs and training.")] = 0,
    output: Output = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Learn P(s'|s, a) from recorded steps, and predict pairs of state and action that were never tried."""
    from allpass.cli.progress import counting
    from allpass.rl import TransitionModel
    from allpass.rl.reconstruction import fits, reconstruct

    check_outputs(output, html)
    options = settings_of(chosen or [])
    TransitionModel(model, prior=prior, seed=seed)  # refuses what is wrong before steps are recorded
    recorded, mdp = _steps(target, discount, env_arg, steps, policy, seed)
    with counting("learning", total=fits()) as on_progress:
        found = reconstruct(
            recorded,
            model,
            like=mdp,
            share=held_out,
            prior=prior,
            discount=discount,
            seed=seed,
            on_progress=lambda done: on_progress(done, 0.0),
            **options,
        )
    if output is not None:
        write_csv(output, found.model.to_frame(), index=False)
    if html is not None:
        from allpass.report.rl import page, reconstruction

        page.write(reconstruction.reconstruction_page(found, target, command_line()), html)
    if as_json:
        typer.echo(json.dumps(_found(found), indent=2, ensure_ascii=False))
        return
    _show(target, found)
    say_written(output, html, "Transitions")


def _steps(
    target: str, discount: float, env_arg: list[str] | None, steps: int, policy: str, seed: int
) -> tuple[Transitions, TabularMDP | None]:
    """The steps of a log, or of a policy in a process that is known."""
    from allpass.cli.progress import counting
    from allpass.data.tables.tabular import TABLE_SUFFIXES
    from allpass.rl import Transitions
    from allpass.rl.recording.runs import record_steps

    if Path(target).suffix.lower() in TABLE_SUFFIXES and not env_arg:
        with counting("reading"):
            load(target, discount, env_arg)  # refuses what is no log of numbered states
            return Transitions.read(target), None
    mdp = load(target, discount, env_arg)
    with counting("recording", total=steps) as on_progress:
        recorded = record_steps(mdp.to_env(), steps, policy=policy, seed=seed, on_progress=on_progress)
    return recorded, mdp


def _found(found: Reconstruction) -> dict[str, Any]:
    counts = found.model.counts
    return {
        "model": found.model.kind,
        "states": counts.num_states,
        "actions": counts.num_actions,
        "steps": int(counts.tried.sum()),
        "pairs": int(counts.asked.sum()),
        "tried": int((counts.tried > 0).sum()),
        "held_out_pairs": found.pairs,
        "held_out": found.held_out,
        "planning": found.planning,
        "curve": {"steps": found.sizes, "variation": found.curve},
        "losses": found.model.prediction.losses,
        "predicted": [row for row in found.model.to_frame().to_dict("records") if not row["seen"]],
    }


def _show(target: str, found: Reconstruction) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.report.rl.reconstruction import predicted

    out, counts = Console(), found.model.counts
    unseen = int((counts.asked & (counts.tried == 0)).sum())
    out.print(Text(target, style="bold"))
    out.print(
        f"{counts.num_states:,} states, {counts.num_actions} actions, {int(counts.tried.sum()):,} steps"
    )
    out.print(
        f"{int((counts.tried > 0).sum()):,} of {int(counts.asked.sum()):,} pairs of state and action were tried, "
        f"{unseen:,} are predicted"
    )
    if found.held_out:
        table = plain_table()
        for heading in ("pairs left out", "MRR", "probability", "total variation"):
            table.add_column(heading, justify="left" if heading == "pairs left out" else "right")
        for name, scores in found.held_out.items():
            table.add_row(name, *(f"{value:.3f}" for value in scores.values()))
        out.print(table)
    if found.planning:
        out.print(
            f"Policies that took none of the steps: the values of the uniform one are off by "
            f"{found.planning['value_error']:.0%}, the best one of the learned process loses "
            f"{found.planning['regret']:.0%}"
        )
    out.print(Text(predicted(found), style="bold"))
