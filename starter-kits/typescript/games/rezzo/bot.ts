/** A random agent for rezzo: anything that is possible in front of it. */
import { Bot, run } from "./agon.js";
import type { Observation, Reply } from "./messages.js";

class Agent extends Bot {
  /** The action of this tick. */
  override decide({ rows }: Observation): Reply {
    const ahead = rows[11][6];
    const actions: Reply["action"][] = ["NOP", "TURN_LEFT", "TURN_RIGHT"];
    if (ahead === " ") {
      actions.push("ADVANCE", "BUILD");
    } else if (".*,~ABCDEFGHIJ".includes(ahead)) {
      // Wires, signals and flags can be hit, and vanish after some hits.
      actions.push("HIT");
    }
    return { action: this.random.pick(actions) };
  }
}

await run(Agent, "rezzo");
