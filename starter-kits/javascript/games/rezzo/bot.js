/** A random agent for rezzo: anything that is possible in front of it. */
import { Bot, run } from "./agon.js";

class Agent extends Bot {
  /** The action of this tick. `rows` are the 13x13 cells ahead; the agent is in the middle of the last row. */
  decide({ rows }) {
    const ahead = rows[11][6];
    const actions = ["NOP", "TURN_LEFT", "TURN_RIGHT"];
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
