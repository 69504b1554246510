"""The terminal form of a diagnosis."""

import io
import re
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from tests.diagnosis.verdicts import verdict_on
from tests.train.contenders import comparison

from allpass.cli.show import show_comparison, show_diagnosis
from allpass.diagnosis import diagnose

SCORES = {"mlp-2": (0.6, 0.62), "gcn": (0.8, 0.81), "acm-gcn": (0.84, 0.83), "gcn-8": (0.5, 0.7)}
THRICE = {model: (*scores, sum(scores) / 2) for model, scores in SCORES.items()}


def shown(name: str, page: Path | None = None) -> str:
    out = io.StringIO()
    show_diagnosis(diagnose(name), page, Console(file=out, width=150), metrics=True)
    return out.getvalue()


def test_shows_verdict_findings_metrics_and_page():
    text = shown("karate", Path("page.html"))
    assert "The structure helps" in text
    assert "+ Neighbours mostly share their class." in text
    assert "0.8590" in text  # edge homophily of the karate club: 67 of 78 edges
    assert "Report: page.html" in text


def test_names_of_files_are_no_markup():
    assert "Report: a[/b].html" in shown("karate", Path("a[/b].html"))


def test_a_number_as_label_shows_its_range():
    import torch
    from torch_geometric.data import Data

    y = torch.tensor([1200.0, 800.0, float("nan"), 1e6])
    data = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4, y=y)
    out = io.StringIO()
    show_diagnosis(
        diagnose(data, task="regression", verdict=False), None, Console(file=out, width=150), metrics=True
    )
    assert "a number as label (800 to 1,000,000, median 1,200; 1 nodes without)" in out.getvalue()
    assert "0 classes" not in out.getvalue()
    assert "morans_i" in out.getvalue()


def test_undefined_values_say_why():
    import torch
    from torch_geometric.data import Data

    out = io.StringIO()
    data = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, y=torch.tensor([0, 0]))
    show_diagnosis(diagnose(data), None, Console(file=out, width=150), metrics=True)
    assert "undefined: fewer than two classes" in out.getvalue()


def test_a_verdict_is_shown_as_a_table():
    out = io.StringIO()
    verdict = verdict_on(THRICE)
    show_diagnosis(replace(diagnose("karate"), verdict=verdict), None, Console(file=out, width=150))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["gcn", "80.5", "±", "1.8", "-3.0"] in [line[:5] for line in lines]
    assert "ran on the same 3 random splits" in " ".join(out.getvalue().split())
    assert ["acm-gcn", "*", "83.5"] in [line[:3] for line in lines]
    said = " ".join(out.getvalue().split())
    assert "*: chosen by its score on validation nodes." in said
    assert "P-values of the findings are of one comparison each." in said
    assert "No verdict: 34 labelled nodes are too few" in shown("karate")


def test_a_comparison():
    out = io.StringIO()
    show_comparison(comparison(THRICE), "mlp-2", Path("figure.svg"), Console(file=out, width=150))
    heading, first, second, *_ = out.getvalue().splitlines()
    assert "ahead of mlp-2" in heading
    assert first.split() == ["mlp-2", "61.0", "±", "3.5", "60", "1.5", "s"]
    assert second.split()[4] == "+19.5"
    assert "3 splits of drawn" in out.getvalue()
    assert "Figure: figure.svg" in out.getvalue()
    assert "deviations" not in out.getvalue()


def test_two_splits_have_no_interval():
    out = io.StringIO()
    show_comparison(comparison(SCORES), "mlp-2", None, Console(file=out, width=150))
    assert "±" not in "\n".join(out.getvalue().splitlines()[:3])


def test_a_p_value_needs_three_splits_that_differ():
    steady, shifted, other = (0.5, 0.6, 0.7), (0.4, 0.5, 0.6), (0.4, 0.5, 0.5)
    for scores, signs in (
        ({"gcn": steady[:2], "mlp-2": shifted[:2]}, None),
        ({"gcn": steady, "mlp-2": shifted}, None),
        ({"gcn": steady, "mlp-2": other}, {"mlp-2": False}),
        ({"gcn": steady, "mlp-2": other, "sage": shifted}, {"mlp-2": False, "sage": True}),
    ):
        out = io.StringIO()
        show_comparison(comparison(scores), "gcn", None, Console(file=out, width=150))
        assert ("p (Holm)" in out.getvalue()) is (signs is not None)
        for model, absent in (signs or {}).items():
            (line,) = (line for line in out.getvalue().splitlines() if line.startswith(model))
            assert ("–" in line.split()) is absent
        missing = signs is not None and any(signs.values())
        assert ("the same on all splits" in out.getvalue()) is missing


def test_errors_say_their_unit():
    out = io.StringIO()
    show_comparison(comparison(SCORES, score="mae"), "gcn", None, Console(file=out, width=150))
    assert "Errors are in standard deviations of the label." in out.getvalue()


def test_one_split_and_runs_that_diverged():
    out = io.StringIO()
    found = comparison({"gcn": (0.5,), "mlp-2": (float("nan"),)}, score="r2")
    found = replace(found, contenders=(found.contenders[0], replace(found.contenders[1], diverged=1)))
    show_comparison(found, "gcn", None, Console(file=out, width=150))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert lines[1] == ["gcn", "*", "0.500", "60", "1.5", "s"]
    assert "1 split of drawn" in out.getvalue()
    assert lines[2] == ["mlp-2", "nan", "+nan", "60", "1.5", "s"]
    assert "Runs whose loss was no number: mlp-2 (1)." in out.getvalue()


def judged(verdict, width: int = 80) -> str:
    out = io.StringIO()
    show_diagnosis(replace(diagnose("karate"), verdict=verdict), None, Console(file=out, width=width))
    return out.getvalue()


def test_a_model_that_guesses_is_never_bold():
    out = io.StringIO()
    flat = (0.30, 0.31, 0.29)
    verdict = verdict_on({"mlp-2": flat, "gcn": flat})
    report = diagnose("karate")
    advice = replace(report.recommendation, heading="No model to recommend", models=("mlp-2",))
    console = Console(file=out, width=80, force_terminal=True, color_system="standard")
    show_diagnosis(replace(report, verdict=verdict, recommendation=advice), None, console)
    assert "No model to recommend:" in out.getvalue()
    rows = [
        line
        for line in out.getvalue().splitlines()
        if re.match("(\x1b\\[\\S*m)* +(\x1b\\[\\S*m)*(mlp-2|gcn)", line)
    ]
    assert len(rows) == 3
    assert not any("\x1b[1m" in line for line in rows)


def test_nothing_is_cut_at_80_columns():
    names = ("correct-and-smooth", "label-propagation", "structure-trees", "mlp-2")
    scores = {name: (0.61 + k / 50, 0.98 - k / 50, 0.75) for k, name in enumerate(names)}
    for score in ("average_precision", "balanced_accuracy", "accuracy", "r2"):
        verdict = verdict_on(scores, score=score)
        if score != "r2":
            verdict = replace(verdict, precision=dict.fromkeys([*names, "majority class"], 0.5))
        text = judged(verdict)
        assert "…" not in text
        assert all(len(line) <= 80 for line in text.splitlines() if "--candidates" not in line)
        assert "--candidates " + ",".join(names) in text  # in one line, to be copied
        for name in names:
            (line, *_) = (line for line in text.splitlines() if line.strip().startswith(name))
            mean = verdict.comparison[name].estimate.mean
            assert (f"{mean:.3f}" if score == "r2" else f"{100 * mean:.1f}") in line


def test_no_interval_reaches_beyond_what_is_possible():
    text = judged(verdict_on({"mlp-2": (0.3, 0.31, 0.3), "gcn": (0.9, 0.99, 0.7)}))
    assert "86.3 (34.2 to 100.0)" in text


def test_a_tiny_p_value_and_a_difference_of_nothing():
    out = io.StringIO()
    found = comparison(
        {"gcn": (0.9, 0.9001, 0.9002), "mlp-2": (0.4, 0.4003, 0.4001), "sage": (0.9, 0.9001, 0.9001)}
    )
    show_comparison(found, "gcn", None, Console(file=out, width=80))
    assert "<0.001" in out.getvalue()
    assert "0.0 ± 0.0" in out.getvalue()
    assert "-0.0" not in out.getvalue()
