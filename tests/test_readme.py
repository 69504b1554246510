"""README.md is short, its links lead somewhere, and all that it shows runs as it is pasted."""

from __future__ import annotations

import csv
import random
import re

import pytest
from tools.blocks import ROOT

from tools import pages

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in pages.blocks(TEXT)
    if block.language == "console"
    for line in block.code.splitlines()
    if line.startswith("allpass ")
]
SLOW = {"diagnose", "compare", "sweep"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the tables that README.md names: 60 nodes whose links mostly stay within a class."""
    folder, draw = tmp_path_factory.mktemp("readme"), random.Random(0)
    kind = ["a" if number % 2 else "b" for number in range(60)]
    with (folder / "nodes.csv").open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "age", "hours", "class"])
        for number, name in enumerate(kind):
            table.writerow([f"p{number}", draw.randint(20, 60), draw.gauss(name == "a", 1.0), name])
    with (folder / "edges.csv").open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["source", "target"])
        for _ in range(150):
            one, other = draw.sample(range(60), 2)
            if kind[one] == kind[other] or draw.random() < 0.2:
                table.writerow([f"p{one}", f"p{other}"])
    return folder


def test_it_is_short():
    assert len(TEXT.split()) <= 900


def test_its_links_lead_to_files():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_make_knows_the_verbs_it_names():
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z]+)", TEXT)) <= set(targets)


def test_its_python_runs_from_top_to_bottom(folder):
    python = "".join(f"```python\n{b.code}```\n" for b in pages.blocks(TEXT) if b.language == "python")
    printed = [output for _, output in pages.run(python, folder)]
    assert len(printed) >= 4
    assert printed[0].strip()


@pytest.mark.parametrize(
    "command",
    [pytest.param(c, marks=[pytest.mark.slow] * (c.split()[1] in SLOW), id=c.split()[1]) for c in COMMANDS],
)
def test_its_commands_run(command, folder):
    written = [folder / name for name in re.findall(r"(?:-o|--html) (\S+)", command)]
    pages.run(f"```console\n{command}\n```\n", folder)
    assert all(path.exists() for path in written)
