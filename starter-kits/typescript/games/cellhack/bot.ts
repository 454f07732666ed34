/** A random colony for cellhack: every cell does something that is possible where it is. */
import { Bot, run } from "./agon.js";
import type { Action, Observation, Reply } from "./messages.js";

// Where a cell's neighbors are in its `env`.
const PLACES = [
  ["UP", 1],
  ["LEFT", 3],
  ["RIGHT", 5],
  ["DOWN", 7],
] as const;
const CENTER = 4;
const EMPTY = 0;
const ROCK = 255;

class Colony extends Bot {
  /** What one cell does. */
  override decide({ env, energy, memory }: Observation): Reply {
    const actions: Action[] = ["REST"];
    for (const [way, place] of PLACES) {
      if (env[place] === EMPTY) {
        actions.push(`MOVE_${way}`);
        if (energy > this.rules.energy_min_split) actions.push(`SPLIT_${way}`);
      } else if (env[place] !== env[CENTER] && env[place] !== ROCK) {
        actions.push(`EAT_${way}`);
      }
    }
    // The memory counts the turns that the cell and its ancestors have seen; nothing else lasts. JavaScript keeps
    // numbers below 2^53 exactly.
    return { action: this.random.pick(actions), memory: memory + 1 };
  }
}

await run(Colony, "cellhack");
