"""A program that asks its robot for a model: the tool of an arm behaves like a spring, whatever the arm weighs and looks like.

    python examples/11_robot_model.py [FOLDER]

`robot.model` is the kinematics and dynamics of the description, at the measured state. The compiled law below is

    tau = J^T (K (x* - x) - D u) + h

with the Jacobian J of the tool, its position x and velocity u, and the bias forces h (gravity and Coriolis) of the model: pushed
with a force F, the tool gives way by F / K. In Python each is a line: `robot.model.at(q, v).jacobian("tool")`.
"""

import sys
from pathlib import Path

import numpy as np

import didymos
from didymos.contract import command, measurement, setpoint, setting
from didymos.control import program
from didymos.model import MODEL, READING, bias, frame_position, frame_velocity, jacobian, place, read

ARM = """<mujoco><worldbody>
  <body name="turret">
    <joint name="pan" axis="0 0 1"/><geom type="cylinder" size=".06 .05" mass="2"/>
    <body name="upper" pos="0 0 .1">
      <joint name="lift" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .4" size=".04" mass="3"/>
      <body name="lower" pos="0 0 .4">
        <joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1.5"/>
        <body name="tool" pos=".4 0 0"><geom type="sphere" size=".04" mass=".3"/></body>
      </body>
    </body>
  </body>
</worldbody></mujoco>
"""
JOINTS = {"pan": "turret", "lift": "upper", "elbow": "lower"}
PUSH = 10.0  # [N]


class Spring(didymos.CompiledController):
    rate = 1000
    stiffness = didymos.Gain(1000.0, low=0, high=5000, unit="N/m")
    damping = didymos.Gain(60.0, low=0, high=500, unit="N s/m")
    goal = setpoint(count=3, unit="m")
    model = setting(layout=MODEL)
    tool = setting(doc="the number of the tool's frame")
    state = measurement(layout=READING)
    torque = command(count=len(JOINTS), unit="N m")

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):
        model, tool = settings.model, int(settings.tool)
        q, v, u, j = np.empty(model.nq), np.empty(model.nv), np.empty(6), np.empty((6, model.nv))
        read(model, measured.state, q, v)
        place(model, q, v)
        x = frame_position(model, tool)
        frame_velocity(model, tool, u)
        jacobian(model, tool, j)
        bias(model, inputs.torque)
        for i in range(3):
            force = gains.stiffness * (setpoints.goal[i] - x[i]) - gains.damping * u[i]
            for k in range(model.nv):
                inputs.torque[k] += j[i, k] * force

    def __init__(self):
        self.name_setpoints("goal", ["x", "y", "z"])

    def start(self, robot):
        self.settings["model"] = robot.model.record()
        self.settings["tool"] = robot.model.frame("tool")
        self.reads = robot.model.reads("state")
        self.writes = {"torque": robot.model.joints}


def main(folder: Path) -> tuple[float, float]:
    folder.mkdir(parents=True, exist_ok=True)
    start = {"pan": 0.3, "lift": -0.2, "elbow": 0.5}
    plain = {"description": {"file": "arm.xml"}, "start": {"joints": start}, "world": {"integrator": "rk4"}}
    model = didymos.Twin.from_dict(plain, {"arm.xml": ARM}).model
    goal = model.at([start[joint] for joint in model.joints]).position("tool")
    print(f"{model}, its tool at {np.round(goal, 3)}")

    twin = didymos.Twin.from_dict(
        {
            **plain,
            "parts": {joint: {"kind": "joint_drive", "joint": joint, "link": link} for joint, link in JOINTS.items()},
            "sensors": {"encoders": {"kind": "joints", "rate": 1000}},
            "scenarios": {
                "pushed": {
                    "seconds": 3,
                    "setpoints": dict(zip("xyz", goal.tolist(), strict=True)),
                    "stimuli": [{"target": "push.tool.z", "kind": "step", "at": 0.5, "to": -PUSH}],
                }
            },
        },
        {"arm.xml": ARM},
    )
    simulation = twin.simulate(scenario="pushed", control=Spring())
    log = simulation.run()
    end = np.array([log[f"tf.tool.position.{axis}"].values[-1] for axis in "xyz"])
    gave_way, expected = float(goal[2] - end[2]), PUSH / simulation.program.stiffness
    print(f"the tool gave way by {1000 * gave_way:.4f} mm, expected {1000 * expected:.4f} mm")
    print("picture:", log.plot("tf.tool.position", path=folder / "pushed.png"))
    return gave_way, expected


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
