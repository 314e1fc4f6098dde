"""One small module per verb of the command line.

A verb imports the rooms that it calls inside its function: `didymos --help` must not wait for the physics engine.
"""
