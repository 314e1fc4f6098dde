"""A client of parameters and of `simulation_interfaces` on the other side of DDS, with types of its own and nothing of Didymos.

The types are written after the public definitions (rcl_interfaces, action_msgs, simulation_interfaces 2.1). Started as a process
of its own: `simulation_peer.py DOMAIN WHAT [ARGUMENTS]`; prints one JSON object.
"""

import json
import sys
import time
import types as python
from dataclasses import dataclass
from itertools import count

from cyclonedds.idl import IdlStruct, types
from peer import (
    BEST_EFFORT,
    LASTING,
    Clock,
    Header,
    Parameter,
    ParameterValue,
    Peer,
    Point,
    Pose,
    PoseStamped,
    Quaternion,
    SetParametersResult,
    Stepper,
    Time,
    Twist,
    Vector3,
    matched,
    number,
    stamp,
    until,
)

many = types.sequence
SIM, RCL = "simulation_interfaces.msg.dds_.", "rcl_interfaces.msg.dds_."


def idl(typename, **fields):
    made = python.new_class(typename.rpartition(".")[2], (IdlStruct,), {"typename": typename}, lambda body: body.update(
        __annotations__=fields, __module__=__name__
    ))  # fmt: skip
    return dataclass(made)


Accel = idl("geometry_msgs.msg.dds_.Accel_", linear=Vector3, angular=Vector3)
Result = idl(SIM + "Result_", result=types.uint8, error_message=str)
Resource = idl(SIM + "Resource_", uri=str, resource_string=str)
SimulationState = idl(SIM + "SimulationState_", state=types.uint8)
SimulatorFeatures = idl(SIM + "SimulatorFeatures_", features=many[types.uint16], spawn_formats=many[str], custom_info=str)
EntityCategory = idl(SIM + "EntityCategory_", category=types.uint8)
EntityInfo = idl(SIM + "EntityInfo_", category=EntityCategory, description=str, tags=many[str])
EntityState = idl(SIM + "EntityState_", header=Header, pose=Pose, twist=Twist, acceleration=Accel)
TagsFilter = idl(SIM + "TagsFilter_", tags=many[str], filter_mode=types.uint8)
Bounds = idl(SIM + "Bounds_", type=types.uint8, points=many[Vector3])
EntityFilters = idl(SIM + "EntityFilters_", filter=str, categories=many[EntityCategory], tags=TagsFilter, bounds=Bounds)
Spawn = {
    "name": str, "allow_renaming": bool, "entity_resource": Resource, "entity_namespace": str, "initial_pose": PoseStamped,
}  # fmt: skip
WorldResource = idl(SIM + "WorldResource_", name=str, world_resource=Resource, description=str, tags=many[str])
Log = idl(
    RCL + "Log_", stamp=Time, level=types.uint8, name=str, msg=str, file=str, function=str, line=types.uint32
)  # fmt: skip
FloatingPointRange = idl(RCL + "FloatingPointRange_", from_value=types.float64, to_value=types.float64, step=types.float64)
IntegerRange = idl(RCL + "IntegerRange_", from_value=types.int64, to_value=types.int64, step=types.uint64)
ParameterDescriptor = idl(
    RCL + "ParameterDescriptor_", name=str, type=types.uint8, description=str, additional_constraints=str, read_only=bool,
    dynamic_typing=bool, floating_point_range=many[FloatingPointRange], integer_range=many[IntegerRange],
)  # fmt: skip
ParameterEvent = idl(
    RCL + "ParameterEvent_", stamp=Time, node=str, new_parameters=many[Parameter], changed_parameters=many[Parameter],
    deleted_parameters=many[Parameter],
)  # fmt: skip
UUID = idl("unique_identifier_msgs.msg.dds_.UUID_", uuid=types.array[types.uint8, 16])
GoalInfo = idl("action_msgs.msg.dds_.GoalInfo_", goal_id=UUID, stamp=Time)
GoalStatus = idl("action_msgs.msg.dds_.GoalStatus_", goal_info=GoalInfo, status=types.int8)
GoalStatusArray = idl("action_msgs.msg.dds_.GoalStatusArray_", status_list=many[GoalStatus])
STEPS = "simulation_interfaces.action.dds_.SimulateSteps_"
Goal, Outcome = idl(STEPS + "Goal_", steps=types.uint64), idl(STEPS + "Result_", result=Result)
Progress = idl(STEPS + "Feedback_", completed_steps=types.uint64, remaining_steps=types.uint64)
Feedback = idl(STEPS + "FeedbackMessage_", goal_id=UUID, feedback=Progress)

SRV = {  # fields of request and reply
    "rcl_interfaces.srv.dds_.SetParametersAtomically": ({"parameters": many[Parameter]}, {"result": SetParametersResult}),
    "rcl_interfaces.srv.dds_.GetParameterTypes": ({"names": many[str]}, {"types": many[types.uint8]}),
    "rcl_interfaces.srv.dds_.DescribeParameters": ({"names": many[str]}, {"descriptors": many[ParameterDescriptor]}),
    "rcl_interfaces.srv.dds_.GetParameters": ({"names": many[str]}, {"values": many[ParameterValue]}),
    "simulation_interfaces.srv.dds_.GetSimulatorFeatures": ({}, {"features": SimulatorFeatures}),
    "simulation_interfaces.srv.dds_.GetSimulationState": ({}, {"state": SimulationState, "result": Result}),
    "simulation_interfaces.srv.dds_.SetSimulationState": ({"state": SimulationState}, {"result": Result}),
    "simulation_interfaces.srv.dds_.StepSimulation": ({"steps": types.uint64}, {"result": Result}),
    "simulation_interfaces.srv.dds_.ResetSimulation": ({"scope": types.uint8}, {"result": Result}),
    "simulation_interfaces.srv.dds_.GetEntities": ({"filters": EntityFilters}, {"result": Result, "entities": many[str]}),
    "simulation_interfaces.srv.dds_.GetEntitiesStates": (
        {"filters": EntityFilters}, {"result": Result, "entities": many[str], "states": many[EntityState]}),
    "simulation_interfaces.srv.dds_.GetEntityState": ({"entity": str}, {"result": Result, "state": EntityState}),
    "simulation_interfaces.srv.dds_.SetEntityState": (
        {"entity": str, "state": EntityState, "set_pose": bool, "set_twist": bool, "set_acceleration": bool}, {"result": Result}),
    "simulation_interfaces.srv.dds_.GetEntityInfo": ({"entity": str}, {"result": Result, "info": EntityInfo}),
    "simulation_interfaces.srv.dds_.SetEntityInfo": ({"entity": str, "info": EntityInfo}, {"result": Result}),
    "simulation_interfaces.srv.dds_.GetEntityBounds": ({"entity": str}, {"result": Result, "bounds": Bounds}),
    "simulation_interfaces.srv.dds_.GetCurrentWorld": ({}, {"result": Result, "world": WorldResource}),
    "simulation_interfaces.srv.dds_.SpawnEntity": (Spawn, {"result": Result, "entity_name": str}),
    "simulation_interfaces.srv.dds_.DeleteEntity": ({"entity": str}, {"result": Result}),
    "simulation_interfaces.srv.dds_.UnloadWorld": ({}, {"result": Result}),
    "simulation_interfaces.action.dds_.SimulateSteps_SendGoal": (
        {"goal_id": UUID, "goal": Goal}, {"accepted": bool, "stamp": Time}),
    "simulation_interfaces.action.dds_.SimulateSteps_GetResult": ({"goal_id": UUID}, {"status": types.int8, "result": Outcome}),
    "action_msgs.srv.dds_.CancelGoal": ({"goal_info": GoalInfo}, {"return_code": types.int8, "goals_canceling": many[GoalInfo]}),
}  # fmt: skip
ME = 0x0123456789ABCDEF
NOW = Time(0, 0)
EVERYWHERE = EntityFilters("", [], TagsFilter([], 0), Bounds(0, []))


class Client(Peer):
    """Calls services of a node."""

    def __init__(self, domain, node):
        super().__init__(domain)
        self.node, self.ends, self.numbers = node, {}, count(1)

    def open(self, service, kind):
        asked, answered = SRV[kind]
        asked = asked or {"structure_needs_at_least_one_member": types.uint8}
        head = {"client": types.uint64, "number": types.int64}
        request, reply = idl(f"{kind}_Request_", **head, **asked), idl(f"{kind}_Response_", **head, **answered)
        writer = self.writer(f"rq{self.node}/{service}Request", request)
        self.ends[service] = writer, self.reader(f"rr{self.node}/{service}Reply", reply), request
        matched(*self.ends[service][:2])

    def ask(self, service, kind, *fields):
        """Send a request; what waits for its answer."""
        if service not in self.ends:
            self.open(service, kind)
        writer, reader, request = self.ends[service]
        sent = next(self.numbers)
        writer.write(request(ME, sent, *(fields if SRV[kind][0] else (0,))))

        def answer():
            (found,) = until(lambda: reader.take(1), f"answer of {service}")
            assert (found.client, found.number) == (ME, sent)
            return found

        return answer

    def call(self, service, kind, *fields):
        return self.ask(service, kind, *fields)()

    def sim(self, name, *fields):
        """A service of the standard by its type's name."""
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
        return self.call(snake, f"simulation_interfaces.srv.dds_.{name}", *fields)

    def time(self, entity):
        return stamp(self.sim("GetEntityState", entity).state.header.stamp)

    def goal(self, key, steps):
        """Send a goal of the action; its answer, and what waits for its result."""
        name, action = "simulate_steps/_action/", "simulation_interfaces.action.dds_.SimulateSteps_"
        uuid = UUID([key] * 16)
        taken = self.call(f"{name}send_goal", f"{action}SendGoal", uuid, Goal(steps))
        return taken.accepted, self.ask(f"{name}get_result", f"{action}GetResult", uuid)


def code(answer):
    return [answer.result.result, answer.result.error_message]


def rows(state):
    pose, twist = state.pose, state.twist
    return [
        *([getattr(pose.position, axis) for axis in "xyz"]), *([getattr(pose.orientation, axis) for axis in "wxyz"]),
        *([getattr(twist.linear, axis) for axis in "xyz"]), *([getattr(twist.angular, axis) for axis in "xyz"]),
    ]  # fmt: skip


def entity_state(numbers, frame=""):
    x, y, z, qw, qx, qy, qz, *motion = map(float, numbers)
    nothing = Vector3(0.0, 0.0, 0.0)
    twist = Twist(Vector3(*motion[:3]), Vector3(*motion[3:]))
    return EntityState(Header(NOW, frame), Pose(Point(x, y, z), Quaternion(qx, qy, qz, qw)), twist, Accel(nothing, nothing))


def filters(name="", categories=(), tags=(), mode=0, bounds=(0, ())):
    points = [Vector3(*map(float, point)) for point in bounds[1]]
    kinds = [EntityCategory(kind) for kind in categories]
    return EntityFilters(name, kinds, TagsFilter(list(tags), mode), Bounds(bounds[0], points))


def parameters(domain, node, names, fitting, unfitting, joint):
    """All that the services of parameters say, and what /parameter_events says of it."""
    client = Client(domain, node)
    events = client.reader("rt/parameter_events", ParameterEvent)
    matched(events)
    rcl = "rcl_interfaces.srv.dds_."

    def several(values):
        return [Parameter(name, number(value)) for name, value in values]

    found = {"atomic": []}
    for values in (unfitting, fitting, joint):
        result = client.call("set_parameters_atomically", f"{rcl}SetParametersAtomically", several(values)).result
        found["atomic"].append([result.successful, result.reason])
        paths = [name for name, _ in values]
        got = client.call("get_parameters", f"{rcl}GetParameters", paths).values
        found.setdefault("got", []).append([item.double_value for item in got])
    heard = []
    until(lambda: heard.extend(events.take(10)) or len(heard) >= 2, "events")
    found["events"] = [[item.node, {one.name: one.value.double_value for one in item.changed_parameters}] for item in heard]
    found["types"] = list(client.call("get_parameter_types", f"{rcl}GetParameterTypes", names).types)
    described = client.call("describe_parameters", f"{rcl}DescribeParameters", names).descriptors
    found["described"] = [
        [item.name, item.type, item.description, item.additional_constraints, item.read_only, item.dynamic_typing,
         [[one.from_value, one.to_value] for one in item.floating_point_range]]
        for item in described
    ]  # fmt: skip
    sim_time = [Parameter("use_sim_time", ParameterValue(1, value, 0, 0.0, "", [], [], [], [], [])) for value in (True, False)]
    for item in sim_time:
        result = client.call("set_parameters_atomically", f"{rcl}SetParametersAtomically", [item]).result
        found.setdefault("sim_time", []).append([result.successful, result.reason])
    return found


def world_parameters(domain, world, node, whole, own):
    """Set a robot's parameter through the world's node, then through its own: both nodes tell of both."""
    events = Peer(domain).reader("rt/parameter_events", ParameterEvent)
    matched(events)
    heard = []
    for asked, path, value in ((world, whole, 2.0), (node, own, 3.0)):
        parameters = [Parameter(path, number(value))]
        kind = "rcl_interfaces.srv.dds_.SetParametersAtomically"
        assert Client(domain, asked).call("set_parameters_atomically", kind, parameters).result.successful
        until(lambda: heard.extend(events.take(10)) or (len(heard) % 2 == 0 and heard), "events")
        told = {item.node: [[one.name, one.value.double_value] for one in item.changed_parameters] for item in heard[-2:]}
        assert told == {world: [[whole, value]], node: [[own, value]]}, told
    return {}


def control(domain, node, robot):
    """Pause, step, run the action and cancel it, play."""
    client = Client(domain, node)
    found = {"features": list(client.sim("GetSimulatorFeatures").features.features), "states": []}

    def state():
        found["states"].append(client.sim("GetSimulationState").state.state)

    def set_state(target):
        found.setdefault("set", []).append(code(client.sim("SetSimulationState", SimulationState(target))))
        state()

    state()
    early = client.sim("StepSimulation", 1)
    set_state(2)
    set_state(2)
    clocks = client.reader("rt/clock", Clock, BEST_EFFORT)
    matched(clocks)
    heard = []
    until(lambda: heard.extend(clocks.take(100)) or len(heard) >= 3, "clock that stands")
    before = client.time(robot)
    steps = client.sim("StepSimulation", 10)
    after = client.time(robot)
    feedback = client.reader("rt" + node + "/simulate_steps/_action/feedback", Feedback)
    statuses = client.reader("rt" + node + "/simulate_steps/_action/status", GoalStatusArray, LASTING)
    matched(feedback, statuses)
    accepted, result = client.goal(1, 5)
    done, told = result(), []
    until(lambda: told.extend(feedback.take(10)) or len(told) >= 5, "feedback")
    later = client.time(robot)
    _, endless = client.goal(2, 2**63)
    until(lambda: feedback.take(1), "feedback of an endless goal")
    busy = client.sim("StepSimulation", 1)
    name = "simulate_steps/_action/cancel_goal"
    cancel = client.call(name, "action_msgs.srv.dds_.CancelGoal", GoalInfo(UUID([2] * 16), NOW))
    cancelled = endless()
    unknown = client.call(name, "action_msgs.srv.dds_.CancelGoal", GoalInfo(UUID([9] * 16), NOW))
    stands = [client.time(robot), (time.sleep(0.05), client.time(robot))[1]]
    set_state(1)
    moved = client.time(robot)
    until(lambda: client.time(robot) > moved, "clock that goes on")
    _, playing = client.goal(3, 5)
    wrong = playing()
    listed = until(lambda: statuses.take(10), "statuses")
    return {
        **found, "early": code(early), "clock": sorted({stamp(item.clock) for item in heard}), "step": code(steps),
        "busy": code(busy), "passed": [after - before, later - after], "accepted": accepted,
        "done": [done.status, *code(done.result)],
        "told": [[i.feedback.completed_steps, i.feedback.remaining_steps] for i in told],
        "cancel": [cancel.return_code, len(cancel.goals_canceling), unknown.return_code],
        "cancelled": [cancelled.status, *code(cancelled.result)], "stands": stands[1] - stands[0],
        "wrong": [wrong.status, *code(wrong.result)],
        "statuses": {item.goal_info.goal_id.uuid[0]: item.status for item in listed[-1].status_list},
    }  # fmt: skip


def entities(domain, node, robot, queries, put, wrong):
    """Ask for entities, put some elsewhere, and let 100 ticks pass; the clock stands meanwhile."""
    client = Client(domain, node)
    client.sim("SetSimulationState", SimulationState(2))
    found = {"found": []}
    for query in queries:
        answer = client.sim("GetEntities", filters(**query))
        found["found"].append([answer.result.result, list(answer.entities)])
    both = client.sim("GetEntitiesStates", EVERYWHERE)
    found["states"] = {name: rows(state) for name, state in zip(both.entities, both.states, strict=True)}
    infos = {name: client.sim("GetEntityInfo", name).info for name in both.entities}
    found["infos"] = {name: [info.category.category, info.description, list(info.tags)] for name, info in infos.items()}
    bounds = {name: client.sim("GetEntityBounds", name).bounds for name in both.entities}
    found["bounds"] = {name: [item.type, [[p.x, p.y, p.z] for p in item.points]] for name, item in bounds.items()}
    for name, numbers, flags in put:
        found.setdefault("put", []).append(code(client.sim("SetEntityState", name, entity_state(numbers), *flags)))
        found.setdefault("there", []).append(rows(client.sim("GetEntityState", name).state))
    for name, numbers, frame, flags in wrong:
        found.setdefault("wrong", []).append(code(client.sim("SetEntityState", name, entity_state(numbers, frame), *flags)))
    client.sim("SetEntityInfo", robot, EntityInfo(EntityCategory(2), "mine", ["blue"]))
    found["tagged"] = list(client.sim("GetEntities", filters(tags=["blue"])).entities)
    client.sim("StepSimulation", 100)
    found["after"] = {name: rows(client.sim("GetEntityState", name).state) for name in both.entities}
    world = client.sim("GetCurrentWorld")
    found["world"] = [world.result.result, world.world.name, world.world.world_resource.uri]
    pose = PoseStamped(Header(NOW, ""), Pose(Point(0.0, 0.0, 1.0), Quaternion(0.0, 0.0, 0.0, 1.0)))
    found["unsupported"] = [
        code(client.sim("SpawnEntity", "new", True, Resource("file:///box.sdf", ""), "", pose)),
        code(client.sim("DeleteEntity", robot)),
        code(client.sim("UnloadWorld")),
    ]
    return found


def reset(domain, node, robot, parameter):
    """Change and put things, reset the state alone, then everything, and stop; the clock stands but for single steps."""
    client = Client(domain, node)
    client.sim("SetSimulationState", SimulationState(2))
    rcl = "rcl_interfaces.srv.dds_."
    found = {"begin": rows(client.sim("GetEntityState", robot).state), "time": [client.time(robot)]}
    away = [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

    def set_parameter(value):
        client.call("set_parameters_atomically", f"{rcl}SetParametersAtomically", [Parameter(parameter, number(value))])

    def note(what, answer):
        value = client.call("get_parameters", f"{rcl}GetParameters", [parameter]).values[0].double_value
        state = rows(client.sim("GetEntityState", robot).state)
        at = client.sim("GetSimulationState").state.state
        found[what] = [code(answer), client.time(robot), state, value, at]

    set_parameter(7.5)
    client.sim("SetEntityState", robot, entity_state(away), True, True, False)
    client.sim("StepSimulation", 20)
    note("state", client.sim("ResetSimulation", 2))
    client.sim("StepSimulation", 20)
    note("all", client.sim("ResetSimulation", 0))
    client.sim("StepSimulation", 500)
    found["time_alone"] = code(client.sim("ResetSimulation", 1))
    client.sim("SetEntityState", robot, entity_state(away), True, True, False)
    client.sim("StepSimulation", 20)
    note("stopped", client.sim("SetSimulationState", SimulationState(0)))
    found["step"] = code(client.sim("StepSimulation", 1))
    client.sim("SetSimulationState", SimulationState(2))
    client.sim("StepSimulation", 30)
    found["quit"] = code(client.sim("SetSimulationState", SimulationState(3)))
    return found


def locked(domain, node, robot):
    """A run that is served step-locked: steps of both kinds."""
    client, stepper = Client(domain, node), Stepper(domain)
    tick = stepper.start()
    found = {"state": client.sim("GetSimulationState").state.state}
    found["play"] = code(client.sim("SetSimulationState", SimulationState(1)))
    found["step"] = code(client.sim("StepSimulation", 10))
    found["ticks"] = [tick, stepper.step(5)]
    found["reset"] = code(client.sim("ResetSimulation", 0))
    found["time"] = client.time(robot)
    return found


def rosout(domain, least):
    """What was said, also before this peer was there."""
    client = Peer(domain)
    reader, heard = client.reader("rt/rosout", Log, LASTING), []
    until(lambda: heard.extend(reader.take(100)) or len(heard) >= least, "log messages")
    times = [stamp(item.stamp) * 1e-9 for item in heard]
    return {"said": [[item.level, item.name, item.msg] for item in heard], "times": times}


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
