/** A random player for cluster: any pellet in hand into any column that takes one. */
import { Bot, run } from "./agon.js";

class Player extends Bot {
  /** The move of this turn. `columns` are those that take a pellet, and where it comes to rest in each. */
  decide({ columns, hand }) {
    if (columns.length === 0) {
      // The board is full where pellets enter: turn it.
      return { action: "ROTATE", cycles: 1 + this.random.below(5) };
    }
    return { action: "PLACE", column: this.random.pick(columns).column, color: this.random.pick(hand) };
  }
}

await run(Player, "cluster");
