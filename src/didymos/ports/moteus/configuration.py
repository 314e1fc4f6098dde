"""What can be configured on a moteus r4.11, group by group in the order in which its firmware lists them, with its defaults.

Reference: moteus firmware 1.1, the structs `BldcServoConfig`, `BldcServoMotor`, `MotorPosition::Config`, `AuxConfig`,
`Drv8323::Config` and the registrations in `moteus.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from didymos.ports.moteus.schema import BOOL, F32, I8, I32, U8, U16, U32, Choice, Record, Row, of

__all__ = ["GROUPS"]

NAN = math.nan


def _choice(names: str, default: int = 0) -> Choice:
    return Choice(dict(enumerate(names.split())), default)


_I2C = Record({
    "i2c_hz": of(I32, 400000), "i2c_mode": of(I32, 1), "pullup": BOOL,
    "devices": Row(3, Record({"type": _choice("none as5048 as5600"), "address": of(U8, 0x40), "poll_rate_us": of(I32, 1000)})),
})  # fmt: skip
_SPI = Record({
    "mode": _choice("onboard disabled ext_as5047 ic_pz ma732 ma600 onboard_ma600 board_default cui_amt22 orbis", 7),
    "rate_hz": of(U32, 12000000), "filter_us": of(U16, 64), "bct": U8, "trim": _choice("none x y"),
})  # fmt: skip
_UART = Record({
    "mode": _choice("disabled aksim2 tunnel debug cui_amt21 fdcanusb"), "baud_rate": of(I32, 115200), "poll_rate_us": of(I32,
    100),
    "cui_amt21_address": of(U8, 0x54),
})  # fmt: skip
_PINS = (
    "nc spi spi_cs uart quad_sw quad_hw hall index sine cosine step dir rc_pwm i2c digital_in digital_out analog_in pwm_out bissc"
)
_PIN = Record({"mode": _choice(_PINS), "pull": _choice("none pull_up pull_down open_drain")})
_AUX = Record({
    "i2c": _I2C, "spi": _SPI, "uart": _UART, "quadrature": Record({"enabled": BOOL, "cpr": of(U32, 16384)}),
    "hall": Record({"enabled": BOOL, "polarity": U8}), "index": Record({"enabled": BOOL, "invert": BOOL}),
    "sine_cosine": Record({"enabled": BOOL, "common": of(U16, 1700)}),
    "bissc": Record({
        "enabled": BOOL, "rate_hz": of(U32, 1000000), "data_bits": of(U8, 20), "crc_bits": of(U8, 6), "poll_rate_us": of(I32,
        100),
    }),
    "i2c_startup_delay_ms": of(I32, 30), "pwm_period_us": of(I32, 1000), "rs422": BOOL, "pins": Row(5, _PIN),
})  # fmt: skip
_SOURCE = Record({
    "aux_number": of(U8, 1), "type": _choice("none spi uart quadrature hall index sine_cosine i2c sensorless bissc"),
    "i2c_device": U8,
    "incremental_index": of(I8, -1), "cpr": of(U32, 16384), "offset": F32, "sign": of(I8, 1), "debug_override": of(I32, -1),
    "timeout_s": of(F32, 0.2), "reference": _choice("rotor output"), "pll_filter_hz": of(F32, 400.0),
    "hall_lost_tracking_scale": of(F32, 5.0), "hall_lost_tracking_max_s": of(F32, 0.5), "hall_lost_tracking_tau_s": of(F32, 0.05),
    "compensation_table": Row(256, I8), "compensation_scale": F32,
})  # fmt: skip
_MOTOR_POSITION = Record({
    "sources": Row(3, _SOURCE), "commutation_source": I8,
    "output": Record({"source": I8, "offset": F32, "sign": of(I8, 1), "reference_source": of(I8, -1)}),
    "rotor_to_output_ratio": of(F32, 1.0), "rotor_to_output_override": BOOL,
})  # fmt: skip
_MOTOR = Record({
    "poles": U8, "phase_invert": U8, "resistance_ohm": F32, "inductance_d_H": F32, "inductance_q_H": F32,
    "inductance_d_scale": F32,
    "Kv": F32, "offset": Row(64, F32), "rotation_current_cutoff_A": of(F32, 10000.0), "rotation_current_scale": of(F32, 0.05),
    "rotation_torque_scale": of(F32, 14.7), "cogging_dq_scale": F32, "cogging_dq_comp": Row(1024, I8),
})  # fmt: skip
_DRIVER = Record({
    "dis_cpuv": BOOL, "dis_gdf": BOOL, "otw_rep": BOOL, "pwm_mode": _choice("6x 3x 1x independent", 1),
    "pwm_1x_asynchronous": BOOL,
    "pwm_1x_dir": BOOL, "idrivep_hs_ma": of(U16, 100), "idriven_hs_ma": of(U16, 200), "cbc": of(BOOL, 1), "tdrive_ns": of(U16,
    1000),
    "idrivep_ls_ma": of(U16, 100), "idriven_ls_ma": of(U16, 200), "tretry": BOOL, "dead_time_ns": of(U16, 50),
    "ocp_mode": _choice("latched_fault automatic_retry report_no_action ignored"), "ocp_deg_us": of(U8, 4),
    "vds_lvl_mv": of(U16, 700),
    "csa_fet": BOOL, "vref_div": of(BOOL, 1), "ls_ref": BOOL, "csa_gain": of(U8, 20), "dis_sen": BOOL, "sen_lvl_mv": of(U16, 500),
})  # fmt: skip
_PID = Record({
    "kp": of(F32, 4.0), "ki": of(F32, 1.0), "kd": of(F32, 0.05), "iratelimit": of(F32, -1.0), "ilimit": F32,
    "max_desired_rate": F32,
    "sign": of(I8, -1),
})  # fmt: skip
_SERVO = Record({
    "pwm_rate_hz": of(U16, 30000), "current_sense_ohm": of(F32, 0.0005), "max_voltage": of(F32, 46.0), "max_power_W": of(F32,
    NAN),
    "override_board_max_power": BOOL, "temperature_margin": of(F32, 25.0), "fault_temperature": of(F32, 75.0),
    "enable_motor_temperature": BOOL, "motor_thermistor_ohm": of(F32, 10000.0), "motor_temperature_margin": of(F32, 20.0),
    "motor_fault_temperature": of(F32, NAN), "fault_position_error": of(F32, NAN), "fault_velocity_error": of(F32, NAN),
    "velocity_threshold": F32, "position_derate": of(F32, 0.02), "adc_cur_cycles": of(U16, 2), "adc_aux_cycles": of(U16, 47),
    "pid_dq_hz": of(F32, 100.0), "max_current_desired_rate": of(F32, 10000.0), "pid_position": _PID,
    "current_feedforward": of(F32, 1.0), "bemf_feedforward": F32, "bemf_feedforward_override": BOOL,
    "cross_coupling_feedforward": of(F32, 1.0), "inertia_feedforward": F32, "default_velocity_limit": of(F32, NAN),
    "default_accel_limit": of(F32, 50.0), "voltage_mode_control": BOOL, "fixed_voltage_mode": BOOL,
    "fixed_voltage_control_V": F32,
    "max_position_slip": of(F32, NAN), "max_velocity_slip": of(F32, NAN), "default_timeout_s": of(F32, 0.1),
    "timeout_max_torque_Nm": of(F32, 5.0), "timeout_mode": of(U8, 12), "flux_brake_margin_voltage": of(F32, 3.0),
    "flux_brake_resistance_ohm": of(F32, 0.025), "max_regen_power_W": of(F32, NAN),
    "fw": Record({
        "enable": BOOL, "modulation_margin": of(F32, 0.15), "bandwidth_hz": of(F32, 100.0), "max_current_ratio": of(F32, 0.5),
    }),
    "max_current_A": of(F32, 100.0), "derate_current_A": of(F32, -20.0), "max_velocity": of(F32, 500.0),
    "max_velocity_derate": of(F32, 2.0), "cooldown_cycles": of(U16, 256), "velocity_zero_capture_threshold": of(F32, 0.05),
    "timing_fault": BOOL, "emit_debug": U32,
})  # fmt: skip

GROUPS: Mapping[str, Record] = {
    "uuid": Record({"uuid": Row(16, U8)}),
    "clock": Record({"hsitrim": of(I32, 64)}),
    "aux1": _AUX,
    "aux2": _AUX,
    "motor_position": _MOTOR_POSITION,
    "motor": _MOTOR,
    "drv8323_conf": _DRIVER,
    "servo": _SERVO,
    "servopos": Record({"position_min": of(F32, -0.01), "position_max": of(F32, 0.01)}),
    "id": Record({"id": of(U8, 1)}),
    "can": Record({"prefix": U32}),
}
"""The groups of the configuration, in order."""
