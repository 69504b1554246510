"""The command line: parses, calls, prints. Each verb has a file of its own."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from allpass import __version__
from allpass.cli.compare import compare
from allpass.cli.datasets import datasets
from allpass.cli.diagnose import diagnose
from allpass.cli.embed import complete, embed
from allpass.cli.export import export
from allpass.cli.help import Verb, Verbs, example
from allpass.cli.metrics import metrics
from allpass.cli.models import models
from allpass.cli.predict import predict
from allpass.cli.reproduce import reproduce
from allpass.cli.rl import rl
from allpass.cli.store import store
from allpass.cli.sweep import sweep
from allpass.cli.train import train
from allpass.cli.words import brief
from allpass.errors import AllpassError

_ABOUT = "Find out whether the edges of a graph help to predict its labels, and which model to use."
_EXAMPLE = example("allpass diagnose cora --html report.html")
_VERBS: dict[str, dict[Callable[..., None], str]] = {
    "Diagnose": {diagnose: "allpass diagnose --edges edges.csv --nodes nodes.csv --label class"},
    "Train and predict": {
        train: "allpass train cora --model acm-gcn -o kept",
        predict: "allpass predict kept cora -o predictions.csv",
        compare: "allpass compare cora --models mlp-2,gcn,acm-gcn",
        sweep: "allpass sweep cora --model acm-gcn --trials 30",
        export: "allpass export kept cora -o model.pt2",
    },
    "Knowledge graphs": {
        embed: "allpass embed triples.tsv --model rotate --test 0.1 -o kept",
        complete: "allpass complete kept --head germany --relation embassy",
    },
    "Published results": {reproduce: "allpass reproduce acm-fixed --cells ACM-GCN,Cora,same"},
    "Look up": {
        datasets: "allpass datasets",
        metrics: "allpass metrics",
        models: "allpass models acm-gcn",
    },
}
"""The verbs by what they are for, each with an example."""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _panel, _verbs in _VERBS.items():
    for _verb, _example in _verbs.items():
        app.command(cls=Verb, rich_help_panel=_panel, epilog=example(_example))(_verb)
app.add_typer(rl, name="rl", rich_help_panel="Reinforcement learning")
app.add_typer(store, name="store", rich_help_panel="Published results")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"allpass {__version__}")
        raise typer.Exit


@app.callback(cls=Verbs, help=_ABOUT, epilog=_EXAMPLE)
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Options of every verb."""


def run(arguments: list[str] | None = None) -> None:
    """Entry point: a wrong input gives one clear sentence and exit status 2, a defect of allpass status 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows ? instead of failing
    _give_way()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        with _terminable():
            app([word for word in words if word != "--debug"])
    except BrokenPipeError:  # the reader of our output, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except SystemExit as end:
        if isinstance(
            getattr(end.__context__, "__cause__", None), KeyboardInterrupt
        ):  # and no verb has said so
            _say("Stopped before the end. Nothing is left half written.")
        raise
    except Exception as error:
        if "--debug" in words:
            raise
        sys.exit(_tell(error))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM stop as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():  # which alone may say what a signal does
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _give_way() -> None:
    """Let threads that wait for each other leave their core soon, unless the user has said how they are to wait.

    By default those of OpenMP keep it busy for milliseconds. Where other programs fill the cores too, a thread with
    work then waits for one that only waits, in every small step: a training takes many times as long. Torch reads this
    when it is imported, which is later.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")


def _tell(error: Exception) -> int:
    """Say what went wrong; gives the exit status."""
    match error:
        case AllpassError():
            _say(brief(error))
        case MemoryError():
            _say("The graph does not fit into memory. Use a smaller one, or a machine with more memory.")
        case RuntimeError() if "can't allocate memory" in str(error):  # as torch says it
            return _tell(MemoryError())
        case OSError():  # a full disk, a file taken away
            _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        case _:
            _say(f"Unexpected {type(error).__name__}: {error}")
            typer.echo(
                "This is a defect of allpass. Run again with --debug and report what it prints.", err=True
            )
            return 1
    return 2


def _say(sentence: str) -> None:
    typer.echo(f"allpass: {sentence}", err=True)
