"""Robots of our own making, as the text of a URDF: what strangers write, small."""

from __future__ import annotations

__all__ = ["arm", "biped", "drone", "hand", "joint", "link", "quadruped", "robot", "rover"]

BOX = '<box size="{} {} {}"/>'
STRONG = 'effort="30" velocity="20"'


def link(
    name: str, shape: str = "", *, mass: float = 1.0, at: str = "0 0 0", collision: bool = True, visual: bool = False
) -> str:
    """A link whose shape, where it has one, stands at a place; its inertia is that of a ball of 5 cm."""
    moment = 0.4 * mass * 0.05**2
    inertial = (
        f'<inertial><origin xyz="{at}"/><mass value="{mass}"/>'
        f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>'
        if mass else ""
    )  # fmt: skip
    body = f'<origin xyz="{at}"/><geometry>{shape}</geometry>'
    tags = "".join(f"<{tag}>{body}</{tag}>" for tag, on in (("collision", collision), ("visual", visual)) if shape and on)
    return f'<link name="{name}">{inertial}{tags}</link>\n'


def joint(
    name: str, parent: str, child: str, at: str = "0 0 0", *, kind: str = "revolute", axis: str = "0 1 0", rpy: str = "0 0 0",
    limit: str = 'lower="-2" upper="2" effort="50" velocity="5"', inside: str = "",
) -> str:  # fmt: skip
    """A joint at a place of its parent."""
    limits = f"<limit {limit}/>" if limit else ""
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{at}" rpy="{rpy}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<axis xyz="{axis}"/>{limits}{inside}</joint>\n'


def robot(*parts: str, name: str = "r") -> str:
    """All of it."""
    return f'<robot name="{name}">\n{"".join(parts)}</robot>\n'


def arm(*more: str, base: str = "base", upper: str = 'lower="-2" upper="2" effort="50" velocity="5"') -> str:
    """Two links of 0.4 m on a foot that stands on z = 0, the first joint upright."""
    limb = BOX.format(0.05, 0.05, 0.4)
    return robot(
        link(base, BOX.format(0.2, 0.2, 0.1), mass=4, at="0 0 0.05"), link("turret", mass=1), link("upper", limb, at="0 0 0.2"),
        link("fore", limb, at="0 0 0.2", mass=0.5),
        joint("pan", base, "turret", "0 0 0.1", axis="0 0 1"), joint("shoulder", "turret", "upper", "0 0 0.05", limit=upper),
        joint("elbow", "upper", "fore", "0 0 0.42"), *more,
    )  # fmt: skip


def quadruped(knee: str = 'lower="-2.6" upper="-0.3" effort="30" velocity="20"', *, collision: bool = True) -> str:
    """A trunk on four legs of three joints; the knees cannot be straight."""
    parts = [link("trunk", BOX.format(0.4, 0.2, 0.1), mass=8, collision=collision, visual=True)]
    for name, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("RL", -0.2, 0.1), ("RR", -0.2, -0.1)):
        side = 0.06 if y > 0 else -0.06
        limb = BOX.format(0.03, 0.03, 0.16)
        parts += [
            link(f"{name}_hip", mass=0.5), link(f"{name}_thigh", limb, mass=0.6, at="0 0 -0.1", collision=collision),
            link(f"{name}_shank", limb, mass=0.15, at="0 0 -0.1", collision=collision),
            link(f"{name}_foot", '<sphere radius="0.02"/>', mass=0.05, collision=collision, visual=True),
            joint(f"{name}_roll", "trunk", f"{name}_hip", f"{x} {y} 0", axis="1 0 0", limit=f'lower="-0.8" upper="0.8" {STRONG}'),
            joint(f"{name}_pitch", f"{name}_hip", f"{name}_thigh", f"0 {side} 0", limit=f'lower="-1.5" upper="3" {STRONG}'),
            joint(f"{name}_knee", f"{name}_thigh", f"{name}_shank", "0 0 -0.2", limit=knee),
            joint(f"{name}_ankle", f"{name}_shank", f"{name}_foot", "0 0 -0.2", kind="fixed", limit=""),
        ]  # fmt: skip
    return robot(*parts)


def biped() -> str:
    """A trunk on two straight legs, with two arms that hang to its hips."""
    limb = BOX.format(0.08, 0.06, 0.36)
    parts = [link("pelvis", BOX.format(0.2, 0.3, 0.1), mass=10), link("chest", BOX.format(0.2, 0.3, 0.3), mass=15, at="0 0 0.2")]
    parts.append(joint("waist", "pelvis", "chest", "0 0 0.06", axis="0 0 1"))
    for side, y in (("left", 0.1), ("right", -0.1)):
        parts += [
            link(f"{side}_thigh", limb, mass=3, at="0 0 -0.2"), link(f"{side}_shank", limb, mass=2, at="0 0 -0.2"),
            link(f"{side}_foot", BOX.format(0.2, 0.08, 0.04), mass=0.8, at="0.04 0 -0.03"),
            joint(f"{side}_hip", "pelvis", f"{side}_thigh", f"0 {y} -0.05"),
            joint(f"{side}_knee", f"{side}_thigh", f"{side}_shank", "0 0 -0.4"),
            joint(f"{side}_ankle", f"{side}_shank", f"{side}_foot", "0 0 -0.4"),
            link(f"{side}_upper_arm", limb, at="0 0 -0.2"),
            link(f"{side}_forearm", BOX.format(0.05, 0.05, 0.2), at="0 0 -0.1", mass=0.7),
            joint(f"{side}_shoulder", "chest", f"{side}_upper_arm", f"0 {2.2 * y} 0.4"),
            joint(f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", "0 0 -0.4"),
        ]  # fmt: skip
    return robot(*parts)


def rover(kind: str = "continuous", limit: str = 'effort="5" velocity="20"') -> str:
    """A box on two driven wheels, with a ball behind."""
    wheel = '<cylinder radius="0.1" length="0.04"/>'
    turned = "1.570796 0 0"
    parts = [link("base", BOX.format(0.4, 0.3, 0.1), mass=6), link("ball", '<sphere radius="0.05"/>', mass=0.2)]
    for side, y in (("left", 0.18), ("right", -0.18)):
        parts += [
            link(f"{side}_wheel", wheel, mass=0.8),
            joint(f"{side}_axle", "base", f"{side}_wheel", f"0.1 {y} -0.03", kind=kind, axis="0 0 -1", rpy=turned, limit=limit),
        ]
    parts.append(joint("ball_mount", "base", "ball", "-0.17 0 -0.08", kind="fixed", limit=""))
    return robot(*parts)


def drone() -> str:
    """A plate with four rotors that turn, named as such."""
    parts = [link("base", BOX.format(0.2, 0.2, 0.05), mass=1)]
    for number, (x, y) in enumerate(((0.2, 0.2), (0.2, -0.2), (-0.2, 0.2), (-0.2, -0.2))):
        parts += [
            link(f"rotor_{number}", '<cylinder radius="0.1" length="0.01"/>', mass=0.01),
            joint(f"rotor_{number}_joint", "base", f"rotor_{number}", f"{x} {y} 0.05", kind="continuous", axis="0 0 1", limit=""),
        ]
    return robot(*parts)


def hand() -> str:
    """A palm with four fingers that point upward, in a row, each of two joints."""
    finger, parts = BOX.format(0.015, 0.015, 0.04), [link("palm", BOX.format(0.03, 0.1, 0.1), mass=0.4)]
    for number in range(4):
        y = 0.025 * (number - 1.5)
        parts += [
            link(f"proximal_{number}", finger, mass=0.03, at="0 0 0.025"),
            link(f"distal_{number}", finger, mass=0.02, at="0 0 0.025"),
            joint(f"mcp_{number}", "palm", f"proximal_{number}", f"0 {y} 0.055"),
            joint(f"pip_{number}", f"proximal_{number}", f"distal_{number}", "0 0 0.05"),
        ]  # fmt: skip
    return robot(*parts)
