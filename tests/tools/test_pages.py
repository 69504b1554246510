from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools import blocks, pages, tables


def test_blocks_of_a_page():
    text = 'a\n```python\nx = 1\n```\n```csv title="t.csv"\n1,2\n```\n'
    text += "<!-- generated: o -->\n```text\nn\n```\n<!-- end: o -->\n"
    found = list(pages.blocks(text))
    assert [(block.language, block.title, block.code) for block in found] == [
        ("python", "", "x = 1\n"),
        ("csv", "t.csv", "1,2\n"),
    ]
    assert text[: found[0].end].endswith("```")


def test_a_page_runs_like_one_sitting(tmp_path):
    text = (
        '```csv title="t.csv"\n1\n```\n```python\nfrom pathlib import Path\nx = Path("t.csv").read_text()\n```\n'
        "```python\nprint(x, end='')\n```\n```bash\nallpass --version > v.txt\nmake something\n```\n"
    )
    before, environment = Path.cwd(), dict(os.environ)
    outputs = [output for _, output in pages.run(text, tmp_path)]
    assert outputs == ["", "1\n", ""]
    assert (tmp_path / "v.txt").read_text().startswith("allpass ")
    assert Path.cwd() == before
    assert dict(os.environ) == environment


def test_a_command_that_fails_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match=r"status 2: .*neither a file"):
        pages.run("```bash\nallpass diagnose nonesuch\n```\n", tmp_path)


@pytest.mark.parametrize(
    "path",
    # The welcome page shows `make demo`'s own command, which has tests of its own; ARCHITECTURE.md shows none.
    [
        p
        for p in sorted((blocks.ROOT / "docs").rglob("*.md"))
        if p.name not in ("ARCHITECTURE.md", "index.md")
    ],
    ids=lambda path: path.stem,
)
def test_every_page_runs_and_shows_what_it_prints(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    printed = tables.outputs(text)
    if not printed:
        pages.run(text, tmp_path)
    assert pages.alike(text, blocks.fill(text, printed.get)), "stale: run python -m tools.tables"


@pytest.mark.parametrize(
    ("stated", "found", "same"),
    [
        ("accuracy 0.864", "accuracy  0.851", True),  # rounding, and columns
        ("accuracy 0.864", "accuracy 0.764", False),
        ("accuracy 0.864", "loss 0.864", False),
        ("[2708, 7]", "[2708, 7]", True),
        ("1,433 weights", "1,932 weights", False),
        ("layer 64: 6.8e+17 nan", "layer 64: 6.9e+17 nan", True),
        ("layer 64: 6.8e+17 nan", "layer 64: nan 6.8e+17", False),
        ("1 2", "1 2 3", False),
    ],
)
def test_outputs_are_alike_up_to_rounding(stated, found, same):
    assert pages.alike(stated, found) == same
