export const GAME = "binfection";

const WAYS = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
];

/** Tells what is wrong with a reply, if anything. */
export function problem({ rules, player }, { cells }, { moves }) {
  const own = new Set(cells.filter(({ owner }) => owner === player).map(({ x, y }) => `${x} ${y}`));
  for (const move of moves) {
    if (!(move.direction in WAYS)) return "directions are 0 to 3";
    if (!own.delete(`${move.x} ${move.y}`)) return "that is no own cell, or moved twice";
    const [dx, dy] = WAYS[move.direction];
    const [x, y] = [move.x + dx, move.y + dy];
    if (x < 0 || y < 0 || x >= rules.field_width || y >= rules.field_height) return "that leads off the field";
  }
  return null;
}
