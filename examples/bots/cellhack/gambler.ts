/**
 * gambler: splits in a random direction, and now and then bites or walks instead of resting.
 *
 * A WebAssembly bot in AssemblyScript. Build it and play:
 *
 *     npm install assemblyscript
 *     npx asc examples/bots/cellhack/gambler.ts --runtime stub --use abort= -O3 --outFile gambler.wasm
 *     agon play cellhack gambler.wasm builtin:grower
 */

/** 64 random bits of the arena's, the same in every run of the same match. */
@external("agon", "random")
declare function agon_random(): u64;

/** `agon_question`: what stands in front of the cells. */
@unmanaged
class Question {
  decisions: u32;
  player: u32;
  step: u64;
  turn: u64;
  stride: u32;
  reserved: u32;
}

const FRONT: usize = 32; // bytes of agon_question
const CELL: usize = 24; // of cellhack_question: env[9], energy, pad[6], memory
const ANSWER: usize = 16; // of cellhack_answer: action, pad[7], memory
const ENERGY: usize = 9;
const MEMORY: usize = 16; // in the question
const NEW_MEMORY: usize = 8; // in the answer

const REST: u8 = 1;
const EAT: u8 = 0x10;
const MOVE: u8 = 0x20;
const SPLIT: u8 = 0x30;
const CENTER: usize = 4;
const ROCK: u8 = 255;

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
  const count: usize = changetype<Question>(question).decisions;
  let cell = question + FRONT;
  let answer = answers;
  for (let i: usize = 0; i < count; i++) {
    store<u8>(answer, decide(cell));
    store<u64>(answer, load<u64>(cell, MEMORY), NEW_MEMORY);
    cell += CELL;
    answer += ANSWER;
  }
  return count * ANSWER;
}

function decide(env: usize): u8 {
  const energy = load<u8>(env, ENERGY);
  const dice = agon_random();
  // Up, left, right and down are the places 1, 3, 5 and 7.
  const direction: u8 = <u8>(dice & 3) * 2 + 1;
  const there = load<u8>(env + direction);
  const own = load<u8>(env + CENTER);
  const courage = <f64>(dice >> 11) / <f64>(1 << 53);
  if (there == 0) {
    if (energy > 44) return SPLIT + direction;
    if (energy > 30 && courage < 0.1) return MOVE + direction;
  } else if (there != own && there != ROCK && courage < 0.5) {
    return EAT + direction;
  }
  return REST;
}
