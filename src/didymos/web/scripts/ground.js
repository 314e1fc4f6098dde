// The ground: a plane with a grid of squares, without end where the engine's has none, that fades into the background, and the
// shadows on it: what stands above it, pressed flat along the light. That costs a tenth of a shadow map where software draws.
import {
  Color, DoubleSide, EqualStencilFunc, Group, IncrementStencilOp, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, ShaderMaterial, Vector3,
} from "./three.js";

const REACH = 400; // squares from the middle to where the ground has faded
const SUN = new Vector3(0.5, 0.35, -1); // the way of the light
// What lies on the ground is in front of it. Triangles of shadows are not moved: of a fine mesh they are smaller than a pixel, and
// their slope is noise.
const SUNK = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 16 };
const PIECES = 10; // of a ground in a row
const VERTEX = `
  varying vec2 place; varying vec3 seen; uniform vec2 centre;
  void main() {
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    place = position.xy + centre; seen = at.xyz;
    gl_Position = projectionMatrix * at;
  }`;
const FRAGMENT = `
  varying vec2 place; varying vec3 seen; uniform float cell, reach; uniform vec3 plain, line, bold, far;
  float grid(vec2 at, vec2 blur, float thick) {
    vec2 near = abs(fract(at - 0.5) - 0.5) / blur;
    return max(1.0 - min(near.x, near.y) / thick, 0.0) * clamp(0.5 / max(blur.x, blur.y) - 0.5, 0.0, 1.0);
  }
  void main() {
    vec2 at = place / cell, blur = max(fwidth(at), 1e-6);
    vec3 shade = mix(mix(plain, line, grid(at, blur, 1.0)), bold, grid(0.1 * at, 0.1 * blur, 1.4));
    gl_FragColor = vec4(mix(shade, far, min(dot(seen, seen) / (reach * reach), 1.0)), 1.0);
  }`;

// A plane of triangles, small in the middle: across one that is a kilometre long, depths are so wrong that it hides its shadows.
function pieces(width, depth) {
  const made = new PlaneGeometry(width, depth, PIECES, PIECES), at = made.attributes.position;
  for (let i = 0; i < at.count; i++) at.setXY(i, 16 * at.getX(i) ** 5 / width ** 4, 16 * at.getY(i) ** 5 / depth ** 4);
  return made;
}

export class Ground {
  constructor({ position, quaternion, half }, cell) {
    this.node = new Group();
    this.node.position.set(...position);
    this.node.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
    this.node.updateMatrixWorld();
    this.endless = half.map((width) => !(width > 0));
    this.cell = cell;
    const size = half.map((width) => (width > 0 ? 2 * width : 2.5 * REACH * cell));
    const uniforms = { cell: { value: cell }, reach: { value: REACH * cell }, centre: { value: [0, 0] } };
    for (const name of ["plain", "line", "bold", "far"]) uniforms[name] = { value: new Vector3() };
    this.paint = new ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: DoubleSide });
    Object.assign(this.paint, SUNK);
    this.plane = new Mesh(pieces(...size), this.paint);
    this.node.add(this.plane);
  }

  shadows(nodes) { // a group with the shadows of the meshes of nodes, which stands and turns with them
    const flat = new MeshBasicMaterial({ color: "#000000", transparent: true, opacity: 0.22, depthWrite: false, side: DoubleSide });
    Object.assign(flat, { stencilWrite: true, stencilFunc: EqualStencilFunc, stencilRef: 0, stencilZPass: IncrementStencilOp }); // once
    const group = new Group();
    group.matrixAutoUpdate = false;
    group.matrix.copy(this.#press());
    group.matrixWorldNeedsUpdate = true;
    this.pressed = nodes.map((node) => {
      const twin = new Group();
      for (const { geometry } of node.children.filter((child) => child.castShadow)) {
        const mesh = new Mesh(geometry, flat);
        mesh.frustumCulled = false;
        twin.add(mesh);
      }
      group.add(twin);
      return [node, twin];
    });
    return group;
  }

  #press() { // of the world, onto the plane along the light
    const normal = new Vector3(0, 0, 1).applyQuaternion(this.node.quaternion), along = SUN.dot(normal), level = normal.dot(this.node.position);
    const [n, s] = [normal.toArray(), SUN.toArray()], rows = n.map((_, i) => n.map((_, k) => (i === k ? 1 : 0) - (s[i] * n[k]) / along));
    return new Matrix4().set(...rows[0], (s[0] * level) / along, ...rows[1], (s[1] * level) / along, ...rows[2], (s[2] * level) / along, 0, 0, 0, 1);
  }

  colour(colours) {
    for (const name of ["plain", "line", "bold", "far"]) {
      const { r, g, b } = new Color(colours[name]).getRGB({}, "srgb"); // as it is on the screen: the shader computes in that
      this.paint.uniforms[name].value.set(r, g, b);
    }
  }

  follow(point) { // keep an endless plane under a point of the world, by whole squares, and shadows with what throws them
    const place = this.node.worldToLocal(point.clone()), step = 10 * this.cell;
    const centre = [place.x, place.y].map((value, k) => (this.endless[k] ? step * Math.round(value / step) : 0));
    this.plane.position.set(centre[0], centre[1], 0);
    this.paint.uniforms.centre.value = centre;
    for (const [node, twin] of this.pressed) {
      twin.position.copy(node.position);
      twin.quaternion.copy(node.quaternion);
    }
  }
}
