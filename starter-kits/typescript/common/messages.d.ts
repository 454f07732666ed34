/** The messages of {{game}}; what differs from game to game is in game.d.ts. */
import type { Observation, Reply, Rules, Setup } from "./game.js";

export * from "./game.js";

/** The first message. */
export interface Start {
  type: "start";
  protocol: number;
  game: "{{game}}";
  rules_version: number;
  rules: Rules;
  players: string[];
  player: number;
  seed: number;
  setup: Setup;
}

/** A question. */
export interface Decide {
  type: "decide";
  step: number;
  turn: number;
  decisions: Observation[];
}

/** The answer to a question. */
export interface Answers {
  step: number;
  answers: Reply[];
}

/** The last message. */
export interface End {
  type: "end";
  outcome: Outcome | null;
}

export interface Outcome {
  winners: number[];
  reason: string;
}
