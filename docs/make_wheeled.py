"""Fill the table of docs/wheeled.md and draw its picture: `python docs/make_wheeled.py PACKAGES`, a folder of unpacked packages.

    pip download --no-deps -d wheels example-robot-data pybullet manipulation      # never installed, never run
    unzip -d packages/pybullet wheels/pybullet-*.whl

Every base drives a circle and a square by its twist: set-points only. Odometry is held against the textbook's formulas for its kind,
on the recorded angles of its joints, and against where the base was.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import didymos
from didymos.control.wheel_finder import find_wheels
from didymos.control.wheeled import tightest_turns, wheel_damping
from didymos.control.wheel_kinematics import wheel_rows
from didymos.control.wheels import Kind, Wheels
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.plot import figure_file, new_figure, style

HERE = Path(__file__).parent
PAGE = HERE / "wheeled.md"
Array = NDArray[np.float64]

_MARK = "<!-- made by docs/make_wheeled.py -->"
_STEP = 0.002  # [s]
_ACCELERATION, _TURN_ACCELERATION = 1.0, 3.0  # of the program


@dataclass(frozen=True)
class Robot:
    """A description, and what it does not say itself."""

    name: str
    file: str
    speed: float
    turn: float
    kind: Kind | None = None
    note: str = ""


ROBOTS = (
    Robot("TIAGo", "robots/tiago_description/robots/tiago_no_hand.urdf", 0.3, 0.6, note="two wheels, four ball casters"),
    Robot("Husky", "pybullet_data/husky/husky.urdf", 0.4, 0.6, note="four wheels, skid steering"),
    Robot("MIT racecar", "pybullet_data/racecar/racecar.urdf", 0.4, 0.4, note="all wheels driven, front steered"),
    Robot("mecanum_base", "manipulation/models/mecanum/mecanum_base.urdf", 0.2, 0.6, note="36 rollers"),
    Robot("TIAGo Pro", "robots/tiago_pro_description/robots/tiago_pro.urdf", 0.3, 0.6, "mecanum", "no rollers: `kind` given, `contacts`"),
)
