// The page around the viewer: fetches replays, passes inputs to agon.wasm and shows its pixels.
"use strict";

// The version of the functions of agon.wasm that this script calls (`agon_interface` in src/exports.rs).
const INTERFACE = 7;

// The longest verification at a time in milliseconds, while something moves.
const SLICE = 6;

const query = new URLSearchParams(location.search);

/** Returns the whole number of a parameter, such as the requested turn, or -1. */
function requested(name) {
  const number = query.get(name) ?? "";
  return /^\d{1,15}$/.test(number) ? Number(number) : -1;
}

/** Returns the number of the requested theme, or else of the one that matches the person's system. */
function theme() {
  const asked = ["dark", "light", "classic"].indexOf(query.get("theme"));
  if (asked >= 0) return asked;
  return window.matchMedia("(prefers-color-scheme: light)").matches ? 1 : 0;
}

/** Returns 1 if all players are to have patterns. */
const patterns = () => (query.has("patterns") ? 1 : 0);

const element = (id) => document.getElementById(id);
const canvas = element("view");
const context = canvas.getContext("2d", { alpha: false });

/** The functions of agon.wasm, with text and bytes instead of pointers. */
class Module {
  constructor(exports) {
    this.exports = exports;
    if (exports.agon_interface() !== INTERFACE) {
      throw new Error("agon.js and agon.wasm are of different versions; reload the page without the browser's cache");
    }
  }

  /** Returns the text of the last call. */
  text() {
    const start = this.exports.agon_text();
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, start, this.exports.agon_text_length()));
  }

  /** Copies bytes into the module's memory. */
  bytes(bytes) {
    const start = this.exports.agon_alloc(bytes.length);
    new Uint8Array(this.exports.memory.buffer, start, bytes.length).set(bytes);
    return start;
  }

  /** Opens a session for a replay. */
  open(bytes) {
    const session = this.exports.agon_open(this.bytes(bytes), bytes.length, theme(), patterns());
    if (session === 0) throw new Error(this.text());
    return session;
  }

  /** Returns the replay in a file if it carries rules that this page does not know, else null. */
  carried(bytes) {
    return this.exports.agon_carries(this.bytes(bytes), bytes.length) === 1 ? this.made() : null;
  }

  /** Takes what a worker has verified. */
  prove(session, proof) {
    const bytes = new TextEncoder().encode(proof);
    this.exports.agon_proof(session, this.bytes(bytes), bytes.length);
  }

  /** Returns the bytes of the last call. */
  made() {
    const start = this.exports.agon_bytes();
    return new Uint8Array(this.exports.memory.buffer, start, this.exports.agon_bytes_length()).slice();
  }

  /** Opens a replay at a turn, or at its start, and plays from there or pauses. */
  go(session, turn, plays) {
    this.exports.agon_go(session, turn, plays ? 1 : 0);
  }

  /** Opens a replay at a step, and pauses there. */
  goToStep(session, step) {
    this.exports.agon_go_to_step(session, step);
  }

  /** Returns the replay of a match that is over. */
  replay(session) {
    if (this.exports.agon_replay(session) === 0) throw new Error(this.text());
    return this.made();
  }

  /** Passes messages of a match to its session. */
  feed(session, bytes) {
    if (this.exports.agon_feed(session, this.bytes(bytes), bytes.length) === 0) throw new Error(this.text());
  }

  title(session) {
    this.exports.agon_title(session);
    return this.text();
  }

  state(session) {
    this.exports.agon_state(session);
    return JSON.parse(this.text());
  }

  /** Paints a picture of this size on the canvas. */
  paint(session, width, height) {
    const start = this.exports.agon_paint(session, width, height);
    const pixels = new Uint8ClampedArray(this.exports.memory.buffer, start, 4 * width * height);
    context.putImageData(new ImageData(pixels, width, height), 0, 0);
  }
}

let module = null;
let compiled = null;
let session = 0;
// Whether the module has failed, after which it must not be called any more.
let broken = false;
// The current fetch; results of earlier ones are ignored.
let loading = null;
// The replay that is shown, for saving it; null for a running match.
let saved = null;

// ---------------------------------------------------------------------------------------------------------------
// Texts beside the picture

function tell(text) {
  element("message").hidden = text === "";
  element("message-text").textContent = text;
}

function fail(error) {
  tell(error.message);
}

/** Calls the module. If that fails, nothing works any more, and the page says so. */
function call(action) {
  if (broken) return undefined;
  try {
    return action();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    broken = true;
    tell(`The viewer has failed: ${module.text() || error.message}. Reload the page to go on.`);
    return undefined;
  }
}

const number = new Intl.NumberFormat("en");

function showProof(state) {
  const proof = element("proof");
  proof.hidden = false;
  if (state.verified === null) {
    proof.className = "bad";
    element("proof-text").textContent = "not verified here";
    element("proof-count").textContent = "";
    proof.title = "This page does not know the rules of this game. It shows what the program that played the match has sent.";
    return;
  }
  const { steps, done, problem } = state.verified;
  proof.className = problem !== null ? "bad" : done ? "good" : "";
  const { live, steps: all } = state.shown;
  element("proof-text").textContent = done || live ? "verified" : "verifying:";
  element("proof-count").textContent = `${number.format(steps)} of ${number.format(all)} steps`;
  proof.title = problem ?? "Every state is played again in this page and compared with the replay.";
  if (problem !== null && state.damage !== problem) {
    tell(`Not proven: ${problem}. The first ${number.format(steps)} steps follow the rules.`);
  }
}

// ---------------------------------------------------------------------------------------------------------------
// The same in words and real buttons, for screen readers and for people who play by keyboard alone

// The shortest time between two updates in milliseconds, and the time of the last one.
const MIRROR_INTERVAL = 250;
let mirrored = -Infinity;
let mirrorTimer = 0;

// The special keys of choices, as `agon_key` numbers them.
const CHOICE_KEYS = { Up: "ArrowUp", Right: "ArrowRight", Down: "ArrowDown", Left: "ArrowLeft", Return: "Enter", Esc: "Escape", Backspace: "Backspace" };

/** Writes hint, choices, refusals and the result beside the canvas. */
function mirror() {
  const wait = mirrored + MIRROR_INTERVAL - performance.now();
  if (wait > 0) {
    if (mirrorTimer === 0) mirrorTimer = setTimeout(mirror, wait);
    return;
  }
  clearTimeout(mirrorTimer);
  [mirrorTimer, mirrored] = [0, performance.now()];
  if (session === 0 || broken) return;
  const { shown } = call(() => module.state(session)) ?? {};
  if (shown === undefined || shown === null) return;
  const text = [shown.banner, shown.message].filter((part) => part).join(". ");
  if (element("play-text").textContent !== text) element("play-text").textContent = text;
  mirrorChoices(shown.choices);
}

function mirrorChoices(choices) {
  const group = element("play-choices");
  const names = choices.map(({ key, label, chosen }) => JSON.stringify([key, label, chosen]));
  if (group.dataset.names === String(names)) return;
  // Whoever has a button in hand keeps the one with the same key.
  const held = group.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  group.dataset.names = String(names);
  group.replaceChildren(
    ...choices.map(({ key, label, chosen }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${label} (${key})`;
      button.dataset.key = key;
      button.setAttribute("aria-pressed", String(chosen));
      button.addEventListener("click", () => press(key));
      return button;
    }),
  );
  group.parentElement.hidden = choices.length === 0;
  if (held !== null) [...group.children].find((button) => button.dataset.key === held)?.focus();
}

/** Presses the key of a choice. */
function press(key) {
  const special = KEYS.indexOf(CHOICE_KEYS[key] ?? "");
  const character = key === "Space" ? " " : key;
  const code = special >= 0 ? FIRST_KEY + special : character.codePointAt(0);
  input(() => module.exports.agon_key(session, code));
}

// ---------------------------------------------------------------------------------------------------------------
// Time: pictures when they are needed, verification in between

let awaitedFrame = 0;
let timer = 0;
let dirty = true;
let verifying = false;

/** Wakes the viewer as soon as possible. */
function wake() {
  if (awaitedFrame === 0 && session !== 0) awaitedFrame = requestAnimationFrame(frame);
}

function frame(now) {
  awaitedFrame = 0;
  if (session === 0) return;
  call(() => {
    fit();
    if (module.exports.agon_tick(session, now) === 1) dirty = true;
    // Gestures from before the question may be its orders.
    sendOrders();
    if (dirty) {
      module.paint(session, canvas.width, canvas.height);
      mirror();
    }
    if (dirty && performance.getEntriesByName("shown").length === 0) performance.mark("shown");
    dirty = false;
    const idle = module.exports.agon_idle(session);
    clearTimeout(timer);
    if (idle < 20) wake();
    else if (idle < Infinity) timer = setTimeout(wake, idle);
  });
}

/** Gives the canvas the pixels of the screen. */
function fit() {
  const scale = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width === width && canvas.height === height) return;
  [canvas.width, canvas.height] = [width, height];
  module.exports.agon_scale(session, scale);
  dirty = true;
}

const whenIdle = window.requestIdleCallback ?? ((action) => setTimeout(action, 1));

function verify() {
  if (verifying) return;
  verifying = true;
  const verified = session;
  const slice = () => {
    if (session !== verified || broken) {
      verifying = false;
      if (!broken) verify();
      return;
    }
    const end = performance.now() + (awaitedFrame === 0 ? 4 * SLICE : SLICE);
    let more = true;
    call(() => {
      while (more && performance.now() < end) more = module.exports.agon_verify(session) === 1;
      showProof(module.state(session));
    });
    if (more) whenIdle(slice);
    else verifying = false;
  };
  whenIdle(slice);
}

// ---------------------------------------------------------------------------------------------------------------
// Replays and matches

function show(opened, source) {
  if (session !== 0) module.exports.agon_close(session);
  session = opened;
  [question, until, span] = [null, Infinity, Infinity];
  element("source").className = "";
  saved = null;
  for (const id of ["save", "rematch"]) element(id).hidden = true;
  element("full").hidden = document.fullscreenEnabled !== true;
  [canvas.width, canvas.height] = [1, 1];
  canvas.hidden = false;
  element("welcome").hidden = true;
  element("source").textContent = source;
  document.title = module.title(session) || "Agon";
  if (window.matchMedia("(pointer: coarse)").matches) module.exports.agon_touch(session);
  // Whoever follows a match does not leave it by a click on the name of this page.
  element("home").target = source === "live" ? "_blank" : "";
  dirty = true;
  // In the page of somebody else, keys are that page's until the reader comes here.
  if (window === window.top || document.hasFocus()) canvas.focus({ preventScroll: true });
  wake();
}

// The longest silence of a worker in milliseconds.
const WORKER_LIMIT = 10_000;

/** Plays a replay with the rules that it carries, in a worker: what shows it, and what is verified. */
async function playAgain(replay) {
  const worker = new Worker("worker.js");
  let limit = 0;
  try {
    return await new Promise((resolve, reject) => {
      const wait = () => {
        clearTimeout(limit);
        limit = setTimeout(() => reject(new Error("the rules that it carries take too long")), WORKER_LIMIT);
      };
      worker.addEventListener("error", () => reject(new Error("the rules that it carries cannot be run here")));
      worker.addEventListener("message", ({ data }) => {
        wait();
        if (data.problem !== undefined) reject(new Error(data.problem));
        if (data.shown !== undefined) resolve(data);
      });
      wait();
      worker.postMessage({ module: compiled, replay });
    });
  } finally {
    clearTimeout(limit);
    worker.terminate();
  }
}

/** Shows a replay; one whose game this page does not know is played in a worker first, if it carries the rules. */
async function openFile(bytes, source, turn = -1) {
  const mine = (loading = {});
  const replay = call(() => module.carried(bytes)) ?? null;
  if (replay === null) return open(bytes, source, turn);
  element("source").textContent = `playing ${source} again …`;
  const played = await playAgain(replay).catch((error) => ({ problem: error.message }));
  if (loading !== mine) return;
  // What the server has sent can be shown all the same.
  if (played.problem === undefined) open(played.shown, source, turn, played.proof);
  else if (bytes[0] === SHOWN) open(bytes, source, turn);
  if (played.problem !== undefined) throw new Error(`not verified: ${played.problem}`);
}

// The first byte of a file that shows a replay.
const SHOWN = 7;

/** Shows a replay. The turn of the address is for the replay of the address alone. */
function open(bytes, source, turn = -1, proof = undefined) {
  call(() => {
    const opened = module.open(bytes);
    tell("");
    show(opened, source);
    if (proof !== undefined) module.prove(session, proof);
    element("save").hidden = false;
    const step = requested("step");
    if (turn < 0 && step >= 0) module.goToStep(session, step);
    else module.go(session, turn, turn < 0 || query.has("play"));
    const state = module.state(session);
    // A file that shows a replay contains it.
    if (bytes[0] !== SHOWN) saved = { bytes, name: source };
    if (state.damage !== null) tell(`This replay is ${state.damage}.`);
    showProof(state);
    verify();
  });
}

async function openLocal(file) {
  try {
    await openFile(new Uint8Array(await file.arrayBuffer()), file.name);
  } catch (error) {
    tell(`${file.name}: ${error.message}`);
  }
}

/** Fetches a file; errors tell a person what to do. */
async function get(address, signal = undefined) {
  let response;
  try {
    response = await fetch(address, { referrerPolicy: "no-referrer", signal });
  } catch (error) {
    const other = new URL(address, location.href).origin !== location.origin;
    const hint = other ? " (another server must be reached by https, and allow this page to read from it: CORS)" : "";
    throw new Error(`${address} cannot be fetched: ${error.message}${hint}`);
  }
  if (!response.ok) throw new Error(`${address} cannot be fetched: ${response.status} ${response.statusText}`);
  return response;
}

async function openAddress(address) {
  const mine = (loading = {});
  element("source").textContent = `fetching ${address} …`;
  try {
    const bytes = new Uint8Array(await (await get(address)).arrayBuffer());
    if (loading !== mine) return;
    await openFile(bytes, decodeURIComponent(address.split("?")[0].split("/").at(-1)), requested("turn"));
  } catch (error) {
    if (session === 0) element("source").textContent = "";
    tell(error.message.startsWith(address) ? error.message : `${address}: ${error.message}`);
  }
}

// ---------------------------------------------------------------------------------------------------------------
// Running matches, and people who play in them

// Milliseconds before each attempt to restore a lost connection.
const WAITS = [250, 500, 1000, 2000, 4000, 8000];

// Milliseconds without a word from the arena until the page says so, and until it gives the connection up. The
// arena says something at least every 750 ms (HEARTBEAT in agon-web-host).
const SILENCE = 1800;
const LOST = 10_000;
const SILENT = "The arena has not been heard of for some seconds: it is very busy, or the connection is cut. Waiting…";

// The path for orders, beside the match.
let ordersAddress = null;
// The question that waits, with the end and the length of its time in milliseconds, if it has a limit.
let question = null;
let until = Infinity;
let span = Infinity;

/** Follows a running match over any number of connections. */
async function follow(address) {
  if (new URL(address, location.href).origin !== location.origin) throw new Error("a match is followed on its own server only");
  const mine = (loading = {});
  ordersAddress = `${address}/answer`;
  let end = await listen(address, mine);
  for (let lost = 0; end === "lost" && loading === mine && lost < WAITS.length; lost += 1) {
    showQuestion(null);
    tell("The connection to the arena is lost. Trying to get it back…");
    await new Promise((resolve) => setTimeout(resolve, WAITS[lost]));
    if (loading !== mine) return;
    end = await listen(address, mine).catch(() => "lost");
    // After a working connection, all attempts are available again.
    if (end === "lost" && heard) lost = -1;
  }
  if (end === "lost" && loading === mine) {
    element("source").textContent = "the arena is gone";
    tell("The arena does not answer any more: the match is over, or lost. The arena was stopped, or this computer cannot reach it.");
  }
}

// Whether the connection has brought anything.
let heard = false;

/** Connects to a match; the first sign of the arena must come soon. */
async function reach(address) {
  const connecting = new AbortController();
  const limit = setTimeout(() => connecting.abort(), LOST);
  try {
    return await get(address, connecting.signal);
  } finally {
    clearTimeout(limit);
  }
}

/** Reads the next part of a connection; an error ends it. */
function read(reader) {
  return reader.read().catch(() => ({ done: true }));
}

/** Reads the next part. Tells people when none comes, and ends a connection that is silent for long. */
async function hear(reader) {
  const timers = [setTimeout(() => tell(SILENT), SILENCE)];
  const lost = new Promise((resolve) => timers.push(setTimeout(() => resolve({ done: true }), LOST)));
  const part = await Promise.race([read(reader), lost]);
  timers.forEach(clearTimeout);
  if (element("message-text").textContent === SILENT) tell("");
  return part;
}

/** Reads a connection until the match is "over", the connection "lost", or the page shows "another". */
async function listen(address, mine) {
  heard = false;
  const reader = (await reach(address)).body.getReader();
  if (loading !== mine) return "another";
  let followed = 0;
  for (;;) {
    // Before the match begins, nothing need come.
    const { done, value } = await (followed === 0 ? read(reader) : hear(reader));
    if (loading !== mine || (followed !== 0 && session !== followed) || broken) {
      reader.cancel().catch(() => {});
      return "another";
    }
    if (done) {
      reader.cancel().catch(() => {});
      break;
    }
    if (followed === 0) {
      // Not earlier: the old picture stays until there is a new one.
      show(module.exports.agon_live(theme(), patterns(), query.has("follow") ? 1 : 0), "live");
      [followed, heard] = [session, true];
      tell("");
    }
    call(() => {
      module.feed(session, value);
      const state = module.state(session);
      if (!state.waiting) showProof(state);
      showQuestion(state);
      dirty = true;
      wake();
    });
  }
  if (followed === 0) return "lost";
  const state = module.state(session);
  if (state.waiting || state.shown.live) return "lost";
  element("save").hidden = state.verified === null;
  element("rematch").hidden = !query.has("rematch");
  element("source").textContent = "the match is over";
  return "over";
}

/** Shows whose turn it is, and the time left. */
function showQuestion(state) {
  const asked = state?.question ?? null;
  // In games in real time there is always a question.
  const goesOn = asked === null && until < Infinity && isQuick() && state?.shown?.live === true;
  if (goesOn) return;
  if (asked !== null && asked.question !== question?.question) {
    [until, span] = asked.left_ms === null ? [Infinity, Infinity] : [performance.now() + asked.left_ms, asked.left_ms];
  }
  question = asked;
  const source = element("source");
  source.className = asked === null ? "" : "asked";
  const title = module.title(session) || "Agon";
  if (asked === null) {
    [until, span] = [Infinity, Infinity];
    document.title = title;
    source.textContent = "live";
    return;
  }
  const name = state.shown.players[asked.player];
  document.title = isQuick() ? title : `● ${name} is asked - ${title}`;
  source.textContent = isQuick() ? `live · ${name} plays` : `live · ${name} is asked${timeLeft()}`;
  source.dataset.name = name;
}

const isQuick = () => span < 1000;

function timeLeft() {
  if (until === Infinity) return "";
  const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
  return seconds <= 1 ? ", a second is left" : `, ${number.format(seconds)} seconds are left`;
}

setInterval(() => {
  if (question !== null && until !== Infinity && !isQuick()) {
    const source = element("source");
    source.textContent = `live · ${source.dataset.name} is asked${timeLeft()}`;
  }
}, 500);

/** Sends orders to the arena, if there are any. */
function sendOrders() {
  if (ordersAddress === null || session === 0 || call(() => module.exports.agon_orders(session)) !== 1) return;
  const [sender, orders] = [session, module.text()];
  // A person who is slightly late need not be told each time.
  const mayBeLate = isQuick();
  const again = (why) => {
    if (session !== sender || broken) return;
    tell(`The orders do not count: ${why}`);
    call(() => module.exports.agon_ask_again(session));
    wake();
  };
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: orders };
  fetch(ordersAddress, request).then(
    async (response) => {
      if (response.status === 409 && mayBeLate) return;
      if (!response.ok) again((await response.text()).trim());
      else if (element("message-text").textContent.startsWith("The orders ")) tell("");
    },
    (error) => again(`they did not reach the arena (${error.message}).`),
  );
}

// ---------------------------------------------------------------------------------------------------------------
// Inputs

// In the order of `agon_key`.
const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const KEYS = [...ARROWS, ...ARROWS.map((arrow) => `Shift+${arrow}`), "PageUp", "PageDown", "Home", "End", "Enter", "Escape", "Backspace"];
const FIRST_KEY = 0x110000;

function input(action) {
  if (session === 0) return;
  if (call(action) === 1) dirty = true;
  sendOrders();
  wake();
}

function place(event) {
  const box = canvas.getBoundingClientRect();
  return [((event.clientX - box.left) * canvas.width) / box.width, ((event.clientY - box.top) * canvas.height) / box.height];
}

function move(event) {
  const [x, y] = place(event);
  input(() => module.exports.agon_move(session, x, y));
}

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || session === 0) return;
  if (event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement) return;
  const arrow = event.shiftKey && ARROWS.includes(event.key);
  const special = KEYS.indexOf(arrow ? `Shift+${event.key}` : event.key);
  const characters = [...event.key];
  if (special < 0 && characters.length !== 1) return;
  event.preventDefault();
  const code = special >= 0 ? FIRST_KEY + special : characters[0].codePointAt(0);
  input(() => module.exports.agon_key(session, code));
  // A person who leaves a match sees the list of replays.
  if (call(() => module.exports.agon_is_closed(session)) === 1) location.assign(location.pathname);
});

// The pointers that are down, by id, with their last event.
const pointers = new Map();
// The distance of two fingers at the last notch of the wheel; 0 without two fingers.
let spread = 0;

const distance = () => {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
};

canvas.addEventListener("pointerdown", (event) => {
  event.preventDefault();
  canvas.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  if (event.pointerType === "touch") input(() => module.exports.agon_touch(session));
  if (pointers.size === 1) {
    move(event);
    input(() => module.exports.agon_button(session, event.button, 1));
  } else if (pointers.size === 2) {
    // Two fingers zoom: the first one lets go.
    input(() => module.exports.agon_button(session, 0, 0));
    spread = distance();
  }
});

canvas.addEventListener("pointermove", (event) => {
  if (pointers.has(event.pointerId)) pointers.set(event.pointerId, event);
  if (spread === 0) return move(event);
  if (pointers.size !== 2) return;
  const [a, b] = [...pointers.values()];
  move({ clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 });
  const now = Math.max(1, distance());
  input(() => module.exports.agon_wheel(session, Math.log(now / spread) / Math.log(1.25)));
  spread = now;
});

function lift(event) {
  if (!pointers.delete(event.pointerId)) return;
  if (spread === 0) {
    move(event);
    input(() => module.exports.agon_button(session, Math.max(0, event.button), 0));
  } else if (pointers.size === 0) {
    spread = 0;
  }
}
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

canvas.addEventListener(
  "wheel",
  (event) => {
    // Touchpads report a pinch as the wheel with Ctrl.
    event.preventDefault();
    move(event);
    const notch = event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1;
    const notches = (-event.deltaY / notch) * (event.ctrlKey ? 4 : 1);
    input(() => module.exports.agon_wheel(session, Math.max(-8, Math.min(8, notches))));
  },
  { passive: false },
);

new ResizeObserver(wake).observe(canvas);

window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
  if (!query.has("theme")) input(() => module.exports.agon_theme(session, theme()));
});

window.addEventListener("offline", () => {
  if (ordersAddress !== null && session !== 0) tell("This computer has lost its network: the match goes on without you until it is back.");
});

// ---------------------------------------------------------------------------------------------------------------
// Another match

// The longest wait for another match in milliseconds, and the time between two looks.
const REMATCH_LIMIT = 20_000;
const REMATCH_LOOK = 200;

/** Asks the arena for another match of the same bots, and opens it as soon as it is there. */
async function rematch() {
  const address = query.get("live");
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  const ask = () => fetch(`${address}/rematch`, request);
  // Browsers do not repeat this by themselves if the server has just closed an idle connection.
  const response = await ask().catch(ask);
  if (!response.ok) throw new Error(`There is no rematch: ${(await response.text()).trim()}`);
  tell("Another match begins…");
  for (const end = performance.now() + REMATCH_LIMIT; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, REMATCH_LOOK));
    // Until the next match is there, the arena says that it is not, or nothing.
    const looking = new AbortController();
    const next = await fetch(address, { signal: looking.signal }).catch(() => null);
    looking.abort();
    if (next?.ok) return location.reload();
  }
  throw new Error("The arena has not begun another match; its terminal says why.");
}

element("rematch").addEventListener("click", (event) => {
  event.currentTarget.hidden = true;
  rematch().catch(fail);
});

// ---------------------------------------------------------------------------------------------------------------
// Saving and full screen

/** Saves the replay that is shown, or that of the match that is over. */
function save() {
  const replay = call(() => saved ?? { bytes: module.replay(session), name: "match.agon" });
  if (replay === undefined) return;
  const name = replay.name.endsWith(".agon") ? replay.name : `${replay.name}.agon`;
  const address = URL.createObjectURL(new Blob([replay.bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

element("save").addEventListener("click", (event) => {
  event.currentTarget.blur();
  try {
    save();
  } catch (error) {
    fail(error);
  }
});

element("full").addEventListener("click", (event) => {
  event.currentTarget.blur();
  const change = document.fullscreenElement ? document.exitFullscreen() : document.querySelector("main").requestFullscreen();
  change.catch((error) => tell(`The browser allows no full screen: ${error.message}`));
});

// ---------------------------------------------------------------------------------------------------------------
// Opening

element("message-close").addEventListener("click", () => tell(""));
for (const id of ["open", "choose"]) {
  element(id).addEventListener("click", (event) => {
    event.currentTarget.blur();
    element("file").click();
  });
}
element("file").addEventListener("change", (event) => {
  const file = event.target.files[0];
  event.target.value = "";
  if (file) openLocal(file);
});

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
window.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  element("drop").hidden = false;
});
window.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) element("drop").hidden = true;
});
window.addEventListener("drop", (event) => {
  element("drop").hidden = true;
  if (!carriesFiles(event)) return;
  event.preventDefault();
  const file = event.dataTransfer.files[0];
  if (file && module !== null) openLocal(file);
});

/** Lists the replays beside the page. */
async function list() {
  // A server may have no list.
  const response = await fetch("replays.json").catch(() => null);
  const replays = response?.ok ? await response.json().catch(() => []) : [];
  for (const { file, game, players, steps } of replays) {
    const link = document.createElement("a");
    link.href = `?replay=${encodeURIComponent(file)}`;
    const parts = [["strong", game, ""], ["span", players.join(", "), "players"], ["span", `${number.format(steps)} steps`, "steps"]];
    for (const [tag, text, style] of parts) {
      const part = document.createElement(tag);
      part.textContent = text;
      part.className = style;
      link.append(part);
    }
    const item = document.createElement("li");
    item.append(link);
    element("replays").append(item);
  }
}

async function load() {
  const response = await get("agon.wasm");
  // A server may not know the media type.
  const streamed = response.headers.get("content-type")?.startsWith("application/wasm");
  compiled = await (streamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer()));
  // Rules from a replay run in a worker only.
  const imports = { agon: { rules_open: () => 0, rules_call: () => 0 } };
  module = new Module((await WebAssembly.instantiate(compiled, imports)).exports);
}

async function begin() {
  if (location.protocol === "file:") {
    throw new Error("This page was opened as a file, and browsers let files load nothing. Serve the folder of the whole site (for instance `python3 -m http.server` there), or use `agon watch --web match.agon`.");
  }
  await load();
  element("hint").textContent = "Drop a replay anywhere on this page. It is played again here, in your browser, and every state is compared with the file; nothing is sent anywhere.";
  element("choose").hidden = false;
  if (query.has("live")) await follow(query.get("live"));
  else if (query.has("replay")) await openAddress(query.get("replay"));
  else await list();
}

// For tests and curious people.
window.agon = {
  ready: begin().catch(fail),
  state: () => (session === 0 || broken ? null : module.state(session)),
};
