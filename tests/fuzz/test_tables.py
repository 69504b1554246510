"""Tables of any text that Hypothesis draws: read as they were written, or with a note, or refused in a sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz import tables

from allpass.errors import AllpassError

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
CELLS = st.one_of(
    st.sampled_from(tables.ODD),
    WORDS,
    st.integers().map(str),
    st.floats().map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
)


@st.composite
def drawn(draw: st.DrawFn) -> tables.Tables:
    """Sound tables of some nodes in which a few cells are anything."""
    n = draw(st.integers(6, 12))
    nodes = [[f"n{k}", f"{k}.5", "xyz"[k % 3], "uv"[k % 2]] for k in range(n)]
    edges = [[f"n{k}", f"n{(k + 1) % n}"] for k in range(n)]
    for _ in range(draw(st.integers(1, 4))):
        row, column, cell = draw(st.integers(0, n - 1)), draw(st.integers(0, 3)), draw(CELLS)
        if column == 0:  # the edges follow
            edges = [[cell if end == nodes[row][0] else end for end in edge] for edge in edges]
        nodes[row][column] = cell
    return tables.Tables(nodes, edges, typed=draw(st.booleans()))


@given(drawn(), st.integers(0, 2**32))
def test_what_is_read_is_what_was_written(given: tables.Tables, seed: int) -> None:
    refused = ""
    with tempfile.TemporaryDirectory() as folder:
        suffix = tables.write(given, Path(folder), Random(seed))
        try:
            tables.check(Path(folder), suffix, given)
        except AllpassError as error:
            refused = str(error)
    assert len(refused) <= 300
    assert refused.isprintable()
