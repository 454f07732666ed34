"""Tests agon.py and the bot with questions that are made up: {{game}} lists the allowed answers in each."""

import json
import unittest

import agon
import bot

START = {
    "type": "start", "protocol": 1, "game": bot.GAME, "rules_version": 1, "rules": {},
    "players": ["rosa", "emil"], "player": 0, "seed": 7, "setup": {},
}
LEGAL = [["a"], ["a", {"b": 2}], ["a", {"b": 2}, 3]]


def conversation():
    yield START
    for step, legal in enumerate(LEGAL * 20):
        seen = {"unit": 0, "legal": legal, "view": {}}
        yield {"type": "decide", "step": step, "turn": step, "decisions": [seen, seen], "new_key": None}
    yield {"type": "news", "text": "..."}
    yield {"type": "end", "outcome": None}


def the_bot():
    """The class in bot.py."""
    return next(it for it in vars(bot).values() if isinstance(it, type) and issubclass(it, agon.Bot))


class Conversation(unittest.TestCase):
    def play(self):
        written = []
        agon.play(the_bot(), bot.GAME, [json.dumps(message) for message in conversation()], written.append)
        return written

    def test_every_question_is_answered(self):
        answers = [json.loads(line) for line in self.play()]
        questions = [message for message in conversation() if message["type"] == "decide"]
        self.assertEqual([answer["step"] for answer in answers], [question["step"] for question in questions])
        for question, answer in zip(questions, answers):
            self.assertEqual(len(answer["answers"]), len(question["decisions"]))
            for seen, reply in zip(question["decisions"], answer["answers"]):
                self.assertIn(reply, seen["legal"])

    def test_answers_repeat(self):
        self.assertEqual(self.play(), self.play())

    def test_another_game_is_refused(self):
        start = json.dumps({**START, "game": "chess"})
        with self.assertRaisesRegex(ValueError, "this bot plays"):
            agon.play(the_bot(), bot.GAME, [start], print)


if __name__ == "__main__":
    unittest.main()
