/** The types of agon.js; those of the messages are in messages.d.ts. */
import type { Observation, Outcome, Reply, Rules, Setup, Start } from "./messages.js";

/** One player in one match. */
export abstract class Bot {
  constructor(start: Start);
  readonly start: Start;
  readonly rules: Rules;
  readonly setup: Setup;
  readonly player: number;
  /** The arena gives the same seed when it plays the match again: with this the bot does the same, too. */
  readonly random: Random;

  /** The reply to one observation. */
  abstract decide(seen: Observation, turn: number): Reply;
  /** The replies to all observations of a question, in order. Override it to plan for all together. */
  answer(decisions: Observation[], turn: number): Reply[];
  /** The match is over, or the player is out. */
  end(outcome: Outcome | null): void;
}

/** Random numbers that a seed determines; Math.random() has none. */
export class Random {
  constructor(seed: number);
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number;
  /** One of the elements of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
}

/** Plays one match: reads messages from an iterable of strings, hands each line of the answer to `write`. */
export function play(
  BotClass: new (start: Start) => Bot,
  game: string,
  input: Iterable<string> | AsyncIterable<string>,
  write: (line: string) => void,
): Promise<void>;

/** Plays over standard input and output; with `--listen PORT` waits there for matches, one after the other. */
export function run(BotClass: new (start: Start) => Bot, game: string): Promise<void>;
