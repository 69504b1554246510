"""What the page of ablation says of its committed rows."""

from __future__ import annotations

from statistics import fmean

from allpass.papers import STUDIES
from allpass.papers.tables.gains import CHANGES, channels
from allpass.papers.tables.picture import heat_map
from tools import reproduced

SPEC = STUDIES["ablation"].spec  # type: ignore[attr-defined]


def test_both_forms_of_acmii_are_measured_on_the_same_splits() -> None:
    """With the ReLU after the mixture, as the authors have it, and without, as step 3 of the report has it."""
    rows = {(one.name, one.column): one for one in reproduced.kept("ablation") if one.kind == "same"}
    forms = [
        {column: one for (name, column), one in rows.items() if name == f"ACMII-GCN: {form}"}
        for form in ("as released", "no outer ReLU")
    ]
    released, plain = forms
    assert {"Cornell", "Texas", "Wisconsin"} <= plain.keys() <= released.keys()
    for column, one in plain.items():
        assert one.runs == released[column].runs >= 10
        assert one.splits == released[column].splits
        assert '"outer_activation": true' in released[column].settings
        assert "outer_activation" not in one.settings
    facts = channels(SPEC, list(reproduced.kept("ablation")))
    gain = fmean(one.mean - released[column].mean for column, one in plain.items())
    assert facts["no_outer_relu"] == f"{gain:+.1f}".replace("-", "−")
    assert set(str(facts["no_outer_relu_on"]).split(", ")) == set(plain)
    assert {f"{row.replace(' ', '_').lower()}_on" for row in CHANGES} <= facts.keys()


def test_a_picture_of_rows_that_are_not_shown_is_empty() -> None:
    """It warned of identical limits of its axes, with the path of a source file."""
    same = [one for one in reproduced.kept("ablation") if one.kind == "same"]
    assert heat_map(SPEC, same).axes
