// Shapes of bodies as geometries: all opaque ones of a body in one, coloured by corner, smooth where they are round.
import { BufferAttribute, BufferGeometry, Color } from "./three.js";

const CREASE = Math.cos((40 * Math.PI) / 180); // faces that meet at a smaller angle are drawn as one surface
const STEPS = 65535;

export function meshes(blocks, told) { // [{vertices: Float32Array [3 n], faces, normals: Float32Array [3 per corner]}]
  return told.map(({ low, high, vertices, faces }) => {
    const steps = blocks.array(vertices), count = steps.length / 3, points = new Float32Array(3 * count);
    for (let k = 0; k < 3; k++) for (let i = 0; i < count; i++) points[3 * i + k] = low[k] + ((high[k] - low[k]) * steps[k * count + i]) / STEPS;
    const corners = blocks.array(faces);
    return { points, corners, normals: normals(points, corners) };
  });
}

function normals(points, corners) { // of every corner: the sum of those of all faces around it that are nearly level with its own
  const faces = corners.length / 3, own = new Float32Array(3 * faces), unit = new Float32Array(3 * faces);
  const around = Array.from({ length: points.length / 3 }, () => []);
  for (let f = 0; f < faces; f++) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * corners[3 * f + k]);
    const u = [0, 1, 2].map((k) => points[b + k] - points[a + k]), v = [0, 1, 2].map((k) => points[c + k] - points[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; k++) {
      own[3 * f + k] = n[k];
      unit[3 * f + k] = n[k] / length;
      around[corners[3 * f + k]].push(f);
    }
  }
  const result = new Float32Array(9 * faces);
  for (let i = 0; i < 3 * faces; i++) {
    const f = 3 * Math.floor(i / 3);
    let x = 0, y = 0, z = 0;
    for (const other of around[corners[i]]) {
      const g = 3 * other;
      if (unit[f] * unit[g] + unit[f + 1] * unit[g + 1] + unit[f + 2] * unit[g + 2] < CREASE) continue;
      x += own[g]; y += own[g + 1]; z += own[g + 2];
    }
    const length = Math.hypot(x, y, z) || 1;
    result.set([x / length, y / length, z / length], 3 * i);
  }
  return result;
}

export function geometry(shapes, meshes) { // one geometry of shapes [{mesh, position, quaternion, rgb}], in the frame of their body
  const count = shapes.reduce((sum, shape) => sum + meshes[shape.mesh].corners.length, 0);
  const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), color = new Float32Array(3 * count);
  let at = 0;
  for (const shape of shapes) {
    const { points, corners, normals } = meshes[shape.mesh], turn = matrix(shape.quaternion);
    const { r, g, b } = new Color().setRGB(...shape.rgb.map((value) => value / 255), "srgb");
    for (let i = 0; i < corners.length; i++, at += 3) {
      for (let k = 0; k < 3; k++) {
        const [x, y, z] = turn[k], p = 3 * corners[i], n = 3 * i;
        position[at + k] = shape.position[k] + x * points[p] + y * points[p + 1] + z * points[p + 2];
        normal[at + k] = x * normals[n] + y * normals[n + 1] + z * normals[n + 2];
      }
      color.set([r, g, b], at);
    }
  }
  const made = new BufferGeometry();
  for (const [name, array] of Object.entries({ position, normal, color })) made.setAttribute(name, new BufferAttribute(array, 3));
  return made;
}

function matrix([w, x, y, z]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}
