from __future__ import annotations

import pytest

from allpass.data import DATASETS
from allpass.graph import MATRICES
from allpass.metrics import METRICS
from tools import blocks, contents, tables


def test_the_cheap_blocks_of_the_pages_are_up_to_date(capsys):
    status = tables.main(["--check", "--cheap"])
    assert status == 0, f"{capsys.readouterr().out}: run python -m tools.tables"


def test_every_block_of_every_page_is_known():
    for path in blocks.pages():
        for name in blocks.names(path.read_text(encoding="utf-8")):
            assert name in contents.BLOCKS or name.startswith("output-"), f"{path.name}: {name}"


def test_tables_hold_every_entry():
    assert all(f"| `{metric.name}` |" in contents.metrics() for metric in METRICS)
    assert all(f"| `{entry.name}`" in contents.datasets() for entry in DATASETS)
    assert all(f"| `{matrix.name}` |" in contents.matrices() for matrix in MATRICES)


def test_the_command_line_is_described_with_its_panels():
    shown = contents.cli("diagnose")
    assert shown.startswith("```text\nallpass diagnose")
    assert "| Your own tables |  |" in shown
    assert "| `--html` |" in shown
    assert "| `--no-verdict` | Measure alone" in shown  # it has no flag that turns it on


def test_a_stale_block_is_named_and_renewed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "README.md"
    page.write_text("<!-- generated: metrics -->\nold\n<!-- end: metrics -->\n")
    monkeypatch.setattr(blocks, "ROOT", tmp_path)
    monkeypatch.setattr(blocks, "pages", lambda: [page])
    assert tables.main(["--check"]) == 1
    assert capsys.readouterr().out == "stale: README.md\n"
    assert "old" in page.read_text()
    assert tables.main([]) == 0
    assert "edge_homophily" in page.read_text()
    assert tables.main(["--check"]) == 0


def test_a_block_without_its_input_is_skipped_with_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLPASS_DATA", str(tmp_path / "nowhere"))
    tables.content.cache_clear()
    said = []
    text = "<!-- generated: exact-ties -->\nold\n<!-- end: exact-ties -->"
    assert tables.renewed(text, None, said.append) == text
    assert said == ["skipped exact-ties: it needs the folder of datasets: set ALLPASS_DATA"]


def test_an_unknown_block_is_an_error():
    with pytest.raises(KeyError, match="no generated block 'nonesuch'"):
        tables.content("nonesuch")


def test_output_blocks_hold_what_the_block_before_them_printed():
    text = (
        "```python\nprint('first')\n```\n```python\nprint('second')\n```\n"
        "<!-- generated: output-1 -->\n<!-- end: output-1 -->\n```python\nprint('third')\n```\n"
    )
    assert tables.outputs(text) == {"output-1": "```text\nsecond\n```"}
