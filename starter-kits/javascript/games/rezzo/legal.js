export const GAME = "rezzo";

/** Tells what is wrong with a reply, if anything. */
export function problem(start, { rows }, { action }) {
  const ahead = rows[11][6];
  if (["NOP", "TURN_LEFT", "TURN_RIGHT"].includes(action)) return null;
  if (action === "ADVANCE" || action === "BUILD") return ahead === " " ? null : "the way is blocked";
  if (action === "HIT") return ".*,~ABCDEFGHIJ".includes(ahead) ? null : "nothing to hit";
  return "no such action";
}
