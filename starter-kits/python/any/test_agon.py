"""Tests agon.py and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names.

{{game}} lists the allowed answers in each question.
"""

import json
import os
import pathlib
import unittest

import agon
import bot

FOLDER = pathlib.Path(os.environ.get("AGON_GOLDEN", pathlib.Path(__file__).parent / "golden"))
MESSAGES = [json.loads(line) for line in (FOLDER / f"{bot.GAME}.arena.jsonl").read_bytes().splitlines()]
QUESTIONS = [message for message in MESSAGES if message["type"] == "decide"]


def the_bot():
    """The class in bot.py."""
    return next(it for it in vars(bot).values() if isinstance(it, type) and issubclass(it, agon.Bot))


class Conversation(unittest.TestCase):
    def play(self, messages=MESSAGES):
        written = []
        agon.play(the_bot(), bot.GAME, [json.dumps(message) for message in messages], written.append)
        return written

    def test_every_question_is_answered(self):
        answers = [json.loads(line) for line in self.play()]
        self.assertEqual([answer["step"] for answer in answers], [question["step"] for question in QUESTIONS])
        for question, answer in zip(QUESTIONS, answers):
            self.assertEqual(len(answer["answers"]), len(question["decisions"]))
            for seen, reply in zip(question["decisions"], answer["answers"]):
                self.assertIn(reply, seen["legal"])

    def test_unknown_keys_and_messages_are_ignored(self):
        strange = []
        for message in MESSAGES:
            strange += [{"type": "news", "text": "..."}, {**message, "new_key": None}]
        # The end is missing, too: then the end of the input ends the match.
        self.assertEqual(self.play(strange[:-1]), self.play())

    def test_answers_repeat(self):
        self.assertEqual(self.play(), self.play())

    def test_another_game_is_refused(self):
        with self.assertRaisesRegex(ValueError, "this bot plays"):
            self.play([{**MESSAGES[0], "game": "chess"}])


if __name__ == "__main__":
    unittest.main()
