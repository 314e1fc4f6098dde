"""A shadow is quiet beside a healthy robot and names what breaks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.engine.every_input import record_every_input
from didymos.engine.intervention import Intervention
from didymos.shadow.calibration import Calibration
from didymos.shadow.causes import Cause
from didymos.shadow.estimate import Frame
from didymos.shadow.feed import Stretch
from didymos.shadow.hypotheses import _earlier, _without
from didymos.shadow.judge import Judge
from didymos.shadow.source import Arrival
from didymos.shadow.sources import open_source


def robot(file: Path, name: str, scenario: str, seconds: float, **changes: float) -> float:
    """A recording of a robot of which some numbers change after 3 s; when [s]."""
    twin = didymos.load(name)
    simulation = twin.simulate(seed=11, scenario=scenario)
    tick = round(3.0 / simulation.period)
    done = [Intervention(tick, "set", path.replace("__", "."), (value,)) for path, value in changes.items()]
    simulation.run(seconds, record=file, keep=False, interventions=done)
    return tick * simulation.period


@pytest.fixture(scope="module")
def broken_rotor(tmp_path_factory: pytest.TempPathFactory) -> didymos.Shadow:
    file = tmp_path_factory.mktemp("robot") / "robot.mcap"
    robot(file, "quadcopter", "attitude_steps", 5.0, parts__motor2__efficiency=0.9 * 0.17)
    shadow = didymos.Shadow(didymos.load("quadcopter"), f"log:{file}")
    shadow.run()
    shadow.close()
    return shadow


def test_a_weak_rotor_is_found_named_and_sized(broken_rotor: didymos.Shadow) -> None:
    (alarm,) = broken_rotor.alarms  # nothing before it, and one alarm for one fault
    assert 3.0 <= alarm.time <= 4.0
    assert alarm.since == pytest.approx(3.0, abs=0.1)
    cause = alarm.cause
    assert cause is not None
    assert (cause.cause, cause.of) == ("actuator", "motor2")
    # thrust goes with the square of what arrives: sqrt(0.9) of it
    assert cause.size == pytest.approx(np.sqrt(0.9) - 1.0, abs=0.01)
    assert alarm.signals[0].startswith("imu.")
    assert "actuator of motor2 -5 %" in str(alarm)


def test_beside_a_running_robot_causes_are_tried_between_updates_and_name_the_same(tmp_path: Path) -> None:
    robot(tmp_path / "robot.mcap", "quadcopter", "attitude_steps", 4.5, parts__motor2__efficiency=0.9 * 0.17)
    found = []
    for live in (False, True):
        shadow = didymos.Shadow(didymos.load("quadcopter"), f"log:{tmp_path / 'robot.mcap'}")
        shadow.judge = Judge(shadow.observer, 0.1, 2.0, live=live)
        pieces: list[float] = []

        class Between:
            """What a shadow of a running robot does between two updates."""

            def frame(self, frame: Frame, shadow: didymos.Shadow, pieces: list[float] = pieces) -> None:
                explains, alarm = shadow.judge.explain_on()
                if explains:
                    pieces.append(frame.time)
                if alarm is not None:
                    shadow.alarms.append(alarm)

            def alarm(self, alarm: object) -> None: ...

            def notice(self, text: str) -> None: ...

        shadow.listen(Between())
        shadow.run()
        shadow.close()
        (alarm,) = shadow.alarms
        found.append((str(alarm), alarm.likely))
        assert shadow.summary.frames > 430  # it followed meanwhile
        assert len(set(pieces)) == len(pieces)
        assert bool(pieces) is live  # one piece at a time, what is left at the end of the run
    assert found[0] == found[1]


def test_it_follows_a_broken_robot_all_the_same(broken_rotor: didymos.Shadow) -> None:
    """After the alarm unknown accelerations are taken larger; height stays known within GPS and barometer: half a metre."""
    assert broken_rotor.summary.frames > 480
    assert np.isfinite(broken_rotor.estimate.qpos).all()


def test_a_what_if_goes_on_from_where_the_robot_is(broken_rotor: didymos.Shadow) -> None:
    here = broken_rotor.estimate
    branch = broken_rotor.branch({"z": 6.0})
    assert branch.data.qpos[:3] == pytest.approx(here.qpos[:3], abs=1e-9)
    branch.run(4.0)
    branch.close()
    assert branch.data.qpos[2] == pytest.approx(6.0, abs=0.1)  # the plain twin holds a height to 8 cm
    assert broken_rotor.estimate.time == here.time  # the shadow stays where it was


def test_a_stiff_drive_is_found_and_not_called_a_weak_one(tmp_path: Path) -> None:
    twin = didymos.load("power_unit")
    harder = {f"parts__drive__{key}": 1.5 * twin.parameters[f"parts.drive.{key}"].value for key in ("coulomb", "stribeck")}
    at = robot(tmp_path / "robot.mcap", "power_unit", "chirp", 4.5, **harder)
    shadow = didymos.Shadow(twin, f"log:{tmp_path / 'robot.mcap'}")
    shadow.run()
    shadow.close()
    alarm = shadow.alarms[0]
    assert at <= alarm.time <= at + 1.0
    cause = alarm.cause
    assert cause is not None
    assert (cause.cause, cause.of) == ("friction", "shaft_joint")
    assert cause.size == pytest.approx(0.5, abs=0.15)


def test_a_calibration_is_written_and_read_and_bad_ones_are_refused(tmp_path: Path) -> None:
    made = Calibration({"linear": 0.1, "angular": 0.2, "hinge": 0.3, "slide": 0.4}, {"imu.gyro.x": 0.01}, {"mass": 2.0})
    made.save(tmp_path / "healthy.yaml")
    assert Calibration.load(tmp_path / "healthy.yaml") == made
    (tmp_path / "bad.yaml").write_text("density: {sideways: 1}\nnoise: {}\ninflation: {}\n")
    with pytest.raises(didymos.InputError, match="densities of: linear, angular"):
        Calibration.load(tmp_path / "bad.yaml")
    (tmp_path / "none.yaml").write_text("[1, 2")
    with pytest.raises(didymos.InputError, match="is no calibration"):
        Calibration.load(tmp_path / "none.yaml")


def test_late_readings_are_taken_back_to_where_they_belong() -> None:
    values = np.array([1.0])
    stretches = [Stretch(np.full((2, 1), float(k)), None, [(2, 0, values * k), (1, 1, values)]) for k in range(4)]
    moved = _earlier(stretches, 0, (0,), 1)
    assert [sorted((tick, number) for tick, number, _ in one.readings) for one in moved] == [[(1, 0), (1, 1)]] * 4
    moved = _earlier(stretches, 0, (0,), 2)
    assert [v.tolist() for one in moved for _, number, v in one.readings if number == 0] == [[1.0], [2.0], [3.0]]
    late = _without(stretches, 0, Cause("delay", "inputs", "s", 0.01, sign=1), 0.01, 0.01)
    assert late[2].inputs[:, 0].tolist() == [1.0, 2.0]  # those of the tick before


def test_late_encoders_are_named_and_not_taken_for_a_bias_of_one(tmp_path: Path) -> None:
    """Each encoder of a rolling base that is late looks like a biased one; only the delay explains all four."""
    twin = didymos.load("omni_base")
    record_every_input(twin)
    twin.simulate(seed=21, scenario="square").run(14.0, record=tmp_path / "robot.mcap", keep=False)

    class Late:
        """The recording, whose encoders are 10 ms late from 12 s on."""

        def __init__(self) -> None:
            self.source = open_source(twin, f"log:{tmp_path / 'robot.mcap'}")
            self.live, self.signals, self.notices, self.close = (
                False, self.source.signals, self.source.notices, self.source.close,
            )  # fmt: skip

        def read(self, seconds: float) -> list[Arrival]:
            return [self.late(one) for one in self.source.read(seconds)]

        def late(self, one: Arrival) -> Arrival:
            own = any(name.startswith("encoders.") for name in one.values)
            return Arrival(one.stamp + (0.01 if own and one.stamp > 12.0 else 0.0), one.received, one.values)

    shadow = didymos.Shadow(didymos.load("omni_base"), Late(), scenario="square")
    shadow.run()
    shadow.close()
    (alarm,) = shadow.alarms
    assert alarm.cause is not None
    assert (alarm.cause.cause, alarm.cause.of) == ("delay", "encoders")
    assert alarm.cause.size == pytest.approx(0.01, abs=0.005)
    assert "imu" not in alarm.signals[0]


def test_a_base_that_stands_keeps_the_heading_that_nobody_told_and_says_how_unsure_it_is(tmp_path: Path) -> None:
    """Encoders and a gyro say nothing of a heading: it stays that of the start, as doubtful as at first (0.1 rad)."""
    twin = didymos.load("omni_base")
    record_every_input(twin)
    log = twin.simulate(seed=4, scenario="square").run(3.0, record=tmp_path / "robot.mcap")
    shadow = didymos.Shadow(didymos.load("omni_base"), f"log:{tmp_path / 'robot.mcap'}", scenario="square")
    shadow.run()
    shadow.close()
    heading = quaternion_yaw(shadow.estimate.qpos[3:7])
    truth = quaternion_yaw(np.array([log[f"truth.orientation.{axis}"].values[-1] for axis in "wxyz"]))
    sd = float(np.sqrt(shadow.estimate.covariance[5, 5]))
    assert sd > 0.08
    assert abs(heading - truth) < 2.0 * sd


def test_a_quadcopter_is_followed_from_the_ground_into_the_air(tmp_path: Path) -> None:
    """GPS and barometer do not know within metres whether it stands; its weight on the ground does."""
    twin = didymos.load("quadcopter")
    record_every_input(twin)
    log = twin.simulate(seed=4, scenario="climb").run(3.0, record=tmp_path / "robot.mcap")
    shadow = didymos.Shadow(didymos.load("quadcopter"), f"log:{tmp_path / 'robot.mcap'}", scenario="climb")
    shadow.run()
    shadow.close()
    assert shadow.alarms == []
    height = log["truth.position.z"]
    assert height.values[0] < 0.35 < 2.0 < height.values[-1]
    truth = np.interp(shadow.time, height.time, height.values)
    sd = float(np.sqrt(shadow.estimate.covariance[2, 2]))
    assert shadow.estimate.qpos[2] == pytest.approx(truth, abs=4.0 * sd)
    assert sd < 0.1  # it began on the ground, which is known better than any height


def quaternion_yaw(q: np.ndarray) -> float:
    return float(np.arctan2(2.0 * (q[0] * q[3] + q[1] * q[2]), 1.0 - 2.0 * (q[2] ** 2 + q[3] ** 2)))
