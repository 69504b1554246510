from __future__ import annotations

import pytest
from torch import nn

from allpass.errors import InputError, UnknownNameError
from allpass.nn import GCNConv
from allpass.testing import CLASSES, FEATURES, Subject


def build() -> nn.Module:
    return GCNConv(FEATURES, CLASSES)


def test_traits_in_any_collection():
    for traits in (["ignores-graph"], {"ignores-graph"}):
        assert Subject("mine", build, traits).traits == frozenset({"ignores-graph"})


def test_unknown_traits_are_refused():
    with pytest.raises(UnknownNameError, match=r"no trait 'ignore-graph'. Did you mean 'ignores-graph'"):
        Subject("mine", build, frozenset({"ignore-graph"}))


@pytest.mark.parametrize("given", [build(), None, 3])
def test_a_builder_is_a_function(given):
    with pytest.raises(InputError, match=r"to build 'mine' with.*a new module each time"):
        Subject("mine", given)
