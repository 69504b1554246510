from __future__ import annotations

import re

import nbformat
import pytest
from tools.blocks import ROOT

from tools import notebook, pages

HERE = notebook.read()
CODE = [cell for cell in HERE.cells if cell.cell_type == "code"]
ABSOLUTE = re.compile(r"(?<![\w.:/<])/(?:home|root|tmp|usr|opt|var|work|Users|private)\b|[A-Z]:\\\\")


def shown(cell, kind):
    """What a cell shows of one kind, such as ``"text/html"``."""
    return "".join(one.data.get(kind, "") for one in cell.outputs if "data" in one)


def test_it_is_a_valid_notebook_as_the_tool_writes_it():
    nbformat.validate(HERE)
    written = nbformat.writes(HERE)
    assert nbformat.writes(notebook.tidied(nbformat.reads(written, as_version=4))) == written


def test_what_depends_on_the_machine_is_left_out():
    shows = [
        nbformat.v4.new_output("stream", name="stderr", text="a warning"),
        nbformat.v4.new_output("display_data", data={"text/plain": ""}),
        nbformat.v4.new_output("display_data", data={"text/plain": "a figure"}),
    ]
    cell = nbformat.v4.new_code_cell("1", outputs=shows, metadata={"time": "now"})
    (tidy,) = notebook.tidied(nbformat.v4.new_notebook(cells=[cell])).cells
    assert [one.data for one in tidy.outputs] == [{"text/plain": "a figure"}]
    assert (tidy.id, tidy.metadata) == ("cell-1", {})


def test_all_cells_ran_in_order_without_an_error():
    assert [cell.execution_count for cell in CODE] == list(range(1, len(CODE) + 1))
    kinds = {one.output_type for cell in CODE for one in cell.outputs}
    assert kinds <= {"execute_result", "stream"}
    assert all(cell.outputs for cell in CODE)


@pytest.mark.parametrize(
    ("line", "text", "html"),
    [
        ("allpass.diagnose(", "Diagnosis of cora", "<iframe sandbox srcdoc="),
        ("allpass.profile(", "Profile with", "<table>"),
        ("allpass.compare(", "Comparison on cora", "<table>"),
        ("allpass.sweep(", "Sweep of gcn on cora", "<table>"),
    ],
)
def test_results_are_shown_as_html_and_in_a_few_lines(line, text, html):
    (cell,) = (cell for cell in CODE if line in cell.source)
    assert shown(cell, "text/plain").startswith(text)
    assert html in shown(cell, "text/html")


def test_it_says_nothing_of_the_machine_it_ran_on():
    found = ABSOLUTE.search(notebook.NOTEBOOK.read_text(encoding="utf-8"))
    assert found is None, found
    assert str(ROOT) not in notebook.NOTEBOOK.read_text(encoding="utf-8")


def test_such_paths_are_found():
    assert ABSOLUTE.search("read from /home/someone/x.csv")
    assert not ABSOLUTE.search("</p> and/or a/tmp, www.w3.org/2000/svg")


@pytest.mark.slow
def test_it_shows_what_its_cells_give_now():
    again = notebook.executed(nbformat.reads(nbformat.writes(HERE), as_version=4))
    now = [cell for cell in again.cells if cell.cell_type == "code"]
    for old, new in zip(CODE, now, strict=True):
        assert pages.alike(shown(old, "text/plain"), shown(new, "text/plain")), "run python -m tools.notebook"
