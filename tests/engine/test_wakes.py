"""Robots in each other's wake: what they blow by their parts, what they feel, a quadcopter below another."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.air.rotor_wake import JET, ROTOR
from didymos.engine.forces import state_address
from didymos.engine.part_table import ROBOT
from didymos.engine.wakes import blow, feel_wakes
from didymos.errors import InputError

STAND = """<mujoco><worldbody><body name="stand"><freejoint/><geom size=".1" mass="1"/>
  <site name="up" euler="0 -90 0"/><site name="up_left" pos="0 .4 .1" euler="0 -90 0"/><site name="ahead" pos=".5 0 0"/>
  <site name="tilted" pos=".1 .2 .3" euler="20 30 -50"/>
</body></worldbody></mujoco>"""
FAN = {
    "kind": "rotor", "direction": 1, "thrust_coefficient": 1e-4, "torque_coefficient": 5e-6, "radius": 0.15,
    "speed_per_input": 0.0, "speed_at_zero": 200.0,
}  # fmt: skip


class Flock:
    """Simulations that feel each other's wakes, brought together by the kernels before every tick."""

    def __init__(self, *simulations: Any) -> None:
        self.simulations = simulations
        places = []
        for simulation in simulations:
            model, data = simulation.model._address, simulation.data._address
            places.append((data, simulation.context.robot.table, state_address(model, data, 0)))
        self.places = places
        self.headers = [self._header(simulation) for simulation in simulations]
        self.jets = np.zeros(sum(int(header["jets"]) for header in self.headers), JET)
        self.rotors = np.zeros(sum(int(header["blowers"]) for header in self.headers), ROTOR)

    @staticmethod
    def _header(simulation: Any) -> Any:
        start = simulation.built.assembly.table_start
        return simulation.model.numeric_data[start:][: ROBOT.itemsize // 8].view(ROBOT)[0]

    def meet(self) -> None:
        """Everybody blows, then everybody feels."""
        jets, rotors = self.jets.ctypes.data, self.rotors.ctypes.data
        first_jet = first_rotor = 0
        for robot, (place, header) in enumerate(zip(self.places, self.headers, strict=True)):
            blow(*place, robot, jets, first_jet, rotors, first_rotor)
            first_jet, first_rotor = first_jet + int(header["jets"]), first_rotor + int(header["blowers"])
        for robot, place in enumerate(self.places):
            feel_wakes(*place, robot, jets, len(self.jets), rotors, len(self.rotors))

    def wakes(self, robot: int) -> Any:
        """Velocities [parts + 1, 3] in a robot's state."""
        start, parts = int(self.headers[robot]["wakes"]), int(self.headers[robot]["parts"])
        return self.simulations[robot].data.plugin_state[start : start + 3 * (parts + 1)].reshape(-1, 3)

    def run(self, ticks: int) -> None:
        for _ in range(ticks):
            self.meet()
            for simulation in self.simulations:
                simulation.advance(1)


def _stand(make_twin: Any, parts: Any, height: float = 0.0, wake: Any = None, **world: Any) -> Any:
    return make_twin(
        STAND,
        world={"gravity": 0.0, "wake": {"on": True} if wake is None else wake, **world},
        parts=parts,
        start={"position": [0.0, 0.0, height]},
    )


def test_a_robot_blows_where_its_rotors_are_against_their_thrust(make_twin: Any) -> None:
    """Two that lift and one that drives it ahead: two jets, with the thrusts that the laws found."""
    parts = {
        "lift": {**FAN, "link": "up"}, "push": {**FAN, "link": "ahead", "radius": 0.12, "speed_at_zero": 100.0},
        "lift_left": {**FAN, "link": "up_left"},
    }  # fmt: skip
    simulation = _stand(make_twin, parts, height=2.0).simulate()
    flock = Flock(simulation)
    mujoco.mj_forward(simulation.model, simulation.data)
    flock.meet()
    lifting, pushing = flock.jets
    assert lifting["direction"] == pytest.approx([0, 0, -1], abs=1e-12)
    assert lifting["origin"] == pytest.approx([0.0, 0.2, 2.05], abs=1e-5)  # the air is 1e-5 thinner 0.1 m higher
    assert pushing["direction"] == pytest.approx([-1, 0, 0], abs=1e-12)
    assert pushing["origin"] == pytest.approx([0.5, 0.0, 2.0], abs=1e-9)
    assert (int(lifting["first"]), int(lifting["rotors"]), int(pushing["first"]), int(pushing["rotors"])) == (0, 2, 2, 1)
    thrusts = [simulation.readouts(name)[0] for name in ("lift", "lift_left", "push")]
    assert thrusts == pytest.approx([4.0, 4.0, 1.0], rel=1e-3)  # k_T w^2, at 2 m
    np.testing.assert_array_equal(flock.rotors["thrust"], thrusts)
    np.testing.assert_array_equal(flock.rotors["radius"], [0.15, 0.15, 0.12])


def test_flight_and_wind_carry_the_jet(make_twin: Any) -> None:
    twin = _stand(make_twin, {"lift": {**FAN, "link": "up"}}, wind={"speed": 3.0, "up": 1.0})
    simulation = twin.simulate()
    flock = Flock(simulation)
    simulation.advance(1)  # the wind at the robot is found in a tick
    for turn in ([1.0, 0.0, 0.0, 0.0], [0.4, 0.8, 0.2, -0.4]):
        simulation.data.qpos[3:7], simulation.data.qvel[:3] = turn, [1.0, 2.0, 5.0]
        mujoco.mj_forward(simulation.model, simulation.data)
        flock.meet()
        up = simulation.data.xmat[simulation.model.body("stand").id].reshape(3, 3)[:, 2]
        past = np.array([2.0, -2.0, -4.0])  # W - V
        assert flock.jets[0]["direction"] == pytest.approx(-up, abs=1e-9)
        assert flock.jets[0]["drift"] == pytest.approx(past - (past @ up) * up, abs=1e-9)  # across the axis


def test_a_wake_is_felt_as_a_wind_of_its_velocity_would_be(make_twin: Any) -> None:
    """Written into the state by hand, at every part and the root: to the last bit the run of that wind."""
    parts = {
        "drag": {"kind": "body_drag", "link": "stand", "area_x": 0.3, "area_y": 0.5, "area_z": 0.7},
        "lift": {**FAN, "link": "up"},
    }
    in_wind = _stand(make_twin, parts, wind={"speed": 1.5, "up": -2.0}, gusts={"y": -0.5})
    simulation, other = _stand(make_twin, parts).simulate(), in_wind.simulate()
    Flock(simulation).wakes(0)[:] = [1.5, -0.5, -2.0]
    simulation.advance(200)
    other.advance(200)
    assert np.abs(simulation.data.qpos[:3]).min() > 1e-4
    np.testing.assert_array_equal(simulation.data.qpos, other.data.qpos)
    np.testing.assert_array_equal(simulation.readouts("drag"), other.readouts("drag"))


def _flying(folder: Path, name: str, wake: bool) -> Any:
    """A bundled twin from a copy of its files, with the wake switched on or not."""
    robots = Path(didymos.__file__).parent / "robots"
    for item in (name, "shared"):
        shutil.copytree(robots / item, folder / item, dirs_exist_ok=True)
    file = folder / name / "twin.yaml"
    if wake:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("\nworld:\n", "\nworld:\n  wake: {on: true}\n"), encoding="utf-8")
    return didymos.load(folder / name)


def test_a_robot_alone_flies_to_the_same_bits_with_its_wake_on(tmp_path: Path) -> None:
    with_wake = _flying(tmp_path / "on", "quadcopter", True).simulate(seed=3)
    without = _flying(tmp_path / "off", "quadcopter", False).simulate(seed=3)
    Flock(with_wake).run(300)
    without.advance(300)
    np.testing.assert_array_equal(with_wake.data.qpos, without.data.qpos)


def test_a_crazyflie_a_metre_below_another_is_pushed_down_and_holds_its_height_with_more_input(tmp_path: Path) -> None:
    """The one above feels nothing: it flies to the bits of one that is alone."""
    twin = _flying(tmp_path, "crazyflie", True)
    for name, height in (("high", 2.0), ("low", 1.0)):
        twin.add_scenarios({name: {"seconds": 15, "start": {"position": [0, 0, height]}, "setpoints": {"z": height}}})
    upper, lower, alone, alone_below = (twin.simulate(scenario=name, seed=1) for name in ("high", "low", "high", "low"))
    flock = Flock(upper, lower)
    for simulation in (upper, lower, alone, alone_below):
        simulation.advance(400)
    flock.meet()
    before = flock.wakes(1).copy()
    weight = 9.80665 * float(lower.model.body_mass.sum())
    speed = float(np.sqrt(weight / (2 * 1.225 * 4 * np.pi * 0.0231**2)))
    distance = 2 * float(np.hypot(0.0325, 0.0325))
    published = speed * 10.11 / (1.0 / distance + 5.817)  # on the centreline, Bauersfeld et al. 2024
    assert -before[-1, 2] == pytest.approx(published, rel=0.1)  # they do not hover exactly there
    mujoco.mj_forward(lower.model, lower.data)
    pushed = sum(alone_below.readouts(f"motor{i}")[0] - lower.readouts(f"motor{i}")[0] for i in range(1, 5))
    assert pushed / weight == pytest.approx(1.0 / 6.0, abs=0.03)  # tests/parts/test_rotor_in_wake.py
    flock.run(1000)
    for simulation in (alone, alone_below):
        simulation.advance(1000)
    np.testing.assert_array_equal(upper.data.qpos, alone.data.qpos)
    assert lower.data.qpos[2] == pytest.approx(1.0, abs=0.15)
    assert lower.readouts("motor1")[1] > 1.03 * alone_below.readouts("motor1")[1]  # its rotors turn faster


def test_a_rotor_of_unknown_radius_is_a_mistake_where_the_wake_is_on(make_twin: Any) -> None:
    bare = {"kind": "rotor", "link": "up", "direction": 1, "thrust_coefficient": 1e-4, "speed_per_input": 100.0}
    with pytest.raises(InputError, match=r"parts\.lift: its wake .* needs the radius of its disc"):
        _stand(make_twin, {"lift": bare}).simulate()
    _stand(make_twin, {"lift": bare}, wake={}).simulate()


def test_a_kind_of_ones_own_says_by_which_output_and_axis_it_blows(make_twin: Any) -> None:
    fan = """
from didymos.contract import output, parameter
from didymos.parts.jet_source import JetSource
from didymos.parts.part import Part, law


class Fan(Part):
    disc = parameter(unit="m", above=0)
    lift = output(unit="N")

    @classmethod
    def jet_source(cls, numbers):
        return JetSource(radius=numbers.disc, thrust="{thrust}", axis=(2, -3, 6))

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        output.lift = 3.0
"""
    parts = {"fan": {"kind": "fan.py:Fan", "link": "tilted", "disc": 0.2}}
    world = {"gravity": 0.0, "wake": {"on": True}}
    simulation = make_twin(STAND, world=world, parts=parts, files={"fan.py": fan.replace("{thrust}", "lift")}).simulate()
    simulation.data.qpos[3:7] = [0.5, -0.5, 0.1, 0.7]
    mujoco.mj_forward(simulation.model, simulation.data)
    flock = Flock(simulation)
    flock.meet()
    assert (flock.rotors["thrust"][0], flock.rotors["radius"][0]) == (3.0, 0.2)
    tilted = simulation.data.site("tilted")
    assert flock.jets[0]["origin"] == pytest.approx(tilted.xpos)
    assert flock.jets[0]["direction"] == pytest.approx(-tilted.xmat.reshape(3, 3) @ [2 / 7, -3 / 7, 6 / 7])
    with pytest.raises(InputError, match=r"no output 'lifts', which its jet_source names, did you mean 'lift'\?"):
        make_twin(STAND, world=world, parts=parts, files={"fan.py": fan.replace("{thrust}", "lifts")}).simulate()
