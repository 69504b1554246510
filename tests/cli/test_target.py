"""Verbs that read a graph have the same options, and get them as one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_type_hints

import torch
import typer
from torch_geometric.data import Data
from typer.testing import CliRunner

from allpass.cli.target import OPTIONS, Target, default_model, reads_graph
from allpass.data.load import Options
from allpass.errors import InputError


def app_of(seen: list[object]) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @reads_graph
    def verb(
        first: Annotated[str, typer.Argument()], graph: Target, loud: Annotated[bool, typer.Option()] = False
    ) -> None:
        """Do something to a graph."""
        seen.extend((first, graph, loud))

    return app


def test_every_option_is_one_of_load() -> None:
    assert set(OPTIONS) <= {*get_type_hints(Options), "edges", "nodes"}


def test_what_is_given_comes_through_and_the_rest_is_left_to_load(tmp_path: Path) -> None:
    seen: list[object] = []
    words = ["model", "folder", "--features", "age,size", "--id", "who", "--undirected", "--loud"]
    assert CliRunner().invoke(app_of(seen), words).exit_code == 0
    options = {"features": ["age", "size"], "id_column": "who", "undirected": True}
    assert seen == ["model", Target("folder", options), True]


def test_none_at_all_is_false() -> None:
    seen: list[object] = []
    words = ["model", "folder", "--no-label", "--no-weight", "--no-id"]
    assert CliRunner().invoke(app_of(seen), words).exit_code == 0
    assert seen[1] == Target("folder", {"label": False, "weight": False, "id_column": False})
    both = CliRunner().invoke(app_of(seen), ["model", "folder", "--id", "who", "--no-id"])
    assert str(both.exception) == "Got both --id who and --no-id. Leave one of them out."


def test_roles_of_columns_are_lists() -> None:
    seen: list[object] = []
    words = ["--drop", "a,b", "--number", "c", "--category", "d,e", "--text", "f"]
    assert CliRunner().invoke(app_of(seen), ["model", "folder", *words]).exit_code == 0
    options = {"drop": ["a", "b"], "numbers": ["c"], "categories": ["d", "e"], "text": ["f"]}
    assert seen[1] == Target("folder", options)


def test_a_column_and_none_at_all_are_one_too_many() -> None:
    found = CliRunner().invoke(app_of([]), ["model", "folder", "--label", "kind", "--no-label"])
    assert isinstance(found.exception, InputError)
    assert str(found.exception) == "Got both --label kind and --no-label. Leave one of them out."


def test_nothing_but_the_target() -> None:
    seen: list[object] = []
    CliRunner().invoke(app_of(seen), ["model", "cora"])
    assert seen == ["model", Target("cora", {}), False]


def test_the_default_model_follows_from_the_labels() -> None:
    assert default_model(Data(y=torch.tensor([0.5, 1.0]))) == "sage"
    assert default_model(Data(y=torch.tensor([0, 1]))) == "acm-gcn"
    assert default_model(Data()) == "acm-gcn"


def test_it_loads() -> None:
    assert Target("karate", {}).load().num_nodes == 34


def test_the_help_lists_them() -> None:
    shown = CliRunner().invoke(app_of([]), ["--help"], env={"COLUMNS": "160", "TERM": "dumb"}).output
    for flag in ("--edges", "--source", "--destination", "--nan", "--no-label", "--data-dir", "--loud"):
        assert flag in shown
    assert "Do something to a graph." in shown


def test_what_was_found_in_the_data_is_told_beside_the_output(tmp_path: Path, capsys) -> None:
    (tmp_path / "nodes.csv").write_text("id,size,label\na,1.5,x\nb,,y\nc,2.0,x\n")
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    data = Target(str(tmp_path), {"label": "label", "undirected": True}).load()
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [line for line in printed.err.splitlines() if line]
    table, notes = lines[: 1 + len(data.roles)], lines[1 + len(data.roles) :]
    assert [line.split()[:2] for line in table[1:]] == [
        ["id", "id"],
        ["size", "number"],
        ["label", "label"],
        ["source", "(edges)"],
        ["target", "(edges)"],
    ]
    assert len(notes) == len(data.account) - ("undirected" in data.account) > 0
    assert any("size" in note for note in notes)
    assert len(Target("karate", {}).load().account) > 0
    assert capsys.readouterr().err == ""  # of a named dataset that is known
