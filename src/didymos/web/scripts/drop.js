// Files that are dropped, with the folders that they lie in, on their way to the cockpit.
const PIECE = 2 ** 20; // bytes of a message
const MOST = 2 ** 29; // bytes of all files: the cockpit takes no more

async function walk(entry, path, found) {
  if (entry.isFile) {
    found.push([path + entry.name, await new Promise((done, failed) => entry.file(done, failed))]);
    return;
  }
  const reader = entry.createReader();
  for (;;) { // a reader hands out some of them at a time
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const inner of some) await walk(inner, `${path}${entry.name}/`, found);
  }
}

export async function dropped(transfer) { // [[path, file], ...]
  const tops = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), loose = [...transfer.files];
  if (!tops.length) return loose.map((file) => [file.name, file]);
  const found = [];
  for (const top of tops) await walk(top, "", found);
  return found;
}

export async function send(files, progress) { // what of them may be meant; an error says what is wrong
  const total = files.reduce((sum, [, file]) => sum + file.size, 0);
  if (total > MOST) throw new Error(`That is ${Math.round(total / 2 ** 20)} MB; ${MOST / 2 ** 20} MB is the most at once.`);
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/drop`);
  const waiting = [];
  let ended = null;
  socket.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.error) ended = new Error(told.error);
    (waiting.shift() || (() => {}))(told);
  };
  socket.onclose = () => { ended ||= new Error("The connection to the cockpit was lost."); waiting.splice(0).forEach((done) => done({})); };
  const answer = () => new Promise((done) => { if (ended) done({}); else waiting.push(done); });
  await new Promise((done) => { socket.onopen = done; socket.onerror = () => done(); });
  let sent = 0;
  for (const [name, file] of files) {
    socket.send(JSON.stringify({ name, size: file.size }));
    for (let begin = 0; begin < file.size && !ended; begin += PIECE) {
      const taken = answer();
      socket.send(await file.slice(begin, begin + PIECE).arrayBuffer());
      await taken;
      sent += Math.min(PIECE, file.size - begin);
      progress(total ? sent / total : 1);
    }
    if (ended) break;
  }
  const last = ended ? {} : await (socket.send(JSON.stringify({ done: true })), answer());
  socket.close();
  if (ended && !last.entries) throw ended;
  return last.entries;
}
