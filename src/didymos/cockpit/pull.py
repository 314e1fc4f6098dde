"""A pull: a spring and a damper between a point of a link that somebody grabbed and where the pointer is.

    F = k (x_pointer - x_point) - c v_point,    |F| <= 5 weights of the robot,    m = (x_point - x_com) x F

k is such that a pull as long as the robot is large has its weight, for any robot; no more than k = m_p (10 rad/s)^2, since the
force changes only some times a second. m_p is the mass that is felt at the point, 3 / tr(J M^-1 J^T), as the engine's viewer
has it, and c = 1.4 sqrt(k m_p). A link that is light beside its robot (a propeller, a finger) is not pulled itself, but what
it is mounted on.

Every look is an intervention (`push`, with its moment), so a recording repeats the pull to the byte. Looks are counted in the
twin's time: how fast it runs changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.robot_run import RobotRun
from didymos.engine.simulation import Simulation

__all__ = ["PERIOD", "Pull", "Pulled"]

PERIOD = 1.0 / 60.0  # [s] of the twin's time between two looks
FASTEST = 10.0  # [rad/s] of the spring with the mass at the point
DAMPING = 1.4  # of the critical one twice
STRONGEST = 5.0  # weights of the robot
LIGHT = 0.02  # of the robot's mass: what is lighter is not pulled itself
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pulled:
    """A pull at one instant, world frame: the point that is held and the pointer [m], the force [N]; shape [3] each."""

    robot: str
    point: Array
    pointer: Array
    force: Array


class Pull:
    """Holds a point of a robot's link. `pointer` is where it is pulled to, world frame [m].

    Args:
        simulation, robot, link: what is pulled.
        point: what was grabbed, world frame [m], shape [3].
        stiffness: [N/m] that suits the robot.
        weight: of the robot [N].
    """

    def __init__(
        self, simulation: Simulation, robot: RobotRun, link: str, point: Array, stiffness: float, weight: float
    ) -> None:
        self._simulation, self._data = simulation, mujoco.MjData(simulation.model)
        self.robot, self.pointer = robot, np.array(point)
        self._next, self._every = simulation.tick, max(1, round(PERIOD / simulation.period))
        self._look()
        self.link, mass = self._mounted(link, point, weight)
        self._body = robot.links.body(simulation.model, self.link)
        turn = self._data.xmat[self._body].reshape(3, 3)
        self._point = turn.T @ (np.asarray(point) - self._data.xpos[self._body])
        self._strongest = STRONGEST * weight
        self._stiffness = min(stiffness, mass * FASTEST**2)
        self._damping = DAMPING * float(np.sqrt(self._stiffness * mass))
        self.pulled = Pulled(robot.name, np.array(point), np.array(point), np.zeros(3))

    def _look(self) -> None:
        """Bring the data that forces are reckoned with up to the run."""
        model, data, own = self._simulation.model, self._simulation.data, self._data
        own.qpos[:], own.qvel[:] = data.qpos, data.qvel
        own.mocap_pos[:], own.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, own)
        mujoco.mj_comPos(model, own)

    def _mounted(self, link: str, point: Array, weight: float) -> tuple[str, float]:
        """The link to pull at for one that was grabbed, and the mass that is felt at the point [kg]."""
        model, links = self._simulation.model, self.robot.links
        mujoco.mj_makeM(model, self._data)
        mujoco.mj_factorM(model, self._data)
        body = links.body(model, link)
        mass = self._mass_at(body, point)
        while mass < LIGHT * weight / 9.81:
            body = int(model.body_parentid[body])
            above = links.bodies.get(model.body(body).name)
            if not above:
                break
            link, mass = above[0], self._mass_at(body, point)
        return link, mass

    def _mass_at(self, body: int, point: Array) -> float:
        """The mass that is felt at a point of a body [kg]; of one that cannot move, that of nothing."""
        model = self._simulation.model
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, self._data, jacobian, None, np.asarray(point, dtype=np.float64), body)
        solved = np.zeros_like(jacobian)
        mujoco.mj_solveM(model, self._data, solved, jacobian)
        mobility = float(np.sum(jacobian * solved))
        return 3.0 / mobility if mobility > 1e-12 else 0.0

    def due(self, tick: int) -> bool:
        """Whether it is time for a look."""
        return tick >= self._next

    @property
    def next_look(self) -> int:
        """The tick of the next look."""
        return self._next

    def act(self, tick: int) -> tuple[float, ...]:
        """Look at the run: force [N] and moment [N m] at the link's centre of mass until the next look, world frame."""
        self._next = tick + self._every
        self._look()
        model, data = self._simulation.model, self._data
        turn = data.xmat[self._body].reshape(3, 3)
        point = data.xpos[self._body] + turn @ self._point
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, point, self._body)
        force = self._stiffness * (self.pointer - point) - self._damping * (jacobian @ data.qvel)
        size = float(np.linalg.norm(force))
        force *= min(1.0, self._strongest / size) if size > 0.0 else 0.0
        com = data.xpos[self._body] + turn @ self.robot.built.assembly.inertias.com(self.link)
        self.pulled = Pulled(self.robot.name, point, self.pointer.copy(), force)
        return tuple(map(float, (*force, *np.cross(point - com, force))))
