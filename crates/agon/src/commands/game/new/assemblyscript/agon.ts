// The kit for games in AssemblyScript that Agon plays from a file: docs/game-files.md.
//
// The position and the view are lists of whole numbers, `i32`. A game extends `Rules`, says with
// `Field`s what the numbers mean, and hands itself to `play` when the module starts. Nothing lasts
// from call to call.

/** A field of the position or the view, as people and bots see it. */
export class Field {
  /**
   * `count` is 0 for a single number, and else the room of a list; `length` is the field before it
   * that says how much of the list is used, or empty.
   */
  constructor(
    public name: string, public about: string, public at: i32, public count: i32 = 0,
    public length: string = "",
  ) {}
}

/** A decision: who is asked, and about what. */
export class Decision {
  constructor(public player: i32, public unit: i32 = 0) {}
}

/** The match that a call is about. */
export class Match {
  players: i32 = 0;
  /** The settings in the order of game.toml: numbers, 0 and 1, and the places of words. */
  settings: Array<i64> = [];
  key: StaticArray<u32> = new StaticArray<u32>(8);

  /** The chance of a turn. Who sees some of its numbers learns no others. */
  chance(turn: i32): Chance {
    return new Chance(this.key, turn);
  }
}

/** The answer of a bot that gave none. */
export const DEFAULT: i32 = -1;
/** A picture of everything, not of what a player sees. */
export const ALL: i32 = -1;

/** Colours by their meaning. */
export const GROUND = ink(0), WALL = ink(1), FOOD = ink(2), HIDDEN = ink(7), ACCENT = ink(8);
export function playerInk(player: i32): u16 { return ink(16 + player); }
function ink(hue: i32): u16 { return <u16>(hue * 64 + 63); }
/** Shapes. */
export enum Shape { Disc, Ring, Square, Pointer, Flag, Cross, Digits }

/** A picture of squares. */
export class Picture {
  squares: Array<u16>;
  marks: Writer = new Writer();
  count: i32 = 0;
  constructor(public width: i32, public height: i32, public wraps: bool = false) {
    this.squares = new Array<u16>(width * height).fill(GROUND);
  }
  fill(x: i32, y: i32, ink: u16): void { this.squares[y * this.width + x] = ink; }
  /** `number` is a diameter in percent, a direction or a number. */
  mark(x: i32, y: i32, shape: Shape, ink: u16, number: i32): void {
    this.count++;
    this.marks.u32(y * this.width + x);
    this.marks.u16(<u16>shape);
    this.marks.u16(ink);
    this.marks.u32(number);
  }
}

/** The rules of a game. `now` is a position. */
export abstract class Rules {
  /** How many numbers a position and a view have. */
  abstract positionSize(): i32;
  abstract viewSize(): i32;
  abstract positionFields(): Field[];
  abstract viewFields(): Field[];
  /** All answers that could ever be legal, as words. */
  abstract answers(match: Match): string[];
  /** Fills in the start, which is zero before. Returns why the settings do not fit, or "". */
  abstract start(match: Match, now: StaticArray<i32>): string;
  /** Returns what contradicts the rules in a position that somebody wrote, or "". */
  abstract check(match: Match, now: StaticArray<i32>): string;
  abstract players(now: StaticArray<i32>): i32;
  abstract turn(now: StaticArray<i32>): i32;
  /** The turn at which the match ends at the latest; -1 for none. */
  limit(match: Match, now: StaticArray<i32>): i32 { return -1; }
  isOut(now: StaticArray<i32>, player: i32): bool { return false; }
  /** The decisions of now, by player, then unit; none if the game is over. */
  abstract decisions(match: Match, now: StaticArray<i32>): Decision[];
  isLegal(match: Match, now: StaticArray<i32>, decision: Decision, answer: i32): bool {
    return true;
  }
  /** Fills in what a decision sees. */
  abstract see(match: Match, now: StaticArray<i32>, decision: Decision, view: StaticArray<i32>): void;
  /** Plays one step: an answer for each decision of now, in the same order. */
  abstract step(match: Match, now: StaticArray<i32>, answers: i32[]): void;
  abstract score(match: Match, now: StaticArray<i32>, player: i32): i32;
  /** What decides a player's place: the highest wins. */
  rank(match: Match, now: StaticArray<i32>, player: i32): i32 {
    return this.score(match, now, player);
  }
  /** Why the game has ended this way. */
  abstract ending(match: Match, now: StaticArray<i32>): string;
  /** What `player` sees, or everything for ALL; null without a board. */
  draw(match: Match, now: StaticArray<i32>, player: i32): Picture | null { return null; }
}

/** Numbers of a turn: ChaCha with 8 rounds. */
export class Chance {
  private state: StaticArray<u32> = new StaticArray<u32>(16);
  private block: StaticArray<u32> = new StaticArray<u32>(16);
  private used: i32 = 16;
  constructor(key: StaticArray<u32>, turn: i32) {
    const words: u32[] = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
    for (let i = 0; i < 4; i++) this.state[i] = words[i];
    for (let i = 0; i < 8; i++) this.state[4 + i] = key[i];
    this.state[14] = turn;
  }
  private word(): u32 {
    if (this.used == 16) {
      const x = this.block;
      for (let i = 0; i < 16; i++) x[i] = this.state[i];
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 4; i++) quarter(x, i, 4 + i, 8 + i, 12 + i);
        for (let i = 0; i < 4; i++) {
          quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
      }
      for (let i = 0; i < 16; i++) x[i] += this.state[i];
      this.state[12]++;
      this.used = 0;
    }
    return this.block[this.used++];
  }
  /** A number below `limit`, all with the same chance; 0 if `limit` is 0. */
  below(limit: u32): i32 {
    if (limit == 0) return 0;
    const most = u32.MAX_VALUE - <u32>(0x100000000 % <u64>limit);
    let word = this.word();
    while (word > most) word = this.word();
    return word % limit;
  }
}
function quarter(x: StaticArray<u32>, a: i32, b: i32, c: i32, d: i32): void {
  x[a] += x[b]; x[d] = rotl<u32>(x[d] ^ x[a], 16);
  x[c] += x[d]; x[b] = rotl<u32>(x[b] ^ x[c], 12);
  x[a] += x[b]; x[d] = rotl<u32>(x[d] ^ x[a], 8);
  x[c] += x[d]; x[b] = rotl<u32>(x[b] ^ x[c], 7);
}

// The kit's own part: the requests of the arena.

class Writer {
  bytes: Array<u8> = [];
  u8(value: u8): void { this.bytes.push(value); }
  u16(value: u16): void { this.u8(<u8>value); this.u8(<u8>(value >> 8)); }
  u32(value: u32): void { this.u16(<u16>value); this.u16(<u16>(value >> 16)); }
  u64(value: u64): void { this.u32(<u32>value); this.u32(<u32>(value >> 32)); }
  all(other: Writer): void { this.bytes = this.bytes.concat(other.bytes); }
  raw(text: string): void {
    const utf8 = Uint8Array.wrap(String.UTF8.encode(text));
    for (let i = 0; i < utf8.length; i++) this.u8(utf8[i]);
  }
  text(text: string): void {
    this.u32(String.UTF8.byteLength(text));
    this.raw(text);
  }
  numbers(list: StaticArray<i32>): void {
    this.u32(4 * list.length);
    for (let i = 0; i < list.length; i++) this.u32(list[i]);
  }
}

class Reader {
  constructor(public at: usize, public end: usize) {}
  private take(count: usize): usize {
    assert(this.end - this.at >= count);
    const taken = this.at;
    this.at += count;
    return taken;
  }
  skip(count: usize): void { this.take(count); }
  u32(): u32 { return load<u32>(this.take(4)); }
  i64(): i64 { return load<i64>(this.take(8)); }
  numbers(size: i32): StaticArray<i32> {
    const list = new StaticArray<i32>(size);
    assert(this.u32() == 4 * size);
    for (let i = 0; i < size; i++) list[i] = this.u32();
    return list;
  }
}

let game: Rules | null = null;
/** Makes these rules those of the module. */
export function play(rules: Rules): void { game = rules; }

function hash(now: StaticArray<i32>): u64 {
  let sum: u64 = 0xcbf29ce484222325;
  for (let i = 0; i < now.length; i++) sum = rotl<u64>((sum ^ <u32>now[i]) * 0x9e3779b97f4a7c15, 29);
  sum = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9;
  sum = (sum ^ (sum >> 27)) * 0x94d049bb133111eb;
  return sum ^ (sum >> 31);
}

function sayFields(name: string, size: i32, fields: Field[]): string {
  const all: string[] = [];
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i];
    all.push(`{"name":"${field.name}","about":"${field.about}","at":${4 * field.at},"bytes":4,` +
      `"signed":true,"count":${field.count},"length":"${field.length}"}`);
  }
  return `"${name}":{"size":${4 * size},"fields":[${all.join(",")}]}`;
}

function putState(out: Writer, rules: Rules, match: Match, now: StaticArray<i32>): void {
  match.players = rules.players(now);
  out.numbers(now);
  out.u64(hash(now));
  out.u64(rules.turn(now));
  const limit = rules.limit(match, now);
  out.u64(limit < 0 ? u64.MAX_VALUE : <u64>limit);
  out.u32(match.players);
  for (let player = 0; player < match.players; player++) out.u8(u8(rules.isOut(now, player)));
  const answers = rules.answers(match).length, decisions = rules.decisions(match, now);
  out.u32(decisions.length);
  for (let i = 0; i < decisions.length; i++) {
    out.u32(decisions[i].player);
    out.u32(decisions[i].unit);
    for (let first = 0; first < answers; first += 64) {
      let legal: u64 = 0;
      for (let j = 0; j < min(64, answers - first); j++) {
        if (rules.isLegal(match, now, decisions[i], first + j)) legal |= <u64>1 << j;
      }
      out.u64(legal);
    }
  }
}

/** Returns what does not fit, or "". */
function reply(input: Reader, out: Writer, rules: Rules): string {
  const size = rules.positionSize(), op = input.u32();
  if (op == 0) {
    const view = sayFields("view", rules.viewSize(), rules.viewFields());
    out.raw(`{${sayFields("position", size, rules.positionFields())},${view}}`);
    return "";
  }
  const match = new Match();
  input.skip(input.u32());
  const settings = input.u32();
  for (let i: u32 = 0; i < settings; i++) match.settings.push(input.i64());
  input.skip(12);
  for (let i = 0; i < 8; i++) match.key[i] = input.u32();
  match.players = input.u32();
  if (op == 1) {
    const answers = rules.answers(match);
    out.u32(answers.length);
    for (let i = 0; i < answers.length; i++) out.text(`"${answers[i]}"`);
    return "";
  }
  if (op == 2) {
    const now = new StaticArray<i32>(size), problem = rules.start(match, now);
    if (!problem.length) putState(out, rules, match, now);
    return problem;
  }
  if (op == 3) {
    input.skip(4);
    if (load<u32>(input.at) != 4 * size) return "the position has another size";
    const now = input.numbers(size);
    match.players = rules.players(now);
    if (match.players < 1 || match.players > 64) return "the number of players is wrong";
    const problem = rules.check(match, now);
    if (!problem.length) putState(out, rules, match, now);
    return problem;
  }
  if (op == 4) {
    for (let boards = input.u32(); boards > 0; boards--) {
      const now = input.numbers(size);
      for (let steps = input.u32(); steps > 0; steps--) {
        const answers: i32[] = [];
        for (let count = input.u32(); count > 0; count--) answers.push(input.u32());
        if (answers.length != rules.decisions(match, now).length) {
          return "the number of answers is not that of decisions";
        }
        rules.step(match, now, answers);
        out.u64(hash(now));
      }
      putState(out, rules, match, now);
    }
    return "";
  }
  const now = input.numbers(size);
  if (op == 5) {
    for (let count = input.u32(); count > 0; count--) {
      const view = new StaticArray<i32>(rules.viewSize()), player = input.u32();
      rules.see(match, now, new Decision(player, input.u32()), view);
      out.numbers(view);
    }
  } else if (op == 6) {
    const isOver = rules.decisions(match, now).length == 0;
    out.u32(match.players);
    for (let player = 0; player < match.players; player++) {
      let place = 1;
      for (let other = 0; other < match.players; other++) {
        place += i32(rules.rank(match, now, other) > rules.rank(match, now, player));
      }
      out.u32(place);
      out.u64(<i64>rules.score(match, now, player));
      out.u8(u8(rules.isOut(now, player)));
      out.u32(0);
    }
    // No winners: those with the best place have won.
    out.u32(0);
    out.text(isOver ? rules.ending(match, now) : "");
  } else if (op == 7) {
    const picture = rules.draw(match, now, input.u32());
    if (!picture) {
      out.u64(0);
      return "";
    }
    out.u32(picture.width);
    out.u32(picture.height);
    out.u32(u32(picture.wraps));
    for (let i = 0; i < picture.squares.length; i++) out.u16(picture.squares[i]);
    out.u32(picture.count);
    out.all(picture.marks);
  } else {
    return "there is no such request";
  }
  return "";
}

export function agon_abi(): u32 { return 1001; }

export function agon_room(size: u32): usize {
  const pages = memory.grow((size + 65535) / 65536);
  return pages < 0 ? 0 : <usize>pages * 65536;
}

export function agon_decide(request: usize, length: u32, place: usize, room: u32): u32 {
  const out = new Writer();
  out.u8(0);
  const problem = reply(new Reader(request, request + length), out, game!);
  if (problem.length) {
    out.bytes = [1];
    out.raw(problem);
  }
  assert(<u32>out.bytes.length <= room);
  for (let i = 0; i < out.bytes.length; i++) store<u8>(place + i, out.bytes[i]);
  return out.bytes.length;
}
