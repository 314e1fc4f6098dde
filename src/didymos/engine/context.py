"""The loop context: all that the compiled loop touches, in typed tables that are fixed for a run.

Engine, timing, contacts, idle terms, wakes and couplings belong to the world; all else to one robot of it. A twin alone is a
world of one.

Arrays named after the engine's are views of its data. `state` is the plugin's state (see memory_layout.py); rows of tables hold
indices into it. All is read by name; nothing here is copied while a run goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.engine.contact_search import ContactSearch
from didymos.engine.couplings import CouplingTables
from didymos.engine.idle_terms import IdleTerms
from didymos.engine.moving import MovingTables
from didymos.sensors.reading import SensorTables

__all__ = [
    "ASKED", "COLUMN", "INPUT", "LIDAR", "READ", "STREAM", "TARGET", "WRITE", "EngineViews", "InputTables", "LidarTables",
    "LinkTables", "LoopContext", "ProgramTables", "RecordTables", "RobotView", "Source", "StimulusTables", "Target", "Timing",
    "WakeTables",
]  # fmt: skip

Floats = NDArray[np.float64]
Records = NDArray[Any]


class Target:
    """What a stimulus moves: a set-point, an input, a number of the part table, a push, or something that Python sets."""

    SETPOINT, INPUT, PARAMETER, PUSH, ELSEWHERE = 0, 1, 2, 3, 4


class Source:
    """Where a column of the record comes from."""

    STATE, QPOS, QVEL, XPOS, XQUAT, SENSORDATA, CTRL, ACTUATOR_FORCE, LINK_POSES = 0, 1, 2, 3, 4, 5, 6, 7, 8


TARGET = np.dtype([
    ("kind", np.int64), ("index", np.int64),
    ("first", np.int64), ("end", np.int64),  # rows of its table
    ("shown", np.int64),  # where in the state its value is kept for the record, or -1
])  # fmt: skip

INPUT = np.dtype([
    ("command", np.int64),  # where in the state the program's answer lies
    ("part", np.int64),  # where in the state the part reads it, or -1
    ("actuator", np.int64),  # of the description, or -1
    ("low", np.float64), ("high", np.float64),
])  # fmt: skip

LIDAR = np.dtype([
    ("sensor", np.int64), ("site", np.int64),
    ("link", np.int64),  # whose own shapes do not stop a ray
    ("ranges", np.int64),  # in the state
    ("rays", np.int64), ("first_ray", np.int64), ("nearest", np.float64), ("farthest", np.float64),
    ("scan_time", np.float64),  # [s] from the first ray to the last
])  # fmt: skip

READ = np.dtype([("source", np.int64), ("target", np.int64)])
"""A number to copy: from the state into a record of the program."""

ASKED = READ

WRITE = np.dtype([("source", np.int64), ("input", np.int64)])
"""A number of the program's answer, and the input that it is."""

STREAM = np.dtype([
    ("first_column", np.int64), ("columns", np.int64), ("first_cell", np.int64), ("first_stamp", np.int64),
    ("sensor", np.int64),  # whose readings it records, or -1
    ("stamp", np.int64),  # where in the state the time of such a reading lies
    ("rate", np.float64),
])  # fmt: skip

COLUMN = np.dtype([("source", np.int64), ("index", np.int64), ("factor", np.float64)])


class EngineViews(NamedTuple):
    """The engine's model and data, by address and as views."""

    model: int
    data: int
    state: Floats
    qpos: Floats
    qvel: Floats
    qacc: Floats
    ctrl: Floats
    sensordata: Floats
    xpos: Floats  # [3 bodies]
    xquat: Floats  # [4 bodies]
    actuator_force: Floats
    numeric: Floats


class Timing(NamedTuple):
    """Clock and limits of a run."""

    period: float  # [s] of a tick
    substeps: int
    rk4: bool
    boundary: float  # [m]
    ahead: float  # [s] from a state to the last one that a step of the integrator evaluates
    free_joints: NDArray[np.int64]  # addresses in qpos of free joints
    free_dofs: NDArray[np.int64]  # the same in qvel
    lowest: Floats  # [m] for each of them: a height below which its body has fallen through the ground, see falling.py
    loop: int  # in the state, see LOOP_STATE
    looked: int  # in the state: positions and velocities at which readings were last taken ahead
    clock: Records  # CLOCK [1]


class RobotView(NamedTuple):
    """What the loop knows of a robot as a whole."""

    table: int  # address of its part table
    own: int  # in the state, see ROBOT_STATE
    control_every: int  # ticks
    asked: NDArray[np.int64]  # [1], 0 where its program is not called


class WakeTables(NamedTuple):
    """Room for what rotors of all robots blow, written anew each tick; empty where the wake is off. See wakes.py."""

    jets: Records  # JET [n]
    rotors: Records  # ROTOR [m]


class LidarTables(NamedTuple):
    """Lidars and the shapes that stop their rays."""

    lidars: Records  # LIDAR [n]
    rays: Floats  # [rays, 3], unit vectors in the site's frame
    rays_world: Floats  # scratch of the same shape
    site_xpos: Floats
    site_xmat: Floats
    geom_type: NDArray[Any]
    geom_group: NDArray[Any]
    geom_link: NDArray[np.int64]  # number of the link, -1 for what is not of the robot
    geom_size: Floats
    geom_rbound: Floats
    geom_xpos: Floats
    geom_xmat: Floats


class StimulusTables(NamedTuple):
    """What moves set-points, inputs, parameters and pushes over time."""

    stimuli: Records  # STIMULUS [n]
    targets: Records  # TARGET [n]
    tables: Floats  # [rows, 2], of those that come from a file
    setpoints: int  # first in the state
    setpoint_count: int
    override: int  # in the state: what a pilot adds to the set-points, then to the inputs
    pushes: int  # in the state
    outputs: NDArray[np.int64]  # [n, 2]: outputs of parts that sensors report, and where their true values belong, in the state


class InputTables(NamedTuple):
    """From what a program answers to what parts and actuators get."""

    inputs: Records  # INPUT [n]
    offsets: Floats  # [n], what stimuli and the pilot add


class ProgramTables(NamedTuple):
    """A compiled program and its records."""

    function: int  # address, 0 where the program is asked in Python or there is none
    settings: int  # addresses
    gains: int
    memory: int
    measured: Floats
    setpoints: Floats
    commands: Floats
    reads: Records  # READ [n]
    asked: Records  # ASKED [n]
    writes: Records  # WRITE [n]


class LinkTables(NamedTuple):
    """Where links are on their bodies, for the stream of poses."""

    bodies: NDArray[np.int64]
    frames: Floats  # [links, 7]
    poses: Floats  # [7 links], filled when their stream is due
    stream: int


class RecordTables(NamedTuple):
    """Streams, their columns, and the rows since the last time they were taken."""

    streams: Records  # STREAM [n]
    columns: Records  # COLUMN [m]
    capacity: int  # rows
    cell_count: int  # of half the buffer
    stamp_count: int
    cells: Floats  # [2, cells]
    stamps: Floats  # [2, stamps]
    counts: NDArray[np.int64]  # [2, streams], rows written
    on: NDArray[np.int64]  # [1], 0 where nobody wants rows
    half: NDArray[np.int64]  # [1], the half of the buffer that is being filled


class LoopContext(NamedTuple):
    """A robot in a run as the compiled loop sees it."""

    engine: EngineViews
    timing: Timing
    robot: RobotView
    sensors: SensorTables
    lidars: LidarTables
    stimuli: StimulusTables
    inputs: InputTables
    program: ProgramTables
    contacts: ContactSearch
    idle: IdleTerms
    moving: MovingTables
    wakes: WakeTables
    couplings: CouplingTables
    links: LinkTables
    record: RecordTables
