"""The section `ros2` of a twin file: names and messages of the robot's own programs, and its controllers."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from didymos.spec import Spec

__all__ = ["CONTROLLER_TYPES", "CommandFieldSpec", "CommandSpec", "ControllerSpec", "MessageSpec", "Ros2Spec"]

_Number = Annotated[float, Field(strict=True)]
_Positive = Annotated[float, Field(strict=True, gt=0)]
_NotNegative = Annotated[float, Field(strict=True, ge=0)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]
_Value = _Number | str

CONTROLLER_TYPES = {
    "joint_trajectory_controller/JointTrajectoryController": "trajectory",
    "position_controllers/JointGroupPositionController": "position",
    "velocity_controllers/JointGroupVelocityController": "velocity",
    "effort_controllers/JointGroupEffortController": "effort",
}
"""The controllers of ros2_control that a twin has, and what of joints each commands."""


class CommandFieldSpec(Spec):
    """Where in a message a command stands."""

    field: str = Field(description="path in the message, such as `twist.linear.x` or `position.0`")
    scale: _Number = Field(default=1.0, description="times the number there")
    words: dict[str, _Number] = Field(default={}, description="what each word means, where the field is a text")


class CommandSpec(Spec):
    """A topic that sets set-points or inputs: one number, several, a word, or a message of the robot's own."""

    sets: tuple[str, ...] = Field(default=(), description="`setpoints.NAME` or `inputs.NAME`, in the order of the message")
    words: dict[str, _Number] = Field(default={}, description="what each word means, where the message is a text")
    type: str | None = Field(default=None, description="such as `my_msgs/msg/JointCommand`, of ROS 2 or of the folder `msg`")
    names: str | None = Field(default=None, description="field with the names that `*` in `fields` stands for, in order")
    fields: dict[str, _Number | str | CommandFieldSpec] = Field(
        default={},
        description="by `setpoints.NAME`, `inputs.NAME` or `joints.NAME.position`: path in the message, or a number",
    )

    @model_validator(mode="after")
    def _says_what_it_sets(self) -> Self:
        if bool(self.sets) == bool(self.fields):
            raise ValueError("expected one of sets and fields")
        if bool(self.fields) != (self.type is not None):
            raise ValueError("type and fields go together")
        return self


class MessageSpec(Spec):
    """A topic that the twin publishes in a message type of the robot's own."""

    type: str = Field(description="such as `my_msgs/msg/JointStatus`, of ROS 2 or of the folder `msg`")
    rate: _Positive = Field(default=100.0, description="messages per second [Hz]")
    fields: dict[str, _Value | tuple[_Value, ...]] = Field(
        description="by path in the message: a signal of the log, a number, the text of a string; or a list of them"
    )


class ControllerSpec(Spec):
    """A controller of ros2_control, by the name that the robot's own programs know it by."""

    type: Literal[
        "joint_trajectory_controller/JointTrajectoryController", "position_controllers/JointGroupPositionController",
        "velocity_controllers/JointGroupVelocityController", "effort_controllers/JointGroupEffortController",
    ]  # fmt: skip
    joints: tuple[str, ...] = Field(min_length=1, description="in the order of its commands")
    allow_partial_joints_goal: bool = Field(default=False, description="whether a trajectory may leave joints out")
    goal_time: _NotNegative = Field(default=0.0, description="[s] after its end in which a goal may be reached; 0 for any time")
    path_tolerance: dict[str, _NotNegative] = Field(default={}, description="of positions on the way, by joint; 0 for none")
    goal_tolerance: dict[str, _NotNegative] = Field(default={}, description="of positions at the end, by joint; 0 for none")


class FramesSpec(Spec):
    """What of the tree of frames (REP 105) above the robot's base goes out on /tf."""

    odom: Literal["auto", "truth", "none"] = Field(
        default="auto",
        description="odom -> base: the robot's own odometry where it has one, else the truth; the truth; nothing, where another "
        "node estimates it",
    )
    map: Literal["auto", "none", "start", "truth"] = Field(
        default="auto",
        description="map -> odom (in a world: world -> ROBOT/odom): nothing, where another node localises; where the odometry "
        "began; so that the base is where it truly is. auto: none of a twin alone, start in a world",
    )


class Ros2Spec(Spec):
    """Topics under the names that the robot's own programs know, instead of those of the log; frames; controllers."""

    topics: dict[str, str] = Field(default={}, description="by stream, or by signal where a stream has a topic per signal")
    commands: dict[str, CommandSpec] = Field(default={}, description="by topic")
    messages: dict[str, MessageSpec] = Field(default={}, description="by topic, beside those of the log")
    controllers: dict[_Name, ControllerSpec] = Field(default={}, description="by name, instead of those of every robot")
    frames: FramesSpec = Field(default=FramesSpec(), description="what of the tree of frames above the base goes out on /tf")
