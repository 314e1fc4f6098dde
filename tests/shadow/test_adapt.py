"""What a shadow learns of its robot: parameters with intervals, unknown where the motion does not show them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.describe.values_file import read_values
from didymos.errors import InputError
from didymos.shadow.chosen import chosen_parameters
from didymos.shadow.learned import learned_values
from didymos.shadow.observer import Observer
from didymos.shadow.shadow import Shadow
from didymos.shadow.window_fit import JointInformation, WindowFit, WindowFitter, robust_covariance
from didymos.twin import Twin

FRICTION = ("parts.drive.coulomb", "parts.drive.stribeck")
MORE = 1.5


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    return didymos.load("power_unit")


@pytest.fixture(scope="module")
def stiff(power_unit: Twin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a power unit with half as much friction again."""
    file = tmp_path_factory.mktemp("robot") / "stiff.mcap"
    robot = power_unit.copy()
    robot.set_all({path: MORE * power_unit.get(path) for path in FRICTION})
    robot.simulate(scenario="sine").run(6.6, record=file)
    return file


class Kept:
    """An audience that keeps stretches from a time on, and the state before them."""

    def __init__(self, since: float) -> None:
        self.since, self.saved, self.stretches = since, None, []  # type: ignore[var-annotated]

    def frame(self, frame: Any, shadow: Shadow) -> None:
        if frame.time > self.since:
            saved, stretch = shadow.last_step.saved, shadow.last_step.stretch
            self.saved = saved if self.saved is None else self.saved
            self.stretches.append(stretch)

    def alarm(self, alarm: Any) -> None: ...

    def notice(self, text: str) -> None: ...


def window(twin: Twin, file: Path, paths: list[str], since: float) -> tuple[WindowFitter, Kept]:
    """A fitter of parameters, and the window from a time to the end of a recording."""
    shadow, kept = Shadow(twin, f"log:{file}", causes=()), Kept(since)
    shadow.listen(kept)
    shadow.run()
    signals = shadow.observer.stepper.signals
    return WindowFitter(chosen_parameters(twin, paths), lambda causes: Observer(twin, signals, causes=causes)), kept


def learned(twin: Twin, file: Path, paths: list[str], since: float) -> tuple[Any, ...]:
    """What the window from a time to the end of a recording says of parameters."""
    fitter, kept = window(twin, file, paths, since)
    return learned_values(fitter.chosen, fitter.fit(kept.saved, kept.stretches))


def test_joint_information_is_a_kalman_filter_with_the_parameters_among_its_states() -> None:
    """Of a linear system both are exact: (J + 1)^-1 d and (J + 1)^-1 are mean and covariance of the filter's parameters."""
    draw = np.random.default_rng(3)
    n, p, r = 3, 2, 2
    a, b = 0.4 * draw.standard_normal((n, n)), draw.standard_normal((n, p))
    c, e = draw.standard_normal((r, n)), draw.standard_normal((r, p))
    q, noise = 0.1 * np.eye(n), 0.2 * np.eye(r)
    readings = draw.standard_normal((30, r))
    state, spread = np.zeros(n), np.eye(n)
    joint = JointInformation(n, p)
    wide_a, wide_c = np.block([[a, b], [np.zeros((p, n)), np.eye(p)]]), np.hstack([c, e])
    wide_q = np.diag([0.1] * n + [0.0] * p)
    wide, whole = np.zeros(n + p), np.eye(n + p)
    for step, z in enumerate(readings):
        if step % 3 == 2:  # nothing was read
            joint.predict(0.0, a, b)
            state, spread = a @ state, a @ spread @ a.T + q
            wide, whole = wide_a @ wide, wide_a @ whole @ wide_a.T + wide_q
            continue
        inverse = np.linalg.inv(c @ spread @ c.T + noise)
        gain = a @ spread @ c.T @ inverse
        nu = z - c @ state
        joint.update(0.0, a, b, c, e, gain, inverse, nu)
        state, spread = a @ state + gain @ nu, a @ spread @ a.T + q - gain @ np.linalg.inv(inverse) @ gain.T
        wide_inverse = np.linalg.inv(wide_c @ whole @ wide_c.T + noise)
        wide_gain = wide_a @ whole @ wide_c.T @ wide_inverse
        wide = wide_a @ wide + wide_gain @ (z - wide_c @ wide)
        whole = wide_a @ whole @ wide_a.T + wide_q - wide_gain @ np.linalg.inv(wide_inverse) @ wide_gain.T
    covariance = np.linalg.inv(joint.information + np.eye(p))
    np.testing.assert_allclose(covariance @ joint.score, wide[n:], atol=1e-9)
    np.testing.assert_allclose(covariance, whole[n:, n:], atol=1e-9)


def _pushed(innovations: Any, scale: float = 1.0) -> JointInformation:
    """The information of readings of one constant, every 10 ms, of stated variance `scale`."""
    joint, one, none = JointInformation(1, 1), np.ones((1, 1)), np.zeros((1, 1))
    for i, nu in enumerate(innovations):
        joint.update(0.01 * i, none, none, none, one, none, one / scale, np.array([nu]))
    return joint


def test_coloured_innovations_widen_the_interval_and_white_ones_do_not() -> None:
    """The mean of n readings of an AR(1) process has (1 + a) / (1 - a) times the variance of that of n white ones."""
    draw, n, a = np.random.default_rng(5), 1000, 0.9
    ratios: dict[float, list[float]] = {0.0: [], a: []}
    for factor, found in ratios.items():
        for _ in range(60):
            noise = draw.standard_normal(n + 200) * np.sqrt(1.0 - factor**2)
            for i in range(1, len(noise)):
                noise[i] += factor * noise[i - 1]
            joint = _pushed(noise[200:])
            np.testing.assert_allclose(sum(joint.pushes), joint.score)
            found.append(float(robust_covariance(joint.information, joint.pushes, 1.0)[0, 0]) * n)
    assert min(ratios[0.0]) == 1.0  # never narrower than white noise has it
    assert np.mean(ratios[0.0]) < 1.3
    expected = (1.0 + a) / (1.0 - a)
    assert 0.6 * expected < np.mean(ratios[a]) < 1.1 * expected  # sums over half a second miss some of what hangs together


def test_the_likelihood_of_a_window_does_not_care_for_the_scale_of_its_noise() -> None:
    noise = np.random.default_rng(2).standard_normal(50)
    assert _pushed(noise, 3.0).loss == pytest.approx(_pushed(noise).loss)
    assert _pushed(1.1 * noise).loss > _pushed(noise).loss


def test_friction_is_learned_taken_over_kept_and_told(
    stiff: Path, power_unit: Twin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, both = tmp_path / "fitted.yaml", tmp_path / "both.mcap"
    adapt = [word for path in FRICTION for word in ("--adapt", path)]
    command = ["shadow", "power_unit", "--robot", f"log:{stiff}", "--window", "5", "--save", str(saved), "--record", str(both)]
    assert main([*command, *adapt, "--learn", "parts.drive.rotor_inertia", "--json"]) == 1  # another friction is an alarm
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (told,) = [event for event in events if event["event"] == "learned"]
    values = read_values(saved)
    assert told["settled"]
    for path in FRICTION:
        low, high = told["parameters"][path]["interval"]
        truth = MORE * power_unit.get(path)
        assert low < truth < high
        assert values[path] == told["parameters"][path]["value"]
        assert told["parameters"][path]["taken"] == (not low < power_unit.get(path) < high)
    assert values["parts.drive.coulomb"] == pytest.approx(MORE * power_unit.get("parts.drive.coulomb"), rel=0.03)
    assert not told["parameters"]["parts.drive.rotor_inertia"]["taken"]  # learned, not adapted
    noted = json.loads(didymos.Log.load(both).metadata["learned.1"])
    assert noted["parameters"] == told["parameters"]


def test_all_of_a_joints_friction_is_learned_as_one_number(
    stiff: Path, power_unit: Twin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the title of its cause; every parameter of it is kept with a value and an interval of its own."""
    saved, name = tmp_path / "fitted.yaml", "friction of shaft_joint"
    command = ["shadow", "power_unit", "--robot", f"log:{stiff}", "--window", "5", "--save", str(saved)]
    main([*command, "--adapt", name, "--json"])
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (told,) = [event for event in events if event["event"] == "learned"]
    found = told["parameters"][name]
    assert found["taken"]
    assert found["interval"][0] < MORE - 1.0 < found["interval"][1]
    assert found["value"] == pytest.approx(MORE - 1.0, abs=0.03 * MORE)
    values = read_values(saved)
    assert values == found["values"]
    for path in FRICTION:
        assert values[path] == pytest.approx((1.0 + found["value"]) * power_unit.get(path))


def test_it_is_said_why_a_parameter_is_unknown(power_unit: Twin) -> None:
    chosen = chosen_parameters(power_unit, [*FRICTION, "parts.drive.rotor_inertia"])
    alike = np.array([[0.5, -0.4999, 0.0], [-0.4999, 0.5, 0.0], [0.0, 0.0, 1e-4]])  # only the sum of the first two is known
    fit = WindowFit(np.zeros(3), alike, 1.0, 3, settled=True)
    first, second, third = learned_values(chosen, fit)
    assert first.unknown == "the motion does not tell it apart from parts.drive.stribeck"
    assert second.unknown == "the motion does not tell it apart from parts.drive.coulomb"
    assert third.known
    assert {one.unknown for one in learned_values(chosen, replace(fit, settled=False))} == {"the fit did not settle"}


def test_rounds_of_a_fit_have_the_same_noise(quadcopter: Twin, tmp_path: Path) -> None:
    """What a window says with a mass does not hang on the mass that was tried before."""
    file = tmp_path / "hover.mcap"
    quadcopter.simulate(scenario="attitude_steps", seed=1).run(1.5, record=file)
    fitter, kept = window(quadcopter, file, ["links.body_FLU.mass"], 1.0)
    found = []
    for theta in (0.2, 0.2, -0.3, 0.2):
        fitter.theta = np.array([theta])
        fitter._run(kept.saved, kept.stretches, lambda: None)
        found.append((fitter.joint.energy, fitter.joint.log_det))
    np.testing.assert_allclose([found[1], found[3]], [found[0], found[0]], rtol=1e-9)


def test_friction_of_a_joint_at_rest_is_unknown(power_unit: Twin, tmp_path: Path) -> None:
    file = tmp_path / "rest.mcap"
    power_unit.simulate().run(3.0, record=file)
    for one in learned(power_unit, file, list(FRICTION), 1.0):
        assert not one.known
        assert str(one) == f"{one.name} unknown: the motion does not show it"


def test_the_mass_of_a_quadcopter_that_flies_is_learned(quadcopter: Twin, tmp_path: Path) -> None:
    file, path = tmp_path / "heavy.mcap", "links.body_FLU.mass"
    truth = 1.2 * quadcopter.get(path)
    robot = quadcopter.copy()
    robot.set(path, truth)
    robot.simulate(scenario="attitude_steps", seed=4).run(4.5, record=file)
    (mass,) = learned(quadcopter, file, [path], 1.5)
    assert mass.known
    assert mass.value == pytest.approx(truth, rel=0.03)
    assert abs(mass.value - truth) < 4.0 * mass.sd  # of one seed


def test_parameters_are_chosen_by_path_or_pattern_once_and_within_bounds(quadcopter: Twin) -> None:
    (tied,) = chosen_parameters(quadcopter, ["parts.motor*.efficiency"])
    assert tied.paths == tuple(f"parts.motor{i}.efficiency" for i in (1, 2, 3, 4))
    assert 0.0 < tied.value(-5.0) < 2e-3 * tied.base
    with pytest.raises(InputError, match=r"no such parameter.*links\.body_FLU\.mass"):
        chosen_parameters(quadcopter, ["links.body_FLU.mas"])
    with pytest.raises(InputError, match="chosen twice"):
        chosen_parameters(quadcopter, ["parts.motor*.efficiency", "parts.motor1.efficiency"])
    (wind,) = chosen_parameters(quadcopter, ["wind of x"])
    assert wind.values(2.0) == {"world.gusts.x": quadcopter.get("world.gusts.x") + 2.0}
    with pytest.raises(InputError, match=r"no such parameter.*'mass'"):
        chosen_parameters(quadcopter, ["masss"])
    with pytest.raises(InputError, match="chosen twice"):
        chosen_parameters(quadcopter, ["mass", "links.body_FLU.mass"])
    with pytest.raises(InputError, match="cannot change while a twin runs"):
        chosen_parameters(quadcopter, ["joints.motor1_to_axle1.effort"])


def test_the_size_of_a_cause_leaves_its_parameters_within_their_bounds(power_unit: Twin) -> None:
    (friction,) = chosen_parameters(power_unit, ["friction of shaft_joint"])
    assert friction.values(0.5) == pytest.approx({path: 1.5 * power_unit.get(path) for path in FRICTION})
    assert -1.0 < friction.low < -0.99  # none of it is as little as there can be
    assert all(value > 0.0 for value in friction.values(friction.value(-9.0)).values())
    assert friction.high == np.inf
