from __future__ import annotations

import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from allpass.data import Account
from allpass.data.tables.roles import Role
from allpass.diagnosis import Finding
from allpass.errors import InputError
from allpass.models import resolve
from allpass.report import render, write_page

CASES = (
    "plain",
    "judged",
    "no labels",
    "no features",
    "nothing",
    "one class",
    "one node",
    "forty classes",
    "hostile names",
    "numbers",
)
VOID = {"meta", "br", "img", "link", "hr", "input"}


class Outline(HTMLParser):
    """Reads a page: tags opened, headings in order, whether everything closes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.headings: list[tuple[int, str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((int(tag[1]), ""))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)
        if any(re.fullmatch("h[1-6]", tag) for tag in self.open):
            level, title = self.headings[-1]
            self.headings[-1] = level, title + data


@pytest.mark.parametrize("case", CASES)
def test_a_whole_page_for_every_kind_of_graph(pages, case: str):
    outline = Outline(pages[case])
    assert outline.open == []
    assert outline.tags.count("h1") == 1
    levels = [level for level, _ in outline.headings]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert "nan" not in " ".join(outline.text).lower().split()


@pytest.mark.parametrize("case", CASES)
def test_needs_nothing_from_outside(pages, case: str):
    page = pages[case]
    outline = Outline(page)
    assert not {"script", "link", "img", "iframe", "object"} & set(outline.tags)
    links = [value for name, value in outline.attributes if name in ("src", "href", "xlink:href", "action")]
    assert all(link and link.startswith("#") for link in links)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "default-src 'none'" in page


def test_sections_in_order(pages):
    headings = [title for level, title in Outline(pages["plain"]).headings if level < 3]
    assert headings == [
        "plain",
        "Findings",
        "Recommendation",
        "Metrics",
        "Classes",
        "Structure and frequencies",
        "Depth and filters",
        "The data",
    ]


def test_the_verdict_has_a_section(pages):
    headings = [title for level, title in Outline(pages["judged"]).headings if level < 3]
    assert headings[1:4] == ["Where the signal lies", "Findings", "Recommendation"]
    text = " ".join(" ".join(Outline(pages["judged"]).text).split())
    assert "4 models ran on the same 2 random splits (60/20/20), in a budget of 60 s." in text
    assert "features alone mlp-2 61.0%" in text
    assert "features and structure acm-gcn 83.5%" in text
    assert "nothing majority class 30.0%" in text
    assert "Did not fit in the budget: fagcn" in text
    assert "Settings of acm-gcn lr=0.05, weight_decay=0.0005, dropout=0.5" in text
    assert "before any training" not in text


def test_trained_models_alone_are_counted_and_a_model_that_guesses_is_never_chosen(diagnoses):
    judged = diagnoses["judged"]
    page = render(judged)
    assert '<tr class="chosen">' in page
    assert "Use: <strong>" in page
    assert " × " not in page  # findings of metrics are no votes
    guessing = render(replace(judged, verdict=replace(judged.verdict, predicts=())))
    assert '<tr class="chosen">' not in guessing
    assert "Use: <strong>" not in guessing


def test_says_why_there_is_no_verdict(pages):
    for case in ("plain", "one class"):
        assert "No verdict: it was not asked for." in pages[case]


def test_says_what_the_diagnosis_says(diagnosis, pages):
    text = " ".join(" ".join(Outline(pages["plain"]).text).split())
    assert diagnosis.recommendation.summary in text
    assert diagnosis.fingerprint in text
    for part in (
        *diagnosis.recommendation.models,
        *diagnosis.recommendation.reasons,
        *diagnosis.conventions,
    ):
        assert part in text
    for model in diagnosis.recommendation.models:
        assert f"{model} {resolve(model)[0].summary}" in text
    for finding in diagnosis.findings:
        assert finding.title in text
        assert finding.text in text
    for note in diagnosis.account:
        assert note.what in text
        assert note.cure in text
    for row in diagnosis.profile.rows:
        assert row.metric.citation in text
        assert row.metric.cost in text
    assert "before any training" in text


def test_findings_carry_a_word_and_not_colour_alone(diagnosis):
    kinds = ("good", "bad", "note")
    findings = tuple(Finding(kind, kind, f"Title {kind}", "Text", {"p_value": 0.5}) for kind in kinds)  # type: ignore[arg-type]
    text = " ".join(" ".join(Outline(render(replace(diagnosis, findings=findings))).text).split())
    for word, kind in (("Helps", "good"), ("Hurts", "bad"), ("Note", "note")):
        assert f"{word} Title {kind} Text p-value 0.500" in text


def test_a_difference_has_the_unit_of_its_sentence(diagnoses):
    verdict = diagnoses["judged"].verdict
    finding = Finding("structure-ahead", "good", "Gains 10.4 points.", "Text", {"difference": 0.104})
    text = Outline(render(replace(diagnoses["judged"], findings=(finding,)))).text
    assert "10.4 points" in [part.strip() for part in text]
    nothing = Finding("structure-even", "note", "Even.", "Text", {"difference": -0.0001})
    text = Outline(render(replace(diagnoses["judged"], findings=(nothing,)))).text
    assert "0.0 points" in [part.strip() for part in text]
    errors = replace(verdict, comparison=replace(verdict.comparison, score="r2"))
    text = Outline(render(replace(diagnoses["judged"], findings=(finding,), verdict=errors))).text
    assert "0.104" in [part.strip() for part in text]


def test_two_findings_of_one_code_keep_their_own_numbers(diagnosis):
    findings = tuple(Finding("same", "note", f"{k}", "", {"smallest": float(k)}) for k in (1, 2))
    text = " ".join(" ".join(Outline(render(replace(diagnosis, findings=findings))).text).split())
    assert "smallest 1" in text
    assert "smallest 2" in text


def test_undefined_values_say_why(diagnoses, pages):
    page = pages["one class"]
    reasons = [row.reason for row in diagnoses["one class"].profile.rows if row.reason]
    assert reasons
    assert all(f"Undefined here: {reason}" in page for reason in reasons)


def test_absent_labels_and_features_are_said(pages):
    assert "carries no labels and no features" in pages["nothing"]
    assert "carries no" not in pages["plain"]


def test_hostile_words_stay_words(diagnosis):
    evil = "<script>alert('&')</script>"
    account = Account()
    account.add("evil", 1, evil, evil)
    finding = Finding("evil", "note", evil, evil, {evil: 1.0})
    facts = replace(diagnosis.facts, class_names=(evil, evil, evil))
    hostile = replace(
        diagnosis, name=evil, source=evil, fingerprint=evil, account=account, findings=(finding,), facts=facts
    )
    outline = Outline(render(hostile))
    assert "script" not in outline.tags
    assert outline.headings[0] == (1, evil)


def test_the_same_diagnosis_gives_the_same_page(diagnosis, pages):
    assert render(diagnosis) == pages["plain"]


def test_command_for_a_named_dataset_only(diagnosis, pages):
    assert "allpass diagnose karate --json" in render(replace(diagnosis, name="karate", source="embedded"))
    assert "allpass diagnose" not in render(replace(diagnosis, name="karate", source="NetworkX"))
    assert "allpass diagnose" not in pages["plain"]


def test_write(diagnosis, tmp_path: Path):
    path = write_page(replace(diagnosis, name="half a sign: \ud83d"), tmp_path / "page.html")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [path]


def test_write_into_no_folder(diagnosis, tmp_path: Path):
    with pytest.raises(InputError, match="does not exist"):
        write_page(diagnosis, tmp_path / "no" / "page.html")


def test_says_what_each_column_was_taken_for(diagnosis, pages):
    roles = (Role("<b>age</b>", "number", "numbers", 1), Role("weight", "weight", "weights", table="edges"))
    page = render(replace(diagnosis, roles=roles))
    outline = Outline(page)
    assert (3, "What each column was taken for") in outline.headings
    assert "b" not in outline.tags
    text = " ".join(" ".join(outline.text).split())
    assert "<b>age</b> number 1 numbers" in text
    assert "weight (edges) weight 0 weights" in text
    assert "What each column" not in pages["plain"]
