"""The program `pick`: another arm than ours, with another gripper, takes a box by friction, lifts it, and sets it down again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.control.pick_stages import (
    APPROACH,
    CLOSE,
    DESCEND,
    HOLD,
    LIFT,
    LOWER,
    RELEASE,
    STAGES,
    WAIT,
    next_stage,
)
from didymos.errors import InputError
from didymos.rotations import quaternion_to_matrix

TABLE, HALF = 0.2, 0.03  # [m] height of the table, half the size of the box
_LINK = '<geom type="capsule" fromto="0 0 0 0 0 {0}" size=".03" mass="{1}" contype="0" conaffinity="0"/>'
_FINGER = """<body name="{0}" pos="{1} 0 .05"><joint name="{0} slide" type="slide" axis="{2} 0 0" range="{3}" limited="true"/>
  <geom type="box" size=".005 .012 .04" pos="0 0 .04" mass=".1"/></body>"""
ARM = f"""<mujoco><compiler angle="radian"/>
<default><joint damping=".5" armature=".05"/><geom solref=".005 1"/></default>
<worldbody>
  <geom name="table" type="box" size=".3 .5 .05" pos=".5 0 {TABLE - 0.05}"/>
  <body name="box" pos=".45 .08 {TABLE + HALF}" quat="{math.cos(0.2)} 0 0 {math.sin(0.2)}"><freejoint/>
    <geom type="box" size=".02 .04 {HALF}" mass=".3" friction=".7" priority="1"/><site name="beside" pos="0 -.2 0"/></body>
  <body name="foot"><geom type="cylinder" size=".05 .1" pos="0 0 .1" mass="3"/>
    <body name="one" pos="0 0 .2"><joint name="pan" axis="0 0 1"/>{_LINK.format(0.1, 2)}
      <body name="two" pos="0 0 .1"><joint name="shoulder" axis="0 1 0" range="-1.5 2" limited="true"/>{_LINK.format(0.4, 2)}
        <body name="three" pos="0 0 .4"><joint name="elbow" axis="0 1 0" range="-3 3" limited="true"/>{_LINK.format(0.35, 1.5)}
          <body name="four" pos="0 0 .35"><joint name="nod" axis="0 1 0"/>{_LINK.format(0.05, 0.5)}
            <body name="five" pos="0 0 .05"><joint name="tilt" axis="1 0 0"/>{_LINK.format(0.05, 0.5)}
              <body name="palm" pos="0 0 .05"><joint name="roll" axis="0 0 1"/>
                <geom type="box" size=".06 .02 .02" pos="0 0 .02" mass=".5" contype="0" conaffinity="0"/>
                <site name="tcp" pos="0 0 .12"/>
                {_FINGER.format("thumb", -0.005, -1, "0 .05")}{_FINGER.format("index", 0.005, -1, "-.05 0")}
              </body></body></body></body></body></body></body>
</worldbody>
<actuator>
  <motor name="m1" joint="pan"/><motor name="m2" joint="shoulder"/><motor name="m3" joint="elbow"/>
  <motor name="m4" joint="nod"/><motor name="m5" joint="tilt"/><motor name="m6" joint="roll"/>
  <position name="m7" joint="thumb slide" kp="2000" kv="60"/><position name="m8" joint="index slide" kp="2000" kv="60"/>
</actuator></mujoco>"""
POSTURE = {"shoulder": 0.0, "elbow": 1.9, "nod": math.pi - 1.9, "thumb slide": 0.04, "index slide": -0.04}
FINGERS = {"thumb slide": [0.003, 0.045], "index slide": [-0.002, -0.045]}  # one opens forward, the other backward
OPTIONS = {"end_effector": "tcp", "fingers": FINGERS, "grip": 20.0}
EXACT = {"kind": "pose", "link": "box", "rate": 50}
NOISY = EXACT | {"position": {"noise": 1e-3}, "orientation": {"noise": 5e-3}}


def driven(make_twin: Any, options: Any = None, sees: Any = NOISY, **keys: Any) -> Any:
    joints = [*("pan", "shoulder", "elbow", "nod", "tilt", "roll"), *FINGERS]
    return make_twin(
        ARM,
        world={"step": 0.001, "friction_cone": "elliptic", "friction_impedance": 10},
        sensors={"encoders": {"kind": "joints", "rate": 500, "joints": joints}, "box": sees, "true": EXACT | {"rate": 100}},
        control={"program": "pick", "rate": 500, "options": {"object": "box"} | OPTIONS | (options or {})},
        start={"joints": POSTURE},
        **keys,
    )


def stages(simulation: Any, log: Any) -> list[str]:
    return [label for _, name, label in simulation.events(log) if name == "stage"]


def at(simulation: Any, log: Any, row: int) -> Any:
    """The model where the joints were at a row of the log."""
    model = simulation.robot.model
    q = np.array(model.reference)
    for name in (*POSTURE, "pan", "tilt", "roll"):
        q[model.position_index(name)] = log[f"joints.{name}.position"].values[row]
    return model.at(q)


@pytest.fixture(scope="module")
def picked(make_twin: Any) -> Any:
    """A run of 12 s in which nobody asks for the box any more after 9 s, and its log."""
    stimuli = [{"target": "setpoints.grasp", "kind": "step", "at": 9.0, "from": 1.0, "to": 0.0}]
    simulation = driven(make_twin, scenarios={"pick": {"seconds": 14, "stimuli": stimuli}}).simulate(scenario="pick", seed=3)
    return simulation, simulation.run()


def test_it_goes_through_all_stages_and_back(picked: Any) -> None:
    assert stages(*picked) == [*STAGES, "wait"]
    assert picked[1]["control.misses"].values[-1] == 0


def test_the_box_is_lifted_by_the_height_that_is_asked_for_and_set_down_where_it_was(picked: Any) -> None:
    simulation, log = picked
    times = {label: time for time, _, label in simulation.events(log)}
    z = log["true.position.z"]
    held = z.values[(z.time > times["hold"] + 0.5) & (z.time < 9.0)]
    assert held - (TABLE + HALF) == pytest.approx(np.full(len(held), 0.15), abs=0.004)
    place = np.array([log[f"true.position.{axis}"].values for axis in "xyz"])
    assert place[:, -1] == pytest.approx(place[:, 0], abs=0.003)


def test_the_box_hardly_creeps_in_the_fingers(picked: Any) -> None:
    """Over five seconds; the engine's contacts creep by the inverse of `world.friction_impedance`."""
    simulation, log = picked
    times = {label: time for time, _, label in simulation.events(log)}
    clock, places = log["true.position.x"].time, []
    for i in np.flatnonzero((clock > times["lift"]) & (clock < times["lift"] + 5.0)):
        state = at(simulation, log, i)
        box = np.array([log[f"true.position.{axis}"].values[i] for axis in "xyz"])
        places.append(state.rotation("tcp").T @ (box - state.position("tcp")))
    assert np.ptp(np.array(places), axis=0).max() < 1e-3
    assert np.abs(places[0]).max() < 2e-3  # readings of a millimetre of noise, averaged over 0.3 s; sides push it to the middle


def test_the_fingers_close_across_the_box_as_it_is_turned(picked: Any) -> None:
    """The fingers slide along the tool's x, which is the narrow side of the box: 0.4 rad, or half a turn on."""
    simulation, log = picked
    tool = at(simulation, log, int(np.flatnonzero(log["control.stage"].values == HOLD)[0])).rotation("tcp")
    heading = tool[:2, 0]
    assert abs(heading @ [math.cos(0.4), math.sin(0.4)]) == pytest.approx(1.0, abs=1e-3)
    assert tool[2] == pytest.approx([0, 0, -1], abs=0.02)


def test_fingers_press_with_the_grip(picked: Any) -> None:
    _, log = picked
    held = log["control.pressed"].values[log["control.stage"].values == HOLD]
    assert held == pytest.approx(np.full(len(held), 20.0), abs=20.0 * 0.1)


def test_it_lifts_after_it_has_pressed_for_a_while(picked: Any) -> None:
    """The gain `close.time` is 0.3 s; a row of the log is 10 ms."""
    simulation, log = picked
    times = {label: time for time, _, label in simulation.events(log)}
    pressed = log["control.pressed"]
    late = pressed.time[(pressed.time >= times["close"]) & (pressed.values < 0.98 * 20.0) & (pressed.time < times["hold"])]
    assert times["lift"] - late[-1] == pytest.approx(0.3, abs=0.03)


def test_the_tool_rises_only_once_the_fingers_are_open(picked: Any) -> None:
    _, log = picked
    released = log["control.stage"].values == RELEASE
    height, thumb = log["control.target.z"].values[released], log["joints.thumb slide.position"].values[released]
    rising = np.flatnonzero(height > height[0] + 1e-6)
    assert len(rising) > 10
    assert thumb[rising[0]] > 0.044 > 0.03 > thumb[0]


def test_a_box_that_is_not_where_it_is_seen_is_a_miss_and_tried_again(make_twin: Any) -> None:
    sees = EXACT | {"link": "beside"}
    simulation = driven(make_twin, sees=sees).simulate()
    log = simulation.run(12.0)
    assert log["control.misses"].values[-1] >= 1
    passed = stages(simulation, log)
    assert passed[:6] == ["wait", "approach", "descend", "close", "release", "wait"]
    assert passed.count("close") == 2  # above the place it is already: the second approach ends at once


def test_a_tool_that_does_not_get_down_to_the_box_is_a_miss(make_twin: Any) -> None:
    """It shall grasp below the table, on which its fingers come to stand: after its patience it lets go and begins anew."""
    simulation = driven(make_twin, {"offset": [0.0, 0.0, -0.1]}, EXACT).simulate()
    simulation.program.set_gain("patience.stage", 4.0)
    log = simulation.run(14.0)
    passed = stages(simulation, log)
    assert passed[:5] == ["wait", "approach", "descend", "release", "wait"]
    assert log["control.misses"].values[-1] >= 1


def test_a_box_that_is_pulled_out_of_the_fingers_is_a_miss(make_twin: Any) -> None:
    """The grip of 20 N on two sides holds 2 x 0.7 x 20 N = 28 N by friction, 2.9 N are its weight: 20 N more, not 40 N."""
    pull = {"target": "push.box.z", "kind": "pulse"}
    pulls = [pull | {"value": -20.0, "start": 8.0, "end": 8.5}, pull | {"value": -40.0, "start": 9.0, "end": 9.5}]
    simulation = driven(make_twin, scenarios={"pull": {"seconds": 12, "stimuli": pulls}}).simulate(scenario="pull")
    log = simulation.run()
    stage, misses = log["control.stage"], log["control.misses"]
    assert np.interp(8.99, stage.time, stage.values) == HOLD
    assert misses.values[misses.time < 9.0].max() == 0
    assert misses.values[-1] >= 1


class _Told:
    """A program that is handed readings by a test."""

    def __init__(self, simulation: Any) -> None:
        self.simulation, self.program, self.time = simulation, simulation.program, 0.0
        self.measured = dict.fromkeys(simulation.robot.measured, 0.0) | {"box.orientation.w": 1.0}
        for joint, value in POSTURE.items():
            self.measured[f"encoders.{joint}.position"] = value

    def see(self, position: Any, seconds: float, velocity: Any = (0.0, 0.0, 0.0)) -> float:
        """Readings at 50 Hz of an object that moves; the stage at the end."""
        for i in range(round(seconds * 500)):
            if i % 10 == 0:
                for axis, x, v in zip("xyz", position, velocity, strict=True):
                    self.measured[f"box.position.{axis}"] = x + v * i / 500
                self.measured["box.stamp"] = self.time
            self.program.update(self.time, self.measured, {"grasp": 1.0, "grip": 20.0})
            self.time += 0.002
        return float(self.program._memory["stage"])


def test_it_waits_until_the_object_stands(make_twin: Any) -> None:
    told = _Told(driven(make_twin).simulate())
    assert told.see([0.8, 0, 0.23], 2.0, velocity=[-0.1, 0, 0]) == WAIT
    assert float(told.program._memory["object_speed"]) == pytest.approx(0.1, rel=0.02 / 0.3)  # a reading each 20 ms
    # it still lags by 0.1 m/s T e^(-t/T) (1 + t/T), which is 0.005 m/s T at t = 4.74 T = 1.42 s; then it stands for 0.5 s
    assert told.see([0.6, 0, 0.23], 1.85) == WAIT
    assert told.see([0.6, 0, 0.23], 0.15) == APPROACH


def test_it_tells_how_much_room_its_joints_have(make_twin: Any) -> None:
    """Of the six that carry the tool; the fingers stand at their limits."""
    told = _Told(driven(make_twin).simulate())
    told.see([0.6, 0, 0.23], 0.01)
    assert float(told.program._memory["room"]) == pytest.approx(3.0 - 1.9)
    told.measured["encoders.shoulder.position"] = -1.6
    told.see([0.6, 0, 0.23], 0.01)
    assert float(told.program._memory["room"]) == pytest.approx(-0.1)


def test_an_object_that_is_out_of_reach_or_not_seen_is_not_approached(make_twin: Any) -> None:
    told = _Told(driven(make_twin).simulate())
    assert told.see([1.2, 0, 0.23], 3.0) == WAIT
    told.measured["box.stamp"] = -1.0
    assert told.see([0.6, 0, 0.23], 0.4) == WAIT


def test_an_object_is_taken_where_it_is_measured_from_and_as_it_is_turned_there(make_twin: Any) -> None:
    """Seen from a link: its place in the model is that of the link, and so is its turn; the tool turns by less than a quarter."""
    options = {"seen_from": "four", "offset": [0.0, 0.0, 0.01], "turn": 0.3}
    told = _Told(driven(make_twin, options).simulate())
    model = told.simulation.robot.model
    q = np.array(model.reference)
    for joint, value in POSTURE.items():
        q[model.position_index(joint)] = value
    state = model.at(q)
    quaternion = np.array([0.5, 0.7, -0.4, 0.2]) / math.sqrt(0.94)
    told.measured |= dict(zip((f"box.orientation.{axis}" for axis in "wxyz"), quaternion, strict=True))
    assert told.see([0.1, 0.02, 0.3], 0.6) == APPROACH
    turned = quaternion_to_matrix(quaternion)
    grasp = state.position("four") + state.rotation("four") @ (np.array([0.1, 0.02, 0.3]) + turned @ [0.0, 0.0, 0.01])
    assert told.program._memory["target"] == pytest.approx(grasp + np.array([0.0, 0.0, 0.12]), abs=1e-9)
    heading = (state.rotation("four") @ turned)[:2, 0] / np.linalg.norm((state.rotation("four") @ turned)[:2, 0])
    tool = quaternion_to_matrix(np.array(told.program._memory["turn"]))
    assert tool[:, 2] == pytest.approx([0, 0, -1])
    c, s = math.cos(0.3), math.sin(0.3)
    across = tool[0, 0] * (s * heading[0] + c * heading[1]) - tool[1, 0] * (c * heading[0] - s * heading[1])
    assert across == pytest.approx(0.0, abs=1e-9)
    assert tool[:2, 0] @ state.rotation("tcp")[:2, 0] > 0.0


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"object": "bux"}, "control.options.object: .*did you mean 'box'"),
        ({"seen_from": "fuor"}, "control.options.seen_from: .*did you mean 'four'"),
        ({"fingers": {"thumb slid": [0, 1]}}, "control.options.fingers.thumb slid: .*did you mean 'thumb slide'"),
        ({"fingers": {"pan": [0, 1]}}, "control.options.fingers.pan: "),
        ({"fingers": {"thumb slide": [0.01, 0.01]}}, "expected where it is closed and where it is open"),
        ({"offset": [1, 2]}, "control.options.offset: found 2 numbers"),
        ({"symmetry": 0}, "control.options.symmetry: found 0"),
        ({"fingers": {}}, "control.options.fingers: no joint beyond the end effector is driven"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(make_twin: Any, options: Any, what: str) -> None:
    with pytest.raises(InputError, match=what):
        driven(make_twin, options).simulate()


NOTHING = {
    "asked": True, "stands": False, "gone": False, "arrived": False, "pressing": False, "empty": False, "opened": False,
    "late": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "change", "then"),
    [
        (WAIT, {}, WAIT),
        (WAIT, {"stands": True}, APPROACH),
        (WAIT, {"stands": True, "asked": False}, WAIT),
        (APPROACH, {}, APPROACH),
        (APPROACH, {"arrived": True}, DESCEND),
        (APPROACH, {"arrived": True, "gone": True}, WAIT),
        (DESCEND, {"arrived": True}, CLOSE),
        (DESCEND, {"gone": True}, RELEASE),
        (DESCEND, {"asked": False}, RELEASE),
        (APPROACH, {"late": True}, WAIT),
        (DESCEND, {"late": True}, RELEASE),
        (CLOSE, {"late": True}, RELEASE),
        (HOLD, {"late": True}, HOLD),
        (RELEASE, {"late": True}, WAIT),
        (CLOSE, {"arrived": True}, CLOSE),
        (CLOSE, {"pressing": True}, LIFT),
        (CLOSE, {"pressing": True, "empty": True}, RELEASE),
        (LIFT, {"arrived": True}, HOLD),
        (LIFT, {"gone": True}, LIFT),
        (LIFT, {"empty": True}, RELEASE),
        (HOLD, {"arrived": True}, HOLD),
        (HOLD, {"asked": False}, LOWER),
        (HOLD, {"empty": True}, RELEASE),
        (LOWER, {"asked": False, "arrived": True}, RELEASE),
        (RELEASE, {"arrived": True}, RELEASE),
        (RELEASE, {"opened": True}, RELEASE),
        (RELEASE, {"arrived": True, "opened": True, "empty": True}, WAIT),
    ],
)
def test_what_leads_from_stage_to_stage(stage: int, change: dict[str, bool], then: int) -> None:
    assert next_stage(stage, **NOTHING | change) == then
