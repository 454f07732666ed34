/**
 * Tests messages.d.ts with the recorded conversation in golden, or in the folder that AGON_GOLDEN names: every message
 * of it must have its type.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { GAME } from "./legal.js";

const FOLDER = process.env.AGON_GOLDEN ?? "golden";
const TYPES = { start: "Start", decide: "Decide", end: "End" };

/** The lines of a file; GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered. */
const lines = (whose) => readFileSync(`${FOLDER}/${GAME}.${whose}.jsonl`, "utf8").trimEnd().split("\n");

test("the types fit all messages", () => {
  const typed = [
    ...lines("arena").map((line) => [line, TYPES[JSON.parse(line).type]]),
    ...lines("bot").map((line) => [line, "Answers"]),
  ];
  const checks = typed.map(([line, type], n) => `const message${n}: ${type} = ${line};\n`);
  const file = "golden_types.ts";
  writeFileSync(file, `import type { Answers, Decide, End, Start } from "./messages.js";\n${checks.join("")}`);
  const { stdout, error } = spawnSync("tsc", ["--noEmit", "--strict", file], { encoding: "utf8" });
  assert.equal(error, undefined);
  assert.equal(stdout, "");
  rmSync(file);
});
