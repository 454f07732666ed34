export const GAME = "cluster";

/** Tells what is wrong with a reply, if anything. */
export function problem(start, { hand, columns }, { action, column, color, cycles }) {
  if (action === "ROTATE") return [1, 2, 3, 4, 5].includes(cycles) ? null : "1 to 5 cycles";
  if (action !== "PLACE") return "no such action";
  if (!hand.includes(color)) return "the color is not in hand";
  if (!columns.some((free) => free.column === column)) return "the column takes no pellet";
  return null;
}
