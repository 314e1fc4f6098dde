"""A client of ros2_control on the other side of DDS: `control_peer.py DOMAIN WHAT [ARGUMENTS]`; prints JSON.

Types are written by hand after the public .msg, .srv and .action files of control_msgs, controller_manager_msgs, action_msgs and
trajectory_msgs; nothing of Didymos is known here.
"""

import json
import sys
import time
import uuid
from dataclasses import dataclass, field

from cyclonedds.idl import IdlStruct, types
from peer import (
    LASTING,
    Header,
    JointState,
    Stepper,
    Time,
    Transform,
    Twist,
    matched,
    until,
)

DOUBLES, STRINGS = types.sequence[types.float64], types.sequence[str]


def structure(name, /, **members):
    """A final structure of DDS, as ROS 2 declares messages."""
    body = {"__annotations__": members, "__idl_typename__": name, "__idl_annotations__": {"extensibility": "final"}}
    return dataclass(type(IdlStruct)(name.rpartition(".")[2], (IdlStruct,), {**body, "__idl_field_annotations__": {}}))


def service(name, request, reply):
    head = {"client": types.uint64, "number": types.int64}
    return (structure(f"{name}_Request_", **head, **request), structure(f"{name}_Response_", **head, **reply))


NOTHING = {"structure_needs_at_least_one_member": types.uint8}
Duration = structure("builtin_interfaces.msg.dds_.Duration_", sec=types.int32, nanosec=types.uint32)
UUID = structure("unique_identifier_msgs.msg.dds_.UUID_", uuid=types.array[types.uint8, 16])
GoalInfo = structure("action_msgs.msg.dds_.GoalInfo_", goal_id=UUID, stamp=Time)
GoalStatus = structure("action_msgs.msg.dds_.GoalStatus_", goal_info=GoalInfo, status=types.int8)
GoalStatusArray = structure("action_msgs.msg.dds_.GoalStatusArray_", status_list=types.sequence[GoalStatus])
JointPoint = structure(
    "trajectory_msgs.msg.dds_.JointTrajectoryPoint_",
    positions=DOUBLES, velocities=DOUBLES, accelerations=DOUBLES, effort=DOUBLES, time_from_start=Duration,
)  # fmt: skip
JointTrajectory = structure(
    "trajectory_msgs.msg.dds_.JointTrajectory_", header=Header, joint_names=STRINGS, points=types.sequence[JointPoint]
)
MultiPoint = structure(
    "trajectory_msgs.msg.dds_.MultiDOFJointTrajectoryPoint_",
    transforms=types.sequence[Transform], velocities=types.sequence[Twist], accelerations=types.sequence[Twist],
    time_from_start=Duration,
)  # fmt: skip
MultiTrajectory = structure(
    "trajectory_msgs.msg.dds_.MultiDOFJointTrajectory_", header=Header, joint_names=STRINGS, points=types.sequence[MultiPoint]
)
JointTolerance = structure(
    "control_msgs.msg.dds_.JointTolerance_",
    name=str, position=types.float64, velocity=types.float64, acceleration=types.float64,
)  # fmt: skip
ComponentTolerance = structure(
    "control_msgs.msg.dds_.JointComponentTolerance_",
    joint_name=str, component=types.uint16, position=types.float64, velocity=types.float64, acceleration=types.float64,
)  # fmt: skip
ACTION = "control_msgs.action.dds_.FollowJointTrajectory"
TrajectoryGoal = structure(
    f"{ACTION}_Goal_",
    trajectory=JointTrajectory, multi_dof_trajectory=MultiTrajectory,
    path_tolerance=types.sequence[JointTolerance], component_path_tolerance=types.sequence[ComponentTolerance],
    goal_tolerance=types.sequence[JointTolerance], component_goal_tolerance=types.sequence[ComponentTolerance],
    goal_time_tolerance=Duration,
)  # fmt: skip
TrajectoryResult = structure(f"{ACTION}_Result_", error_code=types.int32, error_string=str)
TrajectoryFeedback = structure(
    f"{ACTION}_Feedback_",
    header=Header, joint_names=STRINGS, desired=JointPoint, actual=JointPoint, error=JointPoint,
    multi_dof_joint_names=STRINGS, multi_dof_desired=MultiPoint, multi_dof_actual=MultiPoint, multi_dof_error=MultiPoint,
)  # fmt: skip
FeedbackMessage = structure(f"{ACTION}_FeedbackMessage_", goal_id=UUID, feedback=TrajectoryFeedback)
ControllerState = structure(
    "control_msgs.msg.dds_.JointTrajectoryControllerState_",
    header=Header, joint_names=STRINGS, reference=JointPoint, feedback=JointPoint, error=JointPoint, output=JointPoint,
    multi_dof_joint_names=STRINGS, multi_dof_reference=MultiPoint, multi_dof_feedback=MultiPoint, multi_dof_error=MultiPoint,
    multi_dof_output=MultiPoint, speed_scaling_factor=types.float64,
)  # fmt: skip
SEND = service(f"{ACTION}_SendGoal", {"goal_id": UUID, "goal": TrajectoryGoal}, {"accepted": bool, "stamp": Time})
RESULT = service(f"{ACTION}_GetResult", {"goal_id": UUID}, {"status": types.int8, "result": TrajectoryResult})
CANCEL = service(
    "action_msgs.srv.dds_.CancelGoal",
    {"goal_info": GoalInfo}, {"return_code": types.int8, "goals_canceling": types.sequence[GoalInfo]},
)  # fmt: skip

State = structure("lifecycle_msgs.msg.dds_.State_", id=types.uint8, label=str)
Chain = structure("controller_manager_msgs.msg.dds_.ChainConnection_", name=str, reference_interfaces=STRINGS)
Listed = structure(
    "controller_manager_msgs.msg.dds_.ControllerState_",
    name=str, state=str, type=str, is_async=bool, update_rate=types.uint16, claimed_interfaces=STRINGS,
    required_command_interfaces=STRINGS, required_state_interfaces=STRINGS, is_chainable=bool, is_chained=bool,
    exported_state_interfaces=STRINGS, reference_interfaces=STRINGS, chain_connections=types.sequence[Chain],
)  # fmt: skip
Interface = structure(
    "controller_manager_msgs.msg.dds_.HardwareInterface_", name=str, data_type=str, is_available=bool, is_claimed=bool
)
Component = structure(
    "controller_manager_msgs.msg.dds_.HardwareComponentState_",
    name=str, type=str, is_async=bool, rw_rate=types.uint16, class_type=str, plugin_name=str, state=State,
    command_interfaces=types.sequence[Interface], state_interfaces=types.sequence[Interface],
)  # fmt: skip
BOTH = {"command_interfaces": types.sequence[Interface], "state_interfaces": types.sequence[Interface]}
BY_NAME = ({"name": str}, {"ok": bool})
MANAGER = {
    "list_controllers": ("ListControllers", NOTHING, {"controller": types.sequence[Listed]}),
    "list_controller_types": ("ListControllerTypes", NOTHING, {"types": STRINGS, "base_classes": STRINGS}),
    "list_hardware_interfaces": ("ListHardwareInterfaces", NOTHING, BOTH),
    "list_hardware_components": ("ListHardwareComponents", NOTHING, {"component": types.sequence[Component]}),
    "load_controller": ("LoadController", *BY_NAME),
    "configure_controller": ("ConfigureController", *BY_NAME),
    "cleanup_controller": ("CleanupController", *BY_NAME),
    "unload_controller": ("UnloadController", *BY_NAME),
    "switch_controller": (
        "SwitchController",
        {"activate_controllers": STRINGS, "deactivate_controllers": STRINGS, "strictness": types.int32, "activate_asap": bool,
         "timeout": Duration},
        {"ok": bool, "message": str},
    ),
    "set_hardware_component_state": (
        "SetHardwareComponentState", {"name": str, "target_state": State}, {"ok": bool, "state": State}
    ),
}  # fmt: skip


class Caller:
    """The client of a service."""

    def __init__(self, peer, name, types_):
        self._request, reply = types_
        self._writer = peer.writer(f"rq{name}Request", self._request)
        self._reader = peer.reader(f"rr{name}Reply", reply)
        self._name, self._number = name, 0
        self._heard = {}
        self.ends = (self._writer, self._reader)

    def send(self, **fields):
        self._number += 1
        self._writer.write(self._request(client=77, number=self._number, **fields))
        return self._number

    def reply(self, number):
        for message in self._reader.take(100):
            if message.sample_info.valid_data and message.client == 77:
                self._heard[message.number] = message
        return self._heard.get(number)

    def call(self, **fields):
        number = self.send(**fields)
        return until(lambda: self.reply(number), f"reply of {self._name}")


@dataclass
class Robot:
    """A step-locked twin with a trajectory controller, and a client of everything about it."""

    domain: int
    controller: str = "/joint_trajectory_controller"
    namespace: str = ""
    fed: list = field(default_factory=list)
    statuses: list = field(default_factory=list)

    def __post_init__(self):
        self.peer = peer = Stepper(self.domain)
        below = f"{self.namespace}{self.controller}/follow_joint_trajectory/_action"
        self.sender = Caller(peer, f"{below}/send_goal", SEND)
        self.result = Caller(peer, f"{below}/get_result", RESULT)
        self.canceler = Caller(peer, f"{below}/cancel_goal", CANCEL)
        self.feedback = peer.reader(f"rt{below}/feedback", FeedbackMessage)
        self.status = peer.reader(f"rt{below}/status", GoalStatusArray, LASTING)
        self.joints = peer.reader(f"rt{self.namespace}/joint_states", JointState)
        self.manager = {}
        ends = [*self.sender.ends, *self.result.ends, *self.canceler.ends, self.feedback, self.status, self.joints]
        for name, (type_, request, reply) in MANAGER.items():
            made = service(f"controller_manager_msgs.srv.dds_.{type_}", request, reply)
            self.manager[name] = Caller(peer, f"{self.namespace}/controller_manager/{name}", made)
            ends += self.manager[name].ends
        matched(*ends)
        peer.start()

    def call(self, name, **fields):
        if "structure_needs_at_least_one_member" in MANAGER[name][1]:
            fields = {"structure_needs_at_least_one_member": 0}
        return self.manager[name].call(**fields)

    def switch(self, on, off, strictness=2):
        reply = self.call(
            "switch_controller", activate_controllers=on, deactivate_controllers=off, strictness=strictness, activate_asap=True,
            timeout=Duration(0, 0),
        )  # fmt: skip
        return [reply.ok, reply.message]

    def states(self):
        return {item.name: item.state for item in self.call("list_controllers").controller}

    def send(self, goal):
        """The id of a goal that was accepted, or None."""
        id_ = UUID(list(uuid.uuid4().bytes))
        return id_ if self.sender.call(goal_id=id_, goal=goal).accepted else None

    def step(self, ticks):
        tick = self.peer.step(ticks)
        time.sleep(0.002)
        self.collect()
        return tick

    def collect(self):
        self.fed += [item for item in self.feedback.take(1000) if item.sample_info.valid_data]
        self.statuses += [item for item in self.status.take(100) if item.sample_info.valid_data]

    def positions(self):
        """By joint, where they are after another tick."""
        self.joints.take(5000)
        found = []

        def heard():
            found.extend(item for item in self.joints.take(5000) if item.sample_info.valid_data)
            return found

        while not found:
            self.peer.step(1)
            time.sleep(0.01)
            heard()
        return dict(zip(found[-1].name, found[-1].position, strict=True))

    def finish(self, id_, most, ticks=10):
        """Let time pass until a goal has ended; status, code, words, and the ticks that it took."""
        number, begin = self.result.send(goal_id=id_), self.peer.tick
        while self.peer.tick < begin + most:
            self.step(ticks)
            if reply := self.result.reply(number):
                return [reply.status, reply.result.error_code, reply.result.error_string, self.peer.tick - begin]
        raise SystemExit(f"no result after {most} ticks")


def duration(seconds):
    nanoseconds = round(seconds * 1e9)
    return Duration(nanoseconds // 10**9, nanoseconds % 10**9)


def trajectory(joints, points, stamp=0.0):
    """Points are [time, positions, velocities, accelerations], the last two as they are there."""
    made = []
    for time_, positions, *more in points:
        rows = ([float(number) for number in row] for row in (positions, *more, *[[]] * 2)[:3])
        made.append(JointPoint(*rows, [], duration(time_)))
    nanoseconds = round(stamp * 1e9)
    return JointTrajectory(Header(Time(nanoseconds // 10**9, nanoseconds % 10**9), ""), joints, made)


def goal(joints, points, *, stamp=0.0, path=None, end=None, patience=0.0):
    bounds = [[JointTolerance(name, float(value), 0.0, 0.0) for name, value in (told or {}).items()] for told in (path, end)]
    empty = MultiTrajectory(Header(Time(0, 0), ""), [], [])
    return TrajectoryGoal(trajectory(joints, points, stamp), empty, bounds[0], [], bounds[1], [], duration(patience))


def info(id_, stamp=0.0):
    return GoalInfo(id_, Time(int(stamp), round(1e9 * (stamp % 1.0))))


def feedback_of(robot):
    """Time, what was asked for and what was, of each feedback."""
    return [
        [item.feedback.header.stamp.sec + 1e-9 * item.feedback.header.stamp.nanosec, list(item.feedback.desired.positions),
         list(item.feedback.actual.positions), list(item.feedback.error.positions)]
        for item in robot.fed
    ]  # fmt: skip


def follow(domain, joints, points, most, options):
    """A goal to its end."""
    robot = Robot(domain)
    start = robot.positions()
    id_ = robot.send(goal(joints, points, **options))
    if id_ is None:
        return {"accepted": False}
    begin = robot.peer.tick
    ended = robot.finish(id_, most)
    statuses = [[item.status for item in told.status_list] for told in robot.statuses]
    return {
        "accepted": True, "start": start, "begin": begin, "ended": ended, "fed": feedback_of(robot), "end": robot.positions(),
        "statuses": statuses,
    }  # fmt: skip


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
