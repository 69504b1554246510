"""The library speaks Python; on a terminal its sentences name flags."""

from __future__ import annotations

import pytest

from allpass.cli.words import brief, in_shell_words
from allpass.errors import DownloadError, InputError


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Got count=0. Expected a whole number, 1 or", "Got --count 0. Expected a whole number, 1 or"),
        ("Got seed=-1; expected", "Got --seed -1; expected"),
        ("Got max_epochs=0; expected", "Got --epochs 0; expected"),
        ("Pass fixed_graph=True.", "Pass --fixed-graph."),
        ('Pass task="regression" if', "Pass --task regression if"),
        ("Pass nan='zero' or nan='mean'.", "Pass --nan zero or --nan mean."),
        ("Pass train above 0, such as train=0.6.", "Pass train above 0, such as train=0.6."),
        ("Pass label=False or weight=False.", "Pass --no-label or --no-weight."),
        ("Got label='my class' but", "Got --label 'my class' but"),
        ("Got features=['age', 'size'] but", "Got --features age,size but"),
        ("Name them in features= to", "Name them in --features to"),
    ],
)
def test_python_arguments_are_said_as_flags(sentence: str, words: str) -> None:
    assert in_shell_words(sentence) == words


def test_long_errors_keep_their_cure() -> None:
    assert (
        brief(InputError("Got label='a'.", "Pass task='regression'."))
        == "Got --label a. Pass --task regression."
    )
    long = brief(InputError("too many words " * 40, "Pass label=False."))
    assert len(long) <= 300
    assert long.endswith("... Pass --no-label.")
    assert len(brief(InputError("a " * 500, "b " * 500))) <= 300
    assert brief(InputError("a " * 500)).endswith("a ...")


@pytest.mark.parametrize("problem", ["short", "a long problem " * 30])
def test_no_error_ends_within_a_word(problem: str) -> None:
    """A cure was cut after 150 characters, within a word, even of a short message."""
    cure = "Pass unknown_nodes='drop' " + "to leave these edges out, or so " * 5 + "."
    said = brief(InputError(f"{problem}.", cure))
    assert len(said) <= 300
    assert set(said.split()) <= {*in_shell_words(f"{problem}. {cure}").split(), "..."}


def test_a_file_that_cannot_be_downloaded_has_its_place_whole() -> None:
    path = "HeterophilousGraphDataset/minesweeper/raw/minesweeper.npz"
    tried = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/main/x.npz (no answer)"
    cure = f"Save it as {path} in a folder that ALLPASS_DATA names, or as /root/.cache/allpass/{path}."
    said = brief(
        DownloadError(f"Could not download {path}, which is in no data folder. Tried: {tried}.", cure)
    )
    assert len(said) <= 300
    assert said.startswith(f"Could not download {path}, ")
    assert said.endswith(cure)
