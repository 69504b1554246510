from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError, UnknownNameError
from allpass.registry import Named, Registry, canonical


@dataclass(frozen=True)
class Fruit:
    name: str
    aliases: tuple[str, ...] = ()
    citation: str = ""


@pytest.fixture
def fruits() -> Registry[Fruit]:
    registry = Registry[Fruit]("fruit")
    registry.add(Fruit("pear", ("williams", "Pyrus communis")))
    registry.add(Fruit("Red_Apple"))
    return registry


def test_entries_are_found_by_name_and_alias_in_any_spelling(fruits: Registry[Fruit]) -> None:
    for name in ("pear", "PEAR", " Williams ", "pyrus_communis", "pyrus-communis"):
        assert fruits[name].name == "pear"
        assert name in fruits
    assert fruits["red apple"].name == "Red_Apple"


def test_order_and_size(fruits: Registry[Fruit]) -> None:
    assert fruits.names == ("pear", "Red_Apple")
    assert [fruit.name for fruit in fruits] == ["pear", "Red_Apple"]
    assert len(fruits) == 2


def test_entries_are_named(fruits: Registry[Fruit]) -> None:
    assert isinstance(fruits["pear"], Named)


def test_a_typo_gets_a_suggestion(fruits: Registry[Fruit]) -> None:
    with pytest.raises(UnknownNameError, match=r"no fruit 'paer'\. Did you mean 'pear'\?"):
        fruits["paer"]
    with pytest.raises(UnknownNameError, match="Known names: pear, Pyrus communis, Red_Apple, williams"):
        fruits["xyz"]
    with pytest.raises(UnknownNameError, match=r"Did you mean 'Red_Apple'\?"):
        fruits["red-aple"]
    assert "paer" not in fruits
    assert 3 not in fruits


@pytest.mark.parametrize("name", [None, 3, len])
def test_a_name_is_a_string(fruits: Registry[Fruit], name: object) -> None:
    with pytest.raises(
        InputError, match=r"Got a name of type .* for the fruit\. Expected a string, such as 'pear'"
    ):
        fruits[name]  # type: ignore[index]


@pytest.mark.parametrize("taken", [Fruit("Williams"), Fruit("plum", ("pear",)), Fruit("pear")])
def test_a_taken_name_is_refused_and_leaves_no_trace(fruits: Registry[Fruit], taken: Fruit) -> None:
    with pytest.raises(InputError, match="is taken by 'pear'"):
        fruits.add(taken)
    assert fruits.names == ("pear", "Red_Apple")
    assert "plum" not in fruits


@given(st.text())
def test_canonical_names_are_stable(name: str) -> None:
    once = canonical(name)
    assert "_" not in once
    assert " " not in once
    assert canonical(once).strip("-") == once.strip("-")


def test_an_accent_is_one_sign_or_two() -> None:
    assert canonical("A\u0302_rw") == canonical("\u00c2_rw")
