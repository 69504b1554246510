"""The page of ranks: what it says follows from invented rows whose answer is known."""

from __future__ import annotations

import pytest

from allpass.papers.pages.csv_file import csv_text, parse_csv
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.pages.rank import page
from allpass.papers.rank import STUDY
from allpass.papers.study import Row
from allpass.report.canvas import to_bytes


def row(
    network: str, activation: str, ranks: list[int], *, known: int = 0, within: int = 0, wide: int = 3
) -> Row:
    """Draws between ``wide`` below and ``wide`` above some ranks."""
    return {
        "network": network,
        "activation": activation,
        "runs": 20,
        "graphs_in_parts": 1,
        "mean": " ".join(map(str, ranks)),
        "deviation": " ".join(["1.5"] * len(ranks)),
        "low": " ".join(str(rank - wide) for rank in ranks),
        "high": " ".join(str(rank + wide) for rank in ranks),
        "known": known,
        "within": within,
        "quick": False,
        "seconds": 2.0,
        "allpass": "0.1.0",
        "torch": "2.13",
        "device": "a machine",
        "ended": "2026-01-02",
    }


FALLING = [max(1, 128 - 2 * layer) for layer in range(100)]  # 128, 126, ..., 2, 1, 1, ...
ROWS = [row("gcn", "relu", FALLING, known=12, within=6), row("krylov", "elu", [128] * 100)]


def test_the_claim_is_stated_with_what_fails() -> None:
    text = next(
        block.text for block in page(STUDY, ROWS).blocks if isinstance(block, Text) and "claim" in block.text
    )
    assert "within [lowest − 5, highest + 5] of 20 draws. 6 of 12 such values do" in text
    assert "; 4 lie in the range itself, and at 0 all draws are equal." in text
    # 88 is known after layer 5, where the draws are 117 to 123
    assert "The others: GCN with ReLU after layer 5; GCN with ReLU after layer 10;" in text
    assert "G(1000, 0.01) with 500 features" in text
    assert "Of the 20 graphs 1 is in more than one part." in text
    seen, known = page(STUDY, ROWS).findings
    assert "; ReLU: below 3 from layer 60 and 64 (GCN), 90 and – (truncated Krylov); " in seen
    assert known.startswith(
        "Values of an independent computation within 5 of the range of our draws: 6 of 12."
    )


def test_every_known_value_stands_beside_its_range() -> None:
    tables = [block for block in page(STUDY, ROWS).blocks if isinstance(block, Table)]
    values = tables[0]
    assert values.header == ("layer", "ReLU, known", "ReLU, ours")
    assert values.rows[0] == ("1", "128", "125 to 131")
    assert values.rows[1] == ("5", "88", "117 to 123 (outside)")
    assert values.rows[-1] == ("100", "1", "-2 to 4")
    assert len(values.rows) == 12
    assert values.caption.startswith("GCN")


def test_quick_draws_are_not_judged() -> None:
    quick = page(STUDY, [{**row, "within": None, "quick": True} for row in ROWS])
    text = markdown(quick)
    assert quick.findings == ()
    assert "117 to 123" in text
    assert "Every weight is drawn from N(0, 1)" in text
    assert not any(word in text for word in ("(outside)", "claim", "12 such values"))


def test_landmarks_are_read_off_the_means() -> None:
    landmarks = [block for block in page(STUDY, ROWS).blocks if isinstance(block, Table)][-1]
    # full in layer 1 alone; 62 in layer 34; 2 in layer 64
    assert landmarks.rows[0] == ("GCN, ReLU", "1", "34", "64", "1.0 ± 1.5")
    assert landmarks.rows[1] == ("truncated Krylov, ELU", "100", "never", "never", "128.0 ± 1.5")
    seen = [block for block in page(STUDY, ROWS).blocks if isinstance(block, Table)][-2]
    assert seen.header == ("", "GCN, source", "ours", "truncated Krylov, source", "ours")
    assert seen.rows[1] == ("ReLU: below 3 from layer", "60", "64", "90", "–")


def test_rows_from_a_file_give_the_same_page() -> None:
    assert markdown(page(STUDY, parse_csv(csv_text(ROWS)))) == markdown(page(STUDY, ROWS))


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], [row("snowball", "tanh", [128] * 60, known=9, within=9)]])
def test_pictures_draw(rows: list[Row]) -> None:
    pictures = [block for block in page(STUDY, rows).blocks if isinstance(block, Picture)]
    assert [picture.name for picture in pictures] == ["rank-depth", "rank-activations"]
    for picture in pictures:
        assert b"layer" in to_bytes(picture.draw(), ".svg")


def test_a_page_without_rows_says_so() -> None:
    text = markdown(page(STUDY, []))
    assert "Nothing has been run yet." in text
    assert "claim" not in text
