import type { Observation, Reply, Start } from "./messages.js";

export const GAME = "amoebas";

/** Tells what is wrong with a reply, if anything. */
export function problem({ rules, setup }: Start, { energy, others }: Observation, reply: Reply): string | null {
  if (reply.cmd === "rest") return null;
  const needs = { move: rules.move_energy, hit: rules.hit_energy, divide: rules.min_divide_energy }[reply.cmd];
  if (needs === undefined) return "no such command";
  if (!(reply.dir in setup.directions)) return "directions are 0 to 7";
  if (energy < needs) return "too little energy";
  const [dx, dy] = setup.directions[reply.dir];
  const occupied = others.some((other) => other.dx === dx && other.dy === dy);
  if (occupied !== (reply.cmd === "hit")) return occupied ? "somebody is there" : "nobody is there";
  return null;
}
