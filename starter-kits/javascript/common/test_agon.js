/**
 * Tests agon.js and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names.
 *
 * GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Bot, Random, play } from "./agon.js";
import { GAME, problem } from "./legal.js";

const FOLDER = process.env.AGON_GOLDEN ?? "golden";
const ARENA = readFileSync(`${FOLDER}/${GAME}.arena.jsonl`, "utf8");
const BOT = readFileSync(`${FOLDER}/${GAME}.bot.jsonl`, "utf8");
const parse = (text) => text.trimEnd().split("\n").map((line) => JSON.parse(line));
const write = (messages) => messages.map((message) => JSON.stringify(message) + "\n").join("");

/** Plays with bot.js as the arena does. */
function talk(text) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["bot.js"], { input: text, encoding: "utf8" });
  return { answers: stdout === "" ? [] : parse(stdout), stderr, status };
}

test("answers are written as recorded", async () => {
  const replies = parse(BOT);
  const ends = [];
  class Replay extends Bot {
    answer = () => replies.shift().answers;
    end = (outcome) => ends.push(outcome);
  }
  // The text comes in pieces that know nothing of lines.
  const pieces = ARENA.match(/[^]{1,100}/g);
  let written = "";
  await play(Replay, GAME, pieces, (line) => (written += line));
  assert.deepEqual(parse(written), parse(BOT));
  assert.deepEqual(ends, [parse(ARENA).at(-1).outcome]);
});

test("unknown keys and messages are ignored, and the end of the input ends the bot", () => {
  const strange = parse(ARENA)
    .slice(0, -1)
    .flatMap((message) => [{ type: "news" }, { ...message, new_key: [1, { a: null }] }]);
  const { answers, status } = talk(write(strange));
  assert.equal(answers.length, parse(BOT).length);
  assert.equal(status, 0);
});

test("replies are legal and repeat", () => {
  const [start, ...questions] = parse(ARENA).slice(0, -1);
  const seeds = [...Array(100).keys()];
  const match = (seed) => [{ ...start, seed }, ...questions];
  // The same matches twice, one after the other.
  const { answers, stderr } = talk(write([...seeds, ...seeds].flatMap(match)));
  assert.equal(answers.length, 2 * seeds.length * questions.length, stderr);
  assert.deepEqual(answers.splice(answers.length / 2), answers);
  answers.forEach(({ step, answers }, index) => {
    const question = questions[index % questions.length];
    assert.equal(step, question.step);
    assert.equal(answers.length, question.decisions.length);
    answers.forEach((reply, at) => {
      const seen = question.decisions[at];
      assert.equal(problem(start, seen, reply), null, JSON.stringify([seen, reply]));
    });
  });
});

test("another game is refused", () => {
  const { stderr, status } = talk(write([{ ...parse(ARENA)[0], game: "chess" }]));
  assert.match(stderr, /this bot plays/);
  assert.equal(status, 1);
});

test("random numbers are spread evenly", () => {
  const random = new Random(8010447370903315);
  const counts = [0, 0, 0];
  for (let n = 0; n < 30000; n++) counts[random.below(3)]++;
  for (const count of counts) assert.ok(Math.abs(count - 10000) < 400, String(counts));
});
