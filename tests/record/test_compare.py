"""Errors between logs, against closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout, compare
from didymos.record.compare_rank import told_once


def scalars(times: np.ndarray, unit: str = "m", **columns: np.ndarray) -> Log:
    names = tuple(name.replace("_", ".") for name in columns)
    log = Log([StreamLayout("", Kind.SCALARS, names, (unit,) * len(names))])
    log.append(0, times, np.stack(list(columns.values()), axis=1))
    return log


def pose(times: np.ndarray, quaternions: np.ndarray) -> Log:
    columns = tuple(f"orientation.{axis}" for axis in "wxyz")
    log = Log([StreamLayout("state", Kind.POSE, columns, ("",) * 4)])
    log.append(0, times, quaternions)
    return log


def about_z(angle: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=1)


def test_a_delay_has_the_error_of_its_chord() -> None:
    """sin(wt) - sin(w(t - d)) = 2 sin(wd/2) cos(w(t - d/2)): over whole periods its RMS is sqrt(2) |sin(wd/2)|."""
    omega, delay = 2.0 * np.pi, 0.05
    times = np.arange(1000) / 500.0
    a, b = (scalars(times, x=np.sin(omega * (times - d))) for d in (0.0, delay))
    error = compare(a, b).signals["x"]
    chord = abs(np.sin(omega * delay / 2))
    assert error.rmse == pytest.approx(np.sqrt(2.0) * chord, rel=1e-12)
    assert error.relative == pytest.approx(2.0 * chord, rel=1e-12)  # a sine's standard deviation is 1 / sqrt(2)
    assert error.max == pytest.approx(2.0 * chord, rel=1e-4)
    assert error.samples == 1000


def test_a_shift_in_time_undoes_a_delay() -> None:
    times = np.arange(1000) / 500.0
    a, b = scalars(times, x=np.sin(times)), scalars(times + 0.25, x=np.sin(times))
    assert compare(a, b).signals["x"].rmse > 0.05
    error = compare(a, b, shift=-0.25).signals["x"]
    assert error.max < 1e-15
    assert error.samples == 1000


def test_ramps_at_different_rates_agree_within_their_overlap() -> None:
    slow, fast = np.arange(0, 101) / 10.0, 2.0 + np.arange(0, 241) / 32.0
    error = compare(scalars(slow, x=3.0 * slow), scalars(fast, x=3.0 * fast)).signals["x"]
    assert error.max < 1e-12
    assert error.samples == np.sum((slow >= fast[0]) & (slow <= fast[-1]))
    assert error.time[0] == 2.0


def test_the_worst_moment_is_told() -> None:
    times = np.arange(10.0)
    off = np.zeros(10)
    off[7] = -4.0
    error = compare(scalars(times, x=0 * times), scalars(times, x=off)).signals["x"]
    assert (error.max, error.time_of_max) == (4.0, 7.0)
    assert error.rmse == pytest.approx(4.0 / np.sqrt(10.0))


def test_quaternions_are_compared_up_to_their_sign() -> None:
    times = np.arange(400) / 100.0
    q = about_z(3.0 * times)
    signs = np.where(np.arange(400) % 3 == 0, -1.0, 1.0)[:, None]
    between = (np.arange(399) + 0.5) / 100.0
    assert max(error.max for error in compare(pose(times, q), pose(times, q * signs)).signals.values()) == 0.0
    # Interpolated halfway, a turn of 0.03 rad between samples errs by 1 - cos(0.03 / 4) at most.
    errors = compare(pose(between, about_z(3.0 * between)), pose(times, q * signs)).signals.values()
    assert 0.0 < max(error.max for error in errors) <= 1.0 - np.cos(0.0075) + 1e-15


def test_angles_differ_by_the_short_way_round() -> None:
    times = np.arange(100) / 10.0
    a = scalars(times, "rad", state_yaw=np.full(100, np.pi - 0.01))
    b = scalars(times, "rad", state_yaw=np.full(100, -np.pi + 0.02))
    assert compare(a, b).signals["state.yaw"].rmse == pytest.approx(0.03, abs=1e-12)
    turning = np.angle(np.exp(1j * times))
    coarse = scalars(times[::3], "rad", state_yaw=turning[::3])
    assert compare(scalars(times, "rad", state_yaw=turning), coarse).signals["state.yaw"].max < 1e-12
    plain = compare(scalars(times, "rad", x=np.full(100, np.pi)), scalars(times, "rad", x=np.full(100, -np.pi)))
    assert plain.signals["x"].rmse == pytest.approx(2.0 * np.pi)


def test_gaps_are_left_out() -> None:
    times = np.arange(5.0)
    holes = np.array([0.0, np.nan, 2.0, 3.0, np.nan])
    error = compare(scalars(times, x=times), scalars(times, x=holes)).signals["x"]
    assert (error.samples, error.max) == (4, 0.0)
    error = compare(scalars(times, x=holes), scalars(times, x=times + 1.0)).signals["x"]
    assert (error.samples, error.rmse) == (3, 1.0)


def test_what_only_one_log_has_is_listed() -> None:
    times = np.arange(5.0)
    result = compare(scalars(times, x=times, y=times), scalars(times, x=times, gps=times))
    assert (result.only_in_a, result.only_in_b) == (("y",), ("gps",))
    data = json.loads(json.dumps(result.to_json()))
    assert data["signals"]["x"] == {"rmse": 0.0, "max": 0.0, "samples": 5, "time_of_max": 0.0}
    assert (data["only_in_a"], data["only_in_b"], data["no_overlap"]) == (["y"], ["gps"], [])


def test_signals_are_renamed_and_chosen(tmp_path: Path) -> None:
    times = np.arange(5.0)
    scalars(times, Gyro=times, z=times).save(tmp_path / "real.csv")
    twin = scalars(times, imu_gyro_x=times + 0.5, z=times)
    result = compare(twin, tmp_path / "real.csv", rename={"Gyro": "imu.gyro.x"}, signals=["imu.gyro"])
    assert list(result.signals) == ["imu.gyro.x"]
    assert result.signals["imu.gyro.x"].rmse == 0.5
    assert result.labels == ("a", "real.csv")


def test_names_that_do_not_exist_are_answered_with_the_nearest() -> None:
    log = scalars(np.arange(5.0), imu_gyro_x=np.arange(5.0))
    with pytest.raises(InputError, match=r"rename: no signal 'imu.gyro' in b, did you mean 'imu.gyro.x'"):
        compare(log, log, rename={"imu.gyro": "x"})
    with pytest.raises(InputError, match="no signal 'imo'"):
        compare(log, log, signals=["imo"])


def test_two_names_that_become_one_are_refused() -> None:
    log = scalars(np.arange(5.0), x=np.arange(5.0), y=np.arange(5.0))
    with pytest.raises(InputError, match="'x' and 'y' of b both become 'x'"):
        compare(log, log, rename={"y": "x"})


def test_logs_without_a_common_signal_say_how_to_rename() -> None:
    times = np.arange(5.0)
    many = scalars(times, **{f"s{i}": times for i in range(9)})
    with pytest.raises(InputError, match=r"a has x; b has s0, s1, s2, s3, s4, s5 and 3 more; .*rename") as caught:
        compare(scalars(times, x=times), many)
    assert "\n" not in str(caught.value)


def test_logs_without_a_common_time_say_which_times_they_span() -> None:
    times = np.arange(5.0)
    with pytest.raises(InputError, match="a spans 0 s to 4 s, b spans 100 s to 104 s"):
        compare(scalars(times, x=times), scalars(times + 100.0, x=times))


def test_the_picture_is_drawn(tmp_path: Path, full_log: Log) -> None:
    result = compare(full_log, full_log)
    path = result.plot(tmp_path / "overlay.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    plain = {name: error.max for name, error in result.signals.items() if name != "setpoints.yaw"}
    assert set(plain.values()) == {0.0}
    assert result.signals["setpoints.yaw"].rmse < 1e-9  # turns of thousands of radians round off when unwound


def test_a_comparison_prints_as_a_short_table(tmp_path: Path) -> None:
    layout = StreamLayout("s", Kind.SCALARS, ("x",), ("m",))
    a, b = Log([layout]), Log([layout])
    a.append(0, [0.0, 1.0], [[0.0], [0.0]])
    b.append(0, [0.0, 1.0], [[1.0], [1.0]])
    text = str(compare(a, b))
    assert text.split() == ["s.x", "rmse", "1", "max", "1", "m", "n", "2"]


def test_a_comparison_of_many_signals_prints_those_that_differ_most_and_what_looks_the_same_once() -> None:
    t = np.linspace(0.0, 1.0, 1000)
    motors = {f"parts.motor{i}": (t, 1.5 * t, "N") for i in range(1, 5)}
    others = {f"a.x{i}": (np.sin((i + 1) * t), (1.0 + 0.01 * i) * np.sin((i + 1) * t), "m") for i in range(20)}
    result = compare(*two_logs(others | motors))
    *lines, rest = str(result).splitlines()
    assert [line.split()[0] for line in lines] == ["parts.motor1", *(f"a.x{i}" for i in range(19, 10, -1))]
    assert rest.startswith(f"{len(result.signals) - 10} more signals")
    groups = told_once(result.ranks, result.signals, 10)
    assert groups[0] == ["parts.motor1", "parts.motor2", "parts.motor3", "parts.motor4"]
    assert told_once(result.ranks, result.signals, 2, ["parts.motor2"])[:2] == [
        ["parts.motor1", "parts.motor3", "parts.motor4"], ["parts.motor2"]
    ]  # fmt: skip


def test_angles_of_a_pose_are_selected_by_name() -> None:
    layout = StreamLayout("p", Kind.POSE, tuple(f"orientation.{axis}" for axis in "wxyz"), ("1",) * 4)
    log = Log([layout])
    log.append(0, [0.0], [[np.cos(0.1), np.sin(0.1), 0.0, 0.0]])
    (roll,) = log.select("p.roll")
    assert roll.values[0] == pytest.approx(0.2, abs=1e-15)


@pytest.mark.filterwarnings("error")
def test_an_error_whose_square_is_beyond_all_numbers_is_told() -> None:
    logs = []
    for value in (1e200, -1e200):
        log = Log([StreamLayout("a", Kind.SCALARS, ("x",), ("m",))])
        log.append(0, [0.0, 1.0], [[value], [value]])
        logs.append(log)
    assert compare(*logs).signals["a.x"].rmse == pytest.approx(2e200, rel=1e-12)


def two_logs(columns: dict[str, tuple[np.ndarray, np.ndarray, str]]) -> tuple[Log, Log]:
    """Logs of the same signals: each has the values in both, and its unit."""
    layout = StreamLayout("", Kind.SCALARS, tuple(columns), tuple(unit for _, _, unit in columns.values()))
    logs = []
    for which in (0, 1):
        log = Log([layout])
        log.append(0, np.arange(1000) / 100.0, np.column_stack([item[which] for item in columns.values()]))
        logs.append(log)
    return logs[0], logs[1]


def test_errors_are_ranked_over_the_range_of_their_own_signal_and_dust_and_noise_are_hidden() -> None:
    t = np.arange(1000) / 100.0
    noise, other = (np.random.default_rng(seed).normal(0.0, 0.1, 1000) for seed in (1, 2))
    ranks = {rank.name: rank for rank in compare(*two_logs({
        "a.pressure": (1e5 + 100.0 * np.sin(t), 1e5 + 101.0 * np.sin(t), "Pa"),  # an error of 1 Pa is little here
        "a.height": (np.sin(t), 1.5 * np.sin(t), "m"),
        "a.rest": (0.0 * t, 1e-15 * np.sin(t), "m"),
        "b.gyro": (noise, other, "rad/s"),
        "b.biased": (noise, other + 0.5, "rad/s"),
    })).ranks}  # fmt: skip
    assert [name for name, rank in ranks.items() if not rank.hidden] == ["b.biased", "a.height", "a.pressure"]
    assert ranks["a.height"].share == pytest.approx(0.5 * np.sqrt(np.mean(np.sin(t) ** 2)) / np.ptp(np.sin(t)))
    assert {name: rank.hidden for name, rank in ranks.items()} == {
        "a.pressure": "", "a.height": "", "a.rest": "dust", "b.gyro": "noise", "b.biased": ""
    }  # fmt: skip


def test_one_signal_of_each_stream_speaks_for_the_others() -> None:
    t = np.linspace(0.0, 1.0, 1000)
    away = {name: (t, t * factor, "1") for name, factor in {"a.x": 1.4, "a.y": 1.3, "b.x": 1.2, "tf.x": 1.9, "c.x": 1.1}.items()}
    result = compare(*two_logs(away))
    assert result.matter == ["a.x", "b.x", "c.x"]


def test_a_reading_that_repeats_the_truth_is_told_once() -> None:
    t = np.linspace(0.0, 1.0, 1000)
    result = compare(*two_logs({
        "truth.x": (t, 1.5 * t, "m"), "state.x": (t + 1e-4, 1.5 * t - 1e-4, "m"), "wheel.x": (t, 1.2 * t, "m"),
        "odom.x": (t, 1.5 * t, "rad"), "last.x": (t, 1.1 * t, "m"),
    }))  # fmt: skip
    assert result.matter == ["truth.x", "odom.x", "wheel.x"]


def test_limits_hold_for_names_and_patterns_and_the_least_wins() -> None:
    t = np.linspace(0.0, 1.0, 1000)
    logs = two_logs({"a.x": (t, t + 0.1, "m"), "a.y": (t, t + 0.3, "m")})
    result = compare(*logs, limits={"a": 0.2, "a.x": 0.05})
    assert (result.limits, result.beyond) == ({"a.x": 0.05, "a.y": 0.2}, ["a.x", "a.y"])
    assert compare(*logs, limits={"a.*": 0.31}).beyond == []
    with pytest.raises(InputError, match=r"did you mean 'a\.x'"):
        compare(*logs, limits={"a.xx": 1.0})
    with pytest.raises(InputError, match="0 or more"):
        compare(*logs, limits={"a.x": -1.0})
