// Plays a replay with the rules that it carries: an agon.wasm of its own asks the rules through this script. The page
// ends this worker if it is silent for long.
"use strict";

// The most memory of the rules in bytes, and the place of requests and replies in it.
const MAX_MEMORY = 256 << 20;
let rules = null;
let place = { start: 0, size: 0 };

let viewer = null;
const memory = (start, length) => new Uint8Array(viewer.memory.buffer, start, length);
const text = () => new TextDecoder().decode(memory(viewer.agon_text(), viewer.agon_text_length()));

// The time of the last sign of life, and the milliseconds between two.
let told = 0;
const SIGN = 250;

/** Asks the rules, and returns their reply. */
function ask(request, room) {
  const answers = Math.ceil(request.length / 8) * 8;
  const size = answers + room;
  if (place.size < size) place = { start: rules.agon_room(size) >>> 0, size };
  const { start } = place;
  if (start === 0 || start % 8 !== 0) throw new Error("they give no room");
  new Uint8Array(rules.memory.buffer, start, request.length).set(request);
  const length = rules.agon_decide(start, request.length, start + answers, room) >>> 0;
  if (length > room) throw new Error("their reply has no end");
  if (rules.memory.buffer.byteLength > MAX_MEMORY) throw new Error("they take too much memory");
  return new Uint8Array(rules.memory.buffer, start + answers, length);
}

/** Does something for agon.wasm: writes the reply and returns its length, or that of an error's text below 0. */
function serve(reply, room, action) {
  try {
    const made = action();
    memory(reply, room).set(made);
    return made.length;
  } catch (error) {
    const { written } = new TextEncoder().encodeInto(`the rules have failed: ${error.message}`, memory(reply, room));
    return -written;
  }
}

const imports = {
  agon: {
    rules_open: (module, length, reply, room) =>
      serve(reply, room, () => {
        const compiled = new WebAssembly.Module(memory(module, length).slice());
        rules = new WebAssembly.Instance(compiled, { agon: { log() {} } }).exports;
        return [];
      }),
    rules_call: (request, length, reply, room) =>
      serve(reply, room, () => {
        const made = ask(memory(request, length), room);
        if (performance.now() - told > SIGN) {
          told = performance.now();
          postMessage({});
        }
        return made;
      }),
  },
};

self.addEventListener("message", async ({ data: { module, replay } }) => {
  try {
    viewer = (await WebAssembly.instantiate(module, imports)).exports;
    // With this call agon.wasm takes note of its own failures.
    viewer.agon_interface();
    const start = viewer.agon_alloc(replay.length);
    memory(start, replay.length).set(replay);
    if (viewer.agon_play(start, replay.length) === 0) throw new Error(text());
    postMessage({ shown: memory(viewer.agon_bytes(), viewer.agon_bytes_length()).slice(), proof: text() });
  } catch (error) {
    postMessage({ problem: error.message });
  }
});
