"""What the air is at a place and time: density, mean wind, gusts, the wake of rotors; the Earth and its magnetic field there."""
