"""The overview of a log: what is expected first, with its limits; set-points beside truth; nothing twice, nothing blown up."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout
from didymos.record.envelope import envelope_of, thinned
from didymos.record.expected import EXPECTED, Limit, expectations, verdicts
from didymos.record.formula_limits import formula_limits
from didymos.record.overview import MOST_PANELS, overview
from didymos.record.panel import Panel, joined, tidy
from didymos.record.panel_plot import MISSED, draw_panel, told
from didymos.record.setpoint_pairs import pairs, setpoints_in_use
from didymos.record.style import new_figure
from didymos.record.verdict import Verdict

TIME = np.linspace(0.0, 10.0, 1001)
COLUMNS = {
    "truth": {"position.x": (0 * TIME, "m"), "position.y": (0 * TIME, "m"), "position.z": (np.minimum(TIME, 5.0), "m")},
    "setpoints": {"z": (np.where(TIME < 1.0, 0.0, 5.0), "m"), "x": (0 * TIME, "m")},
    "inputs": {f"motor{i}": (np.sin(TIME), "1") for i in range(1, 5)},
    "parts": {f"motor{i}.{what}": (TIME**2 + i * (what != "speed"), "N") for i in (1, 2) for what in "abcdefgh"},
}


def flight(expected: object = (), **metadata: str) -> Log:
    layouts = [StreamLayout(stream, Kind.SCALARS, tuple(own), tuple(unit for _, unit in own.values()))
               for stream, own in COLUMNS.items()]  # fmt: skip
    log = Log(layouts, {"twin": "quadcopter", "scenario": "climb", EXPECTED: json.dumps(expected), **metadata})
    for i, own in enumerate(COLUMNS.values()):
        log.append(i, TIME, np.column_stack([values for values, _ in own.values()]))
    return log


HEIGHT = {"name": "height error", "signal": "truth.position.z", "target": 5.0, "after": 6, "high": 0.1}
SPEED = {"name": "effort", "signal": "inputs.motor1", "measure": "max", "high": 0.5}


def test_what_is_expected_leads_and_what_was_missed_comes_first() -> None:
    panels, left = overview(flight([HEIGHT, SPEED]))
    assert [panel.title for panel in panels[:2]] == ["inputs.motor1", "truth.position.z"]
    assert [panel.missed for panel in panels] == [True] + [False] * (len(panels) - 1)
    assert panels[1].limits == {Limit(4.9, 6.0, side=-1), Limit(5.1, 6.0, side=1)}
    assert (panels[0].verdicts[0].value, panels[0].limits) == (pytest.approx(1.0, abs=1e-4), {Limit(0.5, side=1)})
    assert len(panels) == MOST_PANELS
    assert "parts.*.h" in left  # as `plot` takes it
    assert flight().select("parts.*.h")


def test_a_set_point_that_a_policy_commands_is_what_the_policy_answers() -> None:
    names = ("truth.velocity.x", "truth.position.z", "joints.knee.position", "setpoints.vx", "setpoints.z")
    answers = ("control.action.setpoints.vx", "control.action.setpoints.knee", "control.action.inputs.z")
    assert pairs((*names, *answers)) == [
        ("setpoints.z", "truth.position.z"),
        ("control.action.setpoints.vx", "truth.velocity.x"),
        ("control.action.setpoints.knee", "joints.knee.position"),
    ]  # fmt: skip
    log = flight()
    both = Log([*log.layouts, StreamLayout("control", Kind.SCALARS, ("action.setpoints.z",), ("m",))], log.metadata)
    for i, layout in enumerate(log.layouts):
        both.append(i, TIME, np.column_stack([log[name].values for name in layout.signals]))
    both.append(len(log.layouts), TIME, np.full((len(TIME), 1), 4.0))
    panels, _ = overview(both)
    shown = {name: values for panel in panels for name, (_, values) in panel.setpoints.items()}
    assert shown["truth.position.z"][-1] == 4.0  # of the policy, where the scenario asks for 5.0


def test_a_set_point_is_drawn_beside_what_it_asks_for_and_one_that_asks_for_nothing_is_not() -> None:
    panels, _ = overview(flight([HEIGHT]))
    assert panels[0].setpoints["truth.position.z"][1][-1] == 5.0
    shown = [name for panel in panels for name in panel.signals]
    assert len(shown) == len(set(shown))  # nothing twice
    unexpected, _ = overview(flight())
    assert unexpected[0].title == "truth.position.z"
    assert list(unexpected[0].setpoints) == ["truth.position.z"]
    assert all("setpoints.x" not in panel.signals for panel in unexpected if panel.setpoints)


def test_a_set_point_of_others_finds_its_signal_by_the_words_of_its_name() -> None:
    log = Log([StreamLayout("", Kind.SCALARS, ("ctrltarget.x", "stateEstimate.x", "gyro.x"), ("", "", ""))])
    log.append(0, TIME, np.column_stack([np.ones_like(TIME), TIME, TIME]))
    (first, *_), _ = overview(log)
    assert (list(first.curves), first.signals) == (["stateEstimate.x"], {"ctrltarget.x", "stateEstimate.x"})


def test_a_set_point_in_degrees_is_not_drawn_beside_an_angle_in_radians() -> None:
    """A Crazyflie's log has roll of the cameras in radians, of the estimator and of the controller in degrees, and no unit."""
    columns = {"roll": 0.2 * np.sin(TIME), "stateEstimate_roll": 10 * np.sin(TIME), "sp_roll": 12 * np.sin(TIME)}
    for chosen, paired in ((("roll", "stateEstimate_roll", "sp_roll"), "stateEstimate_roll"), (("roll", "sp_roll"), None)):
        log = Log([StreamLayout("", Kind.SCALARS, chosen, ("",) * len(chosen))])
        log.append(0, TIME, np.column_stack([columns[name] for name in chosen]))
        assert setpoints_in_use(log) == ({} if paired is None else {"sp_roll": paired})


def test_signals_of_one_group_with_the_same_limits_share_a_panel() -> None:
    ends = [{"name": name, "signal": f"truth.position.{name}", "measure": "final", "low": -1.0, "high": 1.0} for name in "xy"]
    points = [{"name": f"p{i}", "signal": "truth.position", "point": [0, 0, i], "measure": "min", "high": 1.0} for i in (2, 4)]
    panels, _ = overview(flight([*ends, *points]))
    position, distance = panels[:2]
    assert (position.title, list(position.curves), len(position.verdicts)) == ("truth.position", ["x", "y"], 2)
    assert (distance.title, list(distance.curves)) == ("distance of truth.position", ["p2", "p4"])
    assert distance.curves["p4"][1][0] == 4.0


def arm(joints: int) -> Log:
    """A log of an arm whose joints are held: what its program expects, and inputs that come in three kinds, in turn."""
    names = [f"joint_{i}" for i in range(joints)]
    errors = {f"error.{name}": 1e-7 * np.sin(TIME + i) for i, name in enumerate(names)}
    inputs = {f"{name}.position": np.sin(TIME + i % 3) for i, name in enumerate(names)}
    expected = [{"name": name, "signal": f"control.error.{name}", "measure": "max_error", "high": 0.05} for name in names]
    layouts = [StreamLayout(stream, Kind.SCALARS, tuple(own), ("rad",) * joints)
               for stream, own in (("control", errors), ("inputs", inputs))]  # fmt: skip
    log = Log(layouts, {"twin": "arm", "scenario": "hold", EXPECTED: json.dumps(expected)})
    for i, own in enumerate((errors, inputs)):
        log.append(i, TIME, np.column_stack(list(own.values())))
    return log


def test_what_is_expected_of_all_joints_is_one_panel_and_leaves_the_others_their_room() -> None:
    (errors, inputs), left = overview(arm(12))
    assert (errors.title, len(errors.verdicts), len(errors.signals), left) == ("control.error", 12, 12, [])
    assert list(tidy(errors, {}).curves) == ["joint_0..11 are nearly equal"]  # within limits of 0.05 rad they are one line
    assert inputs.title == "inputs · position"


def test_curves_that_are_equal_share_a_panel_however_many_they_are() -> None:
    (_, inputs), _ = overview(arm(24))
    assert (inputs.title, len(inputs.curves)) == ("inputs · position", 24)
    drawn = tidy(inputs, {}).curves
    assert list(drawn) == [f"joint_{i} = 7 more" for i in range(3)]


def test_what_changes_by_rounding_alone_stands_behind_what_moves() -> None:
    rounding, hair = (Panel("a", "rad", {"a": (TIME, size * np.sin(TIME))}) for size in (1e-16, 1e-4))
    assert (rounding.stillness, hair.stillness) == (2, 1)


def test_a_curve_beside_its_set_point_keeps_its_name() -> None:
    wave = (TIME, np.sin(TIME))
    panel = Panel("joints", "rad", {"a": wave, "b": wave, "c": wave}, setpoints={"a": wave})
    assert list(tidy(panel, {}).curves) == ["a", "b = c"]


@pytest.mark.parametrize(
    ("item", "sides"),
    [
        ({"measure": "max", "high": 2.0}, {2.0: 1}),
        ({"measure": "max", "low": 2.0}, {2.0: 0}),  # it is enough to get there once
        ({"measure": "min", "low": 2.0}, {2.0: -1}),
        ({"measure": "mean", "low": 1.0, "high": 2.0}, {1.0: 0, 2.0: 0}),
        ({"measure": "span", "high": 2.0}, {}),
        ({"high": 2.0, "target": 1.0}, {-1.0: -1, 3.0: 1}),
    ],
)
def test_a_limit_has_the_side_on_which_the_curve_must_not_be(item: dict[str, object], sides: dict[float, int]) -> None:
    (expected,) = expectations(flight([{"name": "a", "signal": "truth.position.z", **item}]))
    assert {limit.value: limit.side for limit in expected.limits} == sides


def test_a_formula_has_lines_where_it_holds_a_signal_against_a_number() -> None:
    pytest.importorskip("rtamt")
    assert formula_limits("always[2:6](abs(truth.position.z - 5) < 0.5)") == {
        "truth.position.z": {Limit(4.5, 2.0, 6.0, side=-1), Limit(5.5, 2.0, 6.0, side=1)}
    }
    assert formula_limits("eventually[0:3](a.b > 2)") == {"a.b": {Limit(2.0, 0.0, 3.0)}}
    assert formula_limits("always(a.b < c.d)") == {"a.b": set(), "c.d": set()}
    (panel, *_), _ = overview(flight([{"stl": "always[6:10](truth.position.z > 5.5)"}]))
    assert (panel.title, panel.missed, panel.limits) == ("truth.position.z", True, {Limit(5.5, 6.0, 10.0, side=-1)})
    assert panel.verdicts[0].value == pytest.approx(-0.5)


@pytest.mark.parametrize("text", ["{", "3", "[3]", '[{"signal": 3}]', "[" * 5000, '[{"name": "a", "signal": "x", "high": "y"}]'])
def test_nonsense_about_what_is_expected_is_left_out(text: str) -> None:
    log = flight()
    log.metadata[EXPECTED] = text
    assert (expectations(log), verdicts(log)) == ((), [])
    assert overview(log)[0]


def test_a_robot_of_a_world_keeps_what_is_expected_of_it() -> None:
    log = flight([{**HEIGHT, "signal": "a.truth.position.z"}, {**HEIGHT, "signal": "b.truth.position.z"}], robot="a")
    assert [item.signal for item in expectations(log)] == ["truth.position.z"]


def test_equal_curves_are_one_and_dust_is_zero() -> None:
    wave = np.sin(TIME)
    curves = {"motor1": wave, "motor2": wave, "motor3": wave, "yaw": 1e-15 * wave, "near": wave + 1e-6}
    tidied = tidy(Panel("inputs", "1", {name: (TIME, values) for name, values in curves.items()}), {"1": 1.0})
    assert set(tidied.curves) == {"motor1 ≈ motor2 ≈ motor3 ≈ near", "yaw"}
    assert not tidied.curves["yaw"][1].any()
    assert tidied.notes == ["yaw: below 1e-15, drawn as zero"]
    assert joined(["motor1", "motor2", "motor3", "motor4"], " = ") == "motor1..4 are equal"
    assert joined(["a", "b"], " = ") == "a = b"
    arms = [f"arm_left_joint_{number}_mimic" for number in "abcd"]
    assert joined(arms, " = ") == "arm_left_joint_a_mimic = 3 more"
    assert joined(list("abcde"), " = ") == "a, b, c and 2 more are equal"
    assert joined([f"leg_{name}" for name in "abcde"], " = ") == "leg_a = 4 more"  # a legend has no room for more


def test_long_names_leave_the_panels_their_room(tmp_path: Path) -> None:
    """A warning is an error here, as the one of matplotlib when nothing is left for the axes."""
    words = "a_rather_long_name_of_a_part_on_the"
    names = tuple(f"parts.{words}_{side}_side_{number}.effort" for side in ("left", "right") for number in "abcd")
    log = Log([StreamLayout(what, Kind.SCALARS, names, ("N",) * 8) for what in "abcd"], {"twin": "arm"})
    for stream in range(4):
        log.append(stream, TIME, np.column_stack([np.sin(TIME + (number // 2)) for number in range(8)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log.plot(path=tmp_path / "a.png")


def test_an_error_is_drawn_without_the_set_point_of_what_it_is_the_error_of() -> None:
    names = ("setpoints.elbow", "control.error.elbow", "joints.elbow.position")
    log = Log([StreamLayout("", Kind.SCALARS, names, ("rad",) * 3)], {"twin": "arm"})
    log.append(0, TIME, np.column_stack([0.3 + 0 * TIME, 1e-3 * np.sin(TIME), 0.3 - 1e-3 * np.sin(TIME)]))
    log.metadata[EXPECTED] = json.dumps([{"name": "elbow", "signal": "control.error.elbow", "measure": "final", "high": 0.01}])
    (error, followed, *_), _ = overview(log)
    assert (error.title, error.setpoints) == ("control.error.elbow", {})
    assert (followed.title, list(followed.setpoints)) == ("joints.elbow.position", ["joints.elbow.position"])


def test_what_stands_still_fills_no_more_than_four_panels() -> None:
    log = Log([StreamLayout("", Kind.SCALARS, tuple(f"parts.{name}.x" for name in "abcdef"), ("m", "N", "s", "K", "V", "A"))],
              {"twin": "arm"})  # fmt: skip
    log.append(0, TIME, np.tile(np.arange(6.0), (len(TIME), 1)))
    panels, left = overview(log)
    assert (len(panels), len(left)) == (4, 2)


def test_what_is_small_beside_its_limits_stays_as_it_is() -> None:
    panel = Panel("momentum", "N s", {"x": (TIME, 1e-12 * np.sin(TIME))}, {Limit(3e-10)})
    assert tidy(panel, {"N s": 1.0}).curves["x"][1].any()


def test_a_dense_oscillation_is_a_band_with_its_mean_and_a_slow_one_a_line() -> None:
    time = np.linspace(0.0, 10.0, 20_001)
    band = envelope_of(time, 3.0 + np.sin(2.0 * math.pi * 50.0 * time), 2.0)
    assert band is not None
    assert band.low == pytest.approx(np.full(len(band.low), 2.0), abs=1e-2)
    assert band.high == pytest.approx(np.full(len(band.high), 4.0), abs=1e-2)
    assert band.mean == pytest.approx(np.full(len(band.mean), 3.0), abs=0.05)  # a column is not a whole number of periods
    assert (band.time[0], band.time[-1]) == (0.0, 10.0)
    assert envelope_of(time, np.sin(2.0 * math.pi * time), 2.0) is None


def test_what_is_a_brick_after_a_peak_at_the_beginning_is_a_band_too() -> None:
    """300 periods in a panel of some 700 dots, a fifth as high as the peak before them."""
    time = np.linspace(0.0, 60.0, 6001)
    values = np.where(time < 0.5, 5.0, 0.5 * np.sin(2.0 * math.pi * 5.0 * time))
    assert envelope_of(time, values, 5.5) is not None
    assert envelope_of(time, values, 20.0) is None  # no higher than a thick line


def test_a_long_curve_is_thinned_and_keeps_every_extreme() -> None:
    values = np.random.default_rng(1).normal(size=200_000)
    values[77_777] = 50.0
    time = np.arange(len(values)) / 1000.0
    few, kept = thinned(time, values)
    assert len(kept) <= 4 * 1500
    assert (kept.max(), kept.min()) == (50.0, values.min())
    assert few[np.argmax(kept)] == time[77_777]
    assert (few[0], few[-1]) == (time[0], time[-1])


def test_a_missed_panel_is_red_and_says_by_how_much() -> None:
    ax = new_figure(6.0, 4.0).subplots()
    (panel, *_), _ = overview(flight([SPEED]))
    draw_panel(ax, panel, 55)
    assert ax.get_title(loc="left") or ax.title.get_text()
    assert [text.get_text() for text in ax.texts] == ["MISSED effort: 1 (at most 0.5)"]
    assert ax.texts[0].get_color() == MISSED
    assert told(Verdict("x", None, 1.0, 2.0, None, "m")) == "x: not reached (1 to 2 m)"


def test_a_stretch_of_time_is_drawn_and_an_empty_one_refused(tmp_path: Path) -> None:
    log = flight([HEIGHT])
    whole = log.plot(path=tmp_path / "a.png").read_bytes()
    assert log.plot(path=tmp_path / "b.png", start=2.0, end=4.0).read_bytes() != whole
    with pytest.raises(InputError, match="nothing lies between 20 s and 30 s; the log has 0 s to 10 s"):
        log.plot(path=tmp_path / "c.png", start=20.0, end=30.0)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_replaces_one_of_ours_and_nothing_else(tmp_path: Path, suffix: str) -> None:
    log, picture = flight(), tmp_path / f"a.{suffix}"
    picture.touch()  # an empty file holds nothing
    log.plot("truth", path=picture)
    log.plot("inputs", path=picture)
    picture.write_bytes(b"holiday")
    with pytest.raises(InputError, match="no picture of Didymos"):
        log.plot(path=picture)
    assert picture.read_bytes() == b"holiday"
