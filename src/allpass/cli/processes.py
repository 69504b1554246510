"""What the verbs of `allpass rl` share: their argument, their options, and how results are written."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from allpass.rl import TabularMDP

Target: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ENV_OR_LOG",
        help="A Gymnasium id such as FrozenLake8x8-v1, a grid such as four-rooms, a drawing (.txt) or a log of steps "
        "(CSV, Parquet).",
        show_default=False,
    ),
]
EnvArg: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="An argument of the environment; several times for several.",
        show_default=False,
    ),
]
Discount: TypeAlias = Annotated[float, typer.Option(help="Factor of later rewards.")]
Html: TypeAlias = Annotated[Path | None, typer.Option(help="Write a page with pictures.", show_default=False)]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write a CSV file.", show_default=False)
]


def load(target: str, discount: float, env_arg: list[str] | None) -> TabularMDP:
    """The process behind the argument of a verb."""
    from allpass.cli.progress import counting
    from allpass.rl import load_process

    with counting("reading"):
        return load_process(target, discount, **arguments_of(env_arg))


def arguments_of(pairs: list[str] | None) -> dict[str, Any]:
    """``["size=3", "slippery=false", "name=x"]`` to ``{"size": 3, "slippery": False, "name": "x"}``."""
    from allpass.errors import InputError

    found: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"Got env_arg={pair!r}.", "Expected NAME=VALUE, such as is_slippery=false.")
        if name in ("discount", "source"):
            raise InputError(
                f"Got env_arg={pair!r}.", "Pass the discount as --discount, the source as the argument."
            )
        try:
            found[name] = json.loads(value if value not in ("True", "False", "None") else _JSON[value])
        except json.JSONDecodeError:
            found[name] = value.replace("\\n", "\n")
    return found


_JSON = {"True": "true", "False": "false", "None": "null"}


def check_outputs(*paths: Path | None) -> None:
    """Refuse paths that cannot be written, before the work."""
    from allpass.files import check_writable

    for path in paths:
        if path is not None:
            check_writable(path)


def write_csv(path: Path, frame: Any, *, index: bool) -> None:
    """Write a frame."""
    from allpass.files import write_whole

    write_whole(path, frame.to_csv(index=index).encode())


def about_process(mdp: TabularMDP) -> dict[str, Any]:
    """The sizes of a process, for JSON."""
    return {
        "states": mdp.num_states,
        "actions": mdp.num_actions,
        "terminal": int(mdp.terminal.sum()),
        "discount": mdp.discount,
    }


def say_written(output: Path | None, html: Path | None, what: str = "Values") -> None:
    """Say which files were written."""
    for word, path in ((what if output else "", output), ("Page", html)):
        if path is not None:
            typer.echo(f"{word}: {path}")


def command_line() -> str:
    """What makes the same page again."""
    return shlex.join(["allpass", *sys.argv[1:]])
