"""One command per joint, whatever drives it: the same impedance on a servo, a drive, a motor and the servos of an MJCF."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.contract import command, measurement, memory, setting
from didymos.control import CompiledController, Robot, program
from didymos.control.actuation import ACTUATION, JOINT_COMMAND, JOINT_GOAL, JOINT_STATE, Actuation, actuate, share_belts
from didymos.control.actuator import Actuator
from didymos.errors import InputError

INERTIA, LOAD = 0.2, 3.0  # [kg m^2], [N m] that presses on the joint
KP, KD, TARGET, FORWARD = 30.0, 3.0, 0.4, 1.2
MOTOR = '<actuator><general name="turn" joint="shoulder-pan.joint" {}/></actuator>'
MODEL = f"""<mujoco><worldbody><body name="base"><geom size=".1" mass="1"/><body name="arm">
  <joint name="shoulder-pan.joint" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia=".1 .1 {INERTIA}"/>
  </body></body></worldbody>{{}}</mujoco>"""
ON = {"link": "arm", "joint": "shoulder-pan.joint"}
DRIVEN: dict[str, tuple[str, dict[str, Any]]] = {
    "servo": ("", {"kind": "servo", "kp": 100.0, "kd": 5.0}),
    "servo without gains": ("", {"kind": "servo"}),
    "drive": ("", {"kind": "drive", "ratio": 6.0, "kp": 4.0, "kd": 0.2, "peak_torque": 50.0}),
    "joint_drive": ("", {"kind": "joint_drive", "direction": -1}),
    "motor": (MOTOR.format('gear="-7"'), {}),
    "position": (MOTOR.format('gear="2" gainprm="40" biasprm="0.3 -40 -2" biastype="affine"'), {}),
    "velocity": (MOTOR.format('gear="2" gainprm="1" biasprm="0 0 -1" biastype="affine"'), {}),
}


class Hold(CompiledController):
    """Holds a target with a spring and a damper."""

    rate = 1000.0
    joints = setting(count=4, layout=ACTUATION)
    read = measurement(count=4, layout=JOINT_STATE)
    beat = memory()
    told = command(count=4, layout=JOINT_COMMAND)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        state = measured.read[0]
        actuate(
            settings.joints[0], TARGET, 0.0, FORWARD, KP, KD, state.position, state.velocity, memory.beat, inputs.told[0]
        )

    def start(self, robot: Robot) -> None:
        chain = Actuation.of(robot)
        self.reads, self.writes = {"read": chain.reads}, {"told": chain.writes}
        chain.fill(self.settings["joints"])


def holding(make_twin: Any, kind: str, **keys: Any) -> Any:
    actuators, part = DRIVEN[kind]
    return make_twin(
        MODEL.format(actuators),
        world={"gravity": 0.0, "step": 0.001},
        sensors={"encoders": {"kind": "joints", "rate": 1000}},
        parts={"motor": ON | part} if part else {},
        **keys,
    )


@pytest.mark.parametrize("kind", DRIVEN)
def test_the_same_command_gives_the_same_motion_whatever_drives_the_joint(make_twin: Any, kind: str) -> None:
    """A damped oscillator under a load, half a period on its way and at rest, where kp (q* - q) + tau_ff = load."""
    simulation = holding(make_twin, kind).simulate(control=Hold())
    simulation.data.qfrc_applied[0] = -LOAD
    end = TARGET + (FORWARD - LOAD) / KP
    w, decay = math.sqrt(KP / INERTIA - (0.5 * KD / INERTIA) ** 2), 0.5 * KD / INERTIA
    simulation.step(seconds=0.1)
    exact = end * (1.0 - math.exp(-0.1 * decay) * (math.cos(0.1 * w) + decay / w * math.sin(0.1 * w)))
    # a step of 1 ms, one of the encoders and one of a drive's ramp: each moves the curve by at most its velocity, 2 rad/s
    assert simulation.data.qpos[0] == pytest.approx(exact, abs=3 * 2.0 * 0.001)
    simulation.step(seconds=2.0)
    assert simulation.data.qpos[0] == pytest.approx(end, abs=1e-6)


def test_a_robot_says_what_drives_its_joints(make_twin: Any) -> None:
    found = {kind: holding(make_twin, kind).simulate(control=Hold()).robot.actuators[0] for kind in DRIVEN}
    assert {actuator.joint for actuator in found.values()} == {"shoulder-pan.joint"}
    assert {kind: actuator.way for kind, actuator in found.items()} == {
        "servo": "impedance", "servo without gains": "impedance", "drive": "drive", "joint_drive": "affine", "motor": "affine",
        "position": "affine", "velocity": "affine",
    }  # fmt: skip
    assert found["servo"].inputs["stiffness_scale"] == "motor.stiffness_scale"
    assert found["position"].inputs == {"effort": "turn"}
    assert (found["position"].kp, found["position"].kd, found["motor"].gain) == (160.0, 8.0, -7.0)
    assert found["drive"].kp == pytest.approx(36.0 * 4.0 / (2.0 * math.pi))
    assert (found["servo"].effort, found["servo"].lower) == (math.inf, -math.inf)


def test_limits_are_the_least_of_the_actuators_and_the_joints(make_twin: Any) -> None:
    robot = """<robot name="arm"><link name="base"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="slide" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
      <limit lower="-0.1" upper="0.4" effort="5" velocity="2"/><dynamics damping="0.7" friction="0.2"/></joint></robot>"""
    limits = {"effort_limit": 9, "velocity_limit": 1, "friction": 0.1, "viscous": 1}
    servo = {"kind": "servo", "link": "arm", "joint": "slide"} | limits
    (actuator,) = make_twin(robot, parts={"servo": servo}).simulate().robot.actuators
    assert (actuator.effort, actuator.velocity, actuator.lower, actuator.upper) == (5.0, 1.0, -0.1, 0.4)
    assert actuator.prismatic
    assert (actuator.friction, actuator.viscous) == (pytest.approx(0.3), pytest.approx(1.7))


def asked(way: str, **numbers: float) -> np.void:
    chain = Actuation((Actuator("j", "a", "part", way, **numbers),), ())  # type: ignore[arg-type]
    rows = np.zeros(1, dtype=ACTUATION)
    chain.fill(rows)
    made = np.zeros(1, dtype=JOINT_COMMAND)
    actuate(rows[0], 0.5, 0.2, 3.0, 40.0, 8.0, 0.1, -0.3, 7.0, made[0])
    return made[0]


def test_each_way_has_its_command() -> None:
    """q* 0.5, v* 0.2, tau 3, kp 40, kd 8 at q 0.1, v -0.3: kp e = 16, kd slip = 4."""
    servo = asked("impedance", kp=80.0, kd=4.0)
    assert servo.tolist() == (0.5, 0.2, 3.0, 0.5, 2.0, 0.0, 0.0)
    assert asked("impedance", kd=4.0)["effort"] == pytest.approx(3.0 + 16.0)
    drive = asked("drive", kp=80.0, kd=4.0, ratio=10.0, delay=0.01)
    to_motor = 10.0 / (2.0 * math.pi)
    assert drive.tolist() == pytest.approx((to_motor * 0.502, to_motor * 0.2, 0.3, 0.5, 2.0, 10.0, 7.0))
    own = asked("affine", gain=2.0, offset=1.0, position_gain=-5.0, velocity_gain=-6.0)
    assert own["effort"] == pytest.approx((3.0 + 16.0 + 4.0 - 1.0 + 0.5 - 1.8) / 2.0)
    assert asked("affine", effort=10.0)["effort"] == 10.0
    assert asked("affine", input_range=(-1.0, 2.0))["effort"] == 2.0
    assert asked("speed")["velocity"] == pytest.approx(0.2 + 40.0 / 8.0 * 0.4)
    assert asked("speed", velocity=1.5)["velocity"] == 1.5


def test_a_belt_turns_the_sum_of_two_joints_and_loads_both() -> None:
    chain = Actuation((Actuator("hip", "a", "drive", "drive"), Actuator("knee", "b", "drive", "drive", belt="hip")), ())
    rows, goals, states = np.zeros(2, dtype=ACTUATION), np.zeros(2, dtype=JOINT_GOAL), np.zeros(2, dtype=JOINT_STATE)
    chain.fill(rows)
    goals["position"], goals["velocity"], goals["effort"] = (0.1, 0.2), (1.0, 2.0), (5.0, 3.0)
    states["position"] = (0.3, 0.4)
    share_belts(2, rows, goals, states)
    assert goals["position"] == pytest.approx((0.1, 0.3))
    assert goals["velocity"] == pytest.approx((1.0, 3.0))
    assert goals["effort"] == pytest.approx((2.0, 3.0))  # 2 of the hip's motor and 3 over the belt are 5 at the hip
    assert states["position"] == pytest.approx((0.3, 0.7))


def test_what_is_missing_is_said() -> None:
    robot = Robot((), (), (), actuators=(Actuator("elbow", "a", "servo", "impedance"),))
    with pytest.raises(InputError, match="nothing drives a joint 'elbo', did you mean 'elbow'"):
        Actuation.of(robot, ["elbo"])
    with pytest.raises(InputError, match="expected a sensor of kind joints that reads joint 'elbow'"):
        Actuation.of(robot)
    with pytest.raises(InputError, match="no joint is driven"):
        Actuation.of(Robot((), (), ()))
