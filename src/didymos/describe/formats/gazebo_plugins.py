"""Which of Gazebo's plugins become parts and sensors, known by the name of their library or of their class."""

from __future__ import annotations

import re
from collections.abc import Callable

from didymos.describe.formats.device_list import DeviceList, Unmapped
from didymos.describe.formats.gazebo_airfoil import add_airfoil
from didymos.describe.formats.gazebo_joint_plugins import (
    add_joint_states,
    add_position_controller,
    add_velocity_controller,
    add_wheels,
)  # fmt: skip
from didymos.describe.formats.gazebo_rotor import add_rotor
from didymos.describe.formats.gazebo_sensor_plugins import add_barometer, add_gps, add_imu, add_magnetometer, add_odometry
from didymos.describe.formats.xml_file import Element

__all__ = ["add_plugin", "plugin_kind"]

_READERS: dict[str, Callable[[DeviceList, Element, str], None]] = {
    "motor_model": add_rotor,
    "multicoptermotormodel": add_rotor,
    "liftdrag": add_airfoil,
    "liftdragplugin": add_airfoil,
    "jointpositioncontroller": add_position_controller,
    "jointcontroller": add_velocity_controller,
    "diffdrive": add_wheels,
    "mecanumdrive": add_wheels,
    "ackermannsteering": add_wheels,
    "diff_drive": add_wheels,
    "skid_steer_drive": add_wheels,
    "jointstatepublisher": add_joint_states,
    "joint_state_publisher": add_joint_states,
    "imu": add_imu,
    "imu_sensor": add_imu,
    "imu_plugin": add_imu,
    "gps_plugin": add_gps,
    "magnetometer_plugin": add_magnetometer,
    "barometer_plugin": add_barometer,
    "p3d": add_odometry,
    "odometrypublisher": add_odometry,
}


def plugin_kind(plugin: Element) -> str:
    """What a plugin is: the last word of its class (gz::sim::systems::LiftDrag), or else of its library, in small letters."""
    name = plugin.attributes.get("name", "")
    if re.fullmatch(r"(gz|ignition)::\w+::(\w+::)*\w+", name):
        return name.rpartition("::")[2].lower()
    library = plugin.attributes.get("filename", "").strip().lower().rpartition("/")[2]
    library = re.sub(r"^lib|\.(so|dylib|dll)$", "", library)
    return re.sub(r"^(rotors_)?(gazebo_)?(ros_)?", "", library)


def add_plugin(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add what a plugin of a model stands for; `scope` is the model's name, "" for the only one."""
    kind = plugin_kind(plugin)

    def read() -> None:
        if kind not in _READERS:
            raise Unmapped("there is no such law here")
        _READERS[kind](devices, plugin, scope)

    devices.attempt(plugin, f"plugin {plugin.attributes.get('filename') or kind!r}", read)
