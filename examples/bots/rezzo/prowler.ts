/**
 * prowler: goes straight ahead, turns where it cannot, and breaks what belongs to others.
 *
 * A WebAssembly bot in AssemblyScript. Build it and play:
 *
 *     npm install assemblyscript
 *     npx asc examples/bots/rezzo/prowler.ts --runtime stub --use abort= -O3 --outFile prowler.wasm
 *     agon play rezzo prowler.wasm builtin:wanderer
 */

/** 64 random bits of the arena's, the same in every run of the same match. */
@external("agon", "random")
declare function agon_random(): u64;

const FRONT: usize = 32; // bytes of agon_question; a rezzo_question follows
const ME: usize = FRONT + 9;
const CELLS: usize = FRONT + 10; // cells[13][13]; the agent is cells[12][6]
const AHEAD: usize = CELLS + 11 * 13 + 6;

const ADVANCE: u8 = 0x5e; // '^'
const LEFT: u8 = 0x5c; // '\'
const RIGHT: u8 = 0x2f; // '/'
const HIT: u8 = 0x21; // '!'
const BLANK: u8 = 0x20; // ' '
const CONDUCTOR: u8 = 0x2e; // '.'
const FLAG: u8 = 0x41; // 'A', plus the player's number
const PLAYERS: u8 = 13;

export function agon_abi(): u32 {
  return 1;
}

let room: usize = 0;

export function agon_room(size: usize): usize {
  if (room) heap.free(room);
  room = heap.alloc(size);
  return room;
}

export function agon_decide(question: usize, length: u32, answers: usize, size: u32): usize {
  const me = load<u8>(question + ME);
  const ahead = load<u8>(question + AHEAD);
  store<u8>(answers, decide(ahead, me));
  return 1;
}

function decide(ahead: u8, me: u8): u8 {
  const dice = agon_random();
  const hostileFlag = ahead >= FLAG && ahead < FLAG + PLAYERS && ahead != FLAG + me;
  if (hostileFlag || (ahead == CONDUCTOR && dice % 4 == 0)) return HIT;
  if (ahead == BLANK && dice % 16 != 0) return ADVANCE;
  return dice & 1024 ? LEFT : RIGHT;
}
