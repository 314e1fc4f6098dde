// Where bodies are for positions of joints: the engine's kinematics (mj_kinematics), in float64.
//
//   const kinematics = new Kinematics(bodies, rest);
//   kinematics.pose(qpos);             then kinematics.positions [3 n] and kinematics.quaternions [4 n], w first, world frame
//
// bodies: [{parent, position, quaternion, joints: [{type, at, anchor, axis}]}], a parent before its children; rest: qpos of the
// pose in which they are described.
const turned = [0, 0, 0], anchor = [0, 0, 0], angle = [0, 0, 0, 0];

export class Kinematics {
  constructor(bodies, rest) {
    Object.assign(this, { bodies, rest: Float64Array.from(rest) });
    this.positions = new Float64Array(3 * bodies.length);
    this.quaternions = new Float64Array(4 * bodies.length);
    this.quaternions[0] = 1;
  }

  pose(qpos, last = this.bodies.length - 1) { // up to a body, all by default
    for (let i = 1; i <= last; i++) this.#place(i, this.bodies[i], qpos);
  }

  #place(i, body, qpos) {
    const { positions: p, quaternions: q } = this, a = 3 * i, b = 4 * i, first = body.joints[0];
    if (first?.type === "free") {
      for (let k = 0; k < 3; k++) p[a + k] = qpos[first.at + k];
      for (let k = 0; k < 4; k++) q[b + k] = qpos[first.at + 3 + k];
      normalize(q, b);
      return;
    }
    rotate(q, 4 * body.parent, body.position, turned);
    for (let k = 0; k < 3; k++) p[a + k] = p[3 * body.parent + k] + turned[k];
    multiply(q, 4 * body.parent, body.quaternion, q, b);
    for (const joint of body.joints) {
      const step = qpos[joint.at] - this.rest[joint.at];
      if (joint.type === "slide") {
        rotate(q, b, joint.axis, turned);
        for (let k = 0; k < 3; k++) p[a + k] += step * turned[k];
        continue;
      }
      rotate(q, b, joint.anchor, turned);
      for (let k = 0; k < 3; k++) anchor[k] = p[a + k] + turned[k];
      if (joint.type === "hinge") {
        const sine = Math.sin(0.5 * step);
        angle[0] = Math.cos(0.5 * step);
        for (let k = 0; k < 3; k++) angle[k + 1] = sine * joint.axis[k];
      } else {
        for (let k = 0; k < 4; k++) angle[k] = qpos[joint.at + k];
        normalize(angle, 0);
      }
      multiply(q, b, angle, q, b);
      rotate(q, b, joint.anchor, turned);
      for (let k = 0; k < 3; k++) p[a + k] = anchor[k] - turned[k];
    }
    normalize(q, b);
  }
}

function normalize(q, b) {
  const length = Math.hypot(q[b], q[b + 1], q[b + 2], q[b + 3]);
  if (!(length > 0)) { // a quaternion of nothing is none
    q[b] = 1;
    q[b + 1] = q[b + 2] = q[b + 3] = 0;
    return;
  }
  for (let k = 0; k < 4; k++) q[b + k] /= length;
}

function rotate(q, b, v, result) { // v + 2 u x (u x v + w v)
  const w = q[b], x = q[b + 1], y = q[b + 2], z = q[b + 3];
  const s = y * v[2] - z * v[1] + w * v[0], t = z * v[0] - x * v[2] + w * v[1], u = x * v[1] - y * v[0] + w * v[2];
  const v0 = v[0], v1 = v[1], v2 = v[2];
  result[0] = v0 + 2 * (y * u - z * t);
  result[1] = v1 + 2 * (z * s - x * u);
  result[2] = v2 + 2 * (x * t - y * s);
}

function multiply(p, a, r, q, b) { // q[b..] = p[a..] r
  const w = p[a], x = p[a + 1], y = p[a + 2], z = p[a + 3], [rw, rx, ry, rz] = r;
  q[b] = w * rw - x * rx - y * ry - z * rz;
  q[b + 1] = w * rx + x * rw + y * rz - z * ry;
  q[b + 2] = w * ry - x * rz + y * rw + z * rx;
  q[b + 3] = w * rz + x * ry - y * rx + z * rw;
}
