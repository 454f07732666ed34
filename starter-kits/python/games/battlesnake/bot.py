"""A snake for the official Battlesnake API. It moves at random, but into no wall and no body."""

import json
import os
import random
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INDEX = {"apiversion": "1", "author": "", "color": "#3572a5", "head": "default", "tail": "default"}
MOVES = {"up": (0, 1), "down": (0, -1), "left": (-1, 0), "right": (1, 0)}


def choose_move(state):
    """Returns the move for this turn: a key of MOVES. Change this."""
    safe = [move for move in MOVES if is_safe(state, move)]
    # Seeded, so that a match can be played again.
    seed = f"{state['game']['id']} {state['you']['id']} {state['turn']}"
    return random.Random(seed).choice(safe or list(MOVES))


def is_safe(state, move):
    """Returns whether a move stays on the board and hits no body."""
    board, head = state["board"], state["you"]["head"]
    x, y = head["x"] + MOVES[move][0], head["y"] + MOVES[move][1]
    if state["game"]["ruleset"]["name"].startswith("wrapped"):
        x, y = x % board["width"], y % board["height"]
    elif not (0 <= x < board["width"] and 0 <= y < board["height"]):
        return False
    # The last square of a body is free after this turn.
    return not any({"x": x, "y": y} in snake["body"][:-1] for snake in board["snakes"])


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection, which stays open."""

    protocol_version = "HTTP/1.1"
    # Sends each response as a whole.
    wbufsize = -1

    def do_GET(self):
        if self.path == "/":
            self.respond(200, INDEX)
        else:
            self.respond(404, {"error": "not found"})

    def do_POST(self):
        try:
            state = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        except (ValueError, RecursionError) as error:
            return self.respond(400, {"error": str(error)})
        if self.path not in ("/start", "/move", "/end"):
            return self.respond(404, {"error": "not found"})
        try:
            answer = {"move": choose_move(state)} if self.path == "/move" else {}
        except Exception as error:
            traceback.print_exc()
            return self.respond(500, {"error": repr(error)})
        self.respond(200, answer)

    def respond(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Logs no requests."""


if __name__ == "__main__":
    address = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    ThreadingHTTPServer(address, Handler).serve_forever()
