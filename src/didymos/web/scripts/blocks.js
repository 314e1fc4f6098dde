// Arrays of numbers out of the packed text of an exported page; web/export/blocks.py says how they are packed.
const ARRAYS = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, f8: Float64Array };
const WORDS = { f4: Uint32Array, u4: Uint32Array, u2: Uint16Array, f8: BigUint64Array };

export async function unpack(text) { // base64 -> Blocks
  const binary = atob(text), packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Blocks(new Uint8Array(await new Response(stream).arrayBuffer()));
}

export class Blocks {
  constructor(bytes) {
    this.bytes = bytes;
  }

  array({ at, count, kind }) { // an array of its own: bytes of equal weight lie together, each number as the step from the last
    const words = new WORDS[kind](count), size = words.BYTES_PER_ELEMENT, bytes = this.bytes;
    const zero = kind === "f8" ? 0n : 0;
    if (kind === "f8") {
      for (let k = 0; k < 8; k++) for (let i = 0; i < count; i++) words[i] |= BigInt(bytes[at + k * count + i]) << BigInt(8 * k);
    } else {
      for (let k = 0; k < size; k++) for (let i = 0; i < count; i++) words[i] |= bytes[at + k * count + i] << (8 * k);
    }
    for (let i = 0, last = zero; i < count; i++) last = words[i] += last; // modulo the word
    return new ARRAYS[kind](words.buffer);
  }

  times(about) { // [s], even ones are told by their first and their step
    if (about.kind) return this.array(about);
    return Float64Array.from({ length: about.count }, (_, i) => about.first + about.step * i);
  }
}
