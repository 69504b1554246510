from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from allpass.report.figures import mixing_matrix, smoothing_curves
from allpass.report.svg import inline_svg


def test_labelled_for_those_who_do_not_see_it(diagnosis):
    root = ET.fromstring(
        inline_svg(smoothing_curves(diagnosis.smoothing), "depth", "A <title>", "What & how")
    )
    assert root.attrib["role"] == "img"
    labels = {child.attrib["id"]: child.text for child in root if child.tag in ("title", "desc")}
    assert labels == {"depth-title": "A <title>", "depth-desc": "What & how"}
    assert root.attrib["aria-labelledby"].split() == ["depth-title", "depth-desc"]


def test_ids_are_its_own_and_every_reference_resolves(diagnosis):
    svg = inline_svg(mixing_matrix(diagnosis.mixing), "mixing", "", "")
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("mixing-") for name in ids)
    assert set(re.findall(r'(?:url\(#|href="#)([^")]*)', svg)) <= set(ids)


def test_colours_follow_the_theme_and_nothing_rules_the_page(diagnosis):
    svg = inline_svg(smoothing_curves(diagnosis.smoothing), "depth", "", "")
    assert "var(--high)" in svg
    assert not re.search(r"[:\s]#[0-9a-f]{6}", svg)
    for word in ("<style", "<metadata", "font-family", "DejaVu", "http"):
        assert word not in svg


def test_scales_with_its_place(diagnosis):
    root = ET.fromstring(inline_svg(smoothing_curves(diagnosis.smoothing), "depth", "", ""))
    assert "viewBox" in root.attrib
    assert not {"width", "height"} & set(root.attrib)
