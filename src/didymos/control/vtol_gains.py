"""The numbers of `Vtol` that a user may turn: those of its hover, of its wing, of its transitions, and of its way out of trouble.

Those of the hover are the ones that the kernels of `multirotor_loops` read, those of the wing the ones of `fixed_wing`; their
paths begin with `hover.` and `wing.`.
"""

from __future__ import annotations

from didymos.control.controller import Gain
from didymos.control.navigation import NavigatingController

__all__ = ["HoverGains", "TransitionGains", "WingGains"]


class HoverGains(NavigatingController):
    """Gains on rotors."""

    position_kp = Gain(0.5, low=0, high=20, unit="1/s", path="hover.position.kp")
    position_limit = Gain(5.0, low=0, high=50, unit="m/s", path="hover.position.limit")
    velocity_kp = Gain(1.2, low=0, high=50, unit="1/s", path="hover.velocity.kp")
    velocity_ki = Gain(0.3, low=0, high=50, unit="1/s^2", path="hover.velocity.ki")
    tilt_limit = Gain(0.35, low=0, high=1.2, unit="rad", path="hover.tilt.limit")
    roll_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="hover.roll.kp")
    roll_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="hover.roll.kd")
    pitch_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="hover.pitch.kp")
    pitch_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="hover.pitch.kd")
    yaw_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="hover.yaw.kp")
    yaw_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="hover.yaw.kd")
    attitude_ki = Gain(0.0, low=0, high=10, unit="1/(rad s)", path="hover.attitude.ki", doc="of roll, pitch and yaw")
    height_kp = Gain(0.0, low=0, high=10, unit="1/m", path="hover.height.kp")
    height_kd = Gain(0.0, low=0, high=10, unit="s/m", path="hover.height.kd")
    height_ki = Gain(0.0, low=0, high=10, unit="1/(m s)", path="hover.height.ki")
    height_hover = Gain(0.0, low=0, high=1, path="hover.height.hover", doc="feed-forward: the input at which it hovers")
    height_step = Gain(2.0, low=0, high=100, unit="m", path="hover.height.step", doc="largest error of height that is acted on")
    height_reserve = Gain(0.2, low=0, high=1, path="hover.height.reserve", doc="largest share of the integral")
    vane = Gain(0.0, low=0, high=10, unit="1/s", path="hover.vane", doc="turns into the wind where it lands; 0 holds the heading")
    climb_speed = Gain(2.0, low=0.05, high=20, unit="m/s", path="climb.speed", doc="at which the height that is asked for moves")
    descent_speed = Gain(1.0, low=0.05, high=10, unit="m/s", path="descent.speed", doc="of a landing")
    touch_speed = Gain(0.5, low=0.05, high=5, unit="m/s", path="touch.speed", doc="at its end")
    touch_height = Gain(4.0, low=0, high=100, unit="m", path="touch.height", doc="above where it took off, below which that is")
    touch_radius = Gain(0.7, low=0.01, high=100, unit="m", path="touch.radius", doc="from its place, within which it sinks there")


class WingGains(NavigatingController):
    """Gains on the wing."""

    wing_roll_kp = Gain(1.5, low=0, high=100, unit="1/rad", path="wing.roll.kp")
    wing_roll_ki = Gain(0.0, low=0, high=100, unit="1/(rad s)", path="wing.roll.ki")
    wing_roll_kd = Gain(0.0, low=0, high=100, unit="s/rad", path="wing.roll.kd")
    wing_pitch_kp = Gain(3.0, low=0, high=100, unit="1/rad", path="wing.pitch.kp")
    wing_pitch_ki = Gain(3.0, low=0, high=100, unit="1/(rad s)", path="wing.pitch.ki")
    wing_pitch_kd = Gain(0.2, low=0, high=100, unit="s/rad", path="wing.pitch.kd")
    wing_yaw_kp = Gain(0.2, low=0, high=20, unit="s/rad", path="wing.yaw.kp")
    wing_height_kp = Gain(0.03, low=0, high=10, unit="rad/m", path="wing.height.kp")
    wing_height_ki = Gain(0.004, low=0, high=10, unit="rad/(m s)", path="wing.height.ki")
    wing_height_kd = Gain(0.03, low=0, high=10, unit="rad s/m", path="wing.height.kd")
    wing_height_limit = Gain(0.25, low=0, high=1.4, unit="rad", path="wing.height.limit")
    heading_kp = Gain(1.2, low=0, high=20, path="wing.heading.kp")
    heading_ki = Gain(0.02, low=0, high=20, unit="1/s", path="wing.heading.ki")
    bank_limit = Gain(0.5236, low=0, high=1.4, unit="rad", path="wing.bank.limit")
    speed_kp = Gain(0.1, low=0, high=10, unit="s/m", path="wing.airspeed.kp")
    speed_ki = Gain(0.05, low=0, high=10, unit="1/m", path="wing.airspeed.ki")
    path_gain = Gain(0.03, low=0, high=10, unit="1/m", path="wing.path.gain")
    path_approach = Gain(1.0, low=0, high=1.5708, unit="rad", path="wing.path.approach", doc="course to the line far from it")
    path_radius = Gain(15.0, low=0, unit="m", path="wing.path.radius", doc="a way-point closer than this is reached")
    path_loiter = Gain(100.0, unit="m", path="wing.path.loiter", doc="radius of a circle; a negative one turns right")
    trim_airspeed = Gain(20.0, low=1, high=100, unit="m/s", path="wing.trim.airspeed", doc="of level flight, as the next four")
    trim_nose = Gain(0.05, low=-1, high=1, unit="rad", path="wing.trim.nose", doc="nose-up angle")
    trim_lift_angle = Gain(0.1, low=0.01, high=1, unit="rad", path="wing.trim.lift_angle", doc="from there down to no lift")
    trim_pitch = Gain(0.0, low=-1, high=1, path="wing.trim.pitch", doc="pitch input")
    trim_throttle = Gain(0.5, low=0, high=1, path="wing.trim.throttle")
    nose_limit = Gain(0.15, low=0, high=1, unit="rad", path="wing.trim.nose_limit", doc="largest, well below stall")


class TransitionGains(NavigatingController):
    """Gains between the two, and when they are given up."""

    transition_airspeed = Gain(18.0, low=1, high=100, unit="m/s", path="transition.airspeed", doc="at which the wing carries it")
    blend_airspeed = Gain(8.0, low=0, high=100, unit="m/s", path="transition.blend", doc="from which on surfaces learn")
    transition_throttle = Gain(0.8, low=0, high=1, path="transition.throttle", doc="of what pushes it forward alone")
    transition_seconds = Gain(2.0, low=0.1, high=60, unit="s", path="transition.seconds", doc="of rotors or body, up to forward")
    transition_tilt = Gain(0.5, low=0, high=1, path="transition.tilt", doc="how far they go before the wing carries it")
    transition_timeout = Gain(20.0, low=1, high=600, unit="s", path="transition.timeout")
    fade_seconds = Gain(1.0, low=0.05, high=20, unit="s", path="transition.fade", doc="in which lift rotors stop, and start")
    back_seconds = Gain(2.0, low=0.1, high=60, unit="s", path="back.seconds", doc="of rotors or body from forward to up")
    back_speed = Gain(4.0, low=0.1, high=30, unit="m/s", path="back.speed", doc="over ground, at which it hovers")
    back_deceleration = Gain(1.0, low=0.1, high=10, unit="m/s^2", path="back.deceleration")
    back_throttle = Gain(0.0, low=0, high=1, path="back.throttle", doc="per airspeed of the trim: a propeller that brakes")
    back_nose = Gain(0.3, low=0, high=1, unit="rad", path="back.nose", doc="largest nose-up angle while it slows down")
    back_share = Gain(0.8, low=0, high=1, path="back.share", doc="of the weight, on the wing while it slows down")
    back_margin = Gain(30.0, low=0, unit="m", path="back.margin", doc="of a mission, beside the way to slow down")
    chute_airspeed = Gain(12.0, low=0, high=100, unit="m/s", path="chute.airspeed", doc="too slow for the wing")
    chute_height = Gain(20.0, low=1, unit="m", path="chute.height", doc="too low")
    chute_tilt = Gain(1.0, low=0.1, high=3.2, unit="rad", path="chute.tilt", doc="of the body, too far")
    chute_patience = Gain(1.0, low=0, high=60, unit="s", path="chute.patience")
