"""Complaints say where, what and how to do better."""

from __future__ import annotations

from typing import Any

import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.papers.checks import at, check_keys, check_name, check_numbers, check_settings_of


def test_places_are_put_in_front_from_outside_in() -> None:
    with pytest.raises(InputError) as caught, at("table"), at("row"):
        raise UnknownNameError("There is no fruit 'paer'.", "Did you mean 'pear'?")
    assert str(caught.value) == "table: row: there is no fruit 'paer'. Did you mean 'pear'?"


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(KeyError, match="'x'"), at("table"):
        raise KeyError("x")


def test_names() -> None:
    check_name("fruit", "pear", ["pear"])
    with pytest.raises(InputError, match=r"There is no fruit 'paer'. Did you mean 'pear'"):
        check_name("fruit", "paer", ["pear"])
    with pytest.raises(InputError, match=r"There is no fruit 3. Known names: pear"):
        check_name("fruit", 3, ["pear"])


def test_keys() -> None:
    check_keys({"a": 1}, ("b",), needed=("a",))
    with pytest.raises(InputError, match=r"no entry 'c'. Known names: a, b"):
        check_keys({"a": 1, "c": 2}, ("b",), needed=("a",))
    with pytest.raises(InputError, match=r"entry 'a' is missing. Expected a"):
        check_keys({"b": 1}, ("b",), needed=("a",))
    with pytest.raises(InputError, match=r"Got 5. Expected a table of a, b"):
        check_keys(5, ("b",), needed=("a",))


def test_settings_are_of_a_model_and_of_its_training() -> None:
    check_settings_of("gcnii", {"num_layers": 4, "lr": 0.1, "weight_decay:conv": 0.0})
    check_settings_of("gcnii", {"num_layers": 4}, rates=False)
    with pytest.raises(InputError, match=r"There is no setting 'dropuot'. Did you mean 'dropout'"):
        check_settings_of("gcnii", {"dropuot": 0.5})
    with pytest.raises(InputError, match=r"Got dropout = 2. Expected a probability"):
        check_settings_of("gcnii", {"dropout": 2})
    with pytest.raises(InputError, match=r"There is no setting 'lr'"):
        check_settings_of("gcnii", {"lr": 0.1}, rates=False)


@pytest.mark.parametrize("numbers", [[1], [94.92, 2.88]])
def test_numbers(numbers: list[float]) -> None:
    check_numbers("published", numbers)


@pytest.mark.parametrize("numbers", [5, "5", [], ["5"], [True], [1, 2, 3], {"mean": 1}])
def test_wrong_numbers(numbers: Any) -> None:
    with pytest.raises(InputError, match=r"published is .*Expected a mean"):
        check_numbers("published", numbers)
