"""`allpass rl`: values, basis functions and recordings of environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.help import Verb, Verbs, example
from allpass.cli.options import AsJson
from allpass.cli.processes import (
    Discount,
    EnvArg,
    Html,
    Output,
    Target,
    about_process,
    arguments_of,
    check_outputs,
    command_line,
    load,
    say_written,
    write_csv,
)
from allpass.cli.transitions import transitions

if TYPE_CHECKING:
    from allpass.rl import Solution, TabularMDP
    from allpass.rl.spreading import Spread

rl = typer.Typer(
    cls=Verbs, no_args_is_help=True, epilog=example("allpass rl solve four-rooms --html rooms.html")
)


@rl.callback()
def about() -> None:
    """Reinforcement learning on graphs: values, basis functions, recordings."""


@rl.command(
    cls=Verb, epilog=example("allpass rl solve FrozenLake8x8-v1 --env-arg is_slippery=false --html lake.html")
)
def solve(
    target: Target,
    env_arg: EnvArg = None,
    discount: Discount = 0.99,
    method: Annotated[
        str, typer.Option(help="policy-iteration, value-iteration, modified-policy-iteration, or auto.")
    ] = "auto",
    tolerance: Annotated[float, typer.Option(help="Largest Bellman residual.")] = 1e-10,
    output: Output = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Find the optimal values and policy of an environment, a grid or recorded steps."""
    from allpass.cli.progress import counting
    from allpass.report.rl import page

    check_outputs(output, html)
    mdp = load(target, discount, env_arg)
    with counting("solving") as on_progress:
        solution = mdp.optimal(method=method, tolerance=tolerance, on_progress=on_progress)  # type: ignore[arg-type]
    if output is not None:
        write_csv(output, solution.to_frame(), index=True)
    if html is not None:
        page.write(page.solution_page(mdp, solution, target, command_line()), html)
    if as_json:
        typer.echo(json.dumps(_solved(mdp, solution), indent=2, ensure_ascii=False))
        return
    _show(target, mdp, solution)
    say_written(output, html)


@rl.command(cls=Verb, epilog=example("allpass rl basis four-rooms --basis directed --k 16 --html basis.html"))
def basis(
    target: Target,
    env_arg: EnvArg = None,
    discount: Discount = 0.99,
    kind: Annotated[
        str,
        typer.Option(
            "--basis",
            help="combinatorial, normalized, random-walk, directed, directed-combinatorial, successor, krylov, "
            "deepwalk or random.",
        ),
    ] = "combinatorial",
    k: Annotated[int, typer.Option("--k", help="Number of functions.")] = 32,
    seed: Annotated[int, typer.Option(help="Of deepwalk and random.")] = 0,
    output: Output = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Compute basis functions of the states, and how well values are sums of them."""
    from allpass.cli.progress import counting
    from allpass.rl import create_basis
    from allpass.rl.basis_catalog import fit_errors

    check_outputs(output, html)
    mdp = load(target, discount, env_arg)
    k = min(k, int((~mdp.terminal).sum()))
    with counting(f"computing {k} functions"):
        functions = create_basis(kind, mdp, k, seed=seed)
        best, uniform = mdp.optimal(), mdp.values("uniform")
    k = functions.shape[1]
    sizes = [size for size in (1, 2, 4, 8, 16, 32, 64, 128, 256) if size < k] + [k]
    errors = {
        "uniform policy": fit_errors(mdp, functions, uniform, sizes),
        "optimal": fit_errors(mdp, functions, best.values, sizes),
    }
    if output is not None:
        import pandas as pd

        names = mdp.states or list(range(mdp.num_states))
        frame = pd.DataFrame(functions, columns=[f"f{place + 1}" for place in range(k)])
        frame.insert(0, "state", [str(name) for name in names])
        write_csv(output, frame, index=False)
    if html is not None:
        from allpass.report.rl import page

        page.write(page.basis_page(mdp, functions, kind, errors["optimal"][-1], target, command_line()), html)
    if as_json:
        found = {"basis": kind, "functions": k, "sizes": sizes, "errors": errors, **about_process(mdp)}
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    _show_errors(target, mdp, kind, sizes, errors)
    say_written(output, html)


@rl.command(cls=Verb, epilog=example("allpass rl potential four-rooms --potential gcn --html spread.html"))
def potential(
    target: Target,
    env_arg: EnvArg = None,
    discount: Discount = 0.99,
    name: Annotated[
        str,
        typer.Option(
            "--potential",
            help="harmonic, soft, best-path, messages, backward-messages, gcn, acm-gcn, krylov or diffusion.",
        ),
    ] = "harmonic",
    seeds: Annotated[int, typer.Option(min=2, help="How many seeds, for intervals.")] = 10,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of each seed.")] = 50,
    refresh_every: Annotated[int, typer.Option(min=1, help="Fit it after so many more episodes.")] = 5,
    episode_limit: Annotated[
        int | None, typer.Option(min=1, help="Cut episodes short after so many steps.", show_default=False)
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, help="Most steps of a seed.")] = 200_000,
    output: Output = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Spread the rewards that Q-learning meets over the states, and measure the steps that this saves."""
    from allpass.cli.progress import counting
    from allpass.report.rl import page
    from allpass.rl.spreading import spread

    check_outputs(output, html)
    mdp = load(target, discount, env_arg)
    with counting("learning", total=2 * seeds) as on_progress:
        found = spread(
            mdp,
            name,
            seeds=range(seeds),
            episodes=episodes,
            refresh_every=refresh_every,
            episode_limit=episode_limit,
            max_steps=max_steps,
            on_progress=lambda done: on_progress(done, 0.0),
        )
    if output is not None:
        import pandas as pd

        names = [str(state) for state in mdp.states or range(mdp.num_states)]
        columns = {f"after {count}": phi for count, phi in found.fits}
        write_csv(output, pd.DataFrame({"state": names, **columns}), index=False)
    if html is not None:
        page.write(page.spread_page(found, target, command_line()), html)
    if as_json:
        typer.echo(json.dumps(_spread(found), indent=2, ensure_ascii=False))
        return
    _show_spread(target, found)
    say_written(output, html, "Potential")


@rl.command(cls=Verb, epilog=example("allpass rl record Taxi-v4 --steps 20000 -o taxi.parquet"))
def record(
    env: Annotated[str, typer.Argument(metavar="ENV", help="A Gymnasium id.", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The log, .csv or .parquet.", show_default=False)
    ],
    env_arg: EnvArg = None,
    steps: Annotated[int, typer.Option(min=1, help="How many steps.")] = 10_000,
    policy: Annotated[
        str, typer.Option(help="Who acts: random, or optimal where transitions are known.")
    ] = "random",
    bins: Annotated[
        int | None,
        typer.Option(
            min=1, help="Make cells of continuous observations: so many along each part.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides episodes and actions.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Record steps of an environment as a log that other commands read."""
    from allpass.cli.progress import counting
    from allpass.files import check_writable
    from allpass.rl.environments.ids import make
    from allpass.rl.recording.runs import record_steps, state_function

    check_writable(output)
    made = make(env, **arguments_of(env_arg))
    with counting("recording", total=steps) as on_progress:
        recorded = record_steps(
            made,
            steps,
            state_fn=state_function(made, bins),
            policy=policy,
            seed=seed,
            on_progress=on_progress,
        )
    recorded.save(output)
    returns = recorded.returns()
    found = {
        "steps": len(recorded),
        "episodes": recorded.num_episodes,
        "states": recorded.num_states,
        "terminated": int(recorded.terminated.sum()),
        "truncated": int(recorded.truncated.sum()),
        "mean_return": float(returns.mean()),
        "log": str(output),
    }
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    typer.echo(
        f"{len(recorded):,} steps in {recorded.num_episodes:,} episodes, {recorded.num_states:,} states, "
        f"mean return {returns.mean():.3g}"
    )
    typer.echo(f"Log: {output}")
    if not recorded.tabular:
        typer.echo("States are vectors. To solve the log, record it with --bins.")


rl.command(cls=Verb, epilog=example("allpass rl transitions four-rooms --model rotate --html rooms.html"))(
    transitions
)


def _solved(mdp: TabularMDP, solution: Solution) -> dict[str, Any]:
    names = mdp.states or list(range(mdp.num_states))
    actions = mdp.actions or list(range(mdp.num_actions))
    return {
        **about_process(mdp),
        "method": solution.method,
        "iterations": solution.iterations,
        "residual": solution.residual,
        "converged": solution.converged,
        "start_value": float(mdp.start @ solution.values),
        "values": [
            {"state": name, "value": float(value), "action": actions[action]}
            for name, value, action in zip(names, solution.values, solution.policy, strict=True)
        ],
    }


def _show(target: str, mdp: TabularMDP, solution: Solution) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.data.draft import many
    from allpass.report.rl.page import worth

    out = Console()
    out.print(Text(target, style="bold"))
    out.print(
        f"{mdp.num_states:,} states, {mdp.num_actions} actions, {int(mdp.terminal.sum())} absorbing, "
        f"discount {mdp.discount:g}"
    )
    done = many(solution.iterations, "sweep" if solution.method == "value-iteration" else "iteration")
    out.print(f"{solution.method}: {done}, Bellman residual {solution.residual:.1e}")
    if not solution.converged:
        out.print(Text("The tolerance was not reached; rounding may not allow less.", style="yellow"))
    if mdp.grid is not None and mdp.grid.shape[1] <= 100 and mdp.grid.shape[0] <= 60:
        out.print(Text(_drawn(mdp, solution)))
    else:
        table = plain_table()
        for heading in ("state", "value", "action"):
            table.add_column(heading, justify="left" if heading != "value" else "right")
        shown = solution.to_frame().iloc[:12]
        for name, value, action in zip(shown.index, shown["value"], shown["action"], strict=True):
            table.add_row(str(name), f"{value + 0.0:.4f}".replace("-0.0000", "0.0000"), str(action))
        out.print(table)
        if mdp.num_states > len(shown):
            out.print(
                Text(
                    f"and {mdp.num_states - len(shown):,} more states; -o values.csv writes all", style="dim"
                )
            )
    out.print(Text(worth(mdp, solution), style="bold"))


def _drawn(mdp: TabularMDP, solution: Solution) -> str:
    """The grid with the best move in each cell."""
    assert mdp.grid is not None
    picture = mdp.grid.symbols.copy()
    arrows = "↑→↓←"
    for (row, column), action in zip(mdp.grid.cells, solution.policy, strict=False):
        picture[row, column] = arrows[action]
    return "\n".join("".join(line) for line in picture)


def _show_errors(
    target: str, mdp: TabularMDP, kind: str, sizes: list[int], errors: dict[str, list[float]]
) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table

    out = Console()
    out.print(Text(target, style="bold"))
    out.print(f"{mdp.num_states:,} states, discount {mdp.discount:g}; basis: {kind}")
    table = plain_table()
    table.add_column("functions", justify="right")
    for heading in errors:
        table.add_column(f"error of V, {heading}", justify="right")
    for place, size in enumerate(sizes):
        table.add_row(str(size), *(f"{column[place]:.3f}" for column in errors.values()))
    out.print(table)
    out.print(Text("Errors of least squares, relative to the error of the mean.", style="dim"))


def _spread(found: Spread) -> dict[str, Any]:
    seeds, episodes = found.shaped.shape
    return {
        "potential": found.potential,
        "seeds": seeds,
        "episodes": episodes,
        "saved": found.saved,
        "interval": found.interval(),
        "steps": {
            arm: {"mean": mean.tolist(), "low": low.tolist(), "high": high.tolist()}
            for arm, (mean, low, high) in found.curves().items()
        },
        "fitted_after": [count for count, _ in found.fits],
        **about_process(found.mdp),
    }


def _show_spread(target: str, found: Spread) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.report.rl.page import saved

    out = Console()
    out.print(Text(target, style="bold"))
    table = plain_table()
    table.add_column("episode", justify="right")
    curves = found.curves()
    for arm in curves:
        table.add_column(f"steps, {arm}", justify="right")
    last = found.shaped.shape[1]
    for episode in [place for place in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500) if place < last] + [last]:
        table.add_row(str(episode), *(f"{mean[episode - 1]:,.0f}" for mean, _, _ in curves.values()))
    out.print(table)
    out.print(Text(saved(found), style="bold"))
