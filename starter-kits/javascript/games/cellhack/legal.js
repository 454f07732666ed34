export const GAME = "cellhack";

const PLACES = { UP: 1, LEFT: 3, RIGHT: 5, DOWN: 7 };

/** Tells what is wrong with a reply, if anything. */
export function problem({ rules }, { env, energy }, { action, memory = 0 }) {
  const [verb, way] = action.split("_");
  if (!Number.isSafeInteger(memory) || memory < 0) return "the memory is a whole number below 2^53";
  if (["REST", "NOTHING", "DIE"].includes(action)) return null;
  if (!["EAT", "MOVE", "SPLIT", "FEED"].includes(verb) || !(way in PLACES)) return "no such action";
  const there = env[PLACES[way]];
  if ((verb === "MOVE" || verb === "SPLIT") && there !== 0) return "the place is taken";
  if ((verb === "EAT" || verb === "FEED") && (there === 0 || there === 255)) return "there is no cell";
  if (verb === "SPLIT" && energy <= rules.energy_min_split) return "too little energy to split";
  return null;
}
