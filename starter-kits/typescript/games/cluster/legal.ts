import type { Observation, Reply, Start } from "./messages.js";

export const GAME = "cluster";

/** Tells what is wrong with a reply, if anything. */
export function problem(start: Start, { hand, columns }: Observation, reply: Reply): string | null {
  if (reply.action === "ROTATE") return [1, 2, 3, 4, 5].includes(reply.cycles) ? null : "1 to 5 cycles";
  if (reply.action !== "PLACE") return "no such action, or none to take at random";
  if (!hand.includes(reply.color)) return "the color is not in hand";
  if (!columns.some((free) => free.column === reply.column)) return "the column takes no pellet";
  return null;
}
