"""Words of 0.1.0: whoever still uses one is told the new one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.errors import InputError, nearest
from didymos.record import Kind, Log, StreamLayout

SMALL = Path(__file__).parent / "describe" / "small_twin"


def test_a_word_that_was_renamed_is_called_by_its_new_name() -> None:
    assert nearest("world.grip", ("world.friction_scale", "world.step")) == ", it is now called 'world.friction_scale'"
    assert nearest("wanted.z", ()) == ", it is now called 'setpoints.z'"
    assert nearest("links.grip.mas", ("links.grip.mass",)) == ", did you mean 'links.grip.mass'?"  # a link of that name


def test_a_word_that_is_gone_says_what_took_its_place() -> None:
    found = nearest("parts.motor1.inflow_coefficient", ("parts.motor1.radius",))
    assert "thrust_coefficient, torque_coefficient and radius" in found
    assert "world.ground.height" in nearest("ground_height", ("ground_effect",))


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ("setpoints: {z: 1.0}", "wanted: {z: 1.0}", "it is now called 'setpoints'"),
        ("target: setpoints.roll", "target: wanted.roll", "it is now called 'setpoints.roll'"),
        ("time_constant: 0.05", "inflow_coefficient: 1.0e-4", "it is gone: the inflow of a rotor follows from"),
        ("time_constant: 0.05", "translational_lift: 1", "it is gone: the inflow of a rotor follows from"),
    ],
)
def test_a_twin_file_of_old_words_is_refused_with_the_new_ones(new: str, old: str, expected: str, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    shutil.copytree(SMALL, folder)
    file = folder / "twin.yaml"
    text = file.read_text(encoding="utf-8")
    assert new in text
    file.write_text(text.replace(new, old), encoding="utf-8")
    with pytest.raises(InputError, match=expected):
        didymos.load(folder)


def test_a_signal_of_an_old_name_is_not_found_but_its_new_name_is_said() -> None:
    log = Log([StreamLayout("setpoints", Kind.SCALARS, ("z",), ("m",))])
    log.append(0, np.zeros(1), np.zeros((1, 1)))
    with pytest.raises(InputError, match=r"no signal 'wanted\.z' in this log, it is now called 'setpoints\.z'"):
        log["wanted.z"]
