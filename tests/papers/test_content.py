"""Files of studies are read whole or refused, and plans name parts in any case."""

from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.content import named, parse_content
from allpass.papers.study import Plan

FILE = 'id = "small"\ntitle = "t"\nsource = "s"\nnotes = ["n"]\nsize = 3\n'
AXES = {"network": ["gcn", "krylov"], "activation": ["relu", "tanh", "ELU"]}


def test_a_file_is_its_entries() -> None:
    assert parse_content(FILE, "small", ["size"]) == {
        "id": "small",
        "title": "t",
        "source": "s",
        "notes": ("n",),
        "size": 3,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FILE.replace("size", "sise"), r"^small: there is no entry 'sise'. Did you mean 'size'"),
        (FILE.replace('title = "t"\n', ""), r"^small: the entry 'title' is missing"),
        (FILE + "size = 4\n", r"^The spec 'small' is no TOML: .*Correct the file.$"),
    ],
)
def test_wrong_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_content(text, "small", ["size"])


@pytest.mark.parametrize(
    ("plan", "networks", "activations"),
    [
        (Plan(), ["gcn", "krylov"], ["relu", "tanh", "ELU"]),
        (Plan(("KRYLOV",)), ["krylov"], ["relu", "tanh", "ELU"]),
        (Plan(("elu", "relu", "gcn")), ["gcn"], ["relu", "ELU"]),
        (Plan(quick=True), ["gcn", "krylov"], ["tanh"]),
        (Plan(("gcn",), quick=True), ["gcn"], ["tanh"]),
        (Plan(("relu",), quick=True), ["gcn", "krylov"], ["relu"]),
    ],
)
def test_names_of_each_axis(plan: Plan, networks: list[str], activations: list[str]) -> None:
    found = named(plan, "rank", AXES, {"activation": ["tanh"]})
    assert found == {"network": networks, "activation": activations}


def test_a_name_of_no_axis_is_refused() -> None:
    with pytest.raises(InputError, match=r"There is no cell 'tahn' in 'rank'. Did you mean 'tanh'"):
        named(Plan(("gcn", "tahn")), "rank", AXES)
