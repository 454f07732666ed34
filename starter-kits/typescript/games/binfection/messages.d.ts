/** The messages of binfection; `agon rules binfection --schema` explains each field. */

export interface Rules {
  turns_limit: number;
  field_width: number;
  field_height: number;
  spawn_border_gap: number;
  spawns_distance: number;
  spawns_number: number;
  warriors_init_number: number;
  warriors_limit: number;
  grow_coefficient: number;
}

/** There is nothing to tell. */
export type Setup = Record<string, never>;

/** All own cells and their neighbors, row by row. */
export interface Observation {
  cells: Cell[];
}

export interface Cell {
  x: number;
  y: number;
  /** A player's number, -1: nobody. */
  owner: number;
  units: number;
}

export interface Reply {
  moves: Move[];
}

/** Half of the units on a cell go 0 up, 1 right, 2 down, or 3 left. */
export interface Move {
  x: number;
  y: number;
  direction: number;
}

/** The first message. */
export interface Start {
  type: "start";
  protocol: number;
  game: "binfection";
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
