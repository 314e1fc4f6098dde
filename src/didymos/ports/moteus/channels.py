"""The telemetry channels of a moteus, in the order in which its firmware lists them: names and types of all fields.

Reference: moteus firmware 1.1, the structs `BldcServoStatus`, `BldcServoCommandData`, `BldcServoControl_Control`,
`MotorPosition::Status`, `Drv8323::Status`, `FirmwareInfo`, `GitInfo`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from didymos.ports.moteus.schema import BOOL, F32, I8, I64, U8, U16, U32, U64, Choice, Kind, Maybe, Record, Row, of

__all__ = ["CHANNELS"]

_NONE = of(F32, math.nan)
_MODES = (
    "stopped fault enabling calibrating calib_complete pwm voltage voltage_foc voltage_dq current position pos_timeout zero_vel"
    " within meas_ind brake"
)
_MODE = Choice(dict(enumerate(_MODES.split())))
_FAULT = Choice({})
_THREE = Record({"a": F32, "b": F32, "c": F32})
_PI = Record({"integral": F32, "desired": _NONE, "error": F32, "p": F32, "command": F32})
_PID = Record({
    "integral": F32, "desired": _NONE, "error": F32, "error_rate": F32, "p": F32, "d": F32, "pd": F32, "command": F32,
})  # fmt: skip
_SOURCE = Record({
    "active_velocity": BOOL, "active_theta": BOOL, "active_absolute": BOOL, "raw": U32, "time_since_update": F32,
    "old_delta": F32,
    "prev_time_since_update": F32, "slow_count": of(U8, 255), "hall_prev_dt": F32, "hall_v2": F32, "hall_bias_est": F32,
    "nonce": U8,
    "offset_value": U32, "compensated_value": F32, "filtered_value": F32, "integral": F32, "velocity": F32,
})  # fmt: skip


def _floats(names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), F32)


_SERVO_STATS = Record({
    "mode": _MODE, "fault": _FAULT,
    **dict.fromkeys(
        ["adc_cur1_raw", "adc_cur2_raw", "adc_cur3_raw", "adc_voltage_sense_raw", "adc_fet_temp_raw", "adc_motor_temp_raw"], U16
    ),
    **dict.fromkeys(["adc_cur1_offset", "adc_cur2_offset", "adc_cur3_offset"], of(U16, 2048)),
    **_floats("cur1_A cur2_A cur3_A electrical_theta bus_V"), "filt_bus_V": _NONE, "filt_1ms_bus_V": _NONE, "fet_temp_C": F32,
    "filt_fet_temp_C": _NONE, "motor_temp_C": F32, "filt_motor_temp_C": _NONE,
    **_floats("inductance_d_H d_A q_A position velocity torque_Nm power_W velocity_filt"), "pid_d": _PI, "pid_q": _PI,
    "pid_position": _PID, "control_position_raw": Maybe(I64), "control_position": _NONE, "control_velocity": Maybe(F32),
    "control_acceleration": F32, "timeout_s": F32, "trajectory_done": BOOL,
    **_floats("motor_max_velocity motor_base_velocity max_power_W effective_max_current_A"),
    "fw": Record(_floats("id_A speed_ratio id_char")), **_floats("torque_error_Nm sin cos"), "cooldown_count": U16,
    "final_timer": U32,
    "total_timer": U32, **_floats("meas_ind_old_d_A meas_ind_old_q_A"), "meas_ind_phase": I8, "meas_ind_integrator": F32,
})  # fmt: skip
_SERVO_CMD = Record({
    "mode": _MODE, "pwm": _THREE, "phase_v": _THREE, **_floats("theta voltage theta_rate d_V q_V i_d_A i_q_A position velocity"),
    "position_relative_raw": Maybe(I64), "max_torque_Nm": of(F32, 100.0), "stop_position": _NONE,
    "stop_position_relative_raw": Maybe(I64), "feedforward_Nm": F32, "kp_scale": of(F32, 1.0), "kd_scale": of(F32, 1.0),
    "ilimit_scale": of(F32, 1.0), "velocity_limit": _NONE, "accel_limit": _NONE, "fixed_voltage_override": _NONE,
    "fixed_current_override": _NONE, "ignore_position_bounds": BOOL, "timeout_s": F32, "bounds_min": F32, "bounds_max": F32,
    "meas_ind_period": of(I8, 4), "meas_ind_axis": I8,
})  # fmt: skip
_MOTOR_POSITION = Record({
    "error": Choice(dict(enumerate(["none", "motor_not_configured", "invalid_config", "source_error", "discontinuous_offset"]))),
    "sources": Row(3, _SOURCE), "epoch": U8, "position_relative_valid": BOOL, "position_relative_ever_valid": BOOL,
    "position_relative_raw": I64, "position_relative": F32, "position_relative_modulo": I64, "position_raw": I64, "position": F32,
    "homed": Choice(dict(enumerate(["relative", "rotor", "output"]))), "velocity": F32, "theta_valid": BOOL,
    "electrical_theta": F32,
})  # fmt: skip
_DRIVER = Record({
    **dict.fromkeys(["fault", "vds_ocp", "gdf", "uvlo", "otsd", "vds_ha", "vds_la", "vds_hb", "vds_lb", "vds_hc", "vds_lc"],
    BOOL), "fsr1": U16,
    **dict.fromkeys(["sa_oc", "sb_oc", "sc_oc", "otw", "cpuv", "vgs_ha", "vgs_la", "vgs_hb", "vgs_lb", "vgs_hc", "vgs_lc"],
    BOOL), "fsr2": U16,
    **dict.fromkeys(["fault_line", "power", "enabled"], BOOL), "fault_config": U8, "config_count": U16, "status_count": U16,
})  # fmt: skip

CHANNELS: Mapping[str, Record] = {
    "firmware": Record({"version": U32, "serial_number": Row(3, U32), "model": U32, "hwrev": U8}),
    "motor_position": _MOTOR_POSITION,
    "drv8323": _DRIVER,
    "servo_stats": _SERVO_STATS,
    "servo_cmd": _SERVO_CMD,
    "servo_control": Record({"pwm": _THREE, "voltage": _THREE, **_floats("d_V q_V i_d_A i_q_A q_comp_A torque_Nm")}),
    "board_debug": Record({"led1": BOOL, "led2": BOOL}),
    "git": Record({"hash": Row(20, U8), "dirty": BOOL, "timestamp": U64}),
}
"""The channels by name."""
