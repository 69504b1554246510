from __future__ import annotations

import math
from typing import Any

import pytest

from allpass.errors import AllpassError
from allpass.kge import TripletConfig


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loss": "softmx"}, "Did you mean 'softmax'"),
        ({"negatives": 0}, "negatives=0"),
        ({"batch_size": 2.5}, "batch_size=2.5"),
        ({"epochs": 0}, "epochs=0"),
        ({"patience": 0}, "patience=0"),
        ({"sides": "head"}, "'both' or 'tail'"),
        ({"lr": 0}, "above 0"),
        ({"lr": math.nan}, "lr=nan"),
        ({"l2": -1.0}, "l2=-1.0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_options_are_one_sentence(options: dict[str, Any], said: str) -> None:
    with pytest.raises(AllpassError, match=said) as refusal:
        TripletConfig(**options)
    assert len(str(refusal.value)) <= 300
