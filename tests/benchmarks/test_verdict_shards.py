"""Graphs of the verdict benchmark at the same time, each on cores of its own."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from benchmarks.verdict import Results
from benchmarks.verdict_rows import Row, read, write

from allpass.errors import AllpassError, InputError
from benchmarks import verdict_shards


def row(graph: str, model: str, score: float, **more) -> Row:
    return Row(graph, model, "", "accuracy", scores=[score], test_nodes=9, overlap=0.3, splits="s", **more)


def test_no_core_is_in_two_shards(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5, 8})
    assert verdict_shards.cores(2, 2) == [{0, 1}, {2, 5}]
    with pytest.raises(InputError, match="Got 3 shards of 2 threads on 5 cores"):
        verdict_shards.cores(3, 2)


def test_every_graph_goes_on_from_what_is_kept_and_is_merged(tmp_path, monkeypatch, capsys):
    out = tmp_path / "verdict.csv"
    write(out, [row("a", "gcn", 0.5, recommended=True), row("b", "gcn", 0.6), row("c", "gcn", 0.7)])
    taken, busy, lock = [], set(), threading.Lock()

    def run(graphs, options, place):
        with lock:
            assert not busy & place
            busy.update(place)
            taken.append((graphs, tuple(options[:-1]), place))
        path = Path(options[-1])
        kept = read(path)
        assert {one.graph for one in kept} == {"a", "b", "c"}
        if graphs == ["c"]:
            raise AllpassError("It broke.", "Mend it.")
        mine = [one for one in kept if one.graph != graphs[0]] + [
            row(graphs[0], "trees", 0.9, recommended=True)
        ]
        write(path, mine)
        with lock:
            busy.difference_update(place)

    monkeypatch.setattr(verdict_shards, "run", run)
    results = Results(out)
    verdict_shards.in_shards(["a", "b", "c"], ["--again"], out, [{0, 1}, {2, 3}], results.take)
    assert sorted(graphs[0] for graphs, *_ in taken) == ["a", "b", "c"]
    assert {options for _, options, _ in taken} == {("--again", "--out")}
    assert [(one.graph, one.model, one.recommended) for one in read(out)] == [
        ("a", "trees", True),
        ("b", "trees", True),
        ("c", "gcn", False),
    ]
    assert "c: It broke." in capsys.readouterr().out


def test_a_process_runs_on_its_cores(monkeypatch):
    (core, *_) = os.sched_getaffinity(0)
    monkeypatch.setattr(verdict_shards.sys, "executable", "/bin/false")
    with pytest.raises(AllpassError, match="The process of a failed"):
        verdict_shards.run(["a"], [], {core})
