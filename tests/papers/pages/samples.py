"""A page with a block of every kind, and texts that want to be more than text."""

from __future__ import annotations

from hypothesis import strategies as st

from allpass.papers.pages.page import Heading, Page, Picture, Table, Text, Value
from allpass.report.canvas import canvas, in_style

HOSTILE = (
    "<script>alert(1)</script>",
    "a | b \\ c *d* _e_ `f` [g](h) ~i~ #j $k$ {l} ^m %n & &amp; o",
    "</title></svg><img src=x onerror=alert(2)>",
    "- no list",
    "1. no list either",
    "\\input{/etc/passwd} \\end{document}",
)
texts = st.one_of(
    st.text(min_size=1),
    st.sampled_from(HOSTILE),
    st.text(alphabet="|\\*_`[]()<>&#~$%{}^-+=1.! \n'\"", min_size=1),
)


@in_style
def drawing():
    figure, axes = canvas(height=1.0)
    axes.plot([0, 1], [0, 1])
    return figure


PAGE = Page(
    "A page of *everything*",
    (
        Heading("Numbers & signs"),
        Text("First, 100% of it.\n\nSecond:\n- one\n- two\n  of them\n"),
        Table(
            "Means ± deviations.",
            ("model", "Cora", "a|b"),
            (
                ("GCNII*", Value("81.0 ± 0.5", best=True, shade=1.0), Value("12", shade=0.0)),
                ("MLP", Value("57.0", shade=0.5), ""),
            ),
        ),
        Picture("line", "A line, from 0 to 1.", drawing),
        *(Text(text) for text in HOSTILE),
        Table("Hostile.", ("one",), tuple((text,) for text in HOSTILE)),
    ),
)
