"""Whatever is done to a description, it is read or refused: no other error, and no hang."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

WORDS = [
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1",
    "0",
    "",
    "abc",
    "1e-320",
    "1,0",
    "99999999999999999999",
    "1 2 3 4 5 6 7",
    "é",
]
SEEDS = {
    "a.urdf": """<robot name="arm">
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2.0"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0 0.1 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/>
    <dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="flange" type="fixed"><parent link="upper"/><child link="tool"/><mimic joint="shoulder"/></joint>
</robot>""",
    "a.sdf": """<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose>
  <link name="base"><inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision></link>
  <link name="arm"><pose relative_to="j">0 0 0.1 0 0 0</pose></link>
  <frame name="f" attached_to="base"><pose>0.1 0 0 0 0 0</pose></frame>
  <joint name="j" type="revolute"><pose relative_to="f">0 0 0 0 0 0.5</pose><parent>base</parent><child>arm</child>
    <axis><xyz expressed_in="f">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
  <model name="inner"><pose relative_to="arm"/><link name="tip"/></model>
  <joint name="k" type="fixed"><parent>arm</parent><child>inner::tip</child></joint>
</model></sdf>""",
    "a.xml": """<mujoco model="m"><size memory="1M" nuserdata="3"/>
  <asset><texture name="t" type="2d" builtin="checker" width="32" height="32"/>
    <material name="mat" texture="t"/></asset>
  <worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" material="mat"/>
    <body name="leg"><joint name="hip" axis="0 1 0" range="-1 1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/></body>
    <replicate count="3" euler="0 0 1"><site pos="0.3 0 0"/></replicate></body></worldbody>
  <actuator><position joint="hip" kp="10"/></actuator><keyframe><key qpos="0 0 1 1 0 0 0 0.1"/></keyframe>
</mujoco>""",
}


def mutated(text: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 3)):
        pattern = dice.choice([r"-?\d+\.?\d*", r'"[^"]*"', r"</?\w+", r"<\w+[^<>]*/>", r'\s\w+="[^"]*"', r"."])
        found = list(re.finditer(pattern, text, flags=re.DOTALL))
        if not found:
            continue
        here, there = dice.choice(found), dice.choice(found)
        new = dice.choice([there[0], here[0] * 2, "", dice.choice(WORDS)])
        text = text[: here.start()] + new + text[here.end() :]
    return text


@pytest.mark.parametrize("name", SEEDS)
def test_a_mutated_description_is_read_or_refused(name: str, tmp_path: Path) -> None:
    dice, read = random.Random(name), 0
    file = tmp_path / name
    for _ in range(300):
        file.write_text(mutated(SEEDS[name], dice))
        try:
            read_description(file)
            read += 1
        except InputError as error:
            message = str(error)
            if "\n" in message:
                pytest.fail(f"more than one line: {message}")
    assert 10 < read < 290
