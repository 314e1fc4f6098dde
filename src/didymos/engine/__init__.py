"""Compile, step, clock, save and restore, many at once."""
