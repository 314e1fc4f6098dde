"""The gear of the power unit, learned and judged: `python docs/make_power_unit.py learn|halves|synthetic SINE.csv`.

learn        the numbers of twin.yaml, from the whole sine
halves       parts of the sine that were left out: a stroke each way, and sixteenths (0.25 s) one after the other
synthetic    made-up benches: of each a sine, from which its gear is learned, and other motions, of which only the angle is fitted

A made-up bench has the waves of the real one with other phases, a ripple and a friction over the angle drawn from processes
(`TRUTH`), torque that comes and goes by chance, and the noise of the encoder. The sizes of `TRUTH` are such that the sine of the
made-up benches looks as the real one does: the errors of all three models on it are printed beside those on the real sine.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np
from power_unit_gear import FRICTION, HELD, RIPPLE, START, TURN, Array, Gear, Knots, learn, matern, slow
from scipy.optimize import minimize_scalar

MODELS = {
    "one friction": Gear(np.zeros(0)),
    "waves": Gear(),
    "waves and tables": Gear(ripple=RIPPLE, friction=FRICTION),
}
TRUTH = {"ripple": 0.006, "quick": 0.004, "smooth": 0.005, "chance": 0.008}  # N m; chance forgets within 8 ms
ENCODER = (2e-5, 0.006)  # rad, rad/s
SAMPLES = {"sine": 800, "triangle": 800, "trapezoid": 1000, "step": 400}
BENCHES, TRIED, REACH = 15, 480, 3.0  # angles tried within the reach [rev], as twin.yaml has it


def command(kind: str) -> Array:
    """Set-points at 200 Hz [rev], as the scenarios of twin.yaml have them."""
    time = HELD * np.arange(SAMPLES[kind] + 10)
    knots = {"triangle": ([0, 1, 3, 4, 5], [0, 1, -1, 0, 1]), "trapezoid": ([0, 1, 1.5, 3.5, 4, 5, 6], [0, 1, 1, -1, -1, 0, 1])}
    if kind == "sine":
        return np.sin(TURN * time / 4)
    if kind == "step":
        return np.where(time < 1.0, 0.25, -0.25)
    return np.interp(time, *knots[kind])


def rms(error: Array) -> float:
    return float(np.sqrt(np.mean(error**2)))


def errors(gear: Gear, kind: str, times: Array, said: tuple[Array, Array], angle: float = 0.0) -> tuple[Array, Array]:
    x, v = gear.run(command(kind), times, angle)
    return x - said[0], v - said[1]


def fitted_angle(gear: Gear, kind: str, times: Array, said: tuple[Array, Array]) -> float:
    """The angle of least loss, on a grid and then near its best."""

    def loss(angle: float) -> float:
        x, v = errors(gear, kind, times, said, angle)
        return float(10 * x @ x + v @ v)

    width = 2 * REACH / TRIED
    tried = [0.0, *(-REACH + width * (np.arange(TRIED) + 0.5))]
    best = min(tried, key=loss)
    near = minimize_scalar(loss, bounds=(best - width, best + width), method="bounded", options={"xatol": 1e-4})
    return float(near.x) if near.fun < loss(best) else best


def row(name: str, found: list[tuple[float, float]]) -> str:
    """Means and, in brackets, the worst."""
    table = np.array(found)
    (x, v), (worst_x, worst_v) = table.mean(0), table.max(0)
    return f"| {name} | {x:.4f} ({worst_x:.4f}) | {v:.3f} ({worst_v:.3f}) |"


def show_learned(times: Array, said: tuple[Array, Array]) -> None:
    """The numbers of twin.yaml."""
    gear = learn(MODELS["waves and tables"], command("sine"), times, *said)
    numbers, waves, ripple, friction = gear.parts
    inertia = numbers[0] - (START[0] - 3.252e-4)  # what the driven part has is not the rotor's
    for name, value in zip(("rotor_inertia", "coulomb", "stribeck", "stribeck_speed"), (inertia, *numbers[1:]), strict=True):
        print(f"{name}: {value:.4g}")
    for i, (order, (sine, cosine)) in enumerate(zip(gear.orders, waves, strict=True), 1):
        print(f"ripple{i}_order: {order:g}\nripple{i}_sine: {sine:.5f}\nripple{i}_cosine: {cosine:.5f}")
    for name, knots, values in (("ripple", gear.ripple, ripple), ("coulomb", gear.friction, friction)):
        print(f"{name}_table:\n  first: {knots.first}\n  spacing: {knots.spacing:.10f}\n  values:")
        words = [f"{value:.5f}" for value in values]
        rows = [", ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
        print("    [" + ",\n     ".join(rows) + "]")
    print("errors", *(f"{rms(error):.5f}" for error in errors(gear, "sine", times, said)))


def show_halves(times: Array, said: tuple[Array, Array]) -> None:
    """Errors where samples were left out."""
    there = (times < 1.04) | (times > 3.11)  # moves up
    sixteenths = [(16 * times / 4.01).astype(int) == i for i in range(16)]
    print("| model | all | up, learned from down | down, learned from up | sixteenths left out |\n|---|---|---|---|---|")
    for name, model in (MODELS | {"waves, a table of ripple alone": Gear(ripple=RIPPLE)}).items():
        whole = learn(model, command("sine"), times, *said)
        words = ["{:.4f} rad, {:.3f} rad/s".format(*(rms(error) for error in errors(whole, "sine", times, said)))]
        for parts in ([there], [~there], sixteenths):
            left = []
            for part in parts:
                gear = learn(model, command("sine"), times, *said, ~part)
                left.append([error[part] for error in errors(gear, "sine", times, said)])
            x, v = (rms(np.concatenate(items)) for items in zip(*left, strict=True))
            words.append(f"{x:.4f}, {v:.3f}")
        print(f"| {name} | {' | '.join(words)} |", flush=True)


def bench(draw: np.random.Generator, real: Gear, sizes: Mapping[str, float]) -> Gear:
    """A made-up bench: numbers of the real one, waves of its sizes with other phases, tables drawn from their processes."""
    numbers, waves, _, _ = real.parts
    phases = draw.uniform(0, TURN, len(waves))
    turned = np.hypot(*waves.T)[:, None] * np.column_stack([np.cos(phases), np.sin(phases)])
    ripple, friction = Knots(-5.25, 1 / 48, 505), Knots(-5.25, 1 / 24, 253)
    r = _drawn(draw, matern(ripple.at, sizes["ripple"], 0.03))
    f = _drawn(draw, slow(friction.at, sizes["smooth"], 0.6) + matern(friction.at, sizes["quick"], 0.05))
    return Gear(real.orders, ripple, friction, np.r_[np.log(numbers / START), turned.ravel(), r, f])


def _drawn(draw: np.random.Generator, covariance: Array) -> Array:
    return np.linalg.cholesky(covariance + 1e-10 * np.eye(len(covariance))) @ draw.standard_normal(len(covariance))


def recorded(draw: np.random.Generator, truth: Gear, kind: str, angle: float, chance: float) -> tuple[Array, tuple[Array, Array]]:
    """A made-up recording."""
    times = HELD * np.arange(SAMPLES[kind])
    pushed, forgets = np.zeros(5 * (SAMPLES[kind] + 10)), np.exp(-1 / 8)
    for i, kick in enumerate(draw.standard_normal(len(pushed) - 1)):
        pushed[i + 1] = forgets * pushed[i] + np.sqrt(1 - forgets**2) * chance * kick
    x, v = truth.run(command(kind), times, angle, pushed)
    return times, (x + ENCODER[0] * draw.standard_normal(len(x)), v + ENCODER[1] * draw.standard_normal(len(v)))


def show_synthetic(times: Array, said: tuple[Array, Array], benches: int) -> None:
    """Errors on made-up benches: near where the gear was learned, where only its waves go on, and where they begin anew."""
    real = learn(MODELS["waves and tables"], command("sine"), times, *said)
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(benches):
        draw = np.random.default_rng(seed)
        truth = bench(draw, real, TRUTH)
        sine = recorded(draw, truth, "sine", 0.0, TRUTH["chance"])
        learned = {name: learn(model, command("sine"), sine[0], *sine[1]) for name, model in MODELS.items()}
        for name, gear in learned.items():
            found.setdefault(f"sine itself | {name}", []).append(tuple(map(rms, errors(gear, "sine", *sine))))  # type: ignore[arg-type]
        places = {
            "up to 0.3 rev away": (truth, draw.uniform(-0.3, 0.3)),
            "elsewhere": (truth, draw.choice([-1, 1]) * draw.uniform(3.2, 4.0)),
            "elsewhere, other teeth": (bench(draw, real, TRUTH), 0.0),
        }
        for where, (gear_there, angle) in places.items():
            for kind in ("triangle", "trapezoid", "step"):
                run = recorded(draw, gear_there, kind, angle, TRUTH["chance"])
                for name, gear in learned.items():
                    at = fitted_angle(gear, kind, *run) if len(gear.orders) else 0.0
                    pair = tuple(map(rms, errors(gear, kind, *run, at)))
                    found.setdefault(f"{where}: {kind} | {name}", []).append(pair)  # type: ignore[arg-type]
    for name, model in MODELS.items():
        gear = learn(model, command("sine"), times, *said)
        print(row(f"real sine | {name}", [tuple(map(rms, errors(gear, "sine", times, said)))]))  # type: ignore[list-item]
    for name, pairs in sorted(found.items()):
        print(row(name, pairs))


if __name__ == "__main__":
    what, file = sys.argv[1:3]
    data = np.genfromtxt(file, delimiter=",", names=True)
    given = data["t_s"], (data["out_pos_rad"], data["out_vel_rad_s"])
    if what == "learn":
        show_learned(*given)
    elif what == "halves":
        show_halves(*given)
    else:
        show_synthetic(*given, benches=int(sys.argv[3]) if len(sys.argv) > 3 else BENCHES)
