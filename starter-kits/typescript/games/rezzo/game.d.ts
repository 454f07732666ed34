/** The part of the messages that only rezzo has; `agon rules rezzo --schema` explains each field. */

export interface Rules {
  width: number;
  height: number;
  max_ticks: number;
  damage_limit: number;
  flag_dissolves: "photon" | "electron";
  base_of: "enemy" | "any";
  map: string[];
  grid_step: number;
  density_divisor: number;
  loop_area: number;
  loop_min: number;
  loop_max: number;
}

/** The characters of what is one's own. */
export interface Setup {
  agent: string;
  flag: string;
  geyser: string;
  base: string;
}

/** What an agent sees. */
export interface Observation {
  /** What became of the previous answer. */
  ack: "OK" | "NO_MESSAGE" | "INVALID" | "GARBAGE" | "SEVERAL";
  /** The 13x13 cells ahead, the farthest row first; the agent is rows[12][6]. */
  rows: string[];
  /** The damage of the same cells. */
  damage: number[][];
}

export interface Reply {
  action: "NOP" | "ADVANCE" | "TURN_LEFT" | "TURN_RIGHT" | "BUILD" | "HIT";
}
