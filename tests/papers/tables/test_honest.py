"""What an honest number tries."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from allpass.errors import InputError
from allpass.papers.tables.honest import QUICK, Honest
from allpass.train.space import space_of

SPACE = {"lr": [0.01, 0.05, 0.1], "dropout": [0.0, 0.5]}


def as_set(found: tuple[dict[str, object], ...]) -> set[str]:
    return {json.dumps(settings, sort_keys=True) for settings in found}


def grid(**values: list[object]) -> set[str]:
    combined = itertools.product(*values.values())
    return as_set(tuple(dict(zip(values, chosen, strict=True)) for chosen in combined))


def test_a_space_that_is_small_enough_is_tried_whole_and_nothing_twice() -> None:
    found = Honest(trials=60, space=SPACE).candidates("gcn", {}, {})
    assert len(found) == 6
    assert as_set(found) == grid(**SPACE)


def test_of_a_larger_one_so_many_are_tried_and_more_trials_only_add() -> None:
    few, more = (Honest(trials=trials).candidates("acm-gcn", {}, {}) for trials in (7, 20))
    assert (len(few), len(as_set(few)), len(as_set(more))) == (7, 7, 20)
    assert more[:7] == few
    own = space_of("acm-gcn")
    for settings in more:
        assert settings.keys() == own.keys()
        assert all(value in own[name] for name, value in settings.items())


def test_what_is_fixed_is_not_searched() -> None:
    found = Honest(space=SPACE).candidates("gcn", {"dropout": 0.3, "hidden_channels": 8}, {})
    assert as_set(found) == grid(lr=SPACE["lr"], dropout=[0.3], hidden_channels=[8])


def test_a_row_searches_more_and_other_values() -> None:
    found = Honest(space=SPACE).candidates("gcn", {}, {"hidden_channels": [4, 8], "lr": [1.0]})
    assert as_set(found) == grid(lr=[1.0], dropout=SPACE["dropout"], hidden_channels=[4, 8])


def test_the_whole_grid_is_what_a_row_has_beside_what_is_fixed() -> None:
    honest = Honest(trials=1000, space={"lr": [0.01, 0.1], "dropout": [0.0, 0.5, 0.9]})
    grid = honest.grid("gcn", {"dropout": 0.5}, {"lr": [0.1, 0.2], "hidden_channels": [16, 32, 64]})
    assert grid == {"lr": (0.1, 0.2), "hidden_channels": (16, 32, 64)}
    sizes = [len(values) for values in honest.grid("gcn", {}, {}).values()]
    assert math.prod(sizes) == len(honest.candidates("gcn", {}, {}))


def test_where_nothing_is_left_to_search_there_is_one_candidate() -> None:
    assert Honest(space={"lr": [0.1, 0.2]}).candidates("gcn", {"lr": 0.3}, {}) == ({"lr": 0.3},)


def test_quick_tries_the_first_few() -> None:
    honest = Honest(space=SPACE)
    assert honest.candidates("gcn", {}, {}, quick=True) == honest.candidates("gcn", {}, {})[:QUICK]


def test_candidates_do_not_share_what_is_fixed() -> None:
    first, second, *_ = Honest(space=SPACE).candidates("gcn", {"heads": 1}, {})
    first["heads"] = 2
    assert second["heads"] == 1


def test_what_a_file_says() -> None:
    assert Honest.read({}) == Honest("own", 60, 0, 0, {})
    told = {"choose": "others", "trials": 20, "splits": 3, "space": SPACE}
    assert Honest.read(told) == Honest("others", 20, 3, 0, SPACE)
    assert Honest.read({"splits": 3, "reported": 10}).reported == 10
    assert Honest.read({"columns": ["B"]}, {"A": 1, "B": 2}).columns == ("B",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"chose": "own"}, r"no entry 'chose'\. Did you mean 'choose'"),
        ({"choose": "other"}, r"no choice 'other'\. Did you mean 'others'"),
        ({"trials": 0}, r"trials=0\. Expected a whole number, 1 or more"),
        ({"trials": 2.5}, r"trials=2\.5\. Expected a whole number"),
        ({"choose": "others"}, r"splits=0\. Expected a whole number, 1 or more"),
        ({"splits": -1}, r"splits=-1\. Expected a whole number, 0 or more"),
        (
            {"reported": 5},
            r"reported = 5 with splits = 0 and choose = 'own'\. Expected at least as many as splits",
        ),
        ({"splits": 6, "reported": 5}, r"reported = 5 with splits = 6"),
        ({"choose": "others", "splits": 2, "reported": 5}, r"choose = 'others'\. Expected at least"),
        ({"space": 3}, r"space = 3\. Expected a list of values for each setting"),
        ({"space": {"lr": 0.1}}, r"space = \{'lr': 0\.1\}\. Expected a list of values"),
        ({"space": {"lr": []}}, r"Expected a list of values"),
        ({"columns": ["Txeas"]}, r"no column 'Txeas'\. Did you mean 'Texas'"),
    ],
)
def test_what_a_file_may_not_say(content: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Honest.read(content, ["Texas", "Cornell"])
