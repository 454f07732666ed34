// The rules of coins: walkers collect coins on a board; the most coins win.
//
// All walkers move at once. Nobody leaves the board or goes to a square where somebody stands: the
// draw of the turn decides who moves first.

import { Chance, Decision, Field, FOOD, Match, Picture, play, playerInk, Rules, Shape } from "./agon";
export { agon_abi, agon_decide, agon_room } from "./agon";

const MOST_PLAYERS = 4;

// The numbers of a position.
const TURN = 0, PLAYERS = 1, COIN_X = 2, COIN_Y = 3, COINS = 4, X = 8, Y = 12, SIZE = 16;
// A view has two more behind.
const YOU = 16, SIDE = 17;

// The settings, in the order of game.toml.
function side(match: Match): i32 { return <i32>match.settings[0]; }
function turns(match: Match): i32 { return <i32>match.settings[1]; }

const STEP_X: i32[] = [0, 1, 0, -1, 0], STEP_Y: i32[] = [-1, 0, 1, 0, 0];

function isTaken(now: StaticArray<i32>, x: i32, y: i32): bool {
  for (let i = 0; i < now[PLAYERS]; i++) if (now[X + i] == x && now[Y + i] == y) return true;
  return false;
}

/** Puts the coin on a free square. */
function dropCoin(match: Match, now: StaticArray<i32>, chance: Chance): void {
  do {
    now[COIN_X] = chance.below(side(match));
    now[COIN_Y] = chance.below(side(match));
  } while (isTaken(now, now[COIN_X], now[COIN_Y]));
}

function seen(): Field[] {
  return [
    new Field("turn", "Turns that are over.", TURN),
    new Field("players", "Number of walkers.", PLAYERS),
    new Field("coin_x", "Column of the coin, from 0.", COIN_X),
    new Field("coin_y", "Row of the coin, from 0 at the top.", COIN_Y),
    new Field("coins", "Coins of each walker.", COINS, MOST_PLAYERS, "players"),
    new Field("x", "Column of each walker.", X, MOST_PLAYERS, "players"),
    new Field("y", "Row of each walker.", Y, MOST_PLAYERS, "players"),
  ];
}

class Coins extends Rules {
  positionSize(): i32 { return SIZE; }
  viewSize(): i32 { return SIZE + 2; }
  positionFields(): Field[] { return seen(); }
  viewFields(): Field[] {
    return seen().concat([
      new Field("you", "Number of your walker, from 0.", YOU),
      new Field("side", "Squares of each side of the board.", SIDE),
    ]);
  }

  answers(match: Match): string[] { return ["UP", "RIGHT", "DOWN", "LEFT", "STAY"]; }

  start(match: Match, now: StaticArray<i32>): string {
    const last = side(match) - 1;
    now[PLAYERS] = match.players;
    for (let i = 0; i < match.players; i++) {
      now[X + i] = i == 1 || i == 2 ? last : 0;
      now[Y + i] = i == 1 || i == 3 ? last : 0;
    }
    dropCoin(match, now, match.chance(0));
    return "";
  }

  check(match: Match, now: StaticArray<i32>): string {
    const isIn = (at: i32, most: i32): bool => at >= 0 && at < most;
    if (now[PLAYERS] < 2 || now[PLAYERS] > MOST_PLAYERS) return "players: 2 to 4 can play";
    if (!isIn(now[TURN], turns(match) + 1)) return "turn: the match is over before";
    if (!isIn(now[COIN_X], side(match)) || !isIn(now[COIN_Y], side(match))) {
      return "coin_x, coin_y: outside of the board";
    }
    for (let i = 0; i < MOST_PLAYERS; i++) {
      const most = i < now[PLAYERS] ? side(match) : 1;
      const coins = i < now[PLAYERS] ? now[TURN] + 1 : 1;
      if (!isIn(now[X + i], most) || !isIn(now[Y + i], most) || !isIn(now[COINS + i], coins)) {
        return "x, y, coins: outside of the board, or too many";
      }
      for (let j = 0; j < i && i < now[PLAYERS]; j++) {
        if (now[X + i] == now[X + j] && now[Y + i] == now[Y + j]) {
          return "x, y: two walkers share a square";
        }
      }
    }
    return isTaken(now, now[COIN_X], now[COIN_Y]) ? "coin_x, coin_y: a walker is there" : "";
  }

  players(now: StaticArray<i32>): i32 { return now[PLAYERS]; }
  turn(now: StaticArray<i32>): i32 { return now[TURN]; }
  limit(match: Match, now: StaticArray<i32>): i32 { return turns(match); }

  decisions(match: Match, now: StaticArray<i32>): Decision[] {
    const all: Decision[] = [];
    for (let i = 0; i < now[PLAYERS] && now[TURN] < turns(match); i++) all.push(new Decision(i));
    return all;
  }

  isLegal(match: Match, now: StaticArray<i32>, decision: Decision, answer: i32): bool {
    const x = now[X + decision.player] + STEP_X[answer];
    const y = now[Y + decision.player] + STEP_Y[answer];
    return x >= 0 && x < side(match) && y >= 0 && y < side(match);
  }

  see(match: Match, now: StaticArray<i32>, decision: Decision, view: StaticArray<i32>): void {
    for (let i = 0; i < SIZE; i++) view[i] = now[i];
    view[YOU] = decision.player;
    view[SIDE] = side(match);
  }

  step(match: Match, now: StaticArray<i32>, answers: i32[]): void {
    now[TURN]++;
    const chance = match.chance(now[TURN]), order: i32[] = [];
    for (let i = 0; i < now[PLAYERS]; i++) {
      const place = chance.below(i + 1);
      order.push(i);
      order[i] = order[place];
      order[place] = i;
    }
    for (let i = 0; i < order.length; i++) {
      const player = order[i], answer = answers[player];
      if (answer < 0 || !this.isLegal(match, now, new Decision(player), answer)) continue;
      const x = now[X + player] + STEP_X[answer], y = now[Y + player] + STEP_Y[answer];
      if (isTaken(now, x, y)) continue;
      now[X + player] = x;
      now[Y + player] = y;
      if (x == now[COIN_X] && y == now[COIN_Y]) {
        now[COINS + player]++;
        dropCoin(match, now, chance);
      }
    }
  }

  score(match: Match, now: StaticArray<i32>, player: i32): i32 { return now[COINS + player]; }
  ending(match: Match, now: StaticArray<i32>): string { return "most coins"; }

  draw(match: Match, now: StaticArray<i32>, player: i32): Picture | null {
    const picture = new Picture(side(match), side(match));
    picture.mark(now[COIN_X], now[COIN_Y], Shape.Disc, FOOD, 60);
    for (let i = 0; i < now[PLAYERS]; i++) picture.fill(now[X + i], now[Y + i], playerInk(i));
    return picture;
  }
}

play(new Coins());
