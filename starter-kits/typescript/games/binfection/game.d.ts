/** The part of the messages that only binfection has; `agon rules binfection --schema` explains each field. */

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
