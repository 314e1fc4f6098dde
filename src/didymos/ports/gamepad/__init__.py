"""Gamepads: event structs of the kernel in, a table of 20 channels out."""
