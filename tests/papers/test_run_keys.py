from __future__ import annotations

import pytest
from tools.run_keys import digest, identities, listed

from allpass.papers import STUDIES

FAST = ("table1", "ablation", "rank", "complexity", "examples")


@pytest.mark.parametrize(
    "study", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in STUDIES]
)
def test_the_keys_of_stored_runs_do_not_change(study: str, real_data: None) -> None:
    names = identities(study)
    assert (str(len(names)), digest(names)) == listed()[study]
