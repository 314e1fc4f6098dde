// Robots in 3-D: bodies with their shapes, posed by positions of joints; a ghost beside; the ground; a camera that goes along.
//
//   const view = new RobotView(element, scene, blocks, { ghost: true });
//   view.pose(qpos, ghostQpos);        draws soon, once, however often it is asked for
//   view.follow("all" | number of a robot | null);   view.dark(true);   view.path(0, points)
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, Group, HemisphereLight, Line, LineBasicMaterial, Mesh,
  MeshLambertMaterial, OrbitControls, PerspectiveCamera, Scene, Sprite, SpriteMaterial, Vector3, WebGLRenderer,
} from "./three.js";
import { Ground } from "./ground.js";
import { Kinematics } from "./kinematics.js";
import { PictureQuality } from "./picture_quality.js";
import { geometry, meshes } from "./shape_geometry.js";

const LIGHT = { far: "#dfe7ee", plain: "#e2e8e2", line: "#bac4bc", bold: "#96a49a", sky: "#ffffff", below: "#969c96" };
const DARK = { far: "#20272e", plain: "#434d56", line: "#535e68", bold: "#67737e", sky: "#ffffff", below: "#8d949a" };
const PATHS = ["#e8590c", "#339af0"], GHOST = "#339af0";
const FROM = new Vector3(-1.1, -1.5, 0.9).normalize(), DISTANCE = 3.2; // where the camera begins, in sizes of the robot

export class RobotView {
  constructor(element, scene, blocks, { ghost = false } = {}) {
    Object.assign(this, { element, robots: scene.robots, asked: false, drawn: 0, target: scene.robots.length > 1 ? "all" : 0 });
    this.renderer = new WebGLRenderer({ antialias: false, stencil: true, powerPreference: "high-performance" });
    element.append(this.renderer.domElement);
    this.scene = new Scene();
    this.size = Math.max(...scene.robots.map((robot) => robot.size));
    const known = meshes(blocks, scene.meshes);
    this.first = this.#puppet(scene, known, null);
    this.ghost = ghost ? this.#puppet(scene, known, GHOST) : null;
    this.grounds = scene.planes.map((plane) => new Ground(plane, scene.cell));
    for (const ground of this.grounds) this.scene.add(ground.node, ground.shadows(this.first.nodes.slice(1)));
    this.#light();
    this.camera = new PerspectiveCamera(42, 1, 0.05 * this.size, 1500 * scene.cell);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.names = scene.robots.length > 1 ? scene.robots.map((robot) => this.#name(robot)) : [];
    this.paths = [];
    this.quality = new PictureQuality((ratio) => this.renderer.setPixelRatio(ratio), () => this.#render());
    new ResizeObserver(() => this.#fit()).observe(element);
    this.dark(false);
  }

  #puppet(scene, known, tint) {
    const nodes = scene.bodies.map((_, body) => this.#body(scene.shapes.filter((shape) => shape.body === body), known, tint, body === 0));
    this.scene.add(...nodes);
    return { nodes, kinematics: new Kinematics(scene.bodies, scene.rest) };
  }

  #body(shapes, known, tint, isWorld) {
    const node = new Group();
    node.matrixAutoUpdate = !isWorld;
    if (tint && isWorld) return node;
    const opaque = shapes.filter((shape) => tint || shape.opacity > 0.99);
    const add = (some, options) => {
      const mesh = new Mesh(geometry(some, known), new MeshLambertMaterial(options));
      mesh.castShadow = !tint && !isWorld; // on the ground, see there
      node.add(mesh);
    };
    if (opaque.length && tint) add(opaque, { color: tint, transparent: true, opacity: 0.35, depthWrite: false });
    else if (opaque.length) add(opaque, { vertexColors: true });
    if (!tint) for (const shape of shapes.filter((one) => one.opacity <= 0.99)) add([shape], { vertexColors: true, transparent: true, opacity: shape.opacity });
    return node;
  }

  #light() {
    this.sky = new HemisphereLight(LIGHT.sky, LIGHT.below, 1.9);
    this.sky.position.set(0, 0, 1);
    const sun = new DirectionalLight("#ffffff", 1.7);
    sun.position.set(-0.5, -0.35, 1);
    this.scene.add(this.sky, sun);
  }

  #name(robot) { // a label above a robot, of the same size wherever it is
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), font = "500 30px system-ui, sans-serif";
    pen.font = font;
    canvas.width = Math.ceil(pen.measureText(robot.name).width) + 24;
    canvas.height = 44;
    pen.font = font;
    pen.fillStyle = "#1f2d3acc";
    pen.beginPath();
    pen.roundRect(0, 0, canvas.width, canvas.height, 12);
    pen.fill();
    pen.fillStyle = "#ffffff";
    pen.fillText(robot.name, 12, 32);
    const label = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), sizeAttenuation: false, depthTest: false }));
    label.scale.set((0.032 * canvas.width) / canvas.height, 0.032, 1);
    label.center.set(0.5, -0.2);
    this.scene.add(label);
    return label;
  }

  path(log, points) { // the way of a robot, points [3 n] in the world
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(points, 3));
    const line = new Line(made, new LineBasicMaterial({ color: PATHS[log], transparent: true, opacity: 0.55 }));
    line.frustumCulled = false;
    this.paths.push(line);
    this.scene.add(line);
  }

  pose(qpos, ghost = null) {
    this.#move(this.first, qpos);
    if (this.ghost && ghost) this.#move(this.ghost, ghost);
    const p = this.first.kinematics.positions;
    this.names.forEach((label, i) => {
      const { body, size } = this.robots[i];
      label.position.set(p[3 * body], p[3 * body + 1], p[3 * body + 2] + 0.7 * size);
    });
    this.#goAlong();
    this.draw();
  }

  #move({ nodes, kinematics }, qpos) {
    kinematics.pose(qpos);
    const { positions: p, quaternions: q } = kinematics;
    for (let i = 1; i < nodes.length; i++) {
      nodes[i].position.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
      nodes[i].quaternion.set(q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], q[4 * i]);
    }
  }

  #places(robots) { // of their middles: of an arm the root is far below that
    const p = this.first.kinematics.positions;
    return robots.map(({ body, middle: [x, y, z] }) => new Vector3(p[3 * body] + x, p[3 * body + 1] + y, p[3 * body + 2] + z));
  }

  #focus() { // in the middle of what is followed, and half of how far that reaches [m]
    const places = this.#places(typeof this.target === "number" ? [this.robots[this.target]] : this.robots);
    const low = places.reduce((a, b) => a.clone().min(b)), high = places.reduce((a, b) => a.clone().max(b));
    return { middle: low.clone().add(high).multiplyScalar(0.5), spread: 0.5 * low.distanceTo(high) };
  }

  #goAlong() {
    const { middle, spread } = this.#focus();
    if (this.focus && this.target !== null) {
      const step = middle.clone().sub(this.focus);
      this.camera.position.add(step);
      this.controls.target.add(step);
      this.controls.update();
    } else if (!this.focus) {
      this.#look(middle, spread);
    }
    this.focus = middle;
    for (const ground of this.grounds) ground.follow(middle);
  }

  #look(middle, spread) {
    const wide = Math.max(1, 1.15 / Math.max(this.camera.aspect, 0.3));
    this.camera.position.copy(middle).addScaledVector(FROM, wide * (DISTANCE * this.size + 2.6 * spread));
    this.controls.target.copy(middle);
    this.controls.update();
  }

  follow(target) { // all robots, one of them by number, or none: the camera stays
    this.target = target;
    if (target === null) return;
    const { middle, spread } = this.#focus();
    this.focus = middle;
    this.#look(middle, spread);
    this.draw();
  }

  dark(on) {
    const colours = on ? DARK : LIGHT;
    this.scene.background = new Color(colours.far);
    this.sky.color.set(colours.sky);
    this.sky.groundColor.set(colours.below);
    for (const ground of this.grounds) ground.colour(colours);
    this.draw();
  }

  #fit() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.drawn === 0 && this.focus) this.#look(this.focus, this.#focus().spread);
    this.#render();
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    this.quality.asked();
    requestAnimationFrame((now) => {
      this.quality.drawn(now);
      this.#render();
    });
  }

  #render() {
    this.asked = false;
    if (!this.focus) return;
    this.renderer.render(this.scene, this.camera);
    this.drawn += 1;
  }
}
