/** The part of the messages that only amoebas has; `agon rules amoebas --schema` explains each field. */

export interface Rules {
  world_size: number;
  sun_energy: number;
  max_cell_energy: number;
  view_distance: number;
  max_amoeba_energy: number;
  rest_energy: number;
  move_energy: number;
  hit_energy: number;
  max_fueling_energy: number;
  min_divide_energy: number;
  divide_energy_loss: number;
  max_amoeba_health: number;
  hit_loss: number;
  recovery_gain: number;
  rounds: number;
  data_limit: number;
}

export interface Setup {
  /** The way (dx, dy) of each direction. */
  directions: [number, number][];
  /** The way to each cell of the window. */
  window: [number, number][];
}

/** What an amoeba sees. */
export interface Observation {
  energy: number;
  health: number;
  data: string | null;
  /** null: the original one of the species. */
  function: string | null;
  /** The fuel of each cell of the window. */
  fuel: number[];
  others: Other[];
}

/** Another amoeba in the window. */
export interface Other {
  dx: number;
  dy: number;
  /** A player's number. */
  species: number;
  energy: number;
  health: number;
  data: string | null;
}

/** What an amoeba does; without `data` its old data are forgotten. */
export type Reply =
  | { cmd: "rest"; data?: string }
  | { cmd: "move" | "hit"; dir: number; data?: string }
  | { cmd: "divide"; dir: number; data?: string; function?: string; child_data?: string };
