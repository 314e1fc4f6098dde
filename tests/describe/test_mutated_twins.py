"""Whatever is done to a twin's files, it runs or is refused with one sentence: no other error, no hang, no crash.

2000 mutations in all: of the data in `twin.yaml`, of its bytes, of the elements of a URDF, SDF or MJCF, and of their bytes.
"""

from __future__ import annotations

import copy
import faulthandler
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import didymos
from didymos.describe.yaml_file import read_yaml
from didymos.errors import InputError, RunError

SMALL = Path(__file__).with_name("small_twin")
JARGON = re.compile(r"NoneType|object has no attribute|pydantic|Input should|validation error|Traceback|<class")
PATIENCE = 600  # [s] for one whole test; what takes longer hangs

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 0.5, 7, 1e-300, 1e-9, 1e9, 1e300, -1e300, 10**400, float("nan"), float("inf"), -float("inf"),
    "", "a", "body", "truth", "x.y", "é\n\x1b[1m", "a" * 3000, "../twin.yaml", "robot.urdf", "setpoints.", "inputs.",
    [], [1, 2, 3], ["a"], {}, {"a": 1}, {"": {}}, [[[]]], {"kind": "rotor"},
]  # fmt: skip
WORDS = [
    "", " ", "0", "-1", "1", "nan", "inf", "-inf", "1e308", "1e-308", "99999999999999999999", "abc", "true", "0 0 0", "0 0 1",
    "1 2", "1 2 3 4 5 6 7", "body", "disc", "axle", "world", "floating", "fixed", "ball", "free", "mesh", "nowhere.stl",
    "package://a/b.stl", "é\n", "$(find a)", "../robot.urdf", "/dev/zero", "x" * 2000,
]  # fmt: skip
BYTES = [
    b"", b"\0", b"\t", b"\n", b" ", b":", b"- ", b"[", b"{", b"}", b"]", b"<", b">", b"/", b'"', b"'", b"&a ", b"*a", b"!", b"%",
    b"#", b"|", b"?", b"\xff", b"\xc3\xa9", b"1", b".", b"e", b"-", b"9" * 50, b"<<: ",
]  # fmt: skip

index = st.integers(0, 10**6)
data_edits = st.lists(
    st.tuples(st.sampled_from(["delete", "rename", "replace", "add", "swap"]), index, index, st.sampled_from(VALUES)),
    min_size=1, max_size=3,
)  # fmt: skip
byte_edits = st.lists(
    st.tuples(
        st.sampled_from(["delete", "insert", "replace", "double", "cut"]), index, st.integers(1, 40), st.sampled_from(BYTES)
    ),
    min_size=1, max_size=4,
)  # fmt: skip
tree_edits = st.lists(
    st.tuples(
        st.sampled_from(["delete", "double", "move", "tag", "attribute", "value", "text"]), index, index, st.sampled_from(WORDS)
    ),
    min_size=1, max_size=3,
)  # fmt: skip


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) of nested data."""
    for key, value in list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []:
        yield node, key
        yield from _places(value)


def _edit_data(data: Any, edits: Any) -> Any:
    for how, here, there, value in edits:
        places = list(_places(data))
        if not places:
            break
        node, key = places[here % len(places)]
        other, its = places[there % len(places)]
        if how == "delete":
            del node[key]
        elif how == "rename" and isinstance(node, dict):
            node[value if isinstance(value, str) else f"{key}{its}"] = node.pop(key)
        elif how == "add" and isinstance(node, dict):
            node[str(its)] = copy.deepcopy(other[its])
        elif how == "swap":
            node[key] = copy.deepcopy(other[its])
        else:
            node[key] = copy.deepcopy(value)
    return data


def _edit_bytes(text: bytes, edits: Any) -> bytes:
    for how, here, length, new in edits:
        start = here % (len(text) + 1)
        end = start + length
        text = {
            "delete": text[:start] + text[end:],
            "insert": text[:start] + new + text[start:],
            "replace": text[:start] + new + text[end:],
            "double": text[:end] + text[start:],
            "cut": text[:start] if here % 5 == 0 else text[:start] + new + text[start + 1 :],
        }[how]
    return text


def _edit_tree(root: ET.Element, edits: Any) -> ET.Element:
    for how, here, there, word in edits:
        places = [(parent, child) for parent in root.iter() for child in parent]
        if not places:
            break
        parent, child = places[here % len(places)]
        other, cousin = places[there % len(places)]
        names = list(child.attrib)
        if how == "delete":
            parent.remove(child)
        elif how in ("double", "move"):
            if how == "move":
                parent.remove(child)
            (cousin if cousin is not child else other).append(copy.deepcopy(child))
        elif how == "tag":
            child.tag = cousin.tag
        elif how == "attribute":
            child.set(next(iter(cousin.attrib), "name"), child.attrib.pop(names[there % len(names)]) if names else "a")
        elif how == "value" and names:
            child.set(names[there % len(names)], word)
        else:
            child.text = word
    return root


def _complaint(folder: Path) -> str:
    """What is said against a twin, empty where it runs for three ticks; any other exception is for the test to see."""
    try:
        twin = didymos.load(folder)
        simulation = twin.simulate(scenario=next(iter(twin.scenarios), None))
    except InputError as error:
        return str(error)
    try:
        simulation.run(3 * simulation.period)
    except RunError as error:
        return str(error)
    return ""


def _runs_or_is_refused(folder: Path) -> None:
    said = _complaint(folder)
    assert said == "" or said.isprintable()
    assert len(said) < 10_000
    assert not JARGON.search(said)


def _mutations(count: int) -> Any:
    return settings(
        max_examples=count, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mutated") / "small"
    shutil.copytree(SMALL, made)
    return made


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """End the process, with a traceback, where something hangs: also inside the engine."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def _write(folder: Path, description: str = "robot.urdf", **files: bytes) -> None:
    """The small twin with one of its three descriptions, and other content in some files."""
    twin = (SMALL / "twin.yaml").read_bytes().replace(b"robot.urdf", description.encode())
    (folder / "twin.yaml").write_bytes(files.pop("twin", twin))
    (folder / description).write_bytes(files.pop("robot", (SMALL / description).read_bytes()))


def _as_yaml(data: Any) -> bytes:
    """JSON, which is YAML but for the numbers that are not finite."""
    return re.sub(r"-?\bInfinity\b", ".inf", re.sub(r"\bNaN\b", ".nan", json.dumps(data, indent=1))).encode()


DATA = read_yaml(SMALL / "twin.yaml")[0]


@_mutations(700)
@given(edits=data_edits)
def test_a_twin_with_other_data(folder: Path, edits: Any) -> None:
    _write(folder, twin=_as_yaml(_edit_data(copy.deepcopy(DATA), edits)))
    _runs_or_is_refused(folder)


@_mutations(400)
@given(edits=byte_edits)
def test_a_twin_with_other_bytes(folder: Path, edits: Any) -> None:
    _write(folder, twin=_edit_bytes((SMALL / "twin.yaml").read_bytes(), edits))
    _runs_or_is_refused(folder)


@pytest.mark.parametrize("description", ["robot.urdf", "robot.sdf", "robot.xml"])
@_mutations(200)
@given(edits=tree_edits)
def test_a_description_with_other_elements(folder: Path, description: str, edits: Any) -> None:
    root = _edit_tree(ET.fromstring((SMALL / description).read_text()), edits)
    _write(folder, description, robot=ET.tostring(root))
    _runs_or_is_refused(folder)


@pytest.mark.parametrize("description", ["robot.urdf", "robot.sdf", "robot.xml"])
@_mutations(100)
@given(edits=byte_edits)
def test_a_description_with_other_bytes(folder: Path, description: str, edits: Any) -> None:
    _write(folder, description, robot=_edit_bytes((SMALL / description).read_bytes(), edits))
    _runs_or_is_refused(folder)
