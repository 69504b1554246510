from __future__ import annotations

import json

import pytest

from tools import blocks, results

MACHINE = {"processor": "Some CPU", "cores": 2, "threads": 2, "torch": "2.13.0", "cuda": None}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "ROOT", tmp_path)
    folder = tmp_path / "benchmarks" / "results"
    folder.mkdir(parents=True)
    return lambda name, content: (folder / f"{name}.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    "block",
    [
        lambda: results.benchmark("spmm"),
        lambda: results.engine("spmm"),
        results.grid,
        results.sweeps,
        results.accuracy,
    ],
)
def test_without_results_it_says_what_is_missing(write, block):
    with pytest.raises(
        results.InputMissingError, match=r"benchmarks.results.\w+\.json: run (make bench|python -m b)"
    ):
        block()


def test_benchmark_results_become_a_table(write):
    rows = [{"case": "small", "seconds": {"ours": 0.001, "peer": 0.002}, "ratio": 0.5, "goal": 1.1}]
    write("spmm", {"machine": MACHINE, "rows": rows})
    shown = results.benchmark("spmm")
    assert "| small | 1.00 | 2.00 | 0.50 |" in shown
    assert shown.endswith(
        "Some CPU, 2 threads, torch 2.13.0; ratio = ours / best peer, the median over turns of the times of one turn."
    )


def test_a_ratio_of_medians_that_misses_its_goal_is_told(write):
    rows = [{"case": "small", "seconds": {"ours": 0.003, "peer": 0.002}, "ratio": 0.9, "goal": 1.0}]
    write("spmm", {"machine": MACHINE, "rows": rows})
    assert "The ratio of the medians misses its goal in: small 1.50." in results.benchmark("spmm")


def test_the_engine_has_a_table_for_each_peer(write):
    rows = [
        {
            "case": "a: 4.0 times as fast",
            "seconds": {"ours": 5e-5, "published": 2e-4},
            "ratio": 0.25,
            "goal": 0.2,
        },
        {"case": "a: products", "seconds": {"ours": 0.003, "copy": 0.001}, "ratio": 3.0, "goal": None},
        {"case": "a peak memory, 5 of 10 MiB", "seconds": {}, "ratio": 0.5, "goal": 1},
    ]
    found = {"machine": {**MACHINE, "cuda": "Some GPU"}, "rows": rows}
    write("engine-cuda", found)
    write("engine", found)
    first, second, third, last = results.engine("engine-cuda").split("\n\n")
    assert first.splitlines()[0] == "| case | ours, ms | published, ms | times as fast | goal |"
    assert first.splitlines()[2] == "| a | 0.0500 | 0.200 | 4.0 | 5 |"
    assert second.splitlines()[0] == "| case | ours, ms | copy, ms | times as long |"
    assert second.splitlines()[2] == "| a: products | 3.00 | 1.00 | 3.0 |"
    assert third.splitlines()[2] == "| a peak memory, 5 of 10 MiB | 0.50 |"
    assert last == "Measured on Some GPU, torch 2.13.0."
    *_, last = results.engine("engine").split("\n\n")
    assert last == "Measured on Some CPU, 2 threads, torch 2.13.0."  # though there is a GPU


def test_a_benchmark_of_two_devices_names_both(write):
    row = {"seconds": {"ours": 0.001, "peer": 0.002}, "ratio": 0.5, "goal": 1.1}
    rows = [{"case": f"{device} small", **row} for device in ("cpu", "cuda")]
    machine = {**MACHINE, "cuda": "Some GPU"}
    write("spmm", {"machine": machine, "rows": rows})
    assert "Measured on Some CPU, 2 threads and Some GPU, torch 2.13.0;" in results.benchmark("spmm")
    write("spmm", {"machine": machine, "rows": [{"case": "small", **row}]})
    assert "Measured on Some CPU, 2 threads, torch 2.13.0;" in results.benchmark("spmm")


def test_sweeps_are_a_table_against_the_slowest(write):
    chosen = {"stopped": 0, "chosen": {"lr": 0.1}}
    found = {
        "machine": MACHINE,
        "model": "gcn",
        "nodes": 1200,
        "count": 10,
        "trials": 30,
        "sweeps": [
            {"workers": 1, "early_stop": False, "seconds": 100.0, "runs": 300, "test_score": 0.9, **chosen},
            {"workers": 2, "early_stop": True, "seconds": 20.0, "runs": 85, "test_score": 0.895, **chosen},
        ],
        "same_numbers": True,
        "difference": {"mean": -0.005, "low": -0.02, "high": 0.01, "count": 10},
    }
    write("sweeps", found)
    shown = results.sweeps()
    assert "| 1 | no | 300 | 100.0 | 1.0 | 90.0% |" in shown
    assert "| 2 | yes | 85 | 20.0 | 5.0 | 89.5% |" in shown
    assert (
        "by -0.50 points, 95% interval -2.00 to +1.00. The numbers do not depend on the workers. Measured on"
        in shown
    )
    assert "Some CPU, 2 cores, torch" in shown
    write("sweeps", {**found, "same_numbers": False})
    assert "numbers depend on the workers!" in results.sweeps()


def test_a_grid_is_a_sentence(write):
    found = {
        "machine": MACHINE,
        "device": "cpu",
        "settings": 2,
        "splits": 1500,
        "runs": 3000,
        "diverged": 0,
        "epochs": 40000,
        "seconds": 12.34,
        "peak_bytes": 2**31,
        "chosen": {"setting": {"lr": 0.1, "weight_decay": 5e-5}, "test_accuracy": 0.9016},
    }
    write("grid", found)
    shown = results.grid()
    assert "3,000 runs with 40,000 epochs in 12.3 s**, 2.0 GiB at the peak; none of them diverged" in shown
    assert "chooses `lr` 0.1, `weight_decay` 5e-05, which has a test accuracy of 90.2%" in shown
    write("grid", {**found, "peak_bytes": None, "diverged": 3})
    assert "12.3 s**; 3 of them diverged" in results.grid()


def test_accuracy_marks_intervals_that_reach_below_their_limit(write):
    row = {
        "machine": MACHINE,
        "plan": {"seeds": 2, "device": "cpu"},
        "published": {"mean": 90.0, "std": 1.0, "rerun_mean": 89.0, "rerun_std": 2.0, "limit": -0.5},
        "ours": {"mean": 88.0},
        "transcription": {"mean": 88.2},
        "difference": {"mean": -0.2, "low": -0.4, "high": 0.0},
        "holds": True,
    }
    write("accuracy", {"cora": row})
    shown = results.accuracy()
    cells = "−0.20 (−0.40 to +0.00)", "−0.5", "89.00 ± 2.00", "90.00 ± 1.00"
    line = " | ".join(("2", "88.00", "88.20", *(cell.replace(" ", "\u00a0") for cell in cells)))
    assert f"| `cora` | {line}" in shown
    assert "○" not in shown
    assert "Intervals that hold 0: 1 of 1." in shown
    write("accuracy", {"cora": row, "texas": {**row, "holds": False}})
    assert f"| `texas` ○ | {line}" in results.accuracy()
    assert "reaches below its limit: 1 of 2." in results.accuracy()
