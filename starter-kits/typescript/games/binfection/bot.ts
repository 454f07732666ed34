/** A random army for binfection: half of every stack goes somewhere on the field. */
import { Bot, run } from "./agon.js";
import type { Move, Observation, Reply } from "./messages.js";

// The way of each direction: up, right, down, left.
const WAYS = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
];

class Army extends Bot {
  /** The moves of this turn. */
  override decide({ cells }: Observation): Reply {
    const moves: Move[] = [];
    for (const { x, y, owner, units } of cells) {
      if (owner !== this.player || units < 2) continue;
      const directions = [0, 1, 2, 3].filter((way) => this.onField(x + WAYS[way][0], y + WAYS[way][1]));
      if (directions.length > 0) moves.push({ x, y, direction: this.random.pick(directions) });
    }
    return { moves };
  }

  /** Who leaves the field is lost. */
  private onField(x: number, y: number): boolean {
    return x >= 0 && x < this.rules.field_width && y >= 0 && y < this.rules.field_height;
  }
}

await run(Army, "binfection");
