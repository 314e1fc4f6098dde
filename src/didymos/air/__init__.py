"""What the air is at a place and time: density, mean wind, gusts; and the magnetic field there."""
