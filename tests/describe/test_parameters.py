"""Parameters by path: what may be set, and what is said where it may not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import didymos
from didymos.describe.twin import Twin
from didymos.errors import InputError

SMALL = Path(__file__).with_name("small_twin")


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    shutil.copytree(SMALL, tmp_path / "small")
    return didymos.load(tmp_path / "small")


WRONG: dict[str, tuple[str, object, str]] = {
    "unknown link": ("links.bodi.mass", 1, "did you mean 'links.body.mass'"),
    "unknown part": ("parts.fll.direction", 1, "did you mean 'parts.fl.direction'"),
    "unknown gain": ("control.gains.roll.ki", 1, "did you mean 'control.gains.roll.k"),
    "nothing like it": ("zzz", 1, "there is no such parameter"),
    "empty": ("", 1, "there is no such parameter"),
    "text": ("world.gravity", "low", "found 'low', expected a number [m/s^2]"),
    "nothing": ("world.gravity", None, "expected a number"),
    "not a number": ("world.gravity", float("nan"), "expected a finite number"),
    "infinite": ("links.body.com.x", float("inf"), "expected a finite number"),
    "too large for a float": ("links.body.com.x", 10**400, "expected a number"),
    "too low": ("links.body.mass", -1, "found -1, expected a number from 0 to inf [kg]"),
    "too high": ("world.wind.speed", 101, "found 101, expected a number from 0 to 100 [m/s]"),
    "zero where it must be above": ("parts.rr.disc_area", 0, "expected a number above 0"),
    "gain too high": ("control.gains.roll.kp", 11, "expected a number from 0 to 10"),
}


@pytest.mark.parametrize(("path", "value", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_value_that_does_not_fit_is_refused_and_changes_nothing(twin: Twin, path: str, value: object, said: str) -> None:
    before = dict(twin.parameters)
    with pytest.raises(InputError) as caught:
        twin.set(path, value)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"{path}: ")  # and not a line of the file, which is not to blame
    assert said in str(caught.value)
    assert twin.parameters == before


LATE: dict[str, tuple[str, float, str]] = {
    "step that the rate does not fit": ("world.step", 0.003, "control.rate: found 250 Hz, expected a rate whose period"),
    "rate that does not fit the step": ("control.rate", 300.0, "control.rate: found 300 Hz, expected a rate whose period"),
    "sensor too fast": ("sensors.imu.rate", 600.0, "sensors.imu.rate: found 600 Hz, expected at most"),
    "half a direction": ("parts.fl.direction", 0.5, "parts.fl.direction: found 0.5, expected 1 or -1"),
    "inertia of no body": ("links.body.inertia.zz", 1.0, "links.body.inertia: principal moments 0.01, 0.01, 1 kg m^2"),
    "body without mass": ("links.body.mass", 0.0, "links.body.mass: found 0 kg, expected a mass above 0"),
}


@pytest.mark.parametrize(("path", "value", "said"), LATE.values(), ids=LATE.keys())
def test_values_that_do_not_fit_each_other_are_refused_before_the_run(twin: Twin, path: str, value: float, said: str) -> None:
    twin.set(path, value)
    with pytest.raises(InputError) as caught:
        twin.simulate()
    assert said in str(caught.value)


def test_values_that_fit_each_other_only_together_can_be_set_one_by_one(twin: Twin) -> None:
    twin.set("world.step", 0.005)
    twin.set("control.rate", 200.0)
    twin.set("sensors.state.rate", 200.0)
    assert twin.simulate().period == 0.005


def test_every_parameter_can_be_set_to_its_own_value(twin: Twin) -> None:
    for path, parameter in list(twin.parameters.items()):
        twin.set(path, parameter.value)
    twin.simulate(scenario="everything").run(0.1)


def test_a_parameter_that_is_fixed_during_a_run_says_so(twin: Twin) -> None:
    simulation = twin.simulate()
    with pytest.raises(InputError, match=r"world\.step: cannot change during a run"):
        simulation.set("world.step", 0.001)
    with pytest.raises(InputError, match=r"world\.wind\.sped: .*did you mean 'world\.wind\.speed'"):
        simulation.set("world.wind.sped", 1.0)
    with pytest.raises(InputError, match="expected a finite number"):
        simulation.set("world.wind.speed", float("nan"))


def test_a_link_may_have_dots_in_its_name(make_twin: object) -> None:
    model = """<mujoco><worldbody><body name="a.b"><joint name="c.d"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
    twin = make_twin(model)  # type: ignore[operator]
    twin.set("links.a.b.mass", 2.0)
    twin.set("links.a.b.com.x", 0.1)
    twin.set("links.a.b.inertia.xx", 0.005)
    twin.set("joints.c.d.damping", 0.5)
    simulation = twin.simulate()
    body = simulation.model.body("a.b")
    assert (body.mass[0], body.ipos[0], simulation.model.dof_damping.ravel()[0]) == (2.0, 0.1, 0.5)
    simulation.set("links.a.b.mass", 3.0)
    assert simulation.model.body("a.b").mass[0] == 3.0
