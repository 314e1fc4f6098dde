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
    Float64MultiArray,
    Header,
    JointState,
    MultiArrayLayout,
    Stepper,
    Time,
    Transform,
    Twist,
    matched,
    stamp,
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
    """A twin with a trajectory controller, and a client of everything about it."""

    domain: int
    controller: str = "/joint_trajectory_controller"
    namespace: str = ""
    period: float = 0.001  # [s] of a tick
    locked: bool = True  # time passes on command
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
        if self.locked:
            peer.start()

    def call(self, name, /, **fields):
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

    def state(self):
        """Joints after another tick, as the log has them, a row per tick."""
        tick, found = self.peer.step(1), []

        def heard():
            found.extend(item for item in self.joints.take(5000) if item.sample_info.valid_data)
            return found and stamp(found[-1].header.stamp) >= round((tick - 1) * self.period * 1e9)

        until(heard, "joint states of a tick")
        return found[-1]

    def positions(self):
        """By joint, where they are after another tick."""
        state = self.state()
        return dict(zip(state.name, state.position, strict=True))

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


def trajectory(joints, points, begin=0.0):
    """Points are [time, positions, velocities, accelerations], the last two as they are there."""
    made = []
    for time_, positions, *more in points:
        rows = ([float(number) for number in row] for row in (positions, *more, *[[]] * 2)[:3])
        made.append(JointPoint(*rows, [], duration(time_)))
    nanoseconds = round(begin * 1e9)
    return JointTrajectory(Header(Time(nanoseconds // 10**9, nanoseconds % 10**9), ""), joints, made)


def goal(joints, points, *, begin=0.0, path=None, end=None, patience=0.0):
    bounds = [[JointTolerance(name, float(value), 0.0, 0.0) for name, value in (told or {}).items()] for told in (path, end)]
    empty = MultiTrajectory(Header(Time(0, 0), ""), [], [])
    return TrajectoryGoal(trajectory(joints, points, begin), empty, bounds[0], [], bounds[1], [], duration(patience))


def info(id_):
    return GoalInfo(id_, Time(0, 0))


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


def follow_now(domain, moves, seconds, on):
    """In real time: move the joints of the controller by so much, and back; what came of both goals."""
    robot = Robot(domain, locked=False)
    if on:
        robot.switch(["joint_trajectory_controller"], [])
    listed = {item.name: item for item in robot.call("list_controllers").controller}
    names = [item.partition("/")[0] for item in listed["joint_trajectory_controller"].claimed_interfaces]
    state = until(lambda: robot.joints.take(1), "joint state")[-1]
    begin = dict(zip(state.name, state.position, strict=True))
    start = [begin[name] for name in names]
    found = []
    for sign in (1.0, 0.0):
        goal_positions = [at + sign * moves for at in start]
        id_ = robot.send(goal(names, [[seconds, goal_positions, [0.0] * len(names)]]))
        number = robot.result.send(goal_id=id_)
        reply = until(lambda number=number: robot.collect() or robot.result.reply(number), "result of a goal")
        robot.joints.take(5000)
        last = until(lambda: robot.joints.take(1), "joint state")[-1]
        ended = dict(zip(last.name, last.position, strict=True))
        off = [ended[name] - wanted for name, wanted in zip(names, goal_positions, strict=True)]
        found.append([reply.status, reply.result.error_code, off])
    return {"names": names, "ended": found, "fed": feedback_of(robot)}


def refusals(domain, joints, cases):
    """Which goals are accepted; each [points, options]. The trajectory is cancelled where one is."""
    robot = Robot(domain)
    robot.step(400)
    found = []
    for names, points, options in cases:
        id_ = robot.send(goal(names, points, **options))
        if id_ is not None:
            robot.canceler.call(goal_info=info(id_))
        found.append(id_ is not None)
    return {"accepted": found, "joints": joints}


def cancel(domain, joints, points, ticks, rest):
    """Cancel a goal on its way, and look whether the joints stay."""
    robot = Robot(domain)
    id_ = robot.send(goal(joints, points))
    unknown = robot.canceler.call(goal_info=info(UUID([9] * 16))).return_code
    robot.step(ticks)
    number = robot.result.send(goal_id=id_)
    moving = robot.positions()
    reply = robot.canceler.call(goal_info=info(id_))
    result = until(lambda: robot.result.reply(number), "result of a cancelled goal")
    again = robot.canceler.call(goal_info=info(id_)).return_code
    robot.step(rest)
    held = robot.positions()
    robot.step(rest)
    later = robot.positions()
    after = robot.result.call(goal_id=id_)
    nobody = robot.result.call(goal_id=UUID([7] * 16))
    statuses = [[item.status for item in told.status_list] for told in robot.statuses]
    return {
        "codes": [unknown, reply.return_code, again], "canceling": len(reply.goals_canceling), "statuses": statuses,
        "result": [result.status, result.result.error_code], "after": after.status, "nobody": nobody.status,
        "moving": moving, "held": held, "later": later,
    }  # fmt: skip


def preempt(domain, joints, first, second, ticks, most):
    """A goal in the place of another, a trajectory by the topic in the place of the second; all goals cancelled at the end."""
    robot = Robot(domain)
    topic = robot.peer.writer("rt/joint_trajectory_controller/joint_trajectory", JointTrajectory)
    state = robot.peer.reader("rt/joint_trajectory_controller/controller_state", ControllerState)
    matched(topic, state)
    old = robot.send(goal(joints, first))
    robot.step(ticks)
    new = robot.send(goal(joints, second))
    preempted = robot.result.call(goal_id=old)
    finished = robot.finish(new, most)
    reached = robot.positions()
    third = robot.send(goal(joints, first))
    robot.step(ticks)
    topic.write(trajectory(joints, second))
    robot.step(most)
    replaced = robot.result.call(goal_id=third)
    back = robot.positions()
    told = [item for item in state.take(5000) if item.sample_info.valid_data]
    fourth, begin = robot.send(goal(joints, first)), robot.peer.tick
    robot.step(ticks)
    everything = robot.canceler.call(goal_info=info(UUID([0] * 16)))
    return {
        "preempted": [preempted.status, preempted.result.error_code, preempted.result.error_string],
        "finished": finished[:2], "reached": reached, "replaced": [replaced.status, replaced.result.error_string], "back": back,
        "told": [[list(item.joint_names), list(item.reference.positions), list(item.feedback.positions),
                  item.speed_scaling_factor] for item in told[-1:]],
        "count": len(told), "all": [everything.return_code, len(everything.goals_canceling)], "accepted": fourth is not None,
        "begin": begin,
    }  # fmt: skip


def broken(domain, joints, cases, most):
    """Goals that end badly: each [points, options]; how, and where the joints are then and later."""
    robot, found = Robot(domain), []
    for points, options in cases:
        id_ = robot.send(goal(joints, points, **options))
        ended = robot.finish(id_, most)
        where = robot.positions()
        robot.step(200)
        found.append([ended, where, robot.positions()])
    return {"ended": found}


def numbers(values):
    return Float64MultiArray(MultiArrayLayout([], 0), [float(value) for value in values])


def manage(domain, name):
    """Everything that a controller manager is asked by ros2_control's own tools."""
    robot = Robot(domain)
    listed = {item.name: item for item in robot.call("list_controllers").controller}
    interfaces = robot.call("list_hardware_interfaces")
    (component,) = robot.call("list_hardware_components").component
    steps = {
        "unload active": robot.call("unload_controller", name="joint_trajectory_controller").ok,
        "load again": robot.call("load_controller", name="joint_trajectory_controller").ok,
        "load unknown": robot.call("load_controller", name="nowhere").ok,
        "clash": robot.switch(["forward_position_controller"], []),
        "unknown": robot.switch(["nowhere"], []),
        "not active": robot.switch([], ["forward_position_controller"]),
        "active already": robot.switch(["joint_trajectory_controller"], [], 2),
        "strict leaves all": robot.states(),
        "best effort": robot.switch(["nowhere"], ["joint_trajectory_controller"], 1),
        "off": robot.states(),
        "rejected": robot.send(goal(["shoulder", "elbow", "wrist"], [[1.0, [0, 0, 0]]])) is None,
        "unload": robot.call("unload_controller", name="joint_trajectory_controller").ok,
        "gone": robot.states(),
        "load": robot.call("load_controller", name="joint_trajectory_controller").ok,
        "unconfigured": robot.switch(["joint_trajectory_controller"], []),
        "configure": robot.call("configure_controller", name="joint_trajectory_controller").ok,
        "on": robot.switch(["joint_trajectory_controller"], []),
        "forced": robot.switch(["forward_position_controller"], [], 4),
        "after": robot.states(),
        "both": robot.switch(["joint_trajectory_controller"], ["forward_position_controller"]),
        "last": robot.states(),
        "hardware": robot.call("set_hardware_component_state", name=name, target_state=State(3, "active")).ok,
        "hardware off": robot.call("set_hardware_component_state", name=name, target_state=State(2, "inactive")).ok,
    }
    trajectory_controller = listed["joint_trajectory_controller"]
    return {
        "states": {key: item.state for key, item in listed.items()},
        "claimed": list(trajectory_controller.claimed_interfaces), "rate": trajectory_controller.update_rate,
        "types": list(robot.call("list_controller_types").types),
        "commands": {item.name: item.is_claimed for item in interfaces.command_interfaces},
        "reads": [item.name for item in interfaces.state_interfaces],
        "component": [component.name, component.type, component.state.label, len(component.command_interfaces)],
        **steps,
    }  # fmt: skip


def groups(domain, steps, ticks):
    """Group commands one after another, each [kind, numbers, ...]; positions and velocities after each."""
    robot = Robot(domain)
    kinds = ("position", "velocity", "effort")
    writers = {kind: robot.peer.writer(f"rt/forward_{kind}_controller/commands", Float64MultiArray) for kind in kinds}
    matched(*writers.values())
    found, last = [], None
    for kind, *commands in steps:
        switched = robot.switch([f"forward_{kind}_controller"], [f"forward_{last}_controller"] if last else [])
        last = kind
        for values in commands:
            writers[kind].write(numbers(values))
            writers[kind].wait_for_acks(30_000_000_000)  # a call may overtake it
            robot.step(ticks)
            state = robot.state()
            found.append([switched[0], list(state.position), list(state.velocity)])
    robot.switch(["joint_trajectory_controller"], [f"forward_{last}_controller"])
    return {"found": found, "states": robot.states()}


def manage_idle(domain):
    """What there is before anybody has switched anything on."""
    robot = Robot(domain)
    accepted = robot.send(goal(["shoulder", "elbow", "wrist"], [[1.0, [0, 0, 0]]])) is not None
    commands = [item.name for item in robot.call("list_hardware_interfaces").command_interfaces]
    return {"states": robot.states(), "accepted": accepted, "commands": commands}


def follow_idle(domain, joints, points, most):
    """A goal, once the controller is switched on."""
    robot = Robot(domain)
    robot.switch(["joint_trajectory_controller"], [])
    ended = robot.finish(robot.send(goal(joints, points)), most)
    robot.step(300)
    return {"ended": ended, "fed": feedback_of(robot), "end": robot.positions()}


def in_namespace(domain, namespace, joints, points, most, other):
    """A goal for one robot of a world, while another is looked at."""
    robot = Robot(domain, namespace=namespace)
    reader = robot.peer.reader(f"rt{other}/joint_states", JointState)
    matched(reader)
    ended = robot.finish(robot.send(goal(joints, points)), most)
    own = robot.positions()
    found = [item for item in until(lambda: reader.take(5000), "joint states of another") if item.sample_info.valid_data]
    return {"ended": ended, "own": own, "other": dict(zip(found[-1].name, found[-1].position, strict=True))}


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
