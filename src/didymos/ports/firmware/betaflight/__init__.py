"""Betaflight's own firmware, compiled for this machine (SITL), flies a twin."""
