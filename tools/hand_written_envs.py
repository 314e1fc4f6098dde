"""Gymnasium environments of the quadcopter and of Meldog as one writes them by hand around MuJoCo, to measure ours against.

They step what MuJoCo makes of the robot's description and a plane, with the step and integrator of the twin, and do in numpy,
once per physics step, what MuJoCo has no element for and the robot has: the quadcopter's engines, drag and wind, the loop, delay
and friction of Meldog's drives. Sensors get noise and masses are drawn per episode. Simpler than the twins: gusts are one lag of
first order, gears have no ripple, biases do not wander.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import mujoco
import numpy as np
from gymnasium.spaces import Box

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin

__all__ = ["HAND_WRITTEN"]


def _described(twin: Twin) -> mujoco.MjModel:
    """The description and a plane, as MuJoCo compiles them."""
    spec, world = twin.description.as_read.spec.copy(), twin.file.world
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], solref=[world.contact_time, 1])
    rk4, fast = mujoco.mjtIntegrator.mjINT_RK4, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep, spec.option.integrator = world.step, rk4 if world.integrator == "rk4" else fast
    return spec.compile()


class _ByHand(gymnasium.Env[np.ndarray, np.ndarray]):
    """What both have in common."""

    actions, observed = 4, 12

    def __init__(self, twin: Twin, steps: int, task: TaskSpec) -> None:
        self.model = _described(twin)
        self.data = mujoco.MjData(self.model)
        self.steps, self.longest = steps, round(task.seconds * task.rate)
        self.masses = self.model.body_mass.copy()
        self.observation_space = Box(-np.inf, np.inf, (self.observed,), np.float32)
        self.action_space = Box(-1.0, 1.0, (self.actions,), np.float32)
        self.passed = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        self.model.body_mass[:] = self.masses * self.np_random.uniform(0.95, 1.05)
        self.place()
        mujoco.mj_forward(self.model, self.data)
        self.passed = 0
        return self.observe(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        inputs = np.clip(action, -1.0, 1.0)
        for _ in range(self.steps):
            self.act(inputs)
            mujoco.mj_step(self.model, self.data)
        self.passed += 1
        reward, ended = self.judge(inputs)
        return self.observe(), reward, ended, self.passed >= self.longest, {}

    def place(self) -> None:
        raise NotImplementedError

    def act(self, inputs: np.ndarray) -> None:
        raise NotImplementedError

    def observe(self) -> np.ndarray:
        raise NotImplementedError

    def judge(self, inputs: np.ndarray) -> tuple[float, bool]:
        raise NotImplementedError


class Quadcopter(_ByHand):
    """Four generic engines, drag, a wind with gusts; hold a place at 10 m."""

    arms = np.array([[0.08, -0.08, 0.0], [-0.08, -0.08, 0.0], [-0.08, 0.08, 0.0], [0.08, 0.08, 0.0]])
    spin = np.array([-1.0, 1.0, -1.0, 1.0])
    areas = np.array([0.0085, 0.0085, 0.037])

    def place(self) -> None:
        self.data.qpos[:3] = self.np_random.uniform([-1, -1, 9], [1, 1, 11])
        self.wind, self.gust = np.array([2.5, 1.7, 0.0]), np.zeros(3)

    def act(self, inputs: np.ndarray) -> None:
        data = self.data
        self.gust += 0.0025 / 2.0 * -self.gust + 0.06 * self.np_random.standard_normal(3)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, data.qpos[3:7])
        turn = turn.reshape(3, 3)
        air = turn.T @ (data.qvel[:3] - self.wind - self.gust)
        exit_speed = 80.0 * (0.468 + 0.15 * inputs)
        thrust = 0.5 * 1.225 * 0.017 * 0.17 * (exit_speed**2 - np.maximum(air[2], 0.0) ** 2)
        drag = -0.5 * 1.225 * self.areas * np.abs(air) * air
        force = drag + np.array([0.0, 0.0, thrust.sum()])
        torque = np.cross(self.arms, thrust[:, None] * np.array([0.0, 0.0, 1.0])).sum(axis=0)
        torque[2] -= (self.spin * 0.00002 * exit_speed**2).sum()
        data.qfrc_applied[:3], data.qfrc_applied[3:6] = turn @ force, torque

    def observe(self) -> np.ndarray:
        q = self.data.qpos[3:7]
        w, x, y, z = q
        roll, pitch = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), np.arcsin(np.clip(2 * (w * y - z * x), -1, 1))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        gyro = self.data.qvel[3:6] + 0.002 * self.np_random.standard_normal(3)
        place = self.data.qpos[:3] - np.array([0.0, 0.0, 10.0])
        return np.concatenate([place, 0.5 * self.data.qvel[:3], [2 * roll, 2 * pitch, 2 * yaw], 0.2 * gyro]).astype(np.float32)

    def judge(self, inputs: np.ndarray) -> tuple[float, bool]:
        away = float(np.linalg.norm(self.data.qpos[:3] - np.array([0.0, 0.0, 10.0])))
        reward = 1.0 - 0.5 * away - 0.05 * np.linalg.norm(self.data.qvel[:3]) - 0.02 * np.linalg.norm(inputs)
        return float(reward), away > 4.0


class Meldog(_ByHand):
    """Twelve drives with their loop, delay and friction; stand and trot."""

    actions, observed = 12, 20
    standing = np.tile([0.0, -0.69, 1.38], 4)

    def place(self) -> None:
        self.data.qpos[:3] = [0.0, 0.0, -0.13]
        self.data.qpos[7:19] = self.standing
        self.commands = np.tile(self.standing, (6, 1))

    def act(self, inputs: np.ndarray) -> None:
        q, v = self.data.qpos[7:19], self.data.qvel[6:18]
        self.commands = np.roll(self.commands, 1, axis=0)
        self.commands[0] = self.standing + 0.4 * inputs
        effort = 70.0 * (self.commands[-1] - q) - 1.5 * v
        effort = np.clip(effort, -34.9, 34.9)
        room = np.clip((18.9 - np.abs(v)) / 3.8, 0.0, 1.0)
        effort = np.where(effort * v > 0.0, effort * room, effort)
        friction = (0.65 + 0.12 * np.exp(-np.abs(v) / 0.19)) * np.tanh(v / 0.05)
        self.data.qfrc_applied[6:18] = effort - friction

    def observe(self) -> np.ndarray:
        data, noise, time = self.data, self.np_random.standard_normal, self.data.time
        gyro, accel = data.qvel[3:6] + 0.003 * noise(3), data.qacc[:3] + np.array([0.0, 0.0, 9.81]) + 0.03 * noise(3)
        clock = [np.sin(12.566 * time), np.cos(12.566 * time)]
        return np.concatenate([clock, gyro, 0.1 * accel, data.qpos[7:19] + 1e-4 * noise(12)]).astype(np.float32)

    def judge(self, inputs: np.ndarray) -> tuple[float, bool]:
        forward = 1.0 - 2.0 * abs(self.data.qvel[0] - 0.3) - 0.5 * abs(self.data.qvel[1]) - 0.5 * abs(self.data.qpos[1])
        _, x, y, _ = self.data.qpos[3:7]
        return float(forward), bool(2.0 * np.arcsin(min(1.0, float(np.hypot(x, y)))) > 0.7 or self.data.qpos[2] < -0.3)


HAND_WRITTEN = {"quadcopter": Quadcopter, "meldog": Meldog}
