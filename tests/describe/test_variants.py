"""Variants: overlays of a twin file, alone and over each other."""

from __future__ import annotations

from typing import Any

import pytest

import didymos
from didymos import InputError

VARIANTS = {
    "heavy": {"title": "On a heavy planet", "world": {"gravity": 20.0}},
    "still": {"world": {"wind": None}},
    "other": {"sensors": {"state": {"kind": "imu", "link": "body", "rate": 50}}},
    "wrong": {"world": {"gravitty": 1.0}},
}


@pytest.fixture(scope="module")
def folder(make_twin: Any) -> Any:
    sensors = {"state": {"kind": "odometry", "link": "body", "rate": 100, "position": {"noise": 0.1}}}
    return make_twin(world={"gravity": 9.0, "wind": {"speed": 3.0}}, sensors=sensors, variants=VARIANTS).folder


def test_a_variant_replaces_what_it_names_and_leaves_the_rest(folder: Any) -> None:
    plain, heavy = didymos.load(folder), didymos.load(folder, variant="heavy")
    assert (plain.get("world.gravity"), heavy.get("world.gravity")) == (9.0, 20.0)
    assert heavy.get("world.wind.speed") == 3.0
    assert plain.variants["heavy"] == "On a heavy planet"
    assert (plain.variant, heavy.variant) == (None, "heavy")


def test_variants_are_laid_over_each_other_and_null_takes_away(folder: Any) -> None:
    both = didymos.load(folder, variant="heavy+still")
    assert (both.get("world.gravity"), both.get("world.wind.speed")) == (20.0, 0.0)


def test_another_kind_replaces_the_whole_record(folder: Any) -> None:
    assert didymos.load(folder, variant="other").file.sensors["state"].kind == "imu"


def test_an_unknown_variant_names_the_nearest(folder: Any) -> None:
    with pytest.raises(InputError, match="there is no variant 'hevy'"):
        didymos.load(folder, variant="hevy")


def test_a_mistake_in_a_variant_points_at_its_line(folder: Any) -> None:
    with pytest.raises(InputError, match="gravity") as caught:
        didymos.load(folder, variant="wrong")
    assert caught.value.line is not None
