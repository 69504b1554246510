from __future__ import annotations

import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.kge import MODELS, TripletConfig, create


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_entries_make_models_and_options(entry) -> None:
    model = create(entry.name, 3, 2, dim=8)
    assert type(model) is entry.cls
    assert set(model.settings) == set(entry.settings)
    TripletConfig(**entry.options)
    assert entry.citation


def test_what_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'transe'"):
        create("trans", 3, 2)
    with pytest.raises(InputError, match=r"no setting 'k'. Did you mean 'K'"):
        create("dihedral", 3, 2, k=4)
