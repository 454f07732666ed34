"""Agon's protocol: lines of JSON over standard input and output, or over a socket.

A bot is a class derived from `Bot`; the last line of its program is `agon.run(MyBot, game="cluster")`.
Messages are the dictionaries that JSON makes of them; unknown keys do no harm.
"""

import json
import random
import socket
import sys


class Bot:
    """One player in one match."""

    def __init__(self, start):
        self.start = start
        self.rules = start["rules"]
        self.setup = start["setup"]
        self.player = start["player"]
        # The arena gives the same seed when it plays the match again: with this the bot does the same, too.
        self.random = random.Random(start["seed"])

    def decide(self, seen, turn):
        """The reply to one observation."""
        raise NotImplementedError

    def answer(self, decisions, turn):
        """The replies to all observations of a question, in the same order. Override it to plan for all together."""
        return [self.decide(seen, turn) for seen in decisions]

    def end(self, outcome):
        """The match is over, or the player is out; `outcome` may be None."""


def play(make_bot, game, lines, write):
    """Plays one match: reads messages from `lines`, hands each line of the answer to `write`."""
    bot = None
    for line in lines:
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError(f"{line!r} is no message of JSON Lines; is `jsonl:` missing in front of the bot?")
        kind = message.get("type")
        if kind == "start":
            if message["game"] != game:
                raise ValueError(f"this bot plays {game}, not {message['game']}")
            bot = make_bot(message)
        elif kind == "decide":
            replies = bot.answer(message["decisions"], message["turn"])
            answer = {"step": message["step"], "answers": replies}
            write(json.dumps(answer, separators=(",", ":")) + "\n")
        elif kind == "end":
            bot.end(message["outcome"])
            return


def run(make_bot, game):
    """Plays over standard input and output; with `--listen PORT` waits there for matches, one after the other."""
    # Only answers may reach the arena; what the bot prints goes to standard error instead.
    output, sys.stdout = sys.stdout, sys.stderr
    if sys.argv[1:2] == ["--listen"]:
        listen(make_bot, game, int(sys.argv[2]))
        return

    def write(line):
        output.write(line)
        output.flush()

    play(make_bot, game, sys.stdin.buffer, write)


def listen(make_bot, game, port):
    with socket.create_server(("localhost", port)) as server:
        print(f"waiting for matches at connect:localhost:{port}", file=sys.stderr)
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as lines:
                try:
                    play(make_bot, game, lines, lambda line: connection.sendall(line.encode()))
                except ConnectionError as error:
                    print(f"the arena is gone: {error}", file=sys.stderr)
