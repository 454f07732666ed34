/** The part of the messages that only cellhack has; `agon rules cellhack --schema` explains each field. */

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
