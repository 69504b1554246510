from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools import blocks, pages


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
def test_every_page_runs(path, tmp_path):
    pages.run(path.read_text(encoding="utf-8"), tmp_path)
