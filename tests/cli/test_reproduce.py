"""`allpass reproduce` as a person meets it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from tests.train.executors.tiny import Made, Tiny, acts, perform

from allpass.cli.main import run
from allpass.papers import at_hand, catalogue
from allpass.papers.catalogue import STUDIES
from allpass.papers.homophily import Statistic
from allpass.papers.rank import Ranks
from allpass.papers.result import read_results
from allpass.papers.study import OfStudy, Plan
from allpass.train.executors import Task
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


Call = Callable[..., Result]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """The command in an empty folder, on a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def inside(*words: str) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run(["reproduce", *words])
        printed = capsys.readouterr()
        return Result(int(stop.value.code or 0), printed.out, printed.err)

    return inside


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No folder of datasets, and nobody to ask for them."""
    monkeypatch.delenv("ALLPASS_DATA", raising=False)
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path / "cache"))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it went to the network")

    monkeypatch.setattr("socket.socket.connect", refuse)
    for read_before in (at_hand.graph_of, at_hand.content_hash):
        read_before.cache_clear()
    yield
    for read_before in (at_hand.graph_of, at_hand.content_hash):
        read_before.cache_clear()


class Asked(Tiny):
    """Remembers what it was asked for; has names with commas."""

    plans: ClassVar[list[Plan]] = []

    def axes(self) -> Mapping[str, Sequence[str]]:
        return {"names": ("GCN", "ACM: all", "ACM: all, mixed", "Cora", "ACM: all, mixed/Cora")}

    def tasks(self, plan: Plan, store: Store, known: Sequence[Made] = ()) -> list[Task]:
        self.plans.append(plan)
        return super().tasks(plan, store, known)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Some tasks as the only study there is."""

    def inside(*tasks: Task) -> None:
        monkeypatch.setattr(Asked, "plans", [])
        monkeypatch.setattr(
            catalogue, "STUDIES", {"tiny": Asked([replace(task, work=OfStudy("tiny")) for task in tasks])}
        )

    return inside


@pytest.mark.parametrize("words", [(), ("--list",)])
def test_the_list_has_everything(call: Call, words: tuple[str, ...], tmp_path: Path) -> None:
    found = call(*words)
    assert found.status == 0
    lines = found.out.splitlines()
    assert [line.split()[0] for line in lines[1 : len(STUDIES) + 1]] == list(STUDIES)
    assert all(study.words.title in found.out for study in STUDIES.values())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rnak",), "There is nothing named 'rnak' to reproduce. Did you mean 'rank'?"),
        (
            ("examples", "--cells", "bipratite"),
            "There is no cell 'bipratite' in 'examples'. Did you mean 'bipartite'?",
        ),
        (("examples", "--executor", "rya"), "There is no executor 'rya'. Did you mean 'ray'?"),
        (
            ("examples", "--address", "10.0.0.1:6379"),
            "An address is for a Ray cluster. Add --executor ray, or leave out --address.",
        ),
        (
            ("examples", "--executor", "ray", "--workers", "2"),
            "--workers is for this machine alone: a Ray cluster uses all CPUs and GPUs that it has. Leave out "
            "--workers, or --executor ray.",
        ),
        (("examples", "--workers", "0"), "Got workers = 0. Expected a whole number, 1 or more."),
        (
            ("examples", "--cells", ","),
            "There is no name in --cells. Name some parts, or leave it out for all of them.",
        ),
        (
            ("examples", "--device", "gpu"),
            "There is no device 'gpu'. Expected 'auto', 'cpu', 'cuda' or 'cuda:1'.",
        ),
    ],
)
def test_a_wrong_word_is_answered_in_one_sentence(
    call: Call, words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    assert call(*words) == Result(2, "", f"allpass: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder_and_that_is_known_before_anything_is_run(call: Call, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("mine")
    found = call("examples", "--out", "page")
    assert found.status == 2
    assert found.err.endswith("page' is no folder. Give the path of a folder.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


def test_parts_that_were_run_before_stay_on_the_page(call: Call, offline: None, tmp_path: Path) -> None:
    assert call("homophily", "--cells", "karate").status == 0
    assert call("HOMOPHILY", "--cells", "examples").out.endswith(" in results\n")
    titles = {row.title for row in read_results(tmp_path / "results" / "homophily.csv", Statistic)}
    assert len(titles) == 4


def test_rows_of_an_earlier_run_are_not_run_again(call: Call, offline: None, tmp_path: Path) -> None:
    assert call("homophily", "--cells", "karate").status == 0
    words = (
        "homophily",
        "--cells",
        "karate",
        "--resume",
        "results/homophily.csv",
        "--store",
        "other.db",
        "--out",
        "new",
    )
    assert call(*words).status == 0
    with Store(tmp_path / "other.db") as store:
        assert len(store) == 0
    assert (tmp_path / "new" / "homophily.csv").read_bytes() == (
        tmp_path / "results" / "homophily.csv"
    ).read_bytes()
    gone = call("homophily", "--resume", "gone.csv")
    assert (
        gone.err == "allpass: There is no file 'gone.csv'. Give the CSV file of an earlier run to --resume.\n"
    )


def test_a_list_of_the_cells_of_one(call: Call, tmp_path: Path) -> None:
    found = call("table1", "--list")
    assert found.status == 0
    title, rows, columns, kinds, single = found.out.splitlines()
    assert title == STUDIES["table1"].words.title
    assert rows.startswith("rows: LP, Cheby, ")
    assert columns.startswith("columns: Cora 0.5%, Cora 1%, ")
    assert kinds == "kinds: same, fresh, tuned"
    assert single.startswith("single cells: 224, such as 'LP/Cora 0.5%'")
    assert call("examples", "--list").out.splitlines()[1:] == ["graphs: bipartite, high-pass, limitation"]
    assert "PubMed, 'Cornell, corrected', Texas-4, " in call("homophily", "--list").out.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--quick",), "--quick"),
        (("--cells", "Cora"), "--cells"),
        (("--out", "results"), "--out"),
        (("--workers", "2", "--device", "cuda"), "--workers"),
    ],
)
def test_an_option_without_an_id_is_an_error(
    call: Call, words: tuple[str, ...], option: str, tmp_path: Path
) -> None:
    assert call(*words) == Result(
        2,
        "",
        f"allpass: {option} is for one reproduction, and none is named. Name an ID, as in allpass reproduce rank "
        "--quick; allpass reproduce --list has all.\n",
    )
    assert call("--list", *words).status == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "idle"),
    [
        (("acm-random", "--quick", "--cells", "fresh,ACM-GCN,Texas"), "'fresh', 'ACM-GCN', 'Texas'"),
        (("acm-fixed", "--cells", "WRGAT/Texas"), "'WRGAT/Texas'"),
        (("acm-fixed", "--cells", "ACM-GCN/Texas,WRGAT/Texas"), "'WRGAT/Texas'"),
    ],
)
def test_cells_that_match_nothing_are_named(
    call: Call, words: tuple[str, ...], idle: str, tmp_path: Path
) -> None:
    found = call(*words)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"allpass: Nothing to run for {idle} in {words[0]!r}")
    assert len(found.err) < 310
    assert not (tmp_path / "results").exists()


def test_it_writes_its_files_and_says_the_same_again(call: Call, offline: None, tmp_path: Path) -> None:
    words = ("homophily", "--cells", "Karate", "--out", "here/there", "--store", "kept.db")
    first = call(*words)
    assert (first.status, first.err) == (0, "")
    assert first.out.startswith(STUDIES["homophily"].words.title)
    folder = tmp_path / "here" / "there"
    rows = len(read_results(folder / "homophily.csv", Statistic))
    names = "homophily.md, homophily.csv, homophily.svg, homophily.tex"
    assert first.out.endswith(f"{rows} rows; {names} in {Path('here', 'there')}\n")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files.keys() == set(names.split(", "))
    with Store(tmp_path / "kept.db") as store:
        stored = [run.ended for run in store.runs()]
    shutil.rmtree(folder)
    assert call(*words) == first
    with Store(tmp_path / "kept.db") as store:
        assert [run.ended for run in store.runs()] == stored
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files


def test_ranks_run_quickly_from_embedded_data(call: Call, offline: None, tmp_path: Path) -> None:
    found = call("rank", "--quick", "--cells", "relu,gcn")
    assert found.status == 0
    assert all(line.startswith(("1 of 2 runs", "2 of 2 runs")) for line in found.err.splitlines())
    assert "Quick run: its numbers mean nothing." in found.out
    (row,) = read_results(tmp_path / "results" / "quick" / "rank.csv", Ranks)
    assert (row.network, row.quick) == ("gcn", True)


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ((), ()),
        (("--cells", "gcn,cora"), ("gcn", "cora")),
        (("--cells", " GCN , ,Cora,"), ("GCN", "Cora")),
        (("--cells", "GCN", "--cells", "Cora,ACM: all"), ("GCN", "Cora", "ACM: all")),
        (("--cells", "acm: all, mixed"), ("acm: all, mixed",)),
        (("--cells", "ACM: all, GCN"), ("ACM: all", "GCN")),
        (("--cells", "GCN, ACM: all, mixed/Cora,ACM: all"), ("GCN", "ACM: all, mixed/Cora", "ACM: all")),
    ],
)
def test_cells_stand_between_commas(
    call: Call, tiny: Callable[..., None], words: tuple[str, ...], cells: tuple[str, ...]
) -> None:
    tiny(acts("a"))
    assert call("tiny", *words, "--quick").status == 0
    assert Asked.plans[0] == Plan(cells, quick=True)


def test_what_cannot_be_done_is_told_beside_the_rest(
    call: Call, tiny: Callable[..., None], tmp_path: Path
) -> None:
    tiny(acts("fine"), acts("refused", end="refusal"), acts("[broken]", end="error"))
    found = call("tiny")
    assert found.status == 1
    assert found.err.splitlines() == [
        "Failed: refused. Got 3. Expected 4.",
        "Failed: [broken]. ZeroDivisionError: division by zero",
    ]
    assert len(read_results(tmp_path / "results" / "tiny.csv", Made)) == 4


def test_what_stands_in_the_way_of_much_is_told_once(call: Call, tiny: Callable[..., None]) -> None:
    tiny(acts("fine"), *(acts(f"part {number}", end="refusal") for number in range(5)))
    assert call("tiny").err.splitlines() == ["Failed: part 0; part 1; part 2; and 2 more. Got 3. Expected 4."]


def test_nothing_at_all_is_an_error(call: Call, tiny: Callable[..., None], tmp_path: Path) -> None:
    tiny()
    found = call("tiny")
    assert (found.status, found.out) == (2, "")
    assert found.err == "allpass: Nothing of 'tiny' could be run. See the message for each part above.\n"
    assert not (tmp_path / "results").exists()


def test_a_quick_run_says_so_and_a_long_table_is_cut(call: Call, tiny: Callable[..., None]) -> None:
    tiny(acts("long", runs=40))
    quick, whole = call("tiny", "--quick"), call("tiny")
    assert quick.out.endswith(" in results/quick\n")
    assert "quick" not in whole.out
    assert "and 15 more rows on the page" in whole.out
    assert whole.out.count(" done") == 25


def test_one_row_is_one(call: Call, tiny: Callable[..., None]) -> None:
    tiny(acts("a", runs=1))
    assert "\n1 row; tiny.md, " in call("tiny").out


def test_stopped_it_goes_on_where_it_was(
    call: Call, tiny: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(self: Tiny, task: Task, device: str) -> Iterator[Sequence[Run]]:
        yield from perform(acts(task.title, runs=1), device)
        raise KeyboardInterrupt

    tiny(acts("a", runs=3))
    with monkeypatch.context() as patch:
        patch.setattr(Asked, "perform", stopped)
        found = call("tiny")
    assert (found.status, found.out) == (130, "1 row; tiny.md, tiny.csv, tiny.svg, tiny.tex in results\n")
    assert found.err == "Stopped. runs.db holds 1 run in all; the same command goes on from there.\n"
    assert len(read_results(tmp_path / "results" / "tiny.csv", Made)) == 1
    assert call("tiny").out.endswith("3 rows; tiny.md, tiny.csv, tiny.svg, tiny.tex in results\n")


@pytest.mark.parametrize("runs", [0, 1])
def test_stopped_again_it_ends_at_once(
    call: Call, tiny: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runs: int
) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[Sequence[Run]]:
        raise KeyboardInterrupt

    def stopped(self: Tiny, task: Task, device: str) -> Iterator[Sequence[Run]]:
        yield from perform(acts(task.title, runs=runs), device)
        raise KeyboardInterrupt

    tiny(acts("a", runs=3))
    monkeypatch.setattr(Asked, "perform", stopped)
    monkeypatch.setattr("allpass.cli.reproduced.write", interrupted)
    found = call("tiny")
    line = (
        f"Stopped. runs.db holds {runs} run{'s' * (runs != 1)} in all; the same command goes on from there.\n"
    )
    assert found == Result(130, "", line * (1 + runs))  # without a row there is no page to leave out
    assert not list(tmp_path.glob("results/*"))


def test_a_terminal_is_told_at_once_what_is_going_to_be_done(
    call: Call, tiny: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(acts("a"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    first = "runs are kept in kept.db, the page is written to"
    assert call("tiny", "--quick", "--store", "kept.db").err.startswith(
        f"Reproducing tiny: {first} {Path('results', 'quick')}\n"
    )
    assert call("nothing", "--store", "kept.db").err.startswith(
        f"Reproducing nothing: {first} results\nallpass: "
    )
    assert "kept" not in call("tiny", "--list").err


def test_a_folder_of_datasets_is_named_as_for_other_verbs(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ALLPASS_DATA", "elsewhere")
    found = call("rank", "--list", "--data-dir", "nowhere")
    assert (found.status, "The data folder 'nowhere' does not exist" in found.err) == (2, True)
    (tmp_path / "mine").mkdir()
    assert call("rank", "--list", "--data-dir", "mine").status == 0
    assert os.environ["ALLPASS_DATA"] == str(tmp_path / "mine")


def test_a_terminated_run_says_so_and_writes_what_has_ended(
    call: Call, tiny: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def terminated(self: Tiny, task: Task, device: str) -> Iterator[Sequence[Run]]:
        yield from perform(acts(task.title, runs=1), device)
        os.kill(os.getpid(), signal.SIGTERM)
        yield []

    tiny(acts("a", runs=3))
    monkeypatch.setattr(Asked, "perform", terminated)
    found = call("tiny")
    assert (found.status, found.err) == (
        130,
        "Stopped. runs.db holds 1 run in all; the same command goes on from there.\n",
    )
    assert len(read_results(tmp_path / "results" / "tiny.csv", Made)) == 1


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_what_cannot_be_written_is_told_before_the_work(call: Call, tmp_path: Path) -> None:
    """A pipe in the place of the rows made the command wait for ever, after the work."""
    (tmp_path / "page" / "quick").mkdir(parents=True)
    os.mkfifo(tmp_path / "page" / "quick" / "rank.csv")
    words = ("rank", "--quick", "--cells", "tanh", "--out", "page")
    found = call(*words)
    assert (found.status, found.out) == (2, "")
    assert "rank.csv' is a named pipe, not a regular file" in found.err
    found = call(*words[:-1], "other", "--resume", "page/quick/rank.csv")
    assert (found.status, found.out) == (2, "")
    assert "rank.csv' is a named pipe, not a regular file" in found.err
    assert not list(tmp_path.glob("*.db"))
