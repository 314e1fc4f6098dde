"""A snapshot: where everything is at one instant, copied out of the run so that the page can draw it while the run goes on."""

from __future__ import annotations

import time as wall
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.wind import WindSpec, wind_speed
from didymos.cockpit.forces import PartForces
from didymos.cockpit.pull import Pulled
from didymos.cockpit.robots import bodies_of, named, own_bodies
from didymos.engine.cameras import View
from didymos.engine.robot_run import RobotRun
from didymos.engine.simulation import Simulation
from didymos.spec import record_type

__all__ = ["RANGES", "Acting", "Snapshot", "SnapshotTaker"]

RANGES = {"lidar": "ranges", "rangefinder": "range"}
"""Kinds of sensors whose rays are drawn, and the quantity of theirs that says how far."""

MOST_CONTACTS = 64  # for each robot
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Acting:
    """What acts on a robot."""

    forces: dict[str, Array]  # by kind, from where [m] and how much [N], shape [n, 2, 3]: thrust, lift, drag, contacts, pushes
    wind: Array  # [m/s] at the root link, shape [3]
    com: Array  # [m] the centre of mass of the whole robot, shape [3]


@dataclass(frozen=True)
class Snapshot:
    """Poses of all bodies, world frame, and what acts on robots; `taken` is wall time [s].

    Robots go by their names, a twin alone by none; names of sensors have their robot's in front.
    """

    taken: float
    tick: int
    time: float  # [s]
    positions: Array  # [m], shape [bodies, 3]
    quaternions: Array  # w first, shape [bodies, 4]
    robots: dict[str, Acting]
    ranges: dict[str, Array]  # [m] of each lidar and range finder, as the robot knows them
    views: dict[str, View]  # of each camera that is switched on
    pulled: Pulled | None = None


class SnapshotTaker:
    """Takes snapshots of a run without touching its state: poses are computed on data of its own."""

    def __init__(self, simulation: Simulation) -> None:
        model = simulation.model
        self._shown = mujoco.MjData(model)
        self._forces = {name: PartForces(robot) for name, robot in simulation.robots.items()}
        self._wind = np.zeros(1, dtype=record_type(WindSpec))
        self._ranges = {
            (name, sensor): RANGES[spec.kind]
            for name, robot in simulation.robots.items()
            for sensor, spec in robot.twin.file.sensors.items()
            if spec.kind in RANGES
        }
        self._roots = {name: robot.links.root_body(model) for name, robot in simulation.robots.items()}
        self._bodies = {name: own_bodies(robot, simulation) for name, robot in simulation.robots.items()}
        self._owners = {
            body: name for name, robot in simulation.robots.items() if name for body in bodies_of(robot, simulation)
        }  # of a twin alone: nobody else is there

    def take(self, simulation: Simulation, pulled: Pulled | None = None) -> Snapshot:
        """The state that the next tick begins with, and what is pulled by hand."""
        model, data, shown = simulation.model, simulation.data, self._shown
        shown.qpos[:] = data.qpos
        shown.mocap_pos[:], shown.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, shown)
        mujoco.mj_comPos(model, shown)
        contacts, ground = self._contacts(simulation), self._read_wind(simulation)
        return Snapshot(
            taken=wall.perf_counter(),
            tick=simulation.tick,
            time=simulation.time,
            positions=shown.xpos.copy(),
            quaternions=shown.xquat.copy(),
            robots={
                name: Acting(
                    self._forces[name].now(shown, data) | {
                        "contacts": np.array(contacts[name]).reshape(-1, 2, 3),
                        "pushes": _pushes(robot, model, shown),
                    },
                    self._wind_at(float(shown.xpos[self._roots[name]][2]) - ground),
                    _centre(model, shown, self._bodies[name]),
                )
                for name, robot in simulation.robots.items()
            },
            ranges={
                named(name, sensor): simulation.robots[name].reading(sensor, quantity).copy()
                for (name, sensor), quantity in self._ranges.items()
            },
            views={name: replace(view) for name, view in simulation.views.items()},  # the pictures themselves never change
            pulled=pulled,
        )  # fmt: skip

    def _read_wind(self, simulation: Simulation) -> float:
        """Take over the wind as it is now; the height of the ground [m]."""
        for name in self._wind.dtype.names or ():
            self._wind[name] = simulation.get(f"world.wind.{name}")
        ground = next(iter(simulation.robots.values())).twin.file.world.ground
        return 0.0 if ground is None else ground.height

    def _wind_at(self, height: float) -> Array:
        wind = self._wind[0]
        speed = wind_speed(height, wind)
        return np.array([speed * np.cos(wind["direction"]), speed * np.sin(wind["direction"]), wind["up"]])

    def _contacts(self, simulation: Simulation) -> dict[str, list[tuple[Array, Array]]]:
        """Point and force on the second body of each contact, world frame, by the robot that it acts on."""
        model, data = simulation.model, simulation.data
        found: dict[str, list[tuple[Array, Array]]] = {name: [] for name in simulation.robots}
        first, wrench = next(iter(found)), np.zeros(6)
        for i in range(min(data.ncon, MOST_CONTACTS * len(found))):
            mujoco.mj_contactForce(model, data, i, wrench)
            contact = data.contact[i]
            one, other = (self._owners.get(int(model.geom_bodyid[geom])) for geom in contact.geom)
            force = contact.frame.reshape(3, 3).T @ wrench[:3]
            found[other or one or first].append((contact.pos.copy(), force))
        return found


def _centre(model: mujoco.MjModel, shown: mujoco.MjData, bodies: list[int]) -> Array:
    """The centre of mass of bodies [m], shape [3]; of such that weigh nothing, the world's origin."""
    masses = model.body_mass[bodies]
    found: Array = masses @ shown.xipos[bodies] / max(float(masses.sum()), 1e-300)
    return found


def _pushes(robot: RobotRun, model: mujoco.MjModel, shown: mujoco.MjData) -> Array:
    """Centre of mass and force of every link that is pushed, world frame."""
    found = []
    for link, force in robot.pushes.items():
        body = robot.links.body(model, link)
        point = shown.xpos[body] + shown.xmat[body].reshape(3, 3) @ robot.built.assembly.inertias.com(link)
        found.append((point, force))
    return np.array(found).reshape(-1, 2, 3)
