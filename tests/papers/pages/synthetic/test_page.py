"""The page of the synthetic graphs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import spearmanr

from allpass.papers.pages.page import Picture, Table, Text
from allpass.papers.pages.synthetic.page import page
from allpass.papers.study import Row
from allpass.papers.synthetic.study import STUDY
from allpass.report.canvas import to_bytes

LEVELS = [place.level for place in STUDY.spec.series["released"]]


def row(
    what: str, level: float | None, values: list[float], published: float | None = None, base: str = "cora"
) -> Row:
    mean = float(np.mean(values))
    return {
        "series": "" if level is None else "released",
        "base": base,
        "level": level,
        "intra_degree": None if level is None else 10,
        "kind": "metric" if published is None and not base else "accuracy",
        "what": what,
        "runs": len(values),
        "quick": False,
        "mean": mean,
        "deviation": float(np.std(values)),
        "values": " ".join(map(str, values)),
        "settings": "",
        "epochs": None,
        "published": published,
        "published_deviation": None if published is None else 1.0,
        "difference": None if published is None else round(mean - published, 2),
        "low": None if published is None else mean - published - 1,
        "high": None if published is None else mean - published + 1,
        "verdict": None,
        "seconds": 1.0,
        "allpass": "0.1.0",
        "torch": "2.13",
        "device": "cpu",
        "ended": "2026-01-01",
    }


@pytest.fixture
def rows() -> list[Row]:
    """GCN follows a U along edge homophily, which the modified aggregation homophily sees and H_edge does not."""
    found = []
    for level in LEVELS:
        u = 100 * min(1.0, abs(level - 0.2) / 0.15)
        published = u + (10.0 if level == 0.05 else 1.0)
        found.append(row("GCN", level, [u - 0.5, u + 0.5], published))
        found.append(row("High-pass GCN", level, [50.0 - 10 * level, 50.0 - 10 * level]))
        found.append(row("edge_homophily", level, [level, level], base=""))
        found.append(row("modified_aggregation_homophily", level, [u / 100, u / 100], base=""))
    return [*found, row("MLP-2", None, [80.0, 82.0], 81.5)]


def tables(rows: list[Row], begins: str) -> Iterator[Table]:
    blocks = page(STUDY, rows).blocks
    return (block for block in blocks if isinstance(block, Table) and block.caption.startswith(begins))


def test_agreement_is_counted_from_the_rows(rows: list[Row]) -> None:
    text = next(b.text for b in page(STUDY, rows).blocks if isinstance(b, Text) and "Our criterion" in b.text)
    assert "It is so on 30 of 31 (96.8%) of all networks together. The largest difference" in text
    assert "−10.00 points, of GCN with features of cora, level 0.05" in text
    hard = [one for one in rows if one["published"] is not None and 25 < float(str(one["published"])) < 95]
    assert f"between 25 and 95% it is {len(hard)} of {len(hard)} (100.0%) (GCN {len(hard) - 1} of " in text
    first, second, _, ranked = page(STUDY, rows).findings
    assert (
        first
        == "Levels within 3 points of the published mean: 30 of 31 (96.8%) (GCN 29 of 30, MLP-2 1 of 1)."
    )
    assert second.startswith(
        f"Of those neither at chance nor near 100%: {len(hard)} of {len(hard)} (100.0%) (GCN "
    )
    assert ranked.startswith(
        "H_agg^M in ranking the accuracy of GCN over the 30 levels of the release (95% intervals): against H_edge 1 "
        "better, 0 worse, 0 open on levels like these, and 1 better, 0 worse, 0 open on these very levels; against "
    )
    assert "on the other features" not in text  # there are none but those that settings were fixed on
    (table,) = tables(rows, "Levels on which")
    assert table.header == ("features of", "GCN", "MLP-2")
    assert table.rows[0] == ("cora", "29 of 30", "1 of 1")
    assert table.rows[1] == ("citeseer", "–", "–")
    assert table.rows[-1] == ("all", "29 of 30", "1 of 1")


def test_a_network_that_misses_the_criterion_is_named_where_all_together_meet_it(rows: list[Row]) -> None:
    apart = [
        row("ACM-GCN", level, [40.0], 44.0 if place < 2 else 40.0) for place, level in enumerate(LEVELS[:8])
    ]
    made = page(STUDY, [*rows, *apart])
    said = "Below the 90% of our criterion by itself: ACM-GCN with 6 of 8 (75.0%)."
    (text,) = (b.text for b in made.blocks if isinstance(b, Text) and "Our criterion" in b.text)
    assert f"36 of 39 (92.3%) of all networks together. {said}" in text
    assert made.findings[0].endswith(said)
    assert "by itself" not in page(STUDY, rows).findings[0]


def test_both_questions_are_in_the_finding() -> None:
    """On these very levels H_class ranks better than H_agg^M, which other levels might turn round."""
    rng = np.random.default_rng(0)
    found = []
    for place, level in enumerate(LEVELS):
        noise = rng.normal(scale=1e-3, size=10)
        claimed = min(level, 0.5) + (0.02 if place % 7 == 0 else 0.0)
        found.append(row("GCN", level, [float(100 * min(level, 0.6) + one) for one in noise], 50.0))
        found.append(row("class_homophily", level, [level] * 10, base=""))
        found.append(row("modified_aggregation_homophily", level, [claimed] * 10, base=""))
    told = page(STUDY, found).findings[-1]
    assert "against H_class 0 better, " in told
    assert "on levels like these, and 0 better, 1 worse, 0 open on these very levels" in told


def test_levels_that_disagree_are_named(rows: list[Row]) -> None:
    (table,) = tables(rows, "The levels further away")
    assert table.rows == (("cora, GCN, level 0.05", "110.0 ± 1.0", "100.0 ± 0.5", "−10.0 [−11.0, −9.0]"),)
    assert not list(tables([one for one in rows if one["level"] != 0.05], "The levels further away"))


def test_differences_that_no_chance_explains_are_counted(rows: list[Row]) -> None:
    ends = {0.05: (-3.0, -1.0), 0.1: (-2.0, -0.5), 0.15: (0.5, 2.0)}
    judged = [
        {**one, "low": low, "high": high}
        for one in rows
        for low, high in [ends.get(float(str(one["level"] or 0)), (-1.0, 1.0))]
    ]
    said = "\n".join(b.text for b in page(STUDY, judged).blocks if isinstance(b, Text))
    assert (
        "leaves out 0, in brackets how many would by chance: GCN 2 below and 1 above of 30 (about 0.8 on each side); "
        "MLP-2 0 below and 0 above of 1 (about 0.0 on each side); in all 2 below and 1 above of 31 (about 0.8 on each "
        "side)." in said
    )


def test_what_settings_were_fixed_on_is_set_apart(rows: list[Row]) -> None:
    others = [row("GCN", level, [40.0], 40.0 + 4 * (level < 0.2), base="film") for level in LEVELS]
    text = next(
        b.text
        for b in page(STUDY, [*rows, *others]).blocks
        if isinstance(b, Text) and "Our criterion" in b.text
    )
    close = sum(level >= 0.2 for level in LEVELS)
    assert f"features of cora: on the other features it is {close} of 30 ({close / 30:.1%})" in text


def test_the_difference_at_chance_is_a_mean_over_its_levels() -> None:
    at_chance = [row("GCN", 0.2, [19.0], 20.0), row("GCN", 0.21, [19.0], 21.0), row("GCN", 0.3, [50.0], 59.0)]
    (text,) = (b.text for b in page(STUDY, at_chance).blocks if isinstance(b, Text) and "of chance" in b.text)
    assert "the mean difference is −1.50 points for GCN (2 levels, 19.00% on average)." in text


def test_what_has_not_run_is_named_with_how_much_of_it_is_there(rows: list[Row]) -> None:
    def progress(rows: list[Row]) -> list[str]:
        return [b.text for b in page(STUDY, rows).blocks if isinstance(b, Text) and "Not run yet" in b.text]

    (text,) = progress(rows)
    lines = text.splitlines()
    others = "citeseer (0), pubmed (0), chameleon (0), squirrel (0), film (0)"
    assert "- SGC-1 on the 30 levels of the release: all" in lines
    assert f"- GCN on the 30 levels of the release: features of {others}" in lines
    assert "- GCN on 28 levels from 0.005 to 0.95: all" in lines
    assert f"- MLP-2: features of {others}" in lines
    assert "- metrics: all" not in lines
    assert not any(line.startswith("- edge_homophily on the 30") for line in lines)
    assert "- edge_homophily on 28 levels from 0.005 to 0.95: all" in lines
    assert "- generalized_edge_homophily on the 30 levels of the release: all" in lines
    (text,) = progress([one for one in rows if one["kind"] != "metric" and one["level"] != LEVELS[0]])
    assert f"- GCN on the 30 levels of the release: features of cora (29), {others}" in text
    assert text.endswith("- metrics: all")
    (text,) = progress([one for one in rows if (one["what"], one["level"]) != ("edge_homophily", LEVELS[0])])
    assert "- edge_homophily on the 30 levels of the release: (29)" in text.splitlines()
    every = [
        {**row(what, place.level, [40.0], base=base), "series": series, "kind": "metric"}
        for what in (*STUDY.spec.models, *STUDY.spec.metrics)
        for base in STUDY.bases_of(what)
        for series, places in (
            STUDY.spec.series.items() if what != "MLP-2" else (("", STUDY.spec.series["report"][:1]),)
        )
        for place in places
    ]
    assert not progress(every)


def test_correlations_are_those_of_scipy_and_the_better_metric_is_called_so(rows: list[Row]) -> None:
    (table,) = tables(rows, "Spearman's correlation")
    assert table.header == ("features, network", "H_edge", "H_agg^M")
    levels = np.array(LEVELS)
    u = np.minimum(1.0, np.abs(levels - 0.2) / 0.15)
    name, edge, aggregated = (str(cell) for cell in table.rows[0])
    assert name == "cora, GCN"
    assert edge.startswith(f"+{spearmanr(levels, u).statistic:.2f} [")
    assert aggregated.startswith("+1.00 [")
    (cases,) = tables(rows, "In how many cases")
    assert cases.rows[0][:2] == ("GCN, levels like these, released", "1 better, 0 worse, 0 open")
    assert cases.rows[0][2] == "0 better, 0 worse, 0 open"  # nothing was measured of H_node
    assert len(cases.rows) == 2  # the high-pass net ranks the other way round
    assert cases.rows[1][:2] == ("GCN, these very levels, released", "1 better, 0 worse, 0 open")


def test_metrics_that_came_later_are_counted_apart(rows: list[Row]) -> None:
    assert not list(tables(rows, "The same against metrics that came later"))  # none was measured
    later = [row("label_informativeness", level, [-level, -level], base="") for level in LEVELS]
    (cases,) = tables([*rows, *later], "The same against metrics that came later")
    assert cases.header == ("network", "LI")
    assert cases.rows == (("GCN", "1 better, 0 worse, 0 open"),)


def test_a_metric_that_one_dataset_lacks_is_a_dash_there(rows: list[Row]) -> None:
    elsewhere = [
        row(what, level, [level, level], base="film")
        for level in LEVELS
        for what in ("GCN", "generalized_edge_homophily")
    ]
    (table,) = tables([*rows, *elsewhere], "Spearman's correlation")
    assert table.header == ("features, network", "H_edge", "H_agg^M", "h_GE")
    by_name = {str(line[0]): line[-1] for line in table.rows}
    assert by_name["cora, GCN"] == "–"
    assert by_name["film, GCN"] == "+1.00 [+1.00, +1.00]"


def test_levels_that_a_metric_does_not_tell_apart_are_counted(rows: list[Row]) -> None:
    (table,) = tables(rows, "What a metric does not tell apart")
    edge, aggregated = table.rows
    assert edge[:3] == ("released, H_edge", "30 of 30", "1 at 0.050")
    at_one = [level for level in LEVELS if abs(level - 0.2) >= 0.15]
    assert aggregated[2] == f"{len(at_one)} at 1.000"
    assert aggregated[3] == f"{50 - 10 * max(at_one):.1f} to 100.0"  # from the high-pass net to GCN


def test_published_accuracies_are_ranked_too(rows: list[Row]) -> None:
    (table,) = tables(rows, "The same for the published")
    assert [line[0] for line in table.rows] == ["cora, GCN"]  # the high-pass net has none


def test_the_u_and_the_fall_are_measured(rows: list[Row]) -> None:
    (table,) = tables(rows, "On the 30 levels")
    gcn, high_pass = table.rows
    assert gcn[1] == "0.2 (0.185)"
    assert str(gcn[2]).startswith("+100.0 [")
    assert gcn[3:] == (
        "100.0",
        "0.0",
    )  # along H_edge it falls from the left end to the bottom, along the other never
    assert str(high_pass[2]).startswith("0.0")  # it falls all the way: no U


def test_levels_that_are_not_complete_are_left_out(rows: list[Row]) -> None:
    some = [one for one in rows if not (one["what"] == "edge_homophily" and one["level"] == 0.2)]
    (table,) = tables(some, "On the 30 levels")
    assert table.rows[0][1] != "0.2 (0.185)"
    (level_by_level,) = tables(some, "Features of cora")
    assert [line[0] for line in level_by_level.rows] == [*(f"{level:g}" for level in LEVELS), "any"]


def test_a_network_that_has_only_begun_cuts_no_curve_short(rows: list[Row]) -> None:
    begun = [row("ACM-GCN", level, [90.0, 91.0]) for level in LEVELS[:2]]
    (table,) = tables([*rows, *begun], "On the 30 levels")
    assert [line[0] for line in table.rows] == [
        line[0] for line in next(tables(rows, "On the 30 levels")).rows
    ]
    (picture,) = (block for block in page(STUDY, [*rows, *begun]).blocks if isinstance(block, Picture))
    (curve,) = [line for line in picture.draw().axes[1].lines if line.get_label() == "GCN"]
    assert len(curve.get_xdata()) == len(LEVELS)


def test_a_picture_shows_networks_with_and_without_a_graph(rows: list[Row]) -> None:
    (picture,) = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    assert picture.name == "synthetic-released-cora"
    figure = picture.draw()
    drawn = {line.get_label(): line for line in figure.axes[1].lines}
    (printed,) = (line for name, line in drawn.items() if str(name).startswith("_"))
    assert sorted(printed.get_ydata()) == sorted(one["published"] for one in rows if one["what"] == "GCN")
    assert {"GCN", "MLP-2", "High-pass GCN"} < set(drawn)
    x = np.asarray(drawn["GCN"].get_xdata(), dtype=float)
    assert (np.diff(x) >= 0).all()
    assert to_bytes(figure, ".svg") == to_bytes(picture.draw(), ".svg")


def test_levels_of_one_value_at_an_end_are_a_column_for_each_network(rows: list[Row]) -> None:
    """H_agg^M is 1 on most levels: there the networks would hide each other."""
    (picture,) = (block for block in page(STUDY, rows).blocks if isinstance(block, Picture))
    edge, aggregated = picture.draw().axes
    at_one = sum(abs(level - 0.2) >= 0.15 for level in LEVELS)
    columns = set()
    for line in aggregated.lines:
        if line.get_label() in ("GCN", "High-pass GCN"):
            x = np.asarray(line.get_xdata(), dtype=float)
            assert (x > 1).sum() == at_one
            columns |= set(x[x > 1])
    assert len(columns) == 2
    x = np.asarray(next(line for line in edge.lines if line.get_label() == "GCN").get_xdata(), dtype=float)
    assert list(x) == LEVELS  # nothing is moved where all values differ


def test_nothing_measured_is_a_page_all_the_same() -> None:
    assert page(STUDY, []).title == STUDY.title
    metrics_alone = [row("edge_homophily", level, [level], base="") for level in LEVELS]
    assert not [block for block in page(STUDY, metrics_alone).blocks if isinstance(block, Table | Picture)]
