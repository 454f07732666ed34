/** A random species for amoebas: each rests half of the time, and else does something that is possible. */
import { Bot, run } from "./agon.js";
import type { Observation, Reply } from "./messages.js";

class Species extends Bot {
  /** What one amoeba does. */
  override decide({ energy, others }: Observation): Reply {
    const { rules } = this;
    const commands: Reply[] = [];
    // Directions are numbers from 0, north-west, clockwise; this has the way that each goes.
    this.setup.directions.forEach(([dx, dy], dir) => {
      const other = others.find((other) => other.dx === dx && other.dy === dy);
      if (!other) {
        if (energy >= rules.move_energy) commands.push({ cmd: "move", dir });
        if (energy >= rules.min_divide_energy) commands.push({ cmd: "divide", dir });
      } else if (other.species !== this.player && energy >= rules.hit_energy) {
        commands.push({ cmd: "hit", dir });
      }
    });
    if (commands.length === 0 || this.random.next() < 0.5) return { cmd: "rest" };
    return this.random.pick(commands);
  }
}

await run(Species, "amoebas");
