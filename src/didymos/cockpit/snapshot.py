"""A snapshot: where everything is at one instant, copied out of the run so that the page can draw it while the run goes on."""

from __future__ import annotations

import time as wall
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.wind import WindSpec, wind_speed
from didymos.cockpit.forces import PartForces
from didymos.engine.cameras import View
from didymos.engine.simulation import Simulation
from didymos.spec import record_type

__all__ = ["RANGES", "Snapshot", "SnapshotTaker"]

RANGES = {"lidar": "ranges", "rangefinder": "range"}
"""Kinds of sensors whose rays are drawn, and the quantity of theirs that says how far."""

MOST_CONTACTS = 64
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Snapshot:
    """Poses of all bodies, world frame, and what acts on them; `taken` is wall time [s]."""

    taken: float
    tick: int
    time: float  # [s]
    positions: Array  # [m], shape [bodies, 3]
    quaternions: Array  # w first, shape [bodies, 4]
    forces: dict[str, Array]  # by kind, from where [m] and how much [N], shape [n, 2, 3]: thrust, lift, drag, contacts, pushes
    wind: Array  # [m/s] at the root link, shape [3]
    ranges: dict[str, Array]  # [m] of each lidar and range finder, as the robot knows them
    views: dict[str, View]  # of each camera that is switched on


class SnapshotTaker:
    """Takes snapshots of a run without touching its state: poses are computed on data of its own."""

    def __init__(self, simulation: Simulation) -> None:
        self._shown = mujoco.MjData(simulation.model)
        self._forces = PartForces(simulation)
        self._wind = np.zeros(1, dtype=record_type(WindSpec))
        sensors = simulation.twin.file.sensors
        self._ranges = {name: RANGES[sensor.kind] for name, sensor in sensors.items() if sensor.kind in RANGES}
        self._root = simulation.links.root_body(simulation.model)

    def take(self, simulation: Simulation) -> Snapshot:
        """The state that the next tick begins with."""
        model, data, shown = simulation.model, simulation.data, self._shown
        shown.qpos[:] = data.qpos
        shown.mocap_pos[:], shown.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, shown)
        mujoco.mj_comPos(model, shown)
        return Snapshot(
            taken=wall.perf_counter(),
            tick=simulation.tick,
            time=simulation.time,
            positions=shown.xpos.copy(),
            quaternions=shown.xquat.copy(),
            forces=self._forces.now(shown, data) | {
                "contacts": _contacts(model, data),
                "pushes": _pushes(simulation, shown),
            },
            wind=self._wind_at(simulation, shown.xpos[self._root]),
            ranges={name: simulation.reading(name, quantity).copy() for name, quantity in self._ranges.items()},
            views={name: replace(view) for name, view in simulation.views.items()},  # the pictures themselves never change
        )

    def _wind_at(self, simulation: Simulation, position: Array) -> Array:
        for name in self._wind.dtype.names or ():
            self._wind[name] = simulation.get(f"world.wind.{name}")
        wind = self._wind[0]
        ground = simulation.twin.file.world.ground
        speed = wind_speed(float(position[2]) - (0.0 if ground is None else ground.height), wind)
        return np.array([speed * np.cos(wind["direction"]), speed * np.sin(wind["direction"]), wind["up"]])


def _pushes(simulation: Simulation, shown: mujoco.MjData) -> Array:
    """Centre of mass and force of every link that is pushed, world frame."""
    found = []
    for link, force in simulation.pushes.items():
        body = simulation.links.body(simulation.model, link)
        point = shown.xpos[body] + shown.xmat[body].reshape(3, 3) @ simulation.inertias.com(link)
        found.append((point, force))
    return np.array(found).reshape(-1, 2, 3)


def _contacts(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """Point and force on the second body of each contact, world frame."""
    arrows = []
    wrench = np.zeros(6)
    for i in range(min(data.ncon, MOST_CONTACTS)):
        mujoco.mj_contactForce(model, data, i, wrench)
        contact = data.contact[i]
        arrows.append((contact.pos.copy(), contact.frame.reshape(3, 3).T @ wrench[:3]))
    return np.array(arrows).reshape(-1, 2, 3)
