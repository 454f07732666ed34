"""Tests agon.py and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names.

GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.
"""

import json
import os
import pathlib
import unittest

import agon
import bot
import legal

FOLDER = pathlib.Path(os.environ.get("AGON_GOLDEN", pathlib.Path(__file__).parent / "golden"))


def lines(kind):
    return (FOLDER / f"{bot.GAME}.{kind}.jsonl").read_bytes().splitlines()


def messages(kind):
    return [json.loads(line) for line in lines(kind)]


def the_bot():
    """The class in bot.py."""
    return next(it for it in vars(bot).values() if isinstance(it, type) and issubclass(it, agon.Bot))


class Golden(unittest.TestCase):
    def test_answers_are_written_as_recorded(self):
        recorded = messages("bot")
        replies = iter(recorded)
        ends = []

        class Replay(agon.Bot):
            def answer(self, decisions, turn):
                return next(replies)["answers"]

            def end(self, outcome):
                ends.append(outcome)

        written = []
        agon.play(Replay, bot.GAME, lines("arena"), written.append)
        self.assertEqual([json.loads(line) for line in written], recorded)
        self.assertTrue(all(line.endswith("\n") for line in written))
        self.assertEqual(ends, [messages("arena")[-1]["outcome"]])

    def test_unknown_keys_and_messages_are_ignored(self):
        strange = []
        for message in messages("arena"):
            strange += [{"type": "news", "text": "..."}, {**message, "new_key": [1, {"a": None}]}]
        written = []
        # The end is missing, too: then the end of the input ends the match.
        agon.play(the_bot(), bot.GAME, [json.dumps(message) for message in strange[:-1]], written.append)
        self.assertEqual(len(written), len(messages("bot")))

    def test_replies_are_legal_and_repeat(self):
        start, *rest = messages("arena")
        for seed in range(200):
            start["seed"] = seed
            one, two = the_bot()(start), the_bot()(start)
            for question in rest[:-1]:
                replies = one.answer(question["decisions"], question["turn"])
                self.assertEqual(replies, two.answer(question["decisions"], question["turn"]))
                self.assertEqual(len(replies), len(question["decisions"]))
                for seen, reply in zip(question["decisions"], replies):
                    self.assertIsNone(legal.problem(start, seen, reply), (seen, reply))

    def test_another_game_is_refused(self):
        with self.assertRaisesRegex(ValueError, "this bot plays"):
            agon.play(the_bot(), "chess", lines("arena"), print)


if __name__ == "__main__":
    unittest.main()
