/** The messages of cellhack; `agon rules cellhack --schema` explains each field. */

export interface Rules {
  width: number;
  height: number;
  turns: number;
  energy_start: number;
  energy_max: number;
  energy_min: number;
  energy_min_split: number;
  eat_amount: number;
  rest_base: number;
  rest_per_neighbour: number;
  rest_min: number;
}

/** There is nothing to tell. */
export type Setup = Record<string, never>;

/** What a cell sees. */
export interface Observation {
  /** The nine places around it, row by row: 0 empty, 255 rock, else a player's number plus one. */
  env: number[];
  /** 255 stands for 255 and more. */
  energy: number;
  memory: number;
}

export type Way = "UP" | "LEFT" | "RIGHT" | "DOWN";
export type Action = "REST" | "NOTHING" | "DIE" | `${"EAT" | "MOVE" | "SPLIT" | "FEED"}_${Way}`;

/** What a cell does. */
export interface Reply {
  action: Action;
  /** Below 2^53; left out, it stays as it is. */
  memory?: number;
}

/** The first message. */
export interface Start {
  type: "start";
  protocol: number;
  game: "cellhack";
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
