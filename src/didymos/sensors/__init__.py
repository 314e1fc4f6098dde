"""What the robot knows: ideal reading, error model, reading at its rate."""
