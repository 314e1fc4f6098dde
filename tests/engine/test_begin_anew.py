"""A run whose body is put elsewhere, whose robot goes back to its start, or that begins anew as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos import Log
from didymos.describe.twin import Twin
from didymos.engine.intervention import load_interventions
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.record.rotation import RotatedFile

# A ball on a free joint and a pendulum on it, without gravity; physics steps and ticks of 1 ms.
BALL = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody><body name="ball"><freejoint name="root"/>
  <geom type="sphere" size=".1" mass="1"/><body name="arm" pos="0 0 -.2"><joint name="hinge" axis="0 1 0"/>
  <geom type="sphere" size=".01" mass="1e-9"/></body></body></worldbody></mujoco>"""
STATE = [1.0, 2.0, 3.0, np.cos(0.5), 0.0, np.sin(0.5), 0.0, 0.3, -0.2, 0.1, 0.0, 0.7, 0.0]
OBJECTS = {"crate": {"position": [5, 0, 1], "size": [0.2, 0.2, 0.2], "mass": 2, "velocity": [0, 0.5, 0]}}


@pytest.fixture(scope="module")
def ball(make_twin: Any) -> Twin:
    made: Twin = make_twin(BALL, world={"gravity": 0, "objects": OBJECTS}, record={"rate": 1000})
    return made


def test_a_body_that_is_put_elsewhere_goes_on_from_there(ball: Twin) -> None:
    run = Run(ball.simulate())
    run.advance(100)
    run.intervene("put", "robot", *STATE)
    run.advance(1000)
    run.close()
    log, t = run.log, 0.999  # from the row at the tick at which it was put to the last one
    x, y, z = (log[f"truth.position.{axis}"].values for axis in "xyz")
    np.testing.assert_array_equal([x[100], y[100], z[100]], STATE[:3])
    np.testing.assert_allclose([x[-1], y[-1], z[-1]], np.array(STATE[:3]) + t * np.array(STATE[7:10]), atol=1e-6)
    # it turns about y alone, so its velocity in its own frame turns the other way: v_x = v . (cos a, 0, -sin a), a = 1 + 0.7 t
    angle = 1.0 + 0.7 * t
    expected = STATE[7] * np.cos(angle) - STATE[9] * np.sin(angle)
    assert log["truth.velocity.x"].values[-1] == pytest.approx(expected, abs=1e-4)
    assert log["truth.angular_velocity.y"].values[-1] == pytest.approx(0.7, abs=1e-6)


def test_a_joint_that_is_put_elsewhere_goes_on_from_there(ball: Twin) -> None:
    run = Run(ball.simulate())
    run.advance(10)
    run.intervene("put", "joints.hinge", 0.4, 1.5)
    run.advance(100)
    run.intervene("put", "joints.hinge", -0.2)
    run.advance(100)
    run.close()
    angle, speed = run.log["joints.hinge.position"].values, run.log["joints.hinge.velocity"].values
    assert angle[10] == 0.4
    assert angle[109] == pytest.approx(0.4 + 0.099 * 1.5, abs=1e-6)  # 1e-9 kg on it do not hold it back
    assert angle[110] == -0.2
    np.testing.assert_allclose(speed[110:], 0.0, atol=1e-6)
    again = ball.simulate().run(0.21, interventions=run.interventions)
    assert again.sha256 == run.log.sha256


def test_what_cannot_be_put_is_refused_and_changes_nothing(ball: Twin, make_twin: Any) -> None:
    run = Run(ball.simulate())
    before = run.simulation.data.qpos.copy()
    for path, state in (
        ("robot", [*STATE[:3], 0.0, 0.0, 0.0, 0.0, *STATE[7:]]),
        ("robot", [*STATE[:3], 1e300, 1e300, 0.0, 0.0, *STATE[7:]]),
        ("robot", [1e12, *STATE[1:]]),
        ("robot", [float("nan"), *STATE[1:]]),
        ("objects.crat", STATE),
        ("robot", STATE[:7]),
        ("joints.hing", [0.1]),
        ("joints.root", [0.1]),
        ("joints.hinge", [0.1, 0.2, 0.3]),
        ("joints.hinge", []),
    ):
        with pytest.raises(InputError):
            run.intervene("put", path, *state)
    np.testing.assert_array_equal(run.simulation.data.qpos, before)
    held = make_twin(BALL.replace('<freejoint name="root"/>', '<joint name="root"/>'))
    with pytest.raises(InputError, match="held in the world"):
        Run(held.simulate()).intervene("put", "robot", *STATE)


def test_a_robot_goes_back_to_its_start_while_the_world_goes_on(ball: Twin) -> None:
    run = Run(ball.simulate())
    run.intervene("put", "robot", *STATE)
    run.advance(200)
    run.intervene("reset", "robot")
    run.advance(100)
    run.close()
    log = run.log
    assert log["truth.position.x"].values[[200, 299]].tolist() == [0.0, 0.0]
    assert log["joints.hinge.position"].values[200] == 0.0
    crate = log["objects.crate.position.y"]
    np.testing.assert_allclose(crate.values, 0.5 * crate.time, atol=1e-9)  # at its velocity all the time


def test_numbers_that_fit_only_together_are_set_together_and_again_in_a_repetition(ball: Twin, tmp_path: Path) -> None:
    run = Run(ball.simulate(), tmp_path / "a.mcap")
    run.advance(10)
    paths = [f"links.ball.inertia.{axes}" for axes in ("xx", "yy", "zz")]
    with pytest.raises(InputError):
        run.intervene("set", paths[0], 0.5)  # larger than the two others together
    run.intervene("set_all", "\n".join(paths), 0.5, 0.5, 0.5)
    with pytest.raises(InputError):
        run.intervene("set_all", "\n".join([paths[0], "world.step"]), 0.6, 0.1)
    assert [run.simulation.get(path) for path in paths] == [0.5] * 3
    run.intervene("put", "objects.crate", *STATE)
    run.advance(50)
    run.close()
    again = load_interventions(tmp_path / "a.mcap")
    ball.simulate().run(again.seconds, record=tmp_path / "b.mcap", interventions=again.interventions)
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


@pytest.mark.parametrize("rotated", [False, True])
def test_a_run_that_begins_anew_records_into_the_next_file_what_a_fresh_one_records(
    ball: Twin, tmp_path: Path, rotated: bool
) -> None:
    file = tmp_path / "run.mcap"
    (tmp_path / "run-reset1.mcap").write_bytes(b"of somebody else")
    heard: list[float] = []
    run = Run(ball.simulate(), RotatedFile(file, 1000.0) if rotated else file, keep=False)
    run.listen(lambda rows, _: heard.extend(times[-1] for _, times, _ in rows))
    run.advance(123)
    run.intervene("put", "robot", *STATE)
    run.advance(456)
    run.restart()
    assert run.simulation.tick == 0
    run.advance(300)
    run.tell()
    run.close()
    first, last = ("run-0001", "run-0002") if rotated else ("run", "run-reset2")
    assert (tmp_path / "run-reset1.mcap").read_bytes() == b"of somebody else"
    assert Log.load(tmp_path / f"{first}.mcap")["truth.position.x"].time[-1] == pytest.approx(0.578)
    fresh = ball.simulate().run(0.3)
    assert Log.load(tmp_path / f"{last}.mcap").sha256 == fresh.sha256
    assert max(heard) == pytest.approx(0.578)
    assert heard[-1] == pytest.approx(0.299)
