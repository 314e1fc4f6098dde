"""A twin in a process that belongs to somebody else: other callbacks, other plugins, other processes, other threads."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.errors import InputError

PEER = """
import pickle, sys
import mujoco
with open(sys.argv[1], "rb") as file:
    model, data = pickle.load(file)
for _ in range(50):
    mujoco.mj_step(model, data)
print(data.qpos.tobytes().hex())
"""


def _flown(twin: str = "quadcopter", scenario: str = "hover", seconds: float = 0.5) -> bytes:
    simulation = didymos.load(twin).simulate(scenario=scenario)
    simulation.run(seconds)
    return bytes(simulation.save().vector.tobytes())


@pytest.fixture(scope="module")
def alone() -> bytes:
    """The state of a flight in a process without others."""
    return _flown()


@pytest.fixture
def no_callback() -> Iterator[None]:
    """Whatever a test hangs in is gone afterwards."""
    yield
    mujoco.set_mjcb_control(None)


@pytest.mark.usefixtures("no_callback")
def test_a_callback_that_is_taken_away_takes_no_force_with_it(alone: bytes) -> None:
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    mujoco.set_mjcb_control(None)
    simulation.run(0.5)
    assert simulation.save().vector.tobytes() == alone


@pytest.mark.usefixtures("no_callback")
def test_somebody_elses_callback_is_called_and_changes_nothing(alone: bytes) -> None:
    calls = []
    mujoco.set_mjcb_control(lambda model, data: calls.append(data.time))
    assert _flown() == alone
    assert mujoco.get_mjcb_control() is not None
    assert calls


def test_forces_that_somebody_else_applies_add_to_ours() -> None:
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    before = simulation.save()
    simulation.advance(1)
    ours = simulation.data.qfrc_applied[2]
    simulation.restore(before)
    simulation.data.qfrc_applied[2] = 0.25  # [N] upward
    simulation.advance(4)
    theirs = simulation.data.qfrc_applied[2]
    simulation.restore(before)
    simulation.advance(4)
    assert theirs == pytest.approx(simulation.data.qfrc_applied[2] + 0.25, rel=0.01)  # the flight differs a little by then
    assert ours != 0.0


def test_a_model_and_its_data_travel_to_a_process_that_has_not_heard_of_us(tmp_path: Path) -> None:
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    simulation.run(0.5)
    file = tmp_path / "model.pkl"
    file.write_bytes(pickle.dumps((simulation.model, simulation.data)))
    (tmp_path / "peer.py").write_text(PEER)
    done = subprocess.run([sys.executable, str(tmp_path / "peer.py"), str(file)], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    here = copy.copy(simulation.data)
    for _ in range(50):
        mujoco.mj_step(simulation.model, here)
    np.testing.assert_array_equal(np.frombuffer(bytes.fromhex(done.stdout.strip())), here.qpos)


def test_a_model_of_another_version_is_refused_with_a_sentence() -> None:
    """Its law has another identity, as after any change of its source."""
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    model = copy.copy(simulation.model)
    text = model.plugin_attr.tobytes()
    identity = text.split(b"=")[0].split(b"\0")[-1]
    other = bytes(b"0123456789abcdef"[(b"0123456789abcdef".index(c) + 1) % 16] for c in identity)
    model.plugin_attr[:] = np.frombuffer(text.replace(identity + b"=", other + b"=", 1), dtype=model.plugin_attr.dtype)
    with pytest.warns(RuntimeWarning, match="another version of Didymos"), pytest.raises(mujoco.FatalError):
        mujoco.MjData(model)


def test_a_state_of_another_run_is_refused_with_a_sentence() -> None:
    quadcopter = didymos.load("quadcopter")
    hover, climb = (quadcopter.simulate(scenario=name) for name in ("hover", "climb"))
    with pytest.raises(InputError, match=r"was saved by quadcopter: scenario hover"):
        climb.restore(hover.save())


def test_two_twins_in_threads_fly_as_each_does_alone(alone: bytes) -> None:
    other = _flown("hexacopter")
    flown: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=lambda name=name: flown.__setitem__(name, _flown(name))) for name in ("quadcopter", "hexacopter")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert flown == {"quadcopter": alone, "hexacopter": other}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forking a process with threads, which is the point
def test_a_forked_process_flies_on_to_the_same_bits(tmp_path: Path) -> None:
    simulation = didymos.load("quadcopter").simulate(scenario="hover")
    simulation.advance(100)
    child = os.fork()
    if child == 0:
        simulation.advance(100)
        (tmp_path / "state").write_bytes(simulation.save().vector.tobytes())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    simulation.advance(100)
    assert (tmp_path / "state").read_bytes() == simulation.save().vector.tobytes()


FOREIGN = """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="pid"><config key="kp" value="40"/>
</instance></plugin></extension><worldbody><body name="arm"><joint name="j" axis="0 1 0"/>
<geom type="capsule" size=".02 .2" mass="1"/></body></worldbody>
<actuator><plugin joint="j" plugin="mujoco.pid" instance="pid"/></actuator></mujoco>"""


def test_a_foreign_plugin_beside_ours_goes_on_working(make_twin: Any) -> None:
    bare = mujoco.MjModel.from_xml_string(FOREIGN)
    data = mujoco.MjData(bare)
    data.ctrl[0] = 0.3
    didymos.load("quadcopter").simulate(scenario="hover").run(0.1)
    for _ in range(10):
        mujoco.mj_step(bare, data)
    assert data.actuator_force[0] != 0.0
