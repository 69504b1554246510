"""Help and lists at 80 columns: nothing is cut, flags have no type, every verb has an example that it understands."""

from __future__ import annotations

import shlex

import pytest
import typer

from allpass.cli.main import app, run
from allpass.data import DATASETS, dataset_table
from allpass.metrics import METRICS

ROOT = typer.main.get_command(app)
GROUPS = ("rl", "store")
COMMANDS = {
    **ROOT.commands,
    **{
        f"{group} {name}": command
        for group in GROUPS
        for name, command in ROOT.commands[group].commands.items()
    },
}


@pytest.fixture
def said(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        with pytest.raises(SystemExit) as stop:
            run([*words])
        assert not stop.value.code
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_and_gives_flags_no_type(name, said):
    text = said(*name.split(), "--help")
    assert "<bool>" not in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_has_an_example_that_it_understands(name):
    command, words = ROOT, shlex.split(COMMANDS[name].epilog.removeprefix("Example: allpass "))
    context = ROOT.make_context("allpass", [], resilient_parsing=True)
    assert words[: len(name.split())] == name.split()
    while isinstance(command, typer.core.TyperGroup):
        command = command.commands[words.pop(0)]
    assert command.make_context(name, words, parent=context).args == []


def test_paragraphs_break_where_the_terminal_ends(said):
    """The second one was broken where its source is, in the middle of a line."""
    text = said("predict", "--help")
    lines = [line.strip() for line in text.split("Arguments")[0].splitlines() if line.startswith(" ")]
    start = next(number for number, line in enumerate(lines) if line.startswith("Without TARGET"))
    assert len(lines[start]) > 70
    assert len(lines[start + 1]) > 70


def test_verbs_are_in_groups(said):
    text = said("--help")
    titles = ("Diagnose", "Train and predict", "Published results", "Look up", "Reinforcement learning")
    places = [text.index(f"─ {title} ─") for title in titles]
    assert places == sorted(places)
    assert "─ Commands ─" not in text


def test_no_dataset_is_cut(said):
    text = said("datasets")
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line and line[0] != " "}
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    for row in dataset_table():
        assert {f"{row[key]:,}" for key in ("nodes", "edges") if row[key] is not None} <= set(
            lines[row["name"]]
        )
        assert ("*" in lines[row["name"]]) == DATASETS[row["name"]].embedded
    words = set(text.replace(",", " ").split())
    assert {name for row in dataset_table() for name in row["splits"].split(", ") if name} <= words


def test_no_metric_is_cut(said):
    text = said("metrics")
    assert max(map(len, text.splitlines())) <= 80
    joined = " ".join(text.split())
    for metric in METRICS:
        for part in (metric.name, metric.symbol, metric.meaning, metric.citation):
            assert " ".join(part.split()) in joined
