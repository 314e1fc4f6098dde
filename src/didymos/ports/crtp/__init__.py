"""The Crazyflie Real Time Protocol: a multirotor as a Crazyflie 2.1, for the Crazyflie's own client."""
