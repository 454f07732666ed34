"""A web server that plays Battlesnake: it moves up, and misbehaves in some turns as it is told.

Usage: python3 snake.py MODE FIRST [LAST], or python3 snake.py reach PORT-OF-ANOTHER-SERVER
"""

import http.server
import json
import os
import re
import socket
import socketserver
import sys
import time

MODE = sys.argv[1]
BAD = range(int(sys.argv[2]), int(sys.argv[-1]) + 1)
ADDRESS = (os.environ["HOST"], int(os.environ["PORT"]))
OK = b"HTTP/1.1 200 OK\r\n"
UP = b'{"move": "up"}'


def response(body=UP, length=None, start=OK):
    return start + b"Content-Length: %d\r\n\r\n" % (length or len(body)) + body


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"".join(b"1\r\n%c\r\n" % byte for byte in UP) + b"0\r\nX: y\r\n\r\n"
# What it answers all the time, and in bad turns.
ALWAYS = {"chunked": CHUNKED + CHUNKS}
ONCE = {
    "short": response(length=5),
    "long": response(length=50),
    "cut": response(length=50),
    "status": response(start=b"HTTP/1.1 500 Internal Server Error\r\n"),
    "no http": b"up\n",
    "north": response(b'{"move": "north"}'),
}


class Snake(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            length = 0
            while field := self.rfile.readline().strip():
                if found := re.match(rb"content-length: (\d+)", field.lower()):
                    length = int(found[1])
            body = json.loads(self.rfile.read(length) or "null")
            self.answer(line.split()[1].decode(), body)
            if MODE in ["hanging up", "cut"] and b"/move" in line:
                return

    def answer(self, path, body):
        write = self.wfile.write
        is_bad = path == "/move" and body["turn"] in BAD
        if path == "/":
            write(response(b'{"apiversion": "%d"}' % (MODE != "old")))
        elif path == "/start" and MODE == "no start":
            raise ValueError("no start")
        elif path == "/end":
            print("end", body["game"]["id"], body["turn"], file=sys.stderr, flush=True)
        elif path != "/move":
            write(response(b"whatever", start=b"HTTP/1.1 404 Not Found\r\n"))
        elif MODE == "reach" and socket.socket().connect_ex(("127.0.0.1", BAD.start)) == 0:
            os._exit(1)
        elif is_bad and MODE == "flood":
            write(CHUNKED)
            while True:
                write(b"1;xxxxxxx\r\nx\r\n" * 99)
        elif is_bad and MODE == "crash":
            os._exit(3)
        elif is_bad and MODE == "compute":
            while True:
                pass
        else:
            if is_bad and MODE == "slow":
                time.sleep(30)
            write(ONCE.get(MODE, response()) if is_bad else ALWAYS.get(MODE, response()))


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


if MODE == "own port":
    ADDRESS = ("localhost", 1234)
if MODE == "never":
    time.sleep(60)
if MODE == "gone":
    sys.exit("no port")
Server(ADDRESS, Library if MODE.startswith("HTTP") else Snake).serve_forever()
