"""Figures of docs/live_twin.md: healthy runs and runs with a fault at a random time, watched by a shadow through recordings.

    python docs/make_live_twin.py [TWIN ...] [--seeds 20] [--first 0] [--healthy 60] [--fault TEXT] [--json FILE]

The robot is a simulation of the same twin with noise of another seed; at a random time one of its numbers changes, or a sensor
begins to lie. The shadow gets the recording, never the fault. Healthy robots: alarms, and how many errors of the estimate lie
within two of their standard deviations. For each fault: how many are found within 3 s after it shows in the data
(`live_twin_study.shows`), the median and worst time to it, how often the cause is named right, and what it was named.
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
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from live_twin_study import Case, Fault, Truth, record, shows, source_of

import didymos


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
        Fault("delay +10 ms", (("delay", "imu"), ("delay", "inputs")), delay=("imu", 0.01)),
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


def watch(case: Case, source: Any, *audience: Any) -> didymos.Shadow:
    """The shadow that has seen it."""
    twin = didymos.load(case.twin, variant=case.variant)
    shadow = didymos.Shadow(twin, source, scenario=case.scenario)
    for listener in audience:
        shadow.listen(listener)
    shadow.run()
    shadow.close()
    return shadow


def healthy(case: Case, seeds: Sequence[int], folder: Path, every_input: bool, shaken: bool = False) -> dict[str, Any]:
    """Alarms of healthy robots, and how many errors lie within two standard deviations."""
    alarms, watched, nis, cpu = 0, 0.0, [], 0.0
    errors: dict[str, list[float]] = {}
    for seed in seeds:
        file = folder / "robot.mcap"
        truth = Truth(record(case, seed, None, 0.0, file, every_input=every_input, shaken=shaken), case.earliest)
        began = time.process_time()
        shadow = watch(case, source_of(case, file, seed, None, 0.0), truth)
        cpu += time.process_time() - began
        alarms, watched = alarms + len(shadow.alarms), watched + shadow.summary.seconds
        nis.append(shadow.summary.nis)
        for name, found in (*truth.errors.items(), ("innovations", truth.innovations)):
            errors.setdefault(name, []).extend(found)
        for alarm in shadow.alarms:
            print(f"  healthy, seed {seed}: {alarm}", file=sys.stderr, flush=True)
    inside = {name: round(float(np.mean(np.abs(found) < 2.0)), 4) for name, found in errors.items()}
    states = [value for name, found in errors.items() if name != "innovations" for value in found]
    inside["all states"] = round(float(np.mean(np.abs(states) < 2.0)), 4)
    return {"alarms": alarms, "seconds": round(watched, 1), "nis": round(statistics.mean(nis), 3), "inside": inside,
            "cpu_per_second": round(cpu / watched, 3)}  # fmt: skip


def faulty(case: Case, fault: Fault, seeds: Sequence[int], folder: Path, every_input: bool) -> dict[str, Any]:
    """How a fault is found."""
    times: list[float] = []
    named: Counter[str] = Counter()
    right = early = hidden = 0
    for seed in seeds:
        plain, broken = folder / "plain.mcap", folder / "robot.mcap"
        at = float(np.random.default_rng(seed).uniform(case.earliest, case.latest))
        record(case, seed, None, at, plain, every_input=every_input)
        record(case, seed, fault, at, broken, every_input=every_input)
        shadow = watch(case, source_of(case, broken, seed, fault, at))
        draw: int | None = seed
        if fault.delay is not None:
            record(case, seed, None, at, plain, every_input=every_input, exact=True)
            broken, draw = plain, None
        shown = shows(source_of(case, plain, draw, None, at), source_of(case, broken, draw, fault, at), shadow, at)
        early += sum(alarm.time < at for alarm in shadow.alarms)
        after = [alarm for alarm in shadow.alarms if alarm.time >= at]
        hidden += shown is None
        if shown is None or not after:
            named["not found" if shown is not None else "does not show"] += 1
            continue
        times.append(max(after[0].time - shown, 0.0))
        cause = after[0].cause
        named[f"{cause.cause} {cause.of}".strip() if cause is not None else "no cause"] += 1
        right += cause is not None and (cause.cause, cause.of) in fault.right
    return {"fault": fault.name, "seeds": len(seeds), "shown": len(seeds) - hidden, "found": sum(one <= 3.0 for one in times),
            "median": round(statistics.median(times), 3) if times else None, "worst": round(max(times), 3) if times else None,
            "right": right, "named": dict(named.most_common(5)), "early": early}  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("twins", nargs="*", default=list(CASES))
    options.add_argument("--seeds", type=int, default=20, help="runs with each fault")
    options.add_argument("--first", type=int, default=0, help="the first seed of those")
    options.add_argument("--healthy", type=int, default=5, help="runs without; their seeds begin 1000 later")
    options.add_argument("--seconds", type=float, help="of a healthy run")
    options.add_argument("--fault", default="", help="only faults whose name has this text")
    options.add_argument("--seldom", action="store_true", help="inputs in the recording at record.rate, not of every tick")
    options.add_argument("--shaken", action="store_true", help="healthy robots with unknown accelerations as shadows expect them")
    options.add_argument("--json", type=Path, help="a line for each result is added to this file")
    args = options.parse_args()

    def tell(facts: dict[str, Any]) -> None:
        print(json.dumps(facts), flush=True)
        if args.json:
            with args.json.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(facts) + "\n")

    seeds = range(args.first, args.first + args.seeds)
    for name in args.twins:
        case = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            if args.healthy:
                longer = replace(case, seconds=args.seconds or case.seconds)
                plain = range(args.first + 1000, args.first + 1000 + args.healthy)
                tell({"twin": name, "healthy": healthy(longer, plain, Path(folder), not args.seldom, args.shaken)})
            for fault in case.faults if args.seeds else ():
                if args.fault in fault.name:
                    tell({"twin": name, **faulty(case, fault, seeds, Path(folder), not args.seldom)})


if __name__ == "__main__":
    main()
