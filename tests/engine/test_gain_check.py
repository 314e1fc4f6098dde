"""Gains that are too stiff for the step: what is warned about diverges or rings for ever, what is not comes to rest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.errors import RunError
from didymos.twin import Twin

STEP = 0.002
INERTIA = 0.02  # [kg m^2] about the hinge
BODY = '<inertial mass="1" pos="0 0 0" diaginertia=".02 .02 .02"/>'
ARM = f'<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>{BODY}</body></worldbody></mujoco>'
FULL = {"stiffness_scale": 1.0, "damping_scale": 1.0}


def at_the_brink(kind: str, integrator: str) -> tuple[float, float]:
    """Gains kp and kd at the joint, of which any more is unstable, by the formula for one joint."""
    if integrator == "rk4":  # |R(z)| = 1 on the imaginary axis
        return INERTIA * (2.0 * math.sqrt(2.0) / STEP) ** 2, 0.0
    if kind == "wheel_servo":  # h kd = 2 I
        return 0.0, 2.0 * INERTIA / STEP
    kd = 0.2 * INERTIA / STEP
    if kind in ("servo", "actuator"):  # h^2 kp = 4 I + 2 h kd
        return (4.0 * INERTIA + 2.0 * STEP * kd) / STEP**2, kd
    return (4.0 * INERTIA - 2.0 * STEP * kd) / STEP**2, kd


def made(kind: str, integrator: str, share: float) -> tuple[Twin, dict[str, float]]:
    """A hinge under a loop with a share of the gains at the brink, and the inputs that switch it on."""
    kp, kd = (share * gain for gain in at_the_brink(kind, integrator))
    world = {"step": STEP, "integrator": integrator, "gravity": 0.0}
    where = {"world": world, "start": {"joint_velocities": {"hinge": 1e-3}}}
    part: dict[str, Any] = {"kind": kind, "link": "arm", "joint": "hinge"}
    turn = 2.0 * math.pi
    if kind == "actuator":
        servo = f'<actuator><general name="a" joint="hinge" biastype="affine" gainprm="{kp}" biasprm="0 {-kp} {-kd}"/></actuator>'
        return Twin.from_urdf(ARM.replace("</mujoco>", f"{servo}</mujoco>"), **where), {"a": 0.0}
    inputs: dict[str, float] = {}
    if kind == "servo":
        part |= {"kp": kp, "kd": kd}
        inputs = {f"loop.{name}": value for name, value in FULL.items()}
    elif kind == "mount_servo":
        part |= {"stiffness": kp, "damping": kd}
        inputs = {"loop": 0.0}
    elif kind == "wheel_servo":
        part |= {"proportional": kd, "torque_limit": 1e9, "largest_demand": 1e9}
        inputs = {"loop": 0.0}
    else:
        part |= {"ratio": 1.0, "kp": kp * turn, "kd": kd * turn, "peak_torque": 1e9}
        inputs = {"loop.kp_scale": 1.0, "loop.kd_scale": 1.0, "loop.mode": 10.0, "loop.beat": 1.0}
    return Twin.from_urdf(ARM, parts={"loop": part}, **where), inputs


def grows(twin: Twin, inputs: dict[str, float], seconds: float = 1.0) -> bool:
    """Whether a small motion has become larger."""
    simulation = twin.simulate()
    try:
        simulation.step(inputs)
        simulation.step(inputs, seconds=seconds)
    except RunError:
        return True
    return bool(np.abs(simulation.data.qvel).max() > 2e-3)


LOOPS = [
    ("servo", "implicitfast"), ("actuator", "implicitfast"), ("mount_servo", "implicitfast"), ("wheel_servo", "implicitfast"),
    ("drive", "implicitfast"), ("mount_servo", "rk4"), ("servo", "rk4"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "integrator"), LOOPS)
def test_what_is_warned_about_grows_and_what_is_not_does_not(kind: str, integrator: str) -> None:
    for share, unstable in ((0.9, False), (1.1, True)):
        twin, inputs = made(kind, integrator, share)
        notes = twin.make_ready(None)
        assert bool(notes) == unstable
        assert grows(twin, inputs) == unstable


def test_the_note_names_joint_part_gains_inertia_and_what_is_stable() -> None:
    twin, _ = made("servo", "implicitfast", 2.0)
    (note,) = twin.make_ready(None)
    assert note.what.startswith("servo 'loop' is too stiff for joint 'hinge' and world.step 0.002 s: kp 4.4e+04 N m/rad, kd 4 ")
    assert "which feels 0.02 kg m^2" in note.what
    assert "stable is 50 % of them" in note.what


def test_joints_in_a_row_are_seen_together() -> None:
    """Two servos that are stable one at a time, each within a tenth of its own bound, and not both at once."""
    far = f'<body pos="0 0 .1"><joint name="far" axis="0 1 0"/>{BODY}</body>'
    text = ARM.replace("</body></worldbody>", f"{far}</body></worldbody>")
    mass = np.array([[0.02 + 0.02 + 1.0 * 0.1**2, 0.02], [0.02, 0.02]])
    inverse = np.linalg.inv(mass)
    gains = [0.9 * 4.0 / (float(inverse[i, i]) * STEP**2) for i in (0, 1)]
    names = ("hinge", "far")
    parts = {name: {"kind": "servo", "link": "arm", "joint": name, "kp": kp} for name, kp in zip(names, gains, strict=True)}
    where = {"world": {"step": STEP, "gravity": 0.0}, "start": {"joint_velocities": {"hinge": 1e-3}}}
    for chosen in (("hinge",), ("far",), names):
        twin = Twin.from_urdf(text, parts={name: parts[name] for name in chosen}, **where)
        inputs = {f"{name}.{key}": value for name in chosen for key, value in FULL.items()}
        assert bool(twin.make_ready(None)) == (len(chosen) == 2)
        assert grows(twin, inputs, 0.5) == (len(chosen) == 2)


def test_check_warns_and_run_says_it_too(make_twin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    servo = {"kind": "servo", "link": "arm", "joint": "hinge", "kp": 1e6}
    twin = make_twin(ARM, parts={"elbow": servo}, world={"step": STEP}, scenarios={"rest": {"seconds": 0.1}})
    assert main(["check", str(twin.folder)]) == 0
    assert "servo 'elbow' is too stiff for joint 'hinge'" in capsys.readouterr().out
    main(["run", str(twin.folder)])
    assert "servo 'elbow' is too stiff for joint 'hinge'" in capsys.readouterr().err


def test_bundled_twins_have_no_such_gains() -> None:
    import didymos

    for name in ("meldog", "cepheus", "omni_base", "power_unit"):
        assert didymos.load(name).make_ready(None) == ()
