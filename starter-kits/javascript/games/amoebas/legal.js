export const GAME = "amoebas";

const NEEDS = { move: "move_energy", hit: "hit_energy", divide: "min_divide_energy" };

/** Tells what is wrong with a reply, if anything. */
export function problem({ rules, setup }, { energy, others }, { cmd, dir }) {
  if (cmd === "rest") return null;
  if (!(cmd in NEEDS)) return "no such command";
  if (!(dir in setup.directions)) return "directions are 0 to 7";
  if (energy < rules[NEEDS[cmd]]) return "too little energy";
  const [dx, dy] = setup.directions[dir];
  const occupied = others.some((other) => other.dx === dx && other.dy === dy);
  if (occupied !== (cmd === "hit")) return occupied ? "somebody is there" : "nobody is there";
  return null;
}
