"""What the port itself goes by: speeds, heights and patience, as parameters by PX4's names, so that clients find them.

They are numbers of the port, not of the twin: a write is no intervention, what the vehicle does with them is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["MULTIROTOR", "PLANE", "Setting", "Settings"]


@dataclass(frozen=True)
class Setting:
    """A number: its value at the start, its unit, its bounds, what it is for."""

    value: float
    unit: str
    low: float
    high: float
    doc: str


_COMMON: dict[str, Setting] = {
    "COM_DL_LOSS_T": Setting(10.0, "s", 1.0, 300.0, "without a heartbeat of the ground station before it counts as lost"),
    "NAV_DLL_ACT": Setting(1.0, "", 0.0, 3.0, "what it does then: 0 nothing, 1 hold, 2 return, 3 land"),
    "COM_DISARM_LAND": Setting(2.0, "s", 0.0, 60.0, "on the ground after a landing before it disarms"),
}
MULTIROTOR: dict[str, Setting] = {
    "MIS_TAKEOFF_ALT": Setting(2.5, "m", 0.3, 1000.0, "height above home of a take-off that names none"),
    "MPC_XY_CRUISE": Setting(5.0, "m/s", 0.1, 50.0, "largest speed along the ground to a place; not above position.limit"),
    "MPC_ACC_HOR": Setting(2.0, "m/s^2", 0.1, 15.0, "largest acceleration on the way to a place"),
    "MPC_Z_VEL_MAX_UP": Setting(1.5, "m/s", 0.1, 10.0, "largest speed up"),
    "MPC_Z_VEL_MAX_DN": Setting(1.0, "m/s", 0.1, 5.0, "largest speed down"),
    "MPC_LAND_SPEED": Setting(0.7, "m/s", 0.1, 2.0, "speed of the last 3 m above home of a landing"),
    "MPC_MAN_TILT_MAX": Setting(20.0, "deg", 1.0, 60.0, "tilt of a full stick"),
    "MPC_MAN_Y_MAX": Setting(60.0, "deg/s", 1.0, 400.0, "rate of turn of a full stick"),
    "MPC_VEL_MANUAL": Setting(2.0, "m/s", 0.1, 20.0, "speed of a full stick in position mode"),
    "MC_ACRO_R_MAX": Setting(90.0, "deg/s", 1.0, 1000.0, "rates of roll and pitch of a full stick in acro mode"),
    "NAV_ACC_RAD": Setting(0.5, "m", 0.05, 200.0, "how near a place is reached, of mission items that do not say"),
    "RTL_RETURN_ALT": Setting(10.0, "m", 0.0, 1000.0, "height above home of the way back"),
    "COM_OF_LOSS_T": Setting(1.0, "s", 0.1, 60.0, "without off-board set-points before it holds its place"),
    "COM_RC_LOSS_T": Setting(0.5, "s", 0.1, 35.0, "without sticks before they count as centred"),
    **_COMMON,
}  # fmt: skip
"""Those of a multirotor, by name."""

PLANE: dict[str, Setting] = {
    "MIS_TAKEOFF_ALT": Setting(30.0, "m", 5.0, 1000.0, "height above home of a take-off that names none"),
    "FW_AIRSPD_TRIM": Setting(15.0, "m/s", 1.0, 200.0, "airspeed where nobody asks for another, from the next mode on"),
    **_COMMON,
}  # fmt: skip
"""Those of a plane."""


class Settings:
    """Values of such numbers now."""

    def __init__(self, about: Mapping[str, Setting]) -> None:
        self.about = about
        self._values = {name: item.value for name, item in about.items()}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def set(self, name: str, value: float) -> bool:
        """Change one; whether it fits."""
        about = self.about[name]
        if not about.low <= value <= about.high:  # false for what is no number
            return False
        self._values[name] = value
        return True
