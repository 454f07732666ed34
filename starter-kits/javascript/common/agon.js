/**
 * Agon's protocol: lines of JSON over standard input and output, or over a socket.
 *
 * A bot is a class that extends `Bot`; the last line of its program is `await run(MyBot, "cluster")`.
 * Messages are the objects that JSON makes of them; unknown keys do no harm.
 */
import { createServer } from "node:net";

/** One player in one match. */
export class Bot {
  constructor(start) {
    this.start = start;
    this.rules = start.rules;
    this.setup = start.setup;
    this.player = start.player;
    /** The arena gives the same seed when it plays the match again: with this the bot does the same, too. */
    this.random = new Random(start.seed);
  }

  /** The reply to one observation. */
  decide(seen, turn) {
    throw new Error("a bot needs its own decide(seen, turn)");
  }

  /** The replies to all observations of a question, in order. Override it to plan for all together. */
  answer(decisions, turn) {
    return decisions.map((seen) => this.decide(seen, turn));
  }

  /** The match is over, or the player is out; `outcome` may be null. */
  end(outcome) {}
}

/** Random numbers that a seed determines; Math.random() has none. (splitmix32) */
export class Random {
  constructor(seed) {
    // Both halves of a number below 2^53 count.
    this.state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next() {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `end` - 1. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  /** One of the elements of a list that is not empty. */
  pick(list) {
    return list[this.below(list.length)];
  }
}

/** Plays one match: reads messages from an async iterable of strings, hands each line of the answer to `write`. */
export async function play(BotClass, game, input, write) {
  let bot = null;
  for await (const line of lines(input)) {
    const message = JSON.parse(line);
    if (typeof message !== "object") {
      throw new Error(`${line} is no message of JSON Lines; is \`jsonl:\` missing in front of the bot?`);
    }
    if (message.type === "start") {
      if (message.game !== game) throw new Error(`this bot plays ${game}, not ${message.game}`);
      bot = new BotClass(message);
    } else if (message.type === "decide") {
      const answers = bot.answer(message.decisions, message.turn);
      write(JSON.stringify({ step: message.step, answers }) + "\n");
    } else if (message.type === "end") {
      bot.end(message.outcome);
      return;
    }
  }
}

/** Plays over standard input and output; with `--listen PORT` waits there for matches, one after the other. */
export async function run(BotClass, game) {
  // Only answers may reach the arena; what the bot logs goes to standard error instead.
  console.log = console.info = console.debug = console.error;
  if (process.argv[2] === "--listen") {
    listen(BotClass, game, Number(process.argv[3]));
    return;
  }
  process.stdin.setEncoding("utf8");
  await play(BotClass, game, process.stdin, (line) => process.stdout.write(line));
}

function listen(BotClass, game, port) {
  const server = createServer((socket) => {
    socket.setEncoding("utf8");
    let lost = null;
    socket.on("error", (error) => (lost = error));
    play(BotClass, game, socket, (line) => socket.write(line)).then(
      () => socket.end(),
      (error) => {
        // An arena that is gone ends a match, a mistake in the bot ends the program.
        if (error !== lost) throw error;
        console.error(`the arena is gone: ${error.message}`);
      },
    );
  });
  server.listen(port, "localhost", () => {
    console.error(`waiting for matches at connect:localhost:${port}`);
  });
}

/** Cuts pieces of text into lines. */
async function* lines(pieces) {
  let begun = "";
  for await (const piece of pieces) {
    const [first, ...more] = piece.split("\n");
    begun += first;
    for (const next of more) {
      yield begun;
      begun = next;
    }
  }
}
