"""The twin as a MAVLink vehicle: heartbeat, telemetry, parameters, commands, missions, off-board set-points, sticks."""
