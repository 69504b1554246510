from __future__ import annotations

import pytest

from allpass.models import meanings


def build(in_channels, *, width=3, scale=None):
    r"""One sentence.

    More words: with a colon.

    Args:
        in_channels: Number of features.
        width: Width of :math:`\hat A`, which
            goes on here. And a second sentence.
        scale: Factor of the mixture. By default the number of channels; the report has 1.

    Notes:
        left: This is no argument.
    """


def test_arguments_are_read_from_the_docstring():
    found = meanings.arguments(build)
    assert list(found) == ["in_channels", "width", "scale"]
    assert found["width"] == r"Width of :math:`\hat A`, which goes on here. And a second sentence."
    assert meanings.arguments(lambda: None) == {}


def test_the_first_sentence_and_the_default():
    scale = meanings.arguments(build)["scale"]
    assert meanings.first_sentence(scale) == "Factor of the mixture."
    assert meanings.first_sentence("Of Lim et al. and 1.5 of it.") == "Of Lim et al. and 1.5 of it."
    assert meanings.default_in_words(scale) == "the number of channels"
    assert meanings.default_in_words("No word of it.") is None


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r":math:`\bar B^{(0)}`", "B̄^{(0)}"),
        (r"uniform in :math:`\pm 1/\sqrt{F}`", "uniform in ± 1/√F"),
        (r":math:`\mathrm{MLP}_f`", "MLP_f"),
        (":func:`torch.relu`", "torch.relu"),
        ("``1`` or ``2``", "1 or 2"),
    ],
)
def test_marks_are_taken_off(written, shown):
    assert meanings.plain(written) == shown


def test_words_of_the_training():
    assert meanings.training_words("weight_decay") == "Weight decay."
    assert meanings.training_words("hops") == ""
