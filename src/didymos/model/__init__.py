"""The model of a robot for those who control it: kinematics and dynamics of its description, compiled, without an engine.

In Python: `robot.model.at(q, v)`, see `robot_model.py`. In a compiled program: a record and kernels that take it.

    model = setting(layout=MODEL)                          # in the class
    self.settings["model"] = robot.model.record()          # in start
    place(settings.model, q, v)                            # in step, then whatever is asked at that state
    jacobian(settings.model, frame, out)
"""

from didymos.model.dynamics import bias, gravity, mass_matrix
from didymos.model.frames import frame_drift, frame_position, frame_rotation, frame_velocity, jacobian
from didymos.model.layout import MODEL, READING
from didymos.model.model_state import ModelState
from didymos.model.momentum import center_of_mass, momentum
from didymos.model.place import place
from didymos.model.reading import read
from didymos.model.robot_model import RobotModel
from didymos.model.shape import Shape
from didymos.model.tables import ModelJoint, ModelLink

__all__ = [
    "MODEL", "READING", "ModelJoint", "ModelLink", "ModelState", "RobotModel", "Shape", "bias", "center_of_mass", "frame_drift",
    "frame_position", "frame_rotation", "frame_velocity", "gravity", "jacobian", "mass_matrix", "momentum", "place", "read",
]  # fmt: skip
