import type { Observation, Reply, Start } from "./messages.js";

export const GAME = "cellhack";

const PLACES = new Map([
  ["UP", 1],
  ["LEFT", 3],
  ["RIGHT", 5],
  ["DOWN", 7],
]);

/** Tells what is wrong with a reply, if anything. */
export function problem({ rules }: Start, { env, energy }: Observation, { action, memory }: Reply): string | null {
  const number = memory ?? 0;
  if (!Number.isSafeInteger(number) || number < 0) return "the memory is a whole number below 2^53";
  if (action === "REST" || action === "NOTHING" || action === "DIE") return null;
  const [verb, way] = action.split("_");
  const place = PLACES.get(way);
  if (!["EAT", "MOVE", "SPLIT", "FEED"].includes(verb) || place === undefined) return "no such action";
  const there = env[place];
  if ((verb === "MOVE" || verb === "SPLIT") && there !== 0) return "the place is taken";
  if ((verb === "EAT" || verb === "FEED") && (there === 0 || there === 255)) return "there is no cell";
  if (verb === "SPLIT" && energy <= rules.energy_min_split) return "too little energy to split";
  return null;
}
