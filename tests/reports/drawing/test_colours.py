"""Colours that stand beside each other differ in grey and for the colour-blind."""

import itertools

import numpy as np
import pytest

from linerate.reports.drawing.colours import (
    AMOUNTS,
    CONDITIONS,
    GREY,
    INK,
    PATHS,
    SURE,
    amounts,
    path_colours,
)

LIGHTNESS_MIN = 10.0
"""Of 100: about the least step that a print in grey keeps."""
DISTANCE_MIN = 11.0
"""CIE 1976; about 2 can be told side by side."""
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
WHITE = np.array([0.95047, 1.0, 1.08883])
BLIND = {
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
}  # fmt: skip
"""Machado, Oliveira and Fernandes (2009), full severity, on linear RGB."""
TOGETHER = {
    "hooks": [PATHS[name] for name in ("xdp_native", "xdp_generic", "af_xdp", "tc")],
    "functions of chains": [PATHS[name] for name in ("raw_socket", "af_xdp", "tc")],
    "amounts": list(AMOUNTS),
    "conditions": list(CONDITIONS),
    "probability": list(SURE),
}


def linear(colour):
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    parts = TO_XYZ @ np.clip(rgb, 0.0, 1.0) / WHITE
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("colours", TOGETHER.values(), ids=TOGETHER)
def test_colours_used_together_differ_in_grey(colours):
    for one, other in itertools.combinations(colours, 2):
        assert abs(lab(linear(one))[0] - lab(linear(other))[0]) >= LIGHTNESS_MIN, (one, other)


@pytest.mark.parametrize("matrix", BLIND.values(), ids=BLIND)
@pytest.mark.parametrize("colours", TOGETHER.values(), ids=TOGETHER)
def test_colours_used_together_differ_for_the_colour_blind(colours, matrix):
    seen = [lab(np.array(matrix) @ linear(colour)) for colour in colours]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) >= DISTANCE_MIN


def test_every_colour_has_one_meaning():
    every = [*PATHS.values(), *AMOUNTS, *CONDITIONS, GREY, INK, SURE[1]]
    for one, other in itertools.combinations(every, 2):
        assert np.linalg.norm(lab(linear(one)) - lab(linear(other))) >= DISTANCE_MIN, (one, other)


def test_more_is_darker():
    shades = [lab(linear(colour))[0] for colour in amounts(6)]
    assert shades == sorted(shades, reverse=True)
    assert min(-np.diff(shades)) > LIGHTNESS_MIN


def test_a_path_keeps_its_colour_whatever_stands_beside_it():
    assert path_colours(["xdp_generic"]) == path_colours(["xdp_native", "xdp_generic"])[1:]
    programs = path_colours(["xdp_native", "xdp_native", "other"])
    assert len(set(programs)) == 3
