"""Autopilots of others that fly a twin over their own simulator links: ArduPilot and PX4."""
