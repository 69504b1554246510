"""The command line as a person meets it: real processes, exit statuses, no tracebacks."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import allpass
from allpass.cli.main import run
from allpass.errors import UnknownNameError

ALLPASS = [sys.executable, "-c", "from allpass.cli.main import run; run()"]


@dataclass(frozen=True)
class Result:
    returncode: int
    stdout: str
    stderr: str


def process(*words: object) -> Result:
    """A real process, as from a shell."""
    done = subprocess.run(
        [*ALLPASS, *map(str, words)], capture_output=True, text=True, timeout=240, check=False
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """The same entry point within this process, which does not have to import torch anew."""

    def inside(*words: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run([str(word) for word in words])
        printed = capsys.readouterr()
        return Result(int(stop.value.code or 0), printed.out, printed.err)

    return inside


def refused(result: Result) -> str:
    """The one clear sentence of a refusal."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("allpass: ")
    assert len(result.stderr.strip().splitlines()) == 1
    return result.stderr


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A ring of twelve nodes in two classes."""
    (tmp_path / "edges.csv").write_text(
        "source,target\n" + "".join(f"n{i},n{(i + 1) % 12}\n" for i in range(12))
    )
    (tmp_path / "nodes.csv").write_text(
        "id,size,kind\n" + "".join(f"n{i},{i}.5,{'ab'[i // 6]}\n" for i in range(12))
    )
    return tmp_path


def test_version_and_help():
    assert process("--version").stdout.strip() == f"allpass {allpass.__version__}"
    for words in (["--help"], ["diagnose", "--help"], ["-h"]):
        result = process(*words)
        assert result.returncode == 0
        assert "diagnose" in result.stdout


def test_diagnose_tables_as_json(call, tables: Path):
    edges, nodes = tables / "edges.csv", tables / "nodes.csv"
    result = call("diagnose", "--edges", edges, "--nodes", nodes, "--label", "kind", "--json")
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["facts"]["nodes"] == 12
    assert content["metrics"]["edge_homophily"] == pytest.approx(10 / 12)


def test_diagnose_prints_findings_and_writes_the_page(call, tables: Path):
    result = call("diagnose", tables, "--label", "kind", "--metrics", "--html", tables / "page.html")
    assert result.returncode == 0, result.stderr
    assert "edge_homophily" in result.stdout
    assert "Try first" in result.stdout
    assert "<html" in (tables / "page.html").read_text()


def test_lists(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "chameleon-filtered-directed" in call("datasets").stdout  # a name cut short cannot be typed
    assert "cora" in call("datasets").stdout
    assert "H_agg" in call("metrics").stdout


def test_missing_file(call):
    assert "nowhere.csv" in refused(call("diagnose", "--edges", "nowhere.csv", "--label", "y"))


def test_what_torch_cannot_allocate_is_told_as_memory(call, monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError(
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 5 bytes."
        )

    monkeypatch.setattr("allpass.data.load", refuse)
    assert "does not fit into memory" in refused(call("train", "nowhere.npz", "-o", "kept"))


def test_unknown_name_suggests(call):
    assert "cora" in refused(call("diagnose", "coar"))


def test_nothing_to_do(call):
    refused(call("diagnose"))


def test_wrong_column(call, tables: Path):
    sentence = refused(call("diagnose", tables, "--label", "knid"))
    assert "knid" in sentence
    assert "kind" in sentence


def test_edge_to_an_unknown_node(call, tables: Path):
    with (tables / "edges.csv").open("a") as file:
        file.write("n0,stranger\n")
    sentence = refused(call("diagnose", tables, "--label", "kind"))
    assert "stranger" in sentence
    assert "--unknown-nodes drop" in sentence  # in the words of the shell
    assert call("diagnose", tables, "--label", "kind", "--unknown-nodes", "drop").returncode == 0


def test_labels_that_are_not_whole_numbers(call, tables: Path):
    assert "not whole numbers: 0.5" in refused(call("diagnose", tables, "--label", "size"))
    assert call("diagnose", tables, "--label", "size", "--task", "regression").returncode == 0


def test_a_refusal_names_flags_that_work(call, tables: Path):
    assert "--no-label" in refused(call("diagnose", tables))
    assert call("diagnose", tables, "--no-label").returncode == 0
    (tables / "edges.csv").write_text("source,target,weight\nn0,n1,heavy\nn1,n2,light\n")
    assert "--no-weight" in refused(call("diagnose", tables, "--no-label"))
    assert call("diagnose", tables, "--no-label", "--no-weight").returncode == 0


def test_notes_name_flags(call, tables: Path):
    (tables / "nodes.csv").write_text(
        "id,size,kind\n" + "".join(f"n{i},{i if i else ''},{'ab'[i // 6]}\n" for i in range(12))
    )
    said = call("diagnose", tables, "--label", "kind").stdout
    assert "Pass --nan zero, --nan mean or --nan error for another way." in " ".join(said.split())


def test_nan_features(call, tmp_path: Path):
    x = np.ones((3, 2))
    x[1, 1] = np.nan
    np.savez(tmp_path / "g.npz", edge_index=np.array([[0, 1], [1, 2]]), x=x, y=np.array([0, 1, 0]))
    assert "NaN" in refused(call("diagnose", tmp_path / "g.npz"))


def test_empty_graph(call, tmp_path: Path):
    np.savez(
        tmp_path / "g.npz",
        edge_index=np.zeros((2, 0), dtype=int),
        x=np.zeros((0, 2)),
        y=np.zeros(0, dtype=int),
    )
    refused(call("diagnose", tmp_path / "g.npz"))


def test_truncated_npz(call, tmp_path: Path):
    np.savez(tmp_path / "whole.npz", edge_index=np.array([[0, 1], [1, 2]]), y=np.array([0, 1, 0]))
    whole = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "g.npz").write_bytes(whole[: len(whole) // 2])
    refused(call("diagnose", tmp_path / "g.npz"))


class _Trap:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_pickle_with_code_in_it_does_not_run(call, tmp_path: Path):
    trap = np.empty(1, dtype=object)
    trap[0] = _Trap(tmp_path / "sprung")
    np.savez(tmp_path / "g.npz", edge_index=trap, y=np.array([0]))
    refused(call("diagnose", tmp_path / "g.npz"))
    assert not (tmp_path / "sprung").exists()


def test_a_header_that_claims_ten_gigabytes(call, tmp_path: Path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1_250_000_000, 1)}
    )
    with zipfile.ZipFile(tmp_path / "g.npz", "w") as archive:
        archive.writestr("x.npy", header.getvalue() + b"\0" * 64)
    refused(call("diagnose", tmp_path / "g.npz"))


def test_page_into_a_folder_that_is_not_there(call, tmp_path: Path):
    refused(call("diagnose", "karate", "--html", tmp_path / "no" / "page.html"))
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_without_unicode(monkeypatch: pytest.MonkeyPatch):
    poor = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", poor)
    with pytest.raises(SystemExit) as stop:
        run(["diagnose", "karate", "--metrics"])
    assert not stop.value.code
    poor.seek(0)
    assert "H_edge" in poor.read()


def test_a_full_disk():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*ALLPASS, "--help"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"allpass: No space left on device\n"


def test_debug_shows_the_traceback():
    with pytest.raises(UnknownNameError):
        run(["diagnose", "coar", "--debug"])


def test_a_refusal_in_a_real_process_has_no_traceback():
    assert "cora" in refused(process("diagnose", "coar"))


def test_a_closed_pipe_is_no_error():
    source, sink = os.pipe()
    os.close(source)
    done = subprocess.run([*ALLPASS, "--help"], stdout=sink, stderr=subprocess.PIPE, check=False)
    os.close(sink)
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, None)],
)
def test_threads_give_way_unless_the_user_says_how_they_wait(
    given: dict[str, str], expected: str | None, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")  # to be put back afterwards
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert call("--version").returncode == 0
    assert os.environ.get("GOMP_SPINCOUNT") == expected


def test_torch_is_imported_after_that() -> None:
    code = "import sys; from allpass.cli import main; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--candidates", " , "), "Expected models separated by commas, such as trees,gcn."),
        (("--candidates", "gcn", "--no-verdict"), "Leave out one of them."),
    ],
)
def test_candidates_that_cannot_be_compared(call, words, told):
    found = call("diagnose", "karate", *words)
    assert found.returncode == 2
    assert told in found.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_with_a_sentence(
    call, tables: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, number: int
) -> None:
    def stop(*given: object, **options: object) -> None:
        os.kill(os.getpid(), number)
        time.sleep(10)

    monkeypatch.setattr("allpass.train.folds.train_folds", stop)
    mine = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, mine))
    before = signal.getsignal(signal.SIGTERM)
    words = ["--edges", tables / "edges.csv", "--nodes", tables / "nodes.csv", "--label", "kind"]
    stopped = call("train", *words, "--model", "gcn", "-o", tables / "kept")
    assert stopped.returncode == 130
    assert stopped.stderr.endswith("allpass: Stopped before the end. Nothing is left half written.\n")
    assert signal.getsignal(signal.SIGTERM) is before
    assert not (tables / "kept").exists()
