"""The parameters of a Crazyflie, by the firmware's names, and what each is in the twin.

    gains        a gain of the twin's program in the firmware's units; a write sets it in the run (`gain_parameters`)
    switches     what the port itself goes by: flight modes, emergency stop, the tumble check, rotors by hand
    facts        read only: decks, firmware, self test
    kept         accepted and told again, but nothing of the twin answers to them: most integral and derivative gains

Decks: the twin's estimate of its place stands in for a positioning deck, so the flow deck is said to be there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from didymos.ports.crtp.c_types import CType
from didymos.ports.crtp.gain_parameters import gain_parameters
from didymos.ports.crtp.parameters import Parameter
from didymos.ports.crtp.vehicle import FULL, Vehicle

if TYPE_CHECKING:
    from didymos.ports.crtp.crazyflie import Crazyflie

__all__ = ["DECK", "Settings", "parameter_table"]

DECK = "bcFlow2"
_DECKS = (
    "bcActiveMarker", "bcAI", "bcBigQuad", "bcBuzzer", "bcColorLedBot", "bcColorLedTop", "bcFlow", "bcFlow2", "bcLedRing",
    "bcLhTester", "bcLighthouse4", "bcLoco", "bcMultiranger", "bcOA", "bcUSD", "bcZRanger", "bcZRanger2",
)  # fmt: skip
_FACTS = {
    "cpu.flash": (CType.UINT16, 1024), "cpu.id0": (CType.UINT32, 0x0D1D0001), "cpu.id1": (CType.UINT32, 0x0D1D0002),
    "cpu.id2": (CType.UINT32, 0x0D1D0003), "firmware.revision0": (CType.UINT32, 0x20260100),
    "firmware.revision1": (CType.UINT16, 0),
    "firmware.modified": (CType.UINT8, 1), "system.selftestPassed": (CType.INT8, 1), "imu_sensors.BMI088": (CType.UINT8, 1),
    "imu_sensors.BMP388": (CType.UINT8, 0), "imu_tests.MPU6500": (CType.UINT8, 0),
}  # fmt: skip
_SWITCHES = {
    "stabilizer.stop": (CType.UINT8, 0), "supervisor.tmblChckEn": (CType.UINT8, 1),
    "supervisor.landedTimeout": (CType.UINT16, 3000),
    "flightmode.althold": (CType.UINT8, 0), "flightmode.poshold": (CType.UINT8, 0), "flightmode.posSet": (CType.UINT8, 0),
    "flightmode.stabModeRoll": (CType.UINT8, 1), "flightmode.stabModePitch": (CType.UINT8, 1),
    "hlCommander.vtoff": (CType.FLOAT, 0.5), "hlCommander.vland": (CType.FLOAT, 0.5),
}  # fmt: skip
_KEPT = {
    "stabilizer.controller": (CType.UINT8, 1), "stabilizer.estimator": (CType.UINT8, 2),
    "flightmode.stabModeYaw": (CType.UINT8, 0),
    "flightmode.yawMode": (CType.UINT8, 2), "commander.enHighLevel": (CType.UINT8, 1), "kalman.resetEstimation": (CType.UINT8, 0),
    "kalman.initialX": (CType.FLOAT, 0), "kalman.initialY": (CType.FLOAT, 0), "kalman.initialZ": (CType.FLOAT, 0),
    "kalman.initialYaw": (CType.FLOAT, 0), "locSrv.extPosStdDev": (CType.FLOAT, 0.01),
    "locSrv.extQuatStdDev": (CType.FLOAT, 0.0045),
    "led.bitmask": (CType.UINT8, 0), "ring.effect": (CType.UINT8, 6), "ring.headlightEnable": (CType.UINT8, 0),
    "ring.solidRed": (CType.UINT8, 20), "ring.solidGreen": (CType.UINT8, 20), "ring.solidBlue": (CType.UINT8, 20),
    "activeMarker.front": (CType.UINT8, 3), "activeMarker.back": (CType.UINT8, 3), "activeMarker.left": (CType.UINT8, 3),
    "activeMarker.right": (CType.UINT8, 3), "pm.lowVoltage": (CType.FLOAT, 3.2), "pm.criticalLowVoltage": (CType.FLOAT, 3.0),
    "health.startPropTest": (CType.UINT8, 0), "health.startBatTest": (CType.UINT8, 0), "sound.effect": (CType.UINT8, 0),
    "posCtlPid.thrustMin": (CType.UINT16, 0), "posCtlPid.zVelMax": (CType.FLOAT, 1.0), "crtpsrv.echoDelay": (CType.UINT16, 0),
}  # fmt: skip
_KEPT_GAINS = (
    *(f"pid_attitude.{axis}_{term}" for axis in ("roll", "pitch", "yaw") for term in ("ki", "kd")),
    *(f"pid_rate.{axis}_{term}" for axis in ("roll", "pitch", "yaw") for term in ("ki", "kd")),
    *(f"posCtlPid.{axis}{term}" for axis in "xy" for term in ("Ki", "Kd")), "posCtlPid.zKd",
    *(f"velCtlPid.v{axis}Kd" for axis in "xyz"), "velCtlPid.vzKi",
)  # fmt: skip
_PERSISTENT = ("ring.", "activeMarker.", "pid_", "posCtlPid.", "velCtlPid.", "stabilizer.estimator", "pm.")


class Settings:
    """Numbers of the port itself by their full names; a group is a view by the last names."""

    def __init__(self) -> None:
        self.values = {name: float(value) for name, (_, value) in (_SWITCHES | _KEPT).items()}
        self.values |= dict.fromkeys(_KEPT_GAINS, 0.0)
        self.values |= {"motorPowerSet.enable": 0.0, **{f"motorPowerSet.m{i}": 0.0 for i in range(1, 5)}}

    def group(self, *names: str) -> Mapping[str, float]:
        """A view of one or more groups: it changes with the settings."""
        return _View(self.values, names)


class _View(Mapping[str, float]):
    def __init__(self, values: Mapping[str, float], groups: tuple[str, ...]) -> None:
        self._values = values
        self._names = {name.partition(".")[2]: name for group in groups for name in values if name.startswith(f"{group}.")}

    def __getitem__(self, name: str) -> float:
        return self._values[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def parameter_table(crazyflie: Crazyflie, settings: Settings) -> list[Parameter]:
    """All parameters of a Crazyflie, sorted by name, which is the order of their numbers."""
    found = [*gain_parameters(crazyflie.vehicle), *_facts(), *_settings(settings), *_rotors(crazyflie.vehicle, settings)]
    tester = crazyflie.memories.tester
    found.append(Parameter("memTst", "resetW", CType.UINT8, lambda: 0.0, lambda _value: tester.reset()))
    return sorted(found, key=lambda item: (item.group, item.name))


def _facts() -> Iterator[Parameter]:
    for name, (kind, value) in _FACTS.items():
        group, _, last = name.partition(".")
        yield Parameter(group, last, kind, lambda value=value: value)  # type: ignore[misc]
    for deck in _DECKS:
        yield Parameter("deck", deck, CType.UINT8, lambda deck=deck: float(deck == DECK))  # type: ignore[misc]


def _settings(settings: Settings) -> Iterator[Parameter]:
    kinds = {name: kind for name, (kind, _) in (_SWITCHES | _KEPT).items()} | dict.fromkeys(_KEPT_GAINS, CType.FLOAT)
    for name, kind in kinds.items():
        yield _setting(settings, name, kind)


def _setting(settings: Settings, name: str, kind: CType) -> Parameter:
    group, _, last = name.partition(".")

    def write(value: float) -> bool:
        settings.values[name] = value
        return True

    return Parameter(group, last, kind, lambda: settings.values[name], write, name.startswith(_PERSISTENT))


def _rotors(vehicle: Vehicle, settings: Settings) -> Iterator[Parameter]:
    """Rotors by hand: with `enable` 1 each at its own number, with 2 all at the first one's."""
    rotors = [f"inputs.{rotor.input}" for rotor in vehicle.robot.robot.rotors]

    def turn() -> None:
        enable = settings.values["motorPowerSet.enable"]
        numbers = [settings.values[f"motorPowerSet.m{i if enable == 1.0 else 1}"] for i in range(1, 5)]
        vehicle.steer({rotor: number / FULL if enable else 0.0 for rotor, number in zip(rotors, numbers, strict=True)})

    for name in ("enable", "m1", "m2", "m3", "m4"):

        def write(value: float, name: str = name) -> bool:
            settings.values[f"motorPowerSet.{name}"] = value
            turn()
            return True

        read = lambda name=name: settings.values[f"motorPowerSet.{name}"]  # noqa: E731
        yield Parameter("motorPowerSet", name, CType.UINT8 if name == "enable" else CType.UINT16, read, write)
