"""What is wrong with a recording is said, signal by signal; on real flights exactly what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout
from didymos.record.health import KINDS, Finding, examine, masks, repeated_files
from didymos.record.quantities import heights, motors, quantities

TIME = np.arange(1000) / 100.0
EXTRAPOLATED = 3127  # the sample of B2_circle_medium_rep3 from which on the on-board columns are a line


def log_of(stream: str = "", time: np.ndarray = TIME, **columns: np.ndarray) -> Log:
    names = tuple(name.replace("__", ".") for name in columns)
    log = Log([StreamLayout(stream, Kind.SCALARS, names, ("",) * len(names))])
    log.append(0, time, np.column_stack(list(columns.values())))
    return log


def noisy(seed: int = 0) -> np.ndarray:
    return np.sin(TIME) + 1e-3 * np.random.default_rng(seed).standard_normal(len(TIME))


def test_signals_are_grouped_and_told_apart_by_their_names() -> None:
    names = [
        "px", "py", "pz", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx_vicon", "wy_vicon", "wz_vicon", "imu.gyro.x",
        "imu.gyro.y", "imu.gyro.z", "sp_target_x", "sp_target_y", "sp_target_z", "m1.pwm", "accX", "accY", "accZ", "att.q.0",
        "att.q.1", "att.q.2", "att.q.3", "gyroADC.0", "gyroADC.1", "gyroADC.2", "x", "mode", "roll",
    ]  # fmt: skip
    unit = {"qw", "att.q.0"}
    columns = {name: np.ones(len(TIME)) if name in unit else np.zeros(len(TIME)) for name in names}
    log = Log([StreamLayout("", Kind.SCALARS, tuple(names), ("",) * len(names))])
    log.append(0, TIME, np.column_stack(list(columns.values())))
    found = {quantity.name: (quantity.signals, quantity.nature) for quantity in quantities(log)}
    assert sorted(name for signals, _ in found.values() for name in signals) == sorted(names)
    assert found["p"] == (("px", "py", "pz"), "pose")
    assert found["q"] == (("qw", "qx", "qy", "qz"), "quaternion")
    assert found["att.q"] == (("att.q.0", "att.q.1", "att.q.2", "att.q.3"), "quaternion")
    assert found["imu.gyro"] == (("imu.gyro.x", "imu.gyro.y", "imu.gyro.z"), "measured")
    assert found["acc"][1] == found["gyroADC"][1] == found["v"][1] == found["w_vicon"][1] == "measured"
    assert found["sp_target"][1] == "command"
    assert found["x"] == (("x",), "measured")


def test_four_columns_that_are_no_unit_are_a_vector_and_a_number() -> None:
    log = log_of(qw=0.0 * TIME, qx=TIME, qy=TIME, qz=TIME)
    assert sorted(quantity.signals for quantity in quantities(log)) == [("qw",), ("qx", "qy", "qz")]


def test_each_kind_of_fault_is_a_finding_with_its_place() -> None:
    rate = noisy()
    rate[300] += 5.0
    rate[500:504] = np.nan
    rate[700:760] = np.interp(TIME[700:760], TIME[[699, 760]], rate[[699, 760]])
    found = {finding.kind: finding for finding in examine(log_of("imu", gyro=rate))}
    assert set(found) == {"spike", "not_a_number", "drawn"} <= set(KINDS)
    assert found["spike"].signal == "imu.gyro"
    assert (found["spike"].time, found["spike"].count) == (3.0, 1)
    assert (found["not_a_number"].time, found["not_a_number"].count) == (5.0, 4)
    assert found["drawn"].seconds == pytest.approx(0.59)
    assert found["drawn"].text == "imu.gyro lies on a straight line: interpolated, not measured, from 7 s for 0.59 s, 60 samples"


def test_many_of_a_kind_are_one_finding() -> None:
    rate = noisy()
    rate[50:1000:100] += 5.0
    (finding,) = examine(log_of(gyro=rate))
    assert finding.count == 10
    assert finding.text == "gyro leaves its course and comes back: 10 times from 0.5 s to 9.5 s, 10 samples"


def test_the_clock_of_each_stream_is_examined() -> None:
    time = TIME.copy()
    time[600:] += 3.0
    time[100] = time[99]
    gap, again = examine(log_of("imu", time, gyro=noisy()))
    text = "imu has a gap of 3.01 s at 5.99 s, where samples come every 0.01 s"
    assert gap == Finding("imu", "gap", 5.99, pytest.approx(3.01), 1, text)
    assert (again.kind, again.time) == ("repeated", 0.99)


def test_signals_may_be_chosen() -> None:
    bad = noisy()
    bad[10] = np.nan
    log = log_of(a=bad, b=bad)
    assert [finding.signal for finding in examine(log, ["b"])] == ["b"]
    with pytest.raises(InputError, match="no signal 'c'"):
        examine(log, ["c"])


@pytest.mark.parametrize(("top", "said"), [(0.02, ["ground"]), (1.0, [])])
def test_a_flight_that_never_left_the_ground_is_told(top: float, said: list[str]) -> None:
    rng = np.random.default_rng(1)
    height = 0.05 + top * np.sin(TIME / 4.0) ** 2 + 1e-4 * rng.standard_normal(len(TIME))
    still = 1e-4 * rng.standard_normal((2, len(TIME)))
    turning = {f"motor_m{i}": 30000.0 + 100.0 * rng.standard_normal(len(TIME)) for i in range(4)}
    log = log_of(px=still[0], py=still[1], pz=height, **turning)
    assert heights(log) == ("pz",)
    assert len(motors(log)) == 4
    found = examine(log)
    assert [finding.kind for finding in found] == said
    assert all("though the motors ran" in finding.text for finding in found)


@pytest.mark.parametrize(("spin_up", "said"), [(0, []), (50, ["ground"])])
def test_a_hover_cut_from_mid_air_left_the_ground_before_and_one_whose_motors_start_in_it_did_not(
    spin_up: int, said: list[str]
) -> None:
    rng = np.random.default_rng(2)
    where = np.array([0.3, -0.2, 1.2])[:, None] + 5e-3 * rng.standard_normal((3, len(TIME)))
    turning = {f"motor_m{i}": 30000.0 + 100.0 * rng.standard_normal(len(TIME)) for i in range(4)}
    for speed in turning.values():
        speed[:spin_up] = 0.0
    log = log_of(px=where[0], py=where[1], pz=where[2], **turning)
    assert [finding.kind for finding in examine(log)] == said


def test_a_rover_whose_height_is_not_measured_flies_nowhere() -> None:
    rng = np.random.default_rng(1)
    turning = {f"motor{i}": rng.standard_normal(len(TIME)) for i in range(4)}
    assert not examine(log_of(px=noisy(1), py=noisy(2), pz=0.0 * TIME, **turning))


def test_what_a_twin_computed_is_not_judged_and_what_it_measured_is() -> None:
    speed = noisy()
    speed[300:400] = speed[300]  # a rotor that stands at its idle speed
    layouts = [StreamLayout(name, Kind.SCALARS, ("speed",), ("rad/s",)) for name in ("parts", "encoder")]
    log = Log(layouts, {"twin": "quadcopter"})
    for i in range(2):
        log.append(i, TIME, speed[:, None])
    assert [(finding.kind, finding.signal) for finding in examine(log)] == [("held", "encoder.speed")]


def test_rays_that_saw_nothing_are_no_fault() -> None:
    columns = ("range.max", *(f"ranges.{i}" for i in range(3)))
    log = Log([StreamLayout("scan", Kind.LASER_SCAN, columns, ("m",) * 4, labels=("0", "1", "2"))])
    rows = np.random.default_rng(0).uniform(1.0, 2.0, (200, 4))
    rows[::3, 1] = np.inf
    log.append(0, TIME[:200], rows)
    assert not examine(log)
    assert not masks(log)["scan.ranges.0"].any()


def test_files_with_the_same_content_are_told_whatever_their_columns_are_called() -> None:
    one, other = log_of(a=noisy(1), b=noisy(2)), log_of(y=noisy(2), x=noisy(1))
    (finding,) = repeated_files({"one.csv": one, "two.csv": log_of(a=noisy(1), b=noisy(3)), "three.csv": other})
    assert (finding.kind, finding.text) == ("same", "three.csv has the same content as one.csv")


def test_masks_are_of_whole_vectors_and_of_velocities_beside_their_positions() -> None:
    position = np.column_stack([noisy(0), noisy(1), noisy(2)])
    position[200, 1] += 0.5
    velocity = np.gradient(position, TIME, axis=0)
    velocity[400:405] += 3.0
    names = {f"{of}{axis}": rows[:, i] for of, rows in (("p", position), ("v", velocity)) for i, axis in enumerate("xyz")}
    bad = masks(log_of(**names))
    assert np.flatnonzero(bad["px"]).tolist() == np.flatnonzero(bad["py"]).tolist() == [199, 200, 201]
    assert bad["vz"][400:405].all()
    assert list(masks(log_of(**names), ["vx"])) == ["vx"]


@pytest.fixture(scope="module")
def flights(shared_data: Path) -> dict[str, Log]:
    files = sorted((shared_data / "crazyflie").glob("*.csv"))
    if len(files) != 8:
        pytest.skip("the eight flights of a Crazyflie are not in ../shared/data/crazyflie")
    return {file.stem: Log.load(file) for file in files}


def test_the_corrupt_samples_of_a_real_flight_are_found_exactly(flights: dict[str, Log]) -> None:
    """From 31.28 s on, the on-board columns of this flight as published are lines: its log had ended, the camera's had not."""
    log = flights["B2_circle_medium_rep3"]
    on_board = [name for name in log.signals if name.startswith(("imu_", "motor_", "est_", "att_"))]
    bad = masks(log)
    assert len(on_board) == 6 + 4 + 9 + 7
    for name in on_board:
        assert bad[name][EXTRAPOLATED:].all(), name
        assert bad[name][:EXTRAPOLATED].sum() <= 20, name  # of 3127: the filter's own leaps
    for name in ("imu_gyro_x", "imu_acc_z", "motor_motor_m1", "motor_motor_m4"):
        assert np.flatnonzero(bad[name])[0] in (EXTRAPOLATED - 1, EXTRAPOLATED), name
    for name in ("px", "qw"):  # the camera saw the whole flight
        assert not bad[name].any()


def test_good_flights_raise_no_alarm(flights: dict[str, Log]) -> None:
    """In the air, of what a fit uses: camera, gyroscope and motors. The tails of the files are lines, too, after the landing."""
    for flight, log in flights.items():
        if flight == "B2_circle_medium_rep3":
            continue
        bad, air = masks(log), np.flatnonzero(log["pz"].values > 0.3)
        flying = slice(air[0], air[-1])
        for name in ("px", "qw", "imu_gyro_x", "imu_acc_x"):
            assert not bad[name][flying].any(), (flight, name)
        motors_bad = sum(int(bad[f"motor_motor_m{i}"][flying].sum()) for i in (1, 2, 3, 4))
        assert motors_bad <= (25 if flight == "B2_circle_fast_rep1" else 0)  # all four cut out for a sample at 20.73 s
        assert bad["vx"][flying].sum() <= 40  # where the camera missed samples, and its derivative did not
    assert not repeated_files(flights)


def test_a_real_base_that_waits_for_its_command_and_drives_along_one_axis_hangs_nowhere(shared_data: Path) -> None:
    """Its odometry stays the same for 4.5 s before it moves, and across its path for 9.6 s while it drives."""
    file = shared_data / "omni_base" / "square.csv"
    if not file.exists():
        pytest.skip("the square of the real base is not in ../shared/data/omni_base")
    assert not examine(Log.load(file))
