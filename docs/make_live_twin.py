"""Figures of docs/live_twin.md: healthy runs and runs with a fault at a random time, watched by a shadow through recordings.

    python docs/make_live_twin.py [TWIN ...] [--seeds 20] [--healthy 60] [--json FILE]

The robot is a simulation of the same twin with noise of another seed; at a random time one of its numbers changes, or a sensor
begins to lie. The shadow gets the recording, never the fault. For each fault: how many are found within 3 s, the median and worst
time to it, how often the cause is named right, and what it was named.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import didymos
from didymos.engine.intervention import Intervention
from didymos.shadow.calibration import Calibration
from didymos.shadow.source import Arrival, Source
from didymos.shadow.sources import open_source


@dataclass(frozen=True)
class Fault:
    """A fault: the parameters that change, or what a sensor does to readings; the causes that name it right."""

    name: str
    right: tuple[tuple[str, str], ...]
    values: Callable[[didymos.Twin], Mapping[str, float]] | None = None
    bias: Mapping[str, float] | None = None
    delay: tuple[str, float] | None = None


@dataclass(frozen=True)
class Case:
    """A twin and how its robot moves."""

    twin: str
    variant: str | None
    scenario: str
    seconds: float
    earliest: float
    latest: float
    faults: tuple[Fault, ...]


def scaled(paths: Sequence[str], factor: float) -> Callable[[didymos.Twin], Mapping[str, float]]:
    return lambda twin: {path: twin.parameters[path].value * factor for path in paths}


def payload(link: str, share: float) -> Callable[[didymos.Twin], Mapping[str, float]]:
    def change(twin: didymos.Twin) -> Mapping[str, float]:
        whole = sum(twin.parameters[f"links.{name}.mass"].value for name in twin.description.links)
        return {f"links.{link}.mass": twin.parameters[f"links.{link}.mass"].value + share * whole}

    return change


DEGREES = float(np.radians(2.0))
DRIVE = ("coulomb", "stribeck", "viscous")
CASES = {
    "quadcopter": Case("quadcopter", None, "attitude_steps", 12.0, 3.0, 8.0, (
        Fault("payload +20 %", (("mass", ""),), payload("body_FLU", 0.2)),
        Fault("one rotor -10 %", (("actuator", "motor2"),), scaled(["parts.motor2.efficiency"], 0.9)),
        Fault("imu delay +10 ms", (("delay", "imu"),), delay=("imu", 0.01)),
        Fault("gyro bias 2 deg/s", (("bias", "imu.gyro.y"),), bias={"imu.gyro.y": np.radians(2.0)}),
    )),
    "power_unit": Case("power_unit", None, "chirp", 10.0, 3.0, 6.5, (
        Fault("friction +50 %", (("friction", "shaft_joint"),), scaled([f"parts.drive.{key}" for key in DRIVE], 1.5)),
        Fault("motor strength -15 %", (("actuator", "drive"),), lambda twin: {"parts.drive.health": 0.85}),
        Fault("encoder bias 2 deg", (("bias", "parts.drive.position"),), bias={"parts.drive.position": 2.0 / 360.0 * 9.97}),
        Fault("delay +10 ms", (("delay", "parts"), ("delay", "inputs")), delay=("parts", 0.01)),
    )),
    "omni_base": Case("omni_base", None, "square", 25.0, 6.0, 20.0, (
        Fault("payload +20 %", (("mass", ""),), payload("base_link", 0.2)),
        Fault("motor strength -15 %", (("actuator", "drive_2"),), lambda twin: {"parts.drive_2.health": 0.85}),
        Fault("friction +50 %", tuple(("friction", f"rollers_{k}") for k in range(1, 5)),
              scaled([f"parts.rollers_{k}.{key}" for k in range(1, 5) for key in ("drag_x", "drag_y")], 1.5)),
        Fault("encoder bias 2 deg", (("bias", "encoders.drive_3.position"),), bias={"encoders.drive_3.position": DEGREES}),
        Fault("delay +10 ms", (("delay", "encoders"), ("delay", "inputs")), delay=("encoders", 0.01)),
    )),
    "meldog": Case("meldog", "hung", "joint_sine", 8.0, 2.5, 4.5, (
        Fault("payload +20 %", (("mass", "LFUL_link"), ("mass", "LFLL_link")), scaled(["links.LFUL_link.mass"], 1.2)),
        Fault("friction +50 %", (("friction", "LFK_joint"),), scaled([f"parts.LFK.{key}" for key in DRIVE], 1.5)),
        Fault("motor strength -15 %", (("actuator", "RRH"),), lambda twin: {"parts.RRH.health": 0.85}),
        Fault("encoder bias 2 deg", (("bias", "encoders.RFT_joint.position"),), bias={"encoders.RFT_joint.position": DEGREES}),
        Fault("delay +10 ms", (("delay", "encoders"), ("delay", "inputs")), delay=("encoders", 0.01)),
    )),
}  # fmt: skip


class Lying:
    """A source whose sensors begin to lie at a time [s]."""

    def __init__(self, source: Source, fault: Fault, at: float) -> None:
        self._source, self._fault, self._at = source, fault, at
        self.live, self.signals = source.live, source.signals

    def read(self, seconds: float) -> Sequence[Arrival]:
        found = []
        for one in self._source.read(seconds):
            values, stamp = dict(one.values), one.stamp
            if self._fault.bias is not None and stamp >= self._at:
                values |= {name: value + self._fault.bias[name] for name, value in values.items() if name in self._fault.bias}
            found.append(Arrival(stamp, one.received, values))
        if self._fault.delay is None:
            return found
        stream, late = self._fault.delay
        split = []
        for one in found:
            own = {name: value for name, value in one.values.items() if name.partition(".")[0] == stream}
            rest = {name: value for name, value in one.values.items() if name not in own}
            split += [Arrival(one.stamp, one.received, rest)] if rest else []
            moved = one.stamp + (late if one.stamp >= self._at - late else 0.0)
            split += [Arrival(moved, one.received, own)] if own else []
        self._waiting = sorted([*getattr(self, "_waiting", []), *split], key=lambda one: one.stamp)
        until = found[-1].stamp if found else -np.inf
        ready = [one for one in self._waiting if one.stamp <= until]
        self._waiting = self._waiting[len(ready) :]
        return ready

    def notices(self) -> Sequence[str]:
        return self._source.notices()

    def close(self) -> None:
        self._source.close()


def record(case: Case, seed: int, fault: Fault | None, at: float, file: Path, seconds: float | None = None) -> None:
    """A recording of the robot."""
    twin = didymos.load(case.twin, variant=case.variant)
    simulation = twin.simulate(seed=seed, scenario=case.scenario)
    changes = []
    if fault is not None and fault.values is not None:
        tick = round(at / simulation.period)
        changes = [Intervention(tick, "set", path, (value,)) for path, value in fault.values(twin).items()]
    simulation.run(seconds or case.seconds, record=file, keep=False, interventions=changes)


def watch(case: Case, file: Path, fault: Fault | None, at: float, calibration: Calibration | None) -> didymos.Shadow:
    """The shadow that has seen it."""
    twin = didymos.load(case.twin, variant=case.variant)
    source: Source = open_source(twin, f"log:{file}")
    if fault is not None and fault.values is None:
        source = Lying(source, fault, at)
    shadow = didymos.Shadow(twin, source, calibration=calibration)
    shadow.run()
    shadow.close()
    return shadow


def study(case: Case, seeds: int, healthy: int, folder: Path) -> dict[str, object]:
    facts: dict[str, object] = {"twin": case.twin}
    calibration = None
    began, alarms, watched, nis = time.process_time(), 0, 0.0, []
    for seed in range(healthy):
        file = folder / "robot.mcap"
        record(case, 1000 + seed, None, 0.0, file)
        shadow = watch(case, file, None, 0.0, calibration)
        alarms, watched = alarms + len(shadow.alarms), watched + shadow.summary.seconds
        nis.append(shadow.summary.nis)
        for alarm in shadow.alarms:
            print(f"  healthy, seed {1000 + seed}: {alarm}", file=sys.stderr)
    if healthy:
        cpu = time.process_time() - began
        facts["healthy"] = {"alarms": alarms, "seconds": watched, "nis": statistics.mean(nis), "cpu": cpu}
        print(f"{case.twin}: healthy {watched:.0f} s, {alarms} alarms, nis {statistics.mean(nis):.2f}", flush=True)
    rows = []
    for fault in case.faults:
        times, right, named, early = [], 0, Counter[str](), 0
        for seed in range(seeds):
            at = float(np.random.default_rng(seed).uniform(case.earliest, case.latest))
            file = folder / "robot.mcap"
            record(case, seed, fault, at, file)
            shadow = watch(case, file, fault, at, calibration)
            early += sum(alarm.time < at for alarm in shadow.alarms)
            after = [alarm for alarm in shadow.alarms if alarm.time >= at]
            if after:
                times.append(after[0].time - at)
                cause = after[0].cause
                named[f"{cause.cause} {cause.of}" if cause is not None else "none"] += 1
                right += cause is not None and (cause.cause, cause.of) in fault.right
        within = sum(one <= 3.0 for one in times)
        median = statistics.median(times) if times else None
        row = {"fault": fault.name, "seeds": seeds, "found": within, "median": median,
               "worst": max(times, default=None), "right": right, "named": dict(named.most_common(4)),
               "early": early}  # fmt: skip
        rows.append(row)
        print(f"{case.twin}: {row}", flush=True)
    facts["faults"] = rows
    return facts


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("twins", nargs="*", default=list(CASES))
    options.add_argument("--seeds", type=int, default=20)
    options.add_argument("--healthy", type=int, default=5)
    options.add_argument("--json", type=Path)
    options.add_argument("--fault", default="")
    args = options.parse_args()
    found = []
    for name in args.twins:
        case = CASES[name]
        if args.fault:
            case = Case(*(getattr(case, f) for f in ("twin", "variant", "scenario", "seconds", "earliest", "latest")),
                        tuple(one for one in case.faults if args.fault in one.name))  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            found.append(study(case, args.seeds, args.healthy, Path(folder)))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
