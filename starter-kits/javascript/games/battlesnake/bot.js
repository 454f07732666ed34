/** A snake for the official Battlesnake API. It moves at random, but into no wall and no body. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const INDEX = { apiversion: "1", author: "", color: "#f0c419", head: "default", tail: "default" };
const MOVES = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0] };

/** Returns the move for this turn: a key of MOVES. Change this. */
function chooseMove(state) {
  const all = Object.keys(MOVES);
  const safe = all.filter((move) => isSafe(state, move));
  return pick(state, safe.length > 0 ? safe : all);
}

/** Returns whether a move stays on the board and hits no body. */
function isSafe({ game, board, you }, move) {
  let x = you.head.x + MOVES[move][0];
  let y = you.head.y + MOVES[move][1];
  if (game.ruleset.name.startsWith("wrapped")) {
    x = (x + board.width) % board.width;
    y = (y + board.height) % board.height;
  } else if (x < 0 || y < 0 || x >= board.width || y >= board.height) {
    return false;
  }
  // The last square of a body is free after this turn.
  const bodies = board.snakes.flatMap((snake) => snake.body.slice(0, -1));
  return !bodies.some((square) => square.x === x && square.y === y);
}

/** Returns a random element. Math.random() has no seed, so no match could be played again. */
function pick({ game, you, turn }, list) {
  const hash = createHash("sha256").update(`${game.id} ${you.id} ${turn}`).digest();
  return list[hash.readUInt32LE() % list.length];
}

/** Returns the status and the answer for a request. */
function answer(method, path, body) {
  if (method === "GET" && path === "/") return [200, INDEX];
  if (method !== "POST" || !["/start", "/move", "/end"].includes(path)) {
    return [404, { error: "not found" }];
  }
  try {
    const state = JSON.parse(body);
    return [200, path === "/move" ? { move: chooseMove(state) } : {}];
  } catch (error) {
    console.error(error);
    return [error instanceof SyntaxError ? 400 : 500, { error: String(error) }];
  }
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const [status, value] = answer(request.method, request.url, Buffer.concat(chunks).toString());
    const body = Buffer.from(JSON.stringify(value));
    const fields = { "Content-Type": "application/json", "Content-Length": body.length };
    response.writeHead(status, fields).end(body);
  });
});
// Connections stay open, however long the others think.
server.keepAliveTimeout = 0;
server.listen(Number(process.env.PORT ?? 8000), process.env.HOST ?? "127.0.0.1");
