"""The colours and letters of outcomes, for people who see few colours."""

import re
from itertools import combinations, product

import numpy as np
import pytest

from code_tasks.reports.html_parts import LABELS, LETTERS, results_css

PALETTE = dict(re.findall(r"--ce-(\w+): (#\w+);", results_css()))
# Machado, Oliveira and Fernandes 2009, for people without one kind of cones. They apply to linear RGB.
VISIONS = {
    "all cones": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
LUMINANCE = np.array([0.2126729, 0.7151522, 0.072175])
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], LUMINANCE, [0.0193339, 0.119192, 0.9503041]])
WHITE = TO_XYZ.sum(axis=1)
# In CIELAB. Colours next to each other are told apart from 2 on, and at a glance from 10 on.
MIN_DIFFERENCE = 15


def linear(color):
    """Return a colour's linear RGB, each from 0 to 1."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    values = np.frombuffer(bytes.fromhex(digits), np.uint8) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return CIELAB of linear RGB."""
    ratios = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    x, y, z = np.where(ratios > 216 / 24389, np.cbrt(ratios), (24389 / 27 * ratios + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_each_outcome_has_its_letter():
    """Each outcome and state has a letter of its own."""
    assert LETTERS.keys() == LABELS.keys()
    assert len(set(LETTERS.values())) == len(LETTERS)


@pytest.mark.parametrize("outcome", LABELS)
def test_text_on_colour_is_legible(outcome):
    """Black text on an outcome's colour has a contrast of at least 4.5."""
    assert (LUMINANCE @ linear(PALETTE[outcome]) + 0.05) / 0.05 >= 4.5


@pytest.mark.parametrize(("vision", "pair"), list(product(VISIONS, combinations(LABELS, 2))))
def test_colours_differ(vision, pair):
    """Two outcomes have colours that differ for people with all cones, and for those without one kind."""
    first, second = (lab(np.array(VISIONS[vision]) @ linear(PALETTE[outcome])) for outcome in pair)
    assert np.linalg.norm(first - second) >= MIN_DIFFERENCE
