"""What the air is at a place and time: density, mean wind, gusts, the wake of rotors; and the magnetic field there."""
