"""Fixtures of all rooms: small twins made from a description and a few keys, written where a test may write."""

from __future__ import annotations

import itertools
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, and before numpy: tests share the cores by themselves
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import didymos
from didymos.describe.trust import remember
from didymos.twin import Twin
from didymos.world import World
from long_files import FIRST

# A busy machine is slow at drawing examples as at everything else: no test of ours fails by the wall clock.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("busy")

MakeTwin = Callable[..., Twin]
SRC = Path(didymos.__file__).parent.parent

FREE_BODY = """<mujoco><worldbody><body name="body"><freejoint name="free"/>
  <geom type="box" size=".1 .15 .2" mass="1.5"/></body></worldbody></mujoco>"""


_QUICK = ("air", "parts", "sensors", "model", "control", "record", "describe")
_LONG = {
    "test_camera.py", "test_capture.py", "test_cepheus_data.py", "test_compare.py", "test_error_model.py", "test_free_flyer.py",
    "test_gusts.py", "test_leg.py", "test_plot.py", "test_public_descriptions.py",
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is quick: whole files, so that a new test is quick without a word; let the longest files begin first."""
    here, place = Path(__file__).parent, {name: i for i, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path.relative_to(here).as_posix(), len(place)))
    for item in items:
        room, *_ = item.path.relative_to(here).parts
        if room in _QUICK and item.path.name not in _LONG:
            item.add_marker(pytest.mark.quick)


@pytest.fixture(scope="session", autouse=True)
def _own_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests trust no folder that their user trusts, and leave none behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIDYMOS_CONFIG", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def make_world(tmp_path: Path) -> Callable[..., World]:
    """make_world(text, NAME=(description, keys), ...): a world folder with this `world.yaml` and twins `./NAME`, loaded."""

    def make(text: str, **twins: tuple[str, dict[str, Any]]) -> World:
        folder = tmp_path / f"world{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, (description, keys) in twins.items():
            (folder / name).mkdir()
            file = "robot.xml" if "<mujoco" in description else "robot.urdf"
            (folder / name / file).write_text(description)
            content = {"description": {"file": file}, **keys}
            (folder / name / "twin.yaml").write_text(json.dumps(content))
        (folder / "world.yaml").write_text(text)
        return didymos.load_world(folder)

    return make


@pytest.fixture(scope="session")
def make_twin(tmp_path_factory: pytest.TempPathFactory) -> MakeTwin:
    """make_twin(model, **keys): a twin folder with this MJCF or URDF text and these keys of `twin.yaml`, loaded."""
    count = itertools.count()

    def make(model: str = FREE_BODY, **keys: Any) -> Twin:
        folder = tmp_path_factory.mktemp(f"robot{next(count)}_")
        name = "model.urdf" if "<robot" in model else "model.xml"
        (folder / name).write_text(model)
        description = {"file": name} | keys.pop("description", {})
        for file, text in keys.pop("files", {}).items():
            (folder / file).write_text(text)
        (folder / "twin.yaml").write_text(json.dumps({"description": description} | keys))  # JSON is YAML
        remember(folder)  # for commands that a test runs on it
        return didymos.load(folder, trust=True)

    return make


@pytest.fixture(scope="session")
def quadcopter() -> Twin:
    """The bundled quadcopter; a test that changes it takes a copy."""
    return didymos.load("quadcopter")


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """run_python(code, *arguments): run code in a fresh interpreter that finds this package; its text output."""

    def run(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": str(SRC)}
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=True)

    return run


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the measured data, beside the project or where DIDYMOS_SHARED says."""
    named = os.environ.get("DIDYMOS_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of measured data, ../shared/data, is not here")
    return folder
