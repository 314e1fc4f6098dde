"""The gains of the capture program: durations, impedance, contact, filters, watch, thrust and fallback."""

from __future__ import annotations

from didymos.control.capture_layout import WINDOW
from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Gain

__all__ = ["CaptureGains"]


class CaptureGains(CompiledController):
    """What a user may turn; compiled code reads `control.gains.contact.force` as `gains.contact_force`."""

    path_seconds = Gain(50.0, low=0.1, high=1000, unit="s", path="path.seconds", doc="duration of the approach")
    path_clearance = Gain(0.002, low=0, high=0.1, unit="m", path="path.clearance", doc="the approach ends so far before the port")
    contact_creep = Gain(0.0005, low=0, high=0.1, unit="m/s", path="contact.creep", doc="speed at which it goes on to touch")
    contact_overrun = Gain(0.01, low=0, high=0.1, unit="m", path="contact.overrun", doc="how far beyond the port it looks for it")
    contact_dwell = Gain(1.0, low=0, high=1000, unit="s", path="contact.dwell", doc="unbroken contact before the grip")
    hold_seconds = Gain(5.0, low=0, high=1000, unit="s", path="hold.seconds")
    retreat_seconds = Gain(0.0, low=0, high=1000, unit="s", path="retreat.seconds", doc="0 for none")
    patience = Gain(20.0, low=0, high=1000, unit="s", path="patience", doc="before a stage gives up")
    settled_distance = Gain(0.002, low=0, unit="m", path="settled.distance")
    settled_angle = Gain(0.02, low=0, unit="rad", path="settled.angle")
    impedance_mass = Gain(3.0, low=0.01, high=100, unit="kg", path="impedance.mass", doc="m, as the end effector shall feel")
    impedance_normal = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.normal", doc="frequency; damping is critical")
    impedance_across = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.across")
    impedance_turn = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.turn")
    contact_damping = Gain(6.0, low=0, high=100, unit="N s/m", path="contact.damping", doc="b along the normal in contact")
    contact_force = Gain(0.03, low=0, high=10, unit="N", path="contact.force", doc="f_d, demanded on the target")
    contact_dead_band = Gain(0.003, low=0, high=10, unit="N", path="contact.dead_band", doc="a smaller force is no contact")
    contact_full = Gain(0.01, low=0, high=10, unit="N", path="contact.full", doc="a larger force is nothing but contact")
    force_window = Gain(1.0, low=1, high=WINDOW, path="force.window", doc="readings in the moving average")
    base_frequency = Gain(2.0, low=0, high=30, unit="rad/s", path="base.frequency")
    base_damping = Gain(1.0, low=0, high=5, path="base.damping", doc="ratio")
    joints_frequency = Gain(2.0, low=0, high=30, unit="rad/s", path="joints.frequency", doc="after the grip")
    joints_brake = Gain(10.0, low=0, high=40, unit="1/s", path="joints.brake", doc="how fast base and joints stop after an abort")
    filter_base = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.base", doc="bandwidth of base and end effector")
    filter_joints = Gain(40.0, low=0.1, high=200, unit="rad/s", path="filter.joints")
    filter_port = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.port")
    model_rotor = Gain(0.0, low=0, high=10, unit="kg m^2", path="model.rotor", doc="inertia of a rotor seen at its joint")
    torque_limit = Gain(10.0, low=0, high=1000, unit="N m", path="torque.limit")
    torque_slew = Gain(0.0, low=0, high=1e6, unit="N m/s", path="torque.slew", doc="largest slope, lest a driver trips; 0: none")
    watch_mocap = Gain(0.2, low=0, high=100, unit="s", path="watch.mocap", doc="lost when it stands still so long")
    watch_elbow = Gain(0.1, low=0, high=1, path="watch.elbow", doc="least sine of the elbow's angle")
    watch_travel = Gain(0.02, low=0, high=1, unit="rad", path="watch.travel", doc="how near its end a joint may come; 0: any")
    thrust_kp = Gain(0.0, low=0, high=100, unit="N/m", path="thrust.kp", doc="brings the base back where it began; 0: no thrust")
    thrust_kd = Gain(0.0, low=0, high=100, unit="N s/m", path="thrust.kd")
    thrust_full = Gain(1.0, low=1e-6, high=100, unit="N", path="thrust.full", doc="of one open nozzle")
    unfold_seconds = Gain(0.0, low=0, high=1000, unit="s", path="unfold.seconds", doc="to where the approach begins; 0: none")
    unfold_set_encoders = Gain(0.0, low=0, high=1, path="unfold.set_encoders", doc="1: the arm begins at home")
    pd_use = Gain(0.0, low=0, high=1, path="pd.use", doc="1: the fallback instead of the impedance")
    pd_base = Gain(0.5, low=0, high=1000, unit="N m/rad", path="pd.base", doc="k_b, the original's")
    pd_x = Gain(2.0, low=0, high=1000, unit="N/m", path="pd.x", doc="K, the original's, as the next three")
    pd_y = Gain(2.5, low=0, high=1000, unit="N/m", path="pd.y")
    pd_cross = Gain(0.5, low=0, high=1000, unit="N/m", path="pd.cross")
    pd_turn = Gain(1.5, low=0, high=1000, unit="N m/rad", path="pd.turn")
    pd_base_damping = Gain(1.0, low=0, high=1000, unit="N m s/rad", path="pd.base_damping", doc="d_b, near critical; original 20")
    pd_damping = Gain(3.5, low=0, high=1000, unit="N s/m", path="pd.damping", doc="D, near critical; the original's is 0.05")
    pd_turn_damping = Gain(0.5, low=0, high=1000, unit="N m s/rad", path="pd.turn_damping")
