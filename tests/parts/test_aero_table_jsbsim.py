"""Aerodynamic functions of aircraft that come with JSBSim: our tables against its own forces and moments, and a trim in both.

JSBSim's files are read where its package is installed; nothing of them stands here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsbsim
import numpy as np
import pytest
from laws import evaluate, record

from didymos.air.atmosphere import GAS_CONSTANT
from didymos.describe.tables.jsbsim import read_jsbsim
from didymos.engine.trim import find_trim
from didymos.parts.aero_data import READER, SURFACES, AeroBuilder
from didymos.parts.aero_table import AeroTable
from didymos.parts.part import MOTION, WRENCH
from didymos.twin import load

FOOT, POUND = 0.3048, 4.4482216152605
SLUG = POUND / FOOT
STATES = 1000
TURNED = np.array([1.0, -1.0, -1.0])  # forward-left-up to forward-right-down
FLOWN: dict[str, dict[str, Any]] = {
    # Mach number, two axes, leading-edge flaps, speed brakes by their angle
    "f16": {
        "surfaces": {"x": "fcs/aileron-pos-rad", "flap": "fcs/flaperon-mix-rad", "slat": "fcs/lef-pos-rad",
                     "brake": "fcs/speedbrake-pos-rad"},
        "properties": {"fcs/speedbrake-pos-rad": "brake_share"}, "speeds": (300.0, 1200.0),
    },
    # three axes, hysteresis of stall, rate of alpha, atan2 and differences
    "c172x": {"surfaces": {"x": "fcs/effective-aileron-pos"}, "properties": {}, "speeds": (80.0, 250.0)},
}  # fmt: skip
USUAL = {"x": "fcs/left-aileron-pos-rad", "y": "fcs/elevator-pos-rad", "z": "fcs/rudder-pos-rad", "gear": "gear/gear-pos-norm"}


def aircraft_file(name: str) -> Path:
    return Path(jsbsim.get_default_root_dir()) / "aircraft" / name / f"{name}.xml"


def flown(name: str) -> Any:
    """JSBSim with an aircraft, silent."""
    fdm = jsbsim.FGFDMExec(jsbsim.get_default_root_dir())
    fdm.set_debug_level(0)
    assert fdm.load_model(name)
    fdm.set_output_filename(0, "/dev/null")
    fdm.disable_output()
    return fdm


def reader(name: str) -> Callable[[Any, AeroBuilder], None]:
    return lambda spec, builder: read_jsbsim(aircraft_file(name), spec.properties, builder)


def table_of(name: str) -> Any:
    """The part's numbers, an array of one record, and the span [m]; an input of 1 is a deflection of 1 rad."""
    builder = AeroBuilder()
    properties = FLOWN[name]["properties"]
    read_jsbsim(aircraft_file(name), properties, builder)
    sizes, limits = builder.metrics, {f"limit_{surface}": 1.0 for surface in SURFACES[:5]}
    raw = {"link": "body", "extension": "hold", "tables": [{"file": name, "properties": properties}], **sizes, **limits}
    spec = AeroTable.spec.model_validate(raw, context={READER: reader(name)})
    return np.array([spec.record()]), sizes["span"]


def draw(fdm: Any, random: np.random.Generator, speeds: tuple[float, float]) -> None:
    """Any state of flight, and any position of the controls."""
    fdm["ic/h-sl-ft"] = random.uniform(5.0, 20_000.0)
    fdm["ic/vt-fps"] = random.uniform(*speeds)
    fdm["ic/alpha-deg"], fdm["ic/beta-deg"] = random.uniform(-10.0, 25.0), random.uniform(-15.0, 15.0)
    fdm["ic/theta-deg"], fdm["ic/phi-deg"] = random.uniform(-20.0, 20.0), random.uniform(-20.0, 20.0)
    for axis in "pqr":
        fdm[f"ic/{axis}-rad_sec"] = random.uniform(-0.5, 0.5)
    for name in ("elevator", "aileron", "rudder"):
        fdm[f"fcs/{name}-cmd-norm"] = random.uniform(-1.0, 1.0)
    for name in ("fcs/flap", "fcs/speedbrake", "gear/gear"):
        fdm[f"{name}-cmd-norm"] = random.uniform(0.0, 1.0)
    fdm.run_ic()


@pytest.mark.parametrize("name", FLOWN)
def test_forces_and_moments_are_those_of_jsbsim(name: str) -> None:
    numbers, span = table_of(name)
    fdm, random = flown(name), np.random.default_rng(17)
    surfaces = USUAL | FLOWN[name]["surfaces"]
    layouts = (AeroTable.input_layout, AeroTable.state_layout, WRENCH, AeroTable.output_layout)
    inputs, state, wrench, output = (np.zeros(1, dtype=layout) for layout in layouts)
    worst, seen_forces, stalled = 0.0, [], 0
    for _ in range(STATES):
        draw(fdm, random, FLOWN[name]["speeds"])
        here = record(MOTION, {
            "density": fdm["atmosphere/rho-slugs_ft3"] * SLUG / FOOT**3,
            "temperature": (fdm["atmosphere/a-fps"] * FOOT) ** 2 / (1.4 * GAS_CONSTANT),  # of JSBSim's own speed of sound
            "height": fdm["aero/h_b-mac-ft"] * span,
        })  # fmt: skip
        here["air_velocity"][0] = TURNED * FOOT * [fdm[f"velocities/{axis}-aero-fps"] for axis in "uvw"]
        here["air_rate"][0] = TURNED * [fdm[f"velocities/{axis}-aero-rad_sec"] for axis in "pqr"]
        memory = record(AeroTable.memory_layout, {
            "alpha_rate": fdm["aero/alphadot-rad_sec"], "stalled": fdm["aero/stall-hyst-norm"],
        })  # fmt: skip
        for surface, path in surfaces.items():
            memory["share"][0, SURFACES.index(surface)] = fdm[path]
        if name == "c172x":
            memory["share"][0, SURFACES.index("flap")] = math.radians(fdm["fcs/flap-pos-deg"])
        evaluate(AeroTable, numbers, here, inputs, memory, state, state, wrench, output)
        force, moment = TURNED * wrench["force"][0] / POUND, TURNED * wrench["torque"][0] / (POUND * FOOT)
        point, centre = (np.array([fdm[f"{path}-{axis}-in"] for axis in "xyz"]) for path in ("metrics/aero-rp", "inertia/cg"))
        moment = moment + np.cross((point - centre) / 12.0 * [-1.0, 1.0, -1.0], force)  # JSBSim's x is aft, z up
        theirs = np.array([fdm[f"forces/fb{axis}-aero-lbs"] for axis in "xyz"])
        their_moment = np.array([fdm[f"moments/{axis}-aero-lbsft"] for axis in "lmn"])
        worst = max(worst, np.abs(force - theirs).max() / np.linalg.norm(theirs))
        worst = max(worst, np.abs(moment - their_moment).max() / np.linalg.norm(their_moment))
        seen_forces.append(theirs)
        stalled += fdm["aero/stall-hyst-norm"] > 0.0
    assert worst < 1e-6
    assert np.std(seen_forces, axis=0).min() > 10.0  # [lbf]: they differ from state to state
    assert stalled > 0 or name != "c172x"


A_4 = {"height": 10_000.0 * FOOT, "speed": 500.0 * FOOT}


def _set_flight(fdm: Any) -> None:
    """Level flight along a meridian at the equator, where the turning Earth only takes of the weight."""
    for path, value in {"lat-geod-deg": 0.0, "psi-true-deg": 0.0, "gamma-deg": 0.0, "h-sl-ft": A_4["height"] / FOOT,
                        "vt-fps": A_4["speed"] / FOOT}.items():  # fmt: skip
        fdm[f"ic/{path}"] = value
    fdm["gear/gear-cmd-norm"] = fdm["gear/gear-pos-norm"] = 0.0
    fdm["propulsion/set-running"] = -1
    fdm.run_ic()


def _thrust_table(fdm: Any) -> str:
    """JSBSim's own thrust [N] over the throttle in this flight."""
    rows = ["throttle, thrust"]
    for throttle in np.linspace(0.0, 1.0, 101):
        fdm["fcs/throttle-cmd-norm"] = throttle
        for _ in range(2):
            fdm.run_ic()
            fdm["propulsion/set-running"] = -1
        fdm.run_ic()
        rows.append(f"{throttle:.2f}, {fdm['propulsion/engine/thrust-lbs'] * POUND!r}")
    return "\n".join(rows)


def _write_twin(folder: Path, fdm: Any, gravity: float) -> None:
    """The A-4 as a twin: mass and places as JSBSim has them, its aerodynamics from its file."""
    centre = np.array([fdm[f"inertia/cg-{axis}-in"] for axis in "xyz"])

    def frame(name: str, place: Any) -> str:
        x, y, z = (np.asarray(place) - centre) * FOOT / 12.0 * [-1.0, -1.0, 1.0]
        joint = f'<parent link="body"/><child link="{name}"/><origin xyz="{x} {y} {z}"/>'
        return f'<link name="{name}"/><joint name="{name}_joint" type="fixed">{joint}</joint>'

    aero, engine = frame("aero", [fdm[f"metrics/aero-rp-{axis}-in"] for axis in "xyz"]), frame("engine", [440.52, 0.0, 0.0])
    mass, inertia = fdm["inertia/mass-slugs"] * SLUG, fdm["inertia/iyy-slugs_ft2"] * SLUG * FOOT**2
    tensor = f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
    body = f'<link name="body"><inertial><mass value="{mass}"/>{tensor}</inertial></link>'
    (folder / "a4.urdf").write_text(f'<robot name="a4">{body}{aero}{engine}</robot>')
    (folder / "a4.xml").write_bytes(aircraft_file("A4").read_bytes())
    builder = AeroBuilder()
    read_jsbsim(aircraft_file("A4"), {}, builder)
    sizes = "".join(f"{name}: {size!r}, " for name, size in builder.metrics.items())
    (folder / "twin.yaml").write_text(
        "description: {file: a4.urdf, base: floating}\n"
        f"world: {{gravity: {gravity!r}, step: 0.01, integrator: rk4}}\n"
        "parts:\n"
        f"  wing: {{kind: aero_table, link: aero, {sizes}limit_y: 0.5, tables: [{{file: a4.xml}}]}}\n"
        "  jet: {kind: thrust_table, link: engine, table: {file: thrust.csv}}\n"
    )


def test_an_aircraft_is_trimmed_as_jsbsim_trims_it(tmp_path: Path) -> None:
    fdm = flown("A4")
    _set_flight(fdm)
    (tmp_path / "thrust.csv").write_text(_thrust_table(fdm))
    fdm["fcs/throttle-cmd-norm"] = 0.5
    _set_flight(fdm)
    fdm.do_trim(0)
    radius = fdm["position/radius-to-vehicle-ft"] * FOOT
    gravity = fdm["accelerations/gravity-ft_sec2"] * FOOT - 7.292115e-5**2 * radius - A_4["speed"] ** 2 / radius
    _write_twin(tmp_path, fdm, gravity)
    ours = find_trim(load(tmp_path), airspeed=A_4["speed"], height=A_4["height"], pitch=("wing.y",), throttle=("jet",))
    assert ours.nose == pytest.approx(fdm["aero/alpha-rad"], rel=0.01)
    assert 0.5 * ours.pitch == pytest.approx(fdm["fcs/elevator-pos-rad"], rel=0.01)
    assert ours.throttle == pytest.approx(fdm["fcs/throttle-cmd-norm"], rel=0.01)
