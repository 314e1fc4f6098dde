"""Parameters, /rosout and simulation_interfaces of a served twin, called by a process with types of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos import Log
from didymos.cli.main import main
from didymos.describe.twin import Twin

PEER = Path(__file__).with_name("simulation_peer.py")
HALF, GRAVITY, TICK = 0.05, 9.80665, 0.01  # [m] of half an edge of the robot, [m/s^2], [s]
ROBOT = f"""<mujoco><option timestep="0.001"/><worldbody><body name="base" pos="0 0 {HALF}"><freejoint name="root"/>
  <geom type="box" size="{HALF} {HALF} {HALF}" mass="1"/></body></worldbody></mujoco>"""
OBJECTS = {
    "crate": {"shape": "box", "position": [2, 0, 0.25], "size": [0.5, 0.5, 0.5], "mass": 3},
    "wall": {"shape": "box", "position": [-5, 0, 1], "orientation": [0, 0, 0.5], "size": [0.2, 4, 2]},
    "lift": {
        "shape": "box", "position": [0, 9, 3], "size": [1, 1, 0.2],
        "motion": {"kind": "sine", "amplitude": [0, 0, 1], "frequency": 0.25},
    },
}  # fmt: skip
OK, NOT_FOUND, FAILED, UNSUPPORTED = 1, 2, 4, 0  # of Result
AWAY = [1.0, 2.0, 30.0, 0.8, 0.6, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def ask(server: Any, what: str, *arguments: Any) -> dict[str, Any]:
    """What the peer found."""
    words = [sys.executable, str(PEER), str(server.domain), what, *(json.dumps(argument) for argument in arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}\n{server.process.poll()}"
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def box(make_twin: Any) -> Twin:
    """A box on the ground, among objects that are free, stand, and move; ticks of 10 ms, ten physics steps each."""
    made: Twin = make_twin(ROBOT, world={"ground": {}, "gravity": GRAVITY, "objects": OBJECTS})
    return made


def test_parameters_are_described_typed_and_set_all_or_none(serve: Any, box: Twin) -> None:
    inertia = [(f"links.base.inertia.{axes}", 0.5) for axes in ("xx", "yy", "zz")]
    names = ["links.base.mass", "world.friction_scale", "world.step", "use_sim_time", "nothing"]
    unfitting = [("links.base.mass", 2.0), ("world.gravity", 5.0), ("world.step", 0.002)]
    before = [box.get(path) for path, _ in unfitting]
    with serve(box.folder, "--step-locked") as server:
        found = ask(server, "parameters", f"/{box.name}", names, unfitting[:2], unfitting, inertia)
        server.stop()
    (refused, why), *others = found["atomic"]
    assert not refused
    assert "world.step" in why
    assert others == [[True, ""]] * 2  # each moment alone would break the triangle of the three, the three at once do not
    assert found["got"] == [before, [2.0, 5.0], [0.5] * 3]
    assert found["events"] == [[f"/{box.name}", {"links.base.mass": 2.0, "world.gravity": 5.0}], [f"/{box.name}", dict(inertia)]]
    assert found["types"] == [3, 3, 3, 1, 0]
    mass, friction, step, sim_time, nothing = found["described"]
    assert mass == ["links.base.mass", 3, f"[kg] ({box.name}, model.xml)", "at least 0", False, False, []]
    low, high = box.parameters["world.friction_scale"].low, box.parameters["world.friction_scale"].high
    assert friction[4:] == [False, False, [[low, high]]]
    assert step[4] is True
    assert "before the run" in step[3]
    assert sim_time[:2] + sim_time[4:5] == ["use_sim_time", 1, True]
    assert nothing[:2] == ["nothing", 0]
    assert found["sim_time"] == [[True, ""], [False, "use_sim_time: stays true: this node is the clock"]]


def test_a_run_is_paused_stepped_and_played(serve: Any, box: Twin) -> None:
    with serve(box.folder) as server:
        found = ask(server, "control", f"/{box.name}", box.name)
        server.stop()
    playing, stopped, paused = 1, 0, 2
    assert stopped not in found["states"]
    assert found["states"] == [playing, paused, paused, playing]
    assert [code for code, _ in found["set"]] == [OK, 101, OK]
    assert found["early"][0] == FAILED
    assert "paused" in found["early"][1]
    assert len(found["clock"]) == 1  # it stands, and whoever comes late hears where
    assert found["step"] == [OK, ""]
    assert found["passed"] == [100_000_000, 50_000_000]
    assert found["accepted"]
    assert found["done"] == [4, OK, ""]
    assert found["told"] == [[i, 5 - i] for i in range(1, 6)]
    assert found["busy"][0] == FAILED
    assert found["cancel"] == [0, 1, 2]
    assert found["cancelled"][:2] == [5, FAILED]
    assert found["stands"] == 0
    assert found["wrong"][:2] == [6, FAILED]
    assert found["statuses"] == {"1": 4, "2": 5, "3": 6}
    assert {11, 12, 20, 22, 24, 25, 26, 31, 32, 33, 44} <= set(found["features"])
    assert not {0, 1, 2, 3, 7, 9, 14, 21, 23, 40, 41, 42, 43, 45, 50} & set(found["features"])


def test_entities_are_found_asked_and_put_elsewhere(serve: Any, box: Twin, tmp_path: Path) -> None:
    everything = [box.name, "crate", "wall", "lift"]
    queries: list[tuple[dict[str, Any], list[Any]]] = [
        ({}, [OK, everything]),
        ({"name": "^(cr|wa)[a-z]{2,3}$"}, [OK, ["crate", "wall"]]),
        ({"name": "[[:digit:]]"}, [OK, [box.name]]),
        ({"name": "("}, [FAILED, []]),
        ({"categories": [2, 5]}, [OK, [box.name, "wall"]]),
        ({"tags": ["free", "static"]}, [OK, ["crate", "wall"]]),
        ({"tags": ["free", "box"], "mode": 1}, [OK, ["crate"]]),
        ({"tags": ["free"], "mode": 7}, [FAILED, []]),
        ({"bounds": (3, [(0, 0, 0), (1.74, 0, 0)])}, [OK, [box.name]]),  # the crate begins at x = 1.75
        ({"bounds": (3, [(0, 0, 0.2), (1.76, 0, 0)])}, [OK, [box.name, "crate"]]),
        ({"bounds": (1, [(3, 1, 1), (1, -1, 0)])}, [OK, ["crate"]]),
        ({"bounds": (2, [(3, 1, 1), (1, -1, 0), (0, 0, 0)])}, [UNSUPPORTED, []]),
        ({"bounds": (3, [(0, 0, 0)])}, [FAILED, []]),
    ]
    still = [0.0] * 6
    crate = [5.0, 5.0, 40.0, 1.0, *[0.0] * 3, 1.0, 0.0, 2.0, 0.0, 0.0, 3.0]
    put = [(box.name, AWAY, [True, True, False]), ("crate", crate, [True, True, True]), ("crate", AWAY, [False, True, False])]
    wrong = [
        ("nobody", AWAY, "", [True, True, False]),
        ("wall", AWAY, "", [True, False, False]),
        (box.name, [*AWAY[:3], 0.0, 0.0, 0.0, 0.0, *still], "", [True, True, False]),
        (box.name, [1e9, *AWAY[1:]], "world", [True, False, False]),
        (box.name, AWAY, "odom", [True, False, False]),
        (box.name, AWAY, "", [False, False, False]),
        (box.name, AWAY, "", [False, False, True]),
    ]
    record = tmp_path / "put.mcap"
    with serve(box.folder, "--record", str(record)) as server:
        found = ask(server, "entities", f"/{box.name}", box.name, [query for query, _ in queries], put, wrong)
        server.stop()
    assert found["found"] == [expected for _, expected in queries]
    kinds = {name: info[0] for name, info in found["infos"].items()}
    assert kinds == {box.name: 2, "crate": 4, "wall": 5, "lift": 4}
    np.testing.assert_allclose(found["states"]["wall"][:7], [-5, 0, 1, np.cos(0.25), 0, 0, np.sin(0.25)], atol=1e-12)
    lift = found["states"]["lift"]  # z = 3 + sin(2 pi t / 4), so (z - 3)^2 + (z' / w)^2 = 1 at any time, but for
    # what a physics step h adds to a trajectory that is exact at its beginning: w h^2 of the way, w h of the speed
    assert (lift[2] - 3) ** 2 + (lift[9] / (np.pi / 2)) ** 2 == pytest.approx(1.0, abs=2 * np.pi / 2 * 0.001)
    assert found["bounds"]["wall"] == [1, [pytest.approx([0.1, 2, 1]), pytest.approx([-0.1, -2, -1])]]
    assert found["bounds"][box.name] == [1, [pytest.approx([HALF] * 3), pytest.approx([-HALF] * 3)]]
    assert found["put"] == [[OK, ""]] * 3
    np.testing.assert_allclose(found["there"], [AWAY, crate, [*crate[:7], *AWAY[7:]]], atol=1e-12)
    assert [code for code, _ in found["wrong"]] == [NOT_FOUND, FAILED, 101, 101, UNSUPPORTED, FAILED, UNSUPPORTED]
    assert all(text for _, text in found["wrong"])
    assert found["tagged"] == [box.name]
    # Free fall by 100 ticks, with steps h of the semi-implicit Euler method: z(t) = z + v t - g t (t + h) / 2, but for rounding.
    t, h = 100 * TICK, 0.001
    for name, begin in ((box.name, AWAY), ("crate", [*crate[:7], *AWAY[7:]])):
        place, speed = np.array(begin[:3]), np.array(begin[7:10])
        fallen = place + speed * t - [0, 0, 0.5 * GRAVITY * t * (t + h)]
        np.testing.assert_allclose(found["after"][name][:3], fallen, atol=1e-9)
    assert found["world"] == [OK, box.name, (box.folder / "twin.yaml").resolve().as_uri()]
    assert [code for code, _ in found["unsupported"]] == [UNSUPPORTED] * 3
    again = tmp_path / "again.mcap"
    assert main(["run", str(box.folder), "--interventions", str(record), "--record", str(again), "--quiet"]) == 0
    assert Log.load(again).sha256 == Log.load(record).sha256


def test_a_reset_begins_anew_and_no_recording_is_lost(serve: Any, box: Twin, tmp_path: Path) -> None:
    record = tmp_path / "first.mcap"
    with serve(box.folder, "--record", str(record)) as server:
        found = ask(server, "reset", f"/{box.name}", box.name, "world.gravity")
        out, err = server.process.communicate()  # it was told to quit
    assert server.process.returncode == 0, err
    facts = json.loads(out)
    assert facts["resets"] == 2
    start = [0, 0, HALF, 1, 0, 0, 0, *[0] * 6]
    playing, paused, stopped = 1, 2, 0
    code, time, state, value, now = found["state"]  # the clock and the parameters go on
    assert (code, now, value) == ([OK, ""], paused, 7.5)
    assert time > found["time"][0]
    np.testing.assert_allclose(state, start, atol=1e-12)
    for what, then in (("all", paused), ("stopped", stopped)):
        code, time, state, value, now = found[what]
        assert (code, time, value, now) == ([OK, ""], 0, GRAVITY, then)
        np.testing.assert_allclose(state, start, atol=1e-12)
    assert playing not in (found["all"][-1], found["stopped"][-1])
    assert found["time_alone"][0] == UNSUPPORTED
    assert found["step"][0] == FAILED
    assert found["quit"] == [OK, ""]
    files = [record, tmp_path / "first-reset1.mcap", tmp_path / "first-reset2.mcap"]
    assert sorted(tmp_path.iterdir()) == sorted(files)
    for file in files[:2]:  # every file is a run that can be repeated
        again = tmp_path / f"again-{file.name}"
        assert main(["run", str(box.folder), "--interventions", str(file), "--record", str(again), "--quiet"]) == 0
        assert Log.load(again).sha256 == Log.load(file).sha256
    fresh = box.simulate().run(30 * TICK)
    assert Log.load(files[2]).sha256 == fresh.sha256  # nobody did anything in the last


def test_a_world_has_all_robots_and_its_nodes_hear_of_each_others_parameters(serve: Any, box: Twin, tmp_path: Path) -> None:
    world, record = tmp_path / "pair", tmp_path / "pair.mcap"
    world.mkdir()
    robots = {name: {"twin": str(box.folder), "start": {"position": [i, 3, HALF]}} for i, name in enumerate(("left", "right"))}
    (world / "world.yaml").write_text(json.dumps({"robots": robots, "world": {"ground": {}, "objects": OBJECTS}}))
    with serve(world, "--record", str(record)) as server:
        put = [("right", AWAY, [True, True, False]), ("crate", [*AWAY[:2], 50.0, *AWAY[3:]], [True, True, False])]
        found = ask(server, "entities", "/pair", "left", [{"categories": [2]}], put, [])
        ask(server, "world_parameters", "/pair", f"/left/{box.name}", "left.links.base.mass", "links.base.mass")
        server.stop()
    assert list(found["states"]) == ["left", "right", "crate", "wall", "lift"]
    assert found["found"] == [[OK, ["left", "right"]]]
    assert found["put"] == [[OK, ""]] * 2
    np.testing.assert_allclose(found["there"][0], AWAY, atol=1e-12)
    np.testing.assert_allclose(found["after"]["left"], found["states"]["left"], atol=1e-3)  # it has stayed where it stood
    again = tmp_path / "again.mcap"
    assert main(["run", str(world), "--interventions", str(record), "--record", str(again), "--quiet"]) == 0
    assert Log.load(again).sha256 == Log.load(record).sha256


def test_a_step_locked_run_takes_steps_but_does_not_play(serve: Any, box: Twin) -> None:
    with serve(box.folder, "--step-locked") as server:
        found = ask(server, "locked", f"/{box.name}", box.name)
        server.stop()
    assert found["state"] == 2
    assert found["play"][0] == 102
    assert "step-locked" in found["play"][1]
    assert found["step"] == [OK, ""]
    assert found["ticks"][1] - found["ticks"][0] == 15
    assert (found["reset"], found["time"]) == ([OK, ""], 0)


def test_what_the_port_says_is_on_rosout_also_for_who_comes_late(serve: Any, carriages_twin: Twin) -> None:
    with serve(carriages_twin.folder) as server:
        found = ask(server, "rosout", 3)
        server.stop()
    begins, *labels = found["said"]
    assert begins[:2] == [20, carriages_twin.name]
    assert "runs in real time" in begins[2]
    assert labels[:2] == [[20, carriages_twin.name, "stage: wait"], [20, carriages_twin.name, "stage: go"]]
    begun, waits, goes = found["times"][:3]  # by the twin's clock; the program goes on after 0.05 s of it
    assert begun == 0.0 <= waits
    assert goes > max(waits, 0.05)


PROGRAM = """
import didymos
from didymos.contract import report

class Stages(didymos.Controller):
    stage = report(labels=("wait", "go"))
    def update(self, t, measured, setpoints):
        self.stage = 1.0 if t > 0.05 else 0.0
        return {}
"""


@pytest.fixture(scope="module")
def carriages_twin(make_twin: Any) -> Twin:
    """A box whose program tells in which stage it is."""
    control = {"program": "stages.py:Stages", "rate": 100}
    made: Twin = make_twin(ROBOT, files={"stages.py": PROGRAM}, world={"ground": {}}, control=control)
    return made


def test_where_nobody_calls_the_recording_is_that_of_a_run_without_the_port(serve: Any, box: Twin, tmp_path: Path) -> None:
    served, alone = tmp_path / "served.mcap", tmp_path / "alone.mcap"
    with serve(box.folder, "--seconds", "0.9", "--record", str(served)) as server:
        _, err = server.process.communicate()
        assert server.process.returncode == 0, err
    box.simulate().run(0.9, record=alone)
    assert served.read_bytes() == alone.read_bytes()
