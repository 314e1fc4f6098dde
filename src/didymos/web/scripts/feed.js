// The line between the page and the cockpit, beside viser's: messages by topic, numbers as they are in memory.
//
//   feed.on("plots.samples", (message) => ...)     what the cockpit tells; arrays of it are Float64Array
//   feed.send("plots.want", { names: [...] })      what the page asks for
//   feed.onopen(() => ...)                         each time the line is there (again): say anew what is wanted
//   feed.onlost(() => ...)                         each time it broke, or could not be made; feed.open: whether it is there
//
// A message is JSON text {"topic": ..., ...}, or, from the cockpit, bytes: length of a head [uint32, little end first], the head
// as JSON, filled up to a multiple of 8, then the numbers of all its arrays (float64, little end first), whose lengths the head
// has in "arrays": {name: length}.
const handlers = new Map(), opened = [], lost = [];
let socket = null;

export const feed = {
  on(topic, handler) {
    if (!handlers.has(topic)) handlers.set(topic, []);
    handlers.get(topic).push(handler);
  },
  onopen(handler) {
    opened.push(handler);
    if (socket && socket.readyState === 1) handler();
  },
  onlost(handler) { lost.push(handler); },
  get open() { return socket?.readyState === 1; },
  send(topic, fields = {}) {
    if (socket && socket.readyState === 1) socket.send(JSON.stringify({ topic, ...fields }));
  },
};

function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let begin = 8 * Math.ceil((4 + length) / 8);
  for (const [name, count] of Object.entries(head.arrays)) {
    head[name] = new Float64Array(buffer, begin, count);
    begin += 8 * count;
  }
  return head;
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/feed`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => opened.forEach((handler) => handler());
  socket.onmessage = (event) => {
    const message = typeof event.data === "string" ? JSON.parse(event.data) : decode(event.data);
    for (const handler of handlers.get(message.topic) || []) handler(message);
  };
  socket.onclose = () => {
    setTimeout(connect, 1000);
    lost.forEach((handler) => handler());
  };
}
connect();
