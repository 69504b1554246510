from __future__ import annotations

import pickle

import pytest

from allpass import errors
from allpass.errors import (
    AllpassError,
    DataError,
    DeviceError,
    DownloadError,
    InputError,
    MissingExtraError,
    MissingFileError,
    UnknownNameError,
    UnsafeFileError,
    did_you_mean,
)

KINDS = [
    InputError,
    UnknownNameError,
    DataError,
    MissingFileError,
    DownloadError,
    UnsafeFileError,
    DeviceError,
]


def test_one_tree() -> None:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert set(found) == {AllpassError, MissingExtraError, *KINDS}
    assert all(issubclass(kind, AllpassError) for kind in found)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (InputError, ValueError),
        (UnknownNameError, LookupError),
        (DataError, ValueError),
        (MissingFileError, FileNotFoundError),
        (DownloadError, OSError),
        (UnsafeFileError, DataError),
        (DeviceError, RuntimeError),
        (MissingExtraError, ImportError),
    ],
)
def test_each_is_also_the_builtin_a_caller_may_catch(kind: type, builtin: type) -> None:
    assert issubclass(kind, builtin)


@pytest.mark.parametrize("kind", [AllpassError, *KINDS])
def test_a_message_is_problem_and_cure(kind: type[AllpassError]) -> None:
    error = kind("Got 3 columns, expected 2.", "Drop one.")
    assert str(error) == "Got 3 columns, expected 2. Drop one."
    assert (error.problem, error.cure) == ("Got 3 columns, expected 2.", "Drop one.")
    assert str(kind("Got nothing.")) == "Got nothing."


def test_a_missing_extra_says_what_to_install() -> None:
    named = MissingExtraError("pyarrow", "Reading Parquet", "parquet")
    assert str(named) == (
        "Reading Parquet needs the package 'pyarrow', which is not installed. Run: pip install 'allpass[parquet]'"
    )
    assert str(MissingExtraError("pandas", "Reading CSV")).endswith("Run: pip install pandas")


@pytest.mark.parametrize("error", [*(kind("A.", "B.") for kind in KINDS), MissingExtraError("a", "b", "c")])
def test_errors_cross_processes_whole(error: AllpassError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.problem, again.cure) == (str(error), error.problem, error.cure)


def test_suggestions() -> None:
    known = ["cora", "citeseer", "texas"]
    assert did_you_mean("coar", known) == "Did you mean 'cora'?"
    assert did_you_mean("CORA", known) == "Did you mean 'cora'?"
    assert did_you_mean("zzz", known) == "Known names: citeseer, cora, texas."
    assert did_you_mean("cat", ["cart", "cast"]) in (
        "Did you mean 'cart' or 'cast'?",
        "Did you mean 'cast' or 'cart'?",
    )
    assert did_you_mean("a-hat_wr", ["A_hat_rw", "L"]) == "Did you mean 'A_hat_rw'?"
    assert did_you_mean("lable", ["Label", "label"]) == "Did you mean 'Label' or 'label'?"


def test_hundreds_of_names_are_not_listed() -> None:
    known = [f"name-{number:03}" for number in range(200)]
    sentence = did_you_mean("zzz", known)
    assert sentence.startswith("Known names: name-000, name-001")
    assert sentence.endswith("and 184 more.")
    assert len(sentence) < 200


def test_what_a_terminal_would_obey_is_written_out_and_long_words_are_cut() -> None:
    error = AllpassError(f"Got \x1b[31m and {'x' * 500!r}.", "Use\u202e another\nname.")
    assert str(error) == f"Got \\x1b[31m and '{'x' * 59}...{'x' * 18}'. Use\\u202e another\\nname."
    assert (error.problem, error.cure) == (error.problem, "Use\\u202e another\\nname.")
