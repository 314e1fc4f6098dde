"""An arm without a line of control: way-points for its joints, a pose for its tool, by the programs joints and cartesian.

    python examples/12_move_an_arm.py [FOLDER]

`didymos new` writes such a twin from a description; here it is written by hand, to show what belongs to it: a servo on every
joint, encoders, a program. Gains and limits follow from the description.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import didymos
from didymos.control.joint_gains import joint_gains


def link(name: str, length: float, mass: float) -> str:
    """A rod along z."""
    across = mass * length**2 / 12 + 1e-3
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 {length / 2}"/><mass value="{mass}"/>'
        f'<inertia ixx="{across}" iyy="{across}" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name: str, parent: str, child: str, height: float, axis: str) -> str:
    """A hinge with limits."""
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {height}"/>'
        f'<axis xyz="{axis}"/><limit lower="-2.8" upper="2.8" effort="60" velocity="2"/></joint>'
    )


ARM = f"""<robot name="arm"><link name="base"/>
{link("turret", 0.1, 2)}{link("upper", 0.3, 2)}{link("fore", 0.3, 1.5)}
{joint("turn", "base", "turret", 0.1, "0 0 1")}{joint("shoulder", "turret", "upper", 0.1, "0 1 0")}
{joint("elbow", "upper", "fore", 0.3, "0 1 0")}
<link name="tool0"/><joint name="mount" type="fixed"><parent link="fore"/><child link="tool0"/><origin xyz="0 0 0.3"/></joint>
</robot>"""
START = {"turn": 0.0, "shoulder": 0.5, "elbow": 1.2}


def twin(folder: Path, program: str, options: dict[str, object], **keys: object) -> didymos.Twin:
    """The arm with a servo on every joint, encoders and a program."""
    (folder / "arm.urdf").write_text(ARM)
    about: dict[str, object] = {"description": {"file": "arm.urdf"}, "world": {"step": 0.001}, "start": {"joints": START}}
    (folder / "twin.yaml").write_text(json.dumps(about))
    gains = joint_gains(didymos.load(folder).model, 0.001, posture=START)
    carried = {"turn": "turret", "shoulder": "upper", "elbow": "fore"}
    about["parts"] = {
        name: {"kind": "servo", "link": carried[name], "joint": name, "kp": kp, "kd": kd, "effort_limit": 60}
        for name, (kp, kd) in gains.items()
    }
    about["sensors"] = {"encoders": {"kind": "joints", "rate": 1000, "position": {"noise": 1e-4}, "velocity": {"noise": 5e-3}}}
    about["control"] = {"program": program, "rate": 500, "options": options}
    (folder / "twin.yaml").write_text(json.dumps(about | keys))
    return didymos.load(folder)


def main(folder: Path) -> tuple[dict[str, float], np.ndarray]:
    """Move the joints, then the tool; the RMSE of each joint [rad] and where the tool ends [m]."""
    folder.mkdir(parents=True, exist_ok=True)
    # no times: as fast as the limits allow
    points = [{"positions": {"turn": 1.0, "elbow": 0.6}}, {"positions": {"turn": -0.5, "shoulder": 0.9}}]
    log = twin(folder, "joints", {"waypoints": points}).simulate(seed=1).run(4.0)
    errors = {}
    for name in START:
        errors[name] = float(np.sqrt(np.mean(log[f"control.error.{name}"].values ** 2)))
        print(f"{name}: ends at {log[f'joints.{name}.position'].values[-1]:.3f} rad, RMSE {1e3 * errors[name]:.2f} mrad")

    arm = twin(folder, "cartesian", {}, scenarios={"reach": {"seconds": 3, "setpoints": {"x": 0.4, "y": 0.1, "z": 0.35}}})
    simulation = arm.simulate(seed=1, scenario="reach")
    simulation.run()
    tool = arm.model.at(simulation.data.qpos).position("tool0")
    print("tool at", np.round(tool, 3), "m")
    return errors, tool


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
