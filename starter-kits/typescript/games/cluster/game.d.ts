/** The part of the messages that only cluster has; `agon rules cluster --schema` explains each field. */

export interface Rules {
  side: number;
  run_length: number;
  hand_size: number;
  bag: number | null;
  max_rounds: number;
}

/** What never changes. */
export interface Setup {
  /** neighbors[cell][direction], -1 beyond the edge. */
  neighbors: number[][];
  /** tops[column][gravity]: the cell where a pellet enters. */
  tops: number[][];
  /** The two colors of each player. */
  colors: number[][];
  /** Pellets of each color in a full bag. */
  bag: number;
}

/** What the player to move sees. */
export interface Observation {
  gravity: number;
  /** The color on each cell, -1: empty. */
  cells: number[];
  /** The colors in hand. */
  hand: number[];
  columns: Column[];
  bags: Bag[];
  /** Own pellets burnt by rotations so far. */
  burnt: number;
}

/** A column that takes a pellet, the cell where it enters, and the one where it comes to rest. */
export interface Column {
  column: number;
  top: number;
  landing: number;
}

/** What is left of an own color, without the hand. */
export interface Bag {
  color: number;
  pellets: number;
}

export type Reply =
  | { action: "PLACE"; column: number; color: number }
  /** 1 to 5. */
  | { action: "ROTATE"; cycles: number }
  | { action: "FORFEIT" };
