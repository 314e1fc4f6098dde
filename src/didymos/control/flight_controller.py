"""What a plane's program declares to take off, to fly missions and to land: gains, set-points, reports, memory, options.

`watch_flight` brings what the stages are decided by up to a call; `flight_guidance.direct` does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from didymos.compiled import kernel
from didymos.contract import measurement, memory, report, setpoint, setting
from didymos.control import flight_stages as st
from didymos.control.controller import Gain, Robot
from didymos.control.flight_aim import AIM
from didymos.control.flight_guidance import begin_flight
from didymos.control.flight_plan import ITEM, MOST_ITEMS, read_items, take_letter
from didymos.control.ground_height import height_above_ground
from didymos.control.navigation import NavigatingController
from didymos.control.runway import RUNWAY, read_runway
from didymos.errors import InputError, nearest

__all__ = ["FlightController", "watch_flight"]

_BELIEVED = 0.98  # of the reach of a range finder


@kernel
def watch_flight(
    clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, roll: float, pitch: float, yaw: float, memory: Any
) -> None:
    """Height above ground, speed, how long it has touched, stood, been slow; home and runway once it knows where it is."""
    estimate, state = memory.navigation.estimate, memory.watch
    if clock.first > 0.0:
        memory.runway.known = 0.0
        memory.item_count = settings.item_count
        for i in range(int(settings.item_count)):
            memory.items[i] = settings.items[i]
    take_letter(setpoints, memory)
    if memory.runway.known == 0.0 and (settings.navigation.estimates == 0.0 or memory.navigation.aligned > 0.0):
        begin_flight(settings, gains, estimate, yaw, memory)
    z = estimate.position[2]
    state.height = height_above_ground(clock.period, settings.range_reach, gains, measured, roll, pitch, z, memory)
    state.speed = math.sqrt(estimate.velocity[0] ** 2 + estimate.velocity[1] ** 2)
    st.watch(clock.period, gains, estimate.airspeed, state)
    memory.height = state.height


class FlightController(NavigatingController):
    """Base of programs that fly a plane from take-off to landing."""

    takeoff_throttle = Gain(1.0, low=0, high=1, path="takeoff.throttle", doc="of ground roll and recovery")
    takeoff_ramp = Gain(1.0, low=0, high=30, unit="s", path="takeoff.ramp", doc="until that throttle")
    takeoff_speed = Gain(12.0, low=0, high=200, unit="m/s", path="takeoff.speed", doc="airspeed at which it is rotated")
    takeoff_nose = Gain(0.2, low=0, high=1, unit="rad", path="takeoff.nose", doc="above the trim at most while it climbs")
    takeoff_height = Gain(8.0, low=0, high=1000, unit="m", path="takeoff.height", doc="below which a climb has small banks")
    launch_speed = Gain(0.0, low=0, high=100, unit="m/s", path="launch.speed", doc="that starts a thrown engine; 0: wheels")
    approach_speed = Gain(14.0, low=1, high=200, unit="m/s", path="approach.speed", doc="through the air")
    approach_slope = Gain(0.07, low=0.01, high=0.5, unit="rad", path="approach.slope", doc="of the glide slope")
    approach_length = Gain(400.0, low=20, high=1e5, unit="m", path="approach.length", doc="from the gate to the touch-down point")
    circuit_width = Gain(200.0, low=-1e5, high=1e5, unit="m", path="circuit.width", doc="of the downwind leg, to the left")
    decision_height = Gain(6.0, low=0, high=1000, unit="m", path="decision.height", doc="at which an approach has to be stable")
    decision_aside = Gain(6.0, low=0, high=1000, unit="m", path="decision.aside", doc="of the centre line at most")
    decision_speed = Gain(4.0, low=0, high=100, unit="m/s", path="decision.speed", doc="off the approach's at most")
    flare_height = Gain(2.5, low=0, high=100, unit="m", path="flare.height", doc="at which the flare begins")
    flare_time = Gain(2.5, low=0.1, high=30, unit="s", path="flare.time", doc="in which the height falls to a third")
    flare_sink = Gain(0.3, low=0, high=5, unit="m/s", path="flare.sink", doc="at the touch-down")
    flare_speed = Gain(0.0, low=0, high=200, unit="m/s", path="flare.speed", doc="through the air; 0: the approach's")
    flare_kp = Gain(0.08, low=0, high=10, unit="rad s/m", path="flare.kp", doc="nose per error of sink")
    flare_ki = Gain(0.08, low=0, high=10, unit="rad/m", path="flare.ki")
    decrab_height = Gain(1.0, low=0, high=100, unit="m", path="decrab.height", doc="below which the nose is turned to the runway")
    steer_kp = Gain(2.0, low=0, high=100, unit="1/rad", path="steer.kp", doc="on wheels and in the de-crab")
    steer_kd = Gain(0.4, low=0, high=100, unit="s/rad", path="steer.kd")
    steer_aside = Gain(0.05, low=0, high=10, unit="rad/m", path="steer.aside", doc="heading toward the centre line, on wheels")
    ground_nose = Gain(0.0, low=-1, high=1, unit="rad", path="ground.nose", doc="held on wheels, as far as it can")
    rollout_nose = Gain(0.0, low=-1, high=1, unit="rad", path="rollout.nose", doc="held after the touch-down at first")
    rollout_speed = Gain(10.0, low=0, high=200, unit="m/s", path="rollout.speed", doc="over ground; below, `ground.nose` is held")
    brake_speed = Gain(8.0, low=0, high=200, unit="m/s", path="brake.speed", doc="over ground, below which it brakes")
    brake_share = Gain(1.0, low=0, high=1, path="brake.share", doc="of the brakes in the roll out")
    gear_height = Gain(0.0, low=-10, high=10, unit="m", path="gear.height", doc="of its origin above the ground when it stands")
    touch_height = Gain(0.12, low=0, high=10, unit="m", path="touch.height", doc="below which it has touched")
    touch_seconds = Gain(0.2, low=0, high=10, unit="s", path="touch.seconds")
    stall_speed = Gain(0.0, low=0, high=200, unit="m/s", path="stall.speed", doc="airspeed below which it recovers; 0: never")
    loiter_radius = Gain(60.0, low=-1e5, high=1e5, unit="m", path="loiter.radius", doc="where the set-point is 0")
    return_height = Gain(40.0, low=0, high=1e4, unit="m", path="return.height", doc="above home")

    x = setpoint(unit="m", doc="place of loiter and go to")
    y = setpoint(unit="m")
    radius = setpoint(unit="m", doc="of a circle, positive to the left; 0: `loiter.radius`")
    abort = setpoint(doc="1: go around")
    first_item = setpoint(doc="with which a mission begins; 0 and 1: the first")
    item = setpoint(doc="number of the item that is written, from 1; 0: none, -1: takes all away")
    item_kind = setpoint(doc="3 take-off, 4 loiter, 5 go to, 6 return, 7 land")
    item_x = setpoint(unit="m")
    item_y = setpoint(unit="m")
    item_z = setpoint(unit="m")
    item_value = setpoint(doc="seconds of a loiter, 0 for ever")
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS, doc="why it went around, or recovers")
    recovering = report(doc="1 while it recovers from a stall")
    height = report(unit="m", doc="above where it stands, as the program knows it")
    flying_item = report("item", doc="of the mission that is flown, from 1")
    range = measurement(unit="m")
    range_reach = setting(unit="m", doc="within which the range finder is believed; 0 without one")
    runway_setting = setting("runway", layout=RUNWAY)
    item_count_setting = setting("item_count")
    items_setting = setting("items", layout=ITEM, count=MOST_ITEMS)
    aim = memory(layout=AIM)
    watch = memory(layout=st.WATCH)
    runway = memory(layout=RUNWAY)
    place = memory(layout=ITEM, doc="of the task")
    items = memory(layout=ITEM, count=MOST_ITEMS)
    item_count = memory()
    flown_item = memory(doc="of the call before")
    last_mode = memory("mode", doc="of the call before, -1: none")
    stage_start = memory(unit="s")
    home = memory(columns="xy", unit="m")
    hold = memory(columns="xyz", unit="m", doc="where the last task ended")
    ground = memory(unit="m", doc="z of the ground, as the program knows it")
    flare_integral = memory(unit="rad")

    def fly_by(
        self, runway: Mapping[str, float] | None, mission: Sequence[Mapping[str, Any]], rangefinder: str | None
    ) -> None:
        """Take over the options."""
        items = read_items(mission, "control.options.mission")
        self.settings["runway"] = read_runway(runway)
        self.settings["item_count"] = len(items)
        self.settings["items"][: len(items)] = items
        self.rangefinder = rangefinder

    def start(self, robot: Robot) -> None:
        """Find the readings."""
        super().start(robot)
        if self.rangefinder is not None:
            name = f"{self.rangefinder}.range"
            if name not in robot.measured:
                what = f"there is no reading {name!r}{nearest(name, robot.measured)}"
                raise InputError(what, path="control.options.rangefinder")
            self.reads = {**self.reads, "range": [name]}
            self.settings["range_reach"] = _BELIEVED * getattr(robot.sensors.get(self.rangefinder), "reach", math.inf)
