"""A web server that plays Battlesnake: it moves up, and misbehaves in one turn as it is told.

Usage: python3 snake.py MODE TURN [PORT-OF-ANOTHER-SERVER]
"""

import http.server
import json
import os
import re
import socket
import socketserver
import sys
import time

MODE, BAD = sys.argv[1], int(sys.argv[2])
ADDRESS = (os.environ["HOST"], int(os.environ["PORT"]))
OK = b"HTTP/1.1 200 OK\r\n"
UP = b'{"move": "up"}'


def response(body=UP, length=None, start=OK):
    return start + b"Content-Length: %d\r\n\r\n" % (length or len(body)) + body


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"

# What it answers all the time, and in the one turn; nothing more comes if the connection is closed.
ALWAYS = {
    "chunked": CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in UP) + b"0\r\nX: y\r\n\r\n",
    "closing": response(start=OK + b"Connection: close\r\n"),
    "hanging up": response(),
}
ONCE = {
    "short": response(length=5),
    "long": response(length=50),
    "cut": response(length=50),
    "status": response(start=b"HTTP/1.1 500 Internal Server Error\r\n"),
    "no http": b"up\n",
    "north": response(b'{"move": "north"}'),
}
ENDLESS = {
    "endless body": (b"HTTP/1.0 200 OK\r\n\r\n", b"x" * 999),
    "endless head": (OK, b"A: b\r\n"),
    "endless field": (OK + b"A: ", b"x" * 999),
    "endless chunks": (CHUNKED, b"1;xxxxxxx\r\nx\r\n" * 99),
}
CLOSES = ["closing", "hanging up", "cut"]


def reaches_others(port):
    for address in [("127.0.0.1", port), ("8.8.8.8", 53)]:
        with socket.socket() as client:
            client.settimeout(5)
            if client.connect_ex(address) == 0:
                return True
    return False


class Snake(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            length = 0
            while field := self.rfile.readline().strip():
                if found := re.match(rb"content-length: (\d+)", field.lower()):
                    length = int(found[1])
            body = json.loads(self.rfile.read(length) or "null")
            self.answer(line.split()[1].decode(), body)
            if MODE in CLOSES and b"/move" in line:
                return

    def answer(self, path, body):
        write = self.wfile.write
        if path == "/":
            write(response(b'{"apiversion": "%d"}' % (MODE != "old")))
        elif path == "/start" and MODE == "no start":
            raise ValueError("no start")
        elif path == "/end":
            print("end", body["game"]["id"], body["turn"], file=sys.stderr, flush=True)
        elif path != "/move":
            write(response(b"whatever", start=b"HTTP/1.1 404 Not Found\r\n"))
        elif MODE == "reach" and reaches_others(int(sys.argv[3])):
            os._exit(1)
        elif MODE == "apart":
            for part in [response()[:20], response()[20:-3], response()[-3:]]:
                write(part)
                time.sleep(0.01)
        elif body["turn"] == BAD and MODE in ENDLESS:
            head, part = ENDLESS[MODE]
            write(head)
            while True:
                write(part)
        elif body["turn"] == BAD and MODE == "crash":
            os._exit(3)
        elif body["turn"] == BAD and MODE == "raise":
            raise ValueError("no more ideas")
        else:
            if body["turn"] == BAD and MODE == "slow":
                time.sleep(30)
            write(ONCE.get(MODE, response()) if body["turn"] == BAD else ALWAYS.get(MODE, response()))


class Library(http.server.BaseHTTPRequestHandler):
    """As most snakes are: made with a library, which writes the head and the body apart."""

    protocol_version = MODE

    def do_GET(self):
        self.reply(b'{"apiversion": "1"}')

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(UP)

    def reply(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


if MODE == "never":
    time.sleep(60)
if MODE == "gone":
    sys.exit("no port")
Server(ADDRESS, Library if MODE.startswith("HTTP") else Snake).serve_forever()
