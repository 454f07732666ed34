//! Tests the program `agon-web-host` with messages like those of an arena.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use agon_files::parts::{Message, receive, send};
use agon_testkit::http;
use agon_web::dialogue::{DIALOGUE, Guest, HOST, Listen, ToArena, ToHost, Verdict};
use agon_web::message::{self, Question};

/// The time limit for everything, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn host() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-web-host"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The arena's side.
struct Arena {
    child: Child,
    mouth: Option<ChildStdin>,
    ear: BufReader<ChildStdout>,
    port: u16,
}

impl Arena {
    /// Starts a host that has greeted.
    fn start() -> Arena {
        let mut child = host().spawn().unwrap();
        let mouth = child.stdin.take();
        let mut ear = BufReader::new(child.stdout.take().unwrap());
        let greeting: Message<(String, u64)> = receive(&mut ear).unwrap().unwrap();
        assert_eq!(greeting.value, (HOST.program.to_owned(), DIALOGUE));
        Arena { child, mouth, ear, port: 0 }
    }

    /// Starts a host that serves a match, and a page that says `page`.
    fn serving(orders: bool) -> Arena {
        Arena::listening(Listen { port: 0, live: true, orders, rematch: false, guest: None })
    }

    fn listening(listen: Listen) -> Arena {
        let mut arena = Arena::start();
        arena.file("index.html", "text/html", b"page");
        arena.listen(listen);
        arena
    }

    fn listen(&mut self, listen: Listen) {
        self.tell(&ToHost::Listen(listen), &[]);
        let told = self.hear().value;
        let ToArena::Listening { port } = told else { panic!("{told:?}") };
        self.port = port;
    }

    fn tell(&mut self, value: &ToHost, bytes: &[u8]) {
        send(self.mouth.as_mut().unwrap(), value, bytes).unwrap();
    }

    fn file(&mut self, path: &str, media_type: &str, contents: &[u8]) {
        let path = path.to_owned();
        let media_type = media_type.to_owned();
        self.tell(&ToHost::File { path, media_type }, contents);
    }

    fn hear(&mut self) -> Message<ToArena> {
        receive(&mut self.ear).unwrap().unwrap()
    }

    /// Sends a request, and does not wait.
    fn ask(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let port = self.port;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        stream
    }

    /// Closes the host's input, and returns its exit status and output.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.mouth.take());
        self.ended()
    }

    fn ended(&mut self) -> (ExitStatus, String) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "it does not end");
            thread::sleep(Duration::from_millis(5));
        };
        let mut text = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        (status, text)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns head and body of a response.
fn response(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let at = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (String::from_utf8(all[..at].to_vec()).unwrap().to_lowercase(), all[at + 4..].to_vec())
}

fn status(stream: TcpStream) -> u16 {
    response(stream).0.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Returns the body of a chunked response, as far as it has come.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(at) = body.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..at]).unwrap(), 16).unwrap();
        all.extend_from_slice(&body[at + 2..at + 2 + length]);
        body = &body[at + 2 + length + 2..];
    }
    all
}

#[test]
fn what_is_handed_over_is_served() {
    let mut arena = Arena::start();
    arena.file("index.html", "text/html; charset=utf-8", b"the page");
    arena.file("replays/long.agon", "application/octet-stream", b"one ");
    arena.tell(&ToHost::MoreOfFile, b"two ");
    arena.tell(&ToHost::MoreOfFile, b"three");
    arena.file("odd", "two\nlines", b"");
    arena.listen(Listen { port: 0, live: false, orders: false, rematch: false, guest: None });
    let get = |path: &str| response(arena.ask("GET", path, ""));
    let (head, body) = get("/?replay=x");
    assert!(
        head.starts_with("http/1.1 200") && head.contains("content-type: text/html; charset=utf-8")
    );
    assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    assert_eq!(body, b"the page");
    assert_eq!(get("/replays/long.agon").1, b"one two three");
    assert!(get("/odd").0.contains("content-type: application/octet-stream"));
    assert_eq!(get("/index.html").1, b"the page");
    for path in ["/live", "/none", "/replays", "/../Cargo.toml"] {
        assert_eq!(status(arena.ask("GET", path, "")), 404, "{path}");
    }
    assert_eq!(status(arena.ask("POST", "/live/answer", "{}")), 405);
    assert!(arena.end().0.success());
}

#[test]
fn a_page_of_another_site_gets_the_lines_of_a_file_as_messages() {
    let (origin, path) = ("https://board.example", "games/1/events");
    let lines = ["short".to_owned(), "m".repeat(300), "l".repeat(70_000)];
    let mut arena = Arena::start();
    arena.file("games/1", "application/json", b"{}");
    arena.file(path, "application/jsonl", (lines.join("\n") + "\n").as_bytes());
    let guest = Some(Guest { origin: origin.to_owned(), lines: path.to_owned() });
    arena.listen(Listen { port: 0, live: false, orders: false, rematch: false, guest });

    let (mut stream, head) = http::websocket(arena.port, "/games/1/events", origin);
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(head.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "{head}");
    for line in lines {
        assert!(http::message(&mut stream) == line);
    }
    // Clients mask even an empty farewell.
    stream.write_all(&[0x88, 0x80, 1, 2, 3, 4]).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0x88, 0]);

    let (_, head) = http::websocket(arena.port, "/games/1", origin);
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("access-control-allow-origin: https://board.example\r\n"), "{head}");
    let (_, head) = http::websocket(arena.port, "/games/1/events", "https://evil.example");
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
    assert_eq!(status(arena.ask("GET", "/games/1/events", "")), 200);
    assert!(arena.end().0.success());
}

/// Returns kinds and contents of messages.
fn messages(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut input = bytes;
    let messages =
        std::iter::from_fn(|| message::take(&mut input)).map(|(kind, of)| (kind, of.to_vec()));
    let messages = messages.collect();
    assert!(input.is_empty(), "whole messages");
    messages
}

#[test]
fn pages_follow_a_match_from_its_beginning_to_its_end() {
    let mut arena = Arena::serving(true);
    arena.tell(&ToHost::Begin, &message::message(message::BEGIN, b"void"));
    arena.tell(&ToHost::Begin, &message::message(message::BEGIN, b"begin"));
    let mut early = arena.ask("GET", "/live", "");
    let mut text = Vec::new();
    while !text.ends_with(b"begin\r\n") {
        let mut byte = [0];
        early.read_exact(&mut byte).unwrap();
        text.push(byte[0]);
    }
    arena.tell(&ToHost::GoOn, &message::message(message::STEP, b"step"));
    let question = Question { question: 1, step: 1, player: 1, left_ms: Some(0) };
    arena.tell(&ToHost::Ask(question.clone()), &[]);
    arena.tell(&ToHost::Close, &[]);
    arena.tell(&ToHost::Ask(question.clone()), &[]);
    arena.tell(&ToHost::End, &[]);
    let mut rest = Vec::new();
    early.read_to_end(&mut rest).unwrap();
    // Pages get the match in order, and questions when they find them.
    let (asked, others): (Vec<_>, Vec<_>) = messages(&unchunked(&rest))
        .into_iter()
        .partition(|(kind, _)| [message::QUESTION, message::CLOSED].contains(kind));
    assert_eq!(others, [(message::STEP, b"step".to_vec()), (message::END, vec![])]);
    let asks = |(kind, contents): &(u8, Vec<u8>)| match *kind {
        message::QUESTION => {
            [&[message::QUESTION, contents.len() as u8, 0, 0, 0], &contents[..]].concat()
        }
        _ => message::closed(),
    };
    assert_eq!(asked.last().map(asks), Some(message::question(&question)));
    // Now a late page gets all of it.
    let late = messages(&unchunked(&response(arena.ask("GET", "/live", "")).1));
    let kinds: Vec<u8> = late.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [message::BEGIN, message::STEP, message::END, message::QUESTION]);
    assert_eq!(late[0].1, b"begin");
    assert!(arena.end().0.success());
}

#[test]
fn orders_are_passed_on_and_answered() {
    let mut arena = Arena::serving(true);
    for (verdict, wanted) in [
        (Verdict::Taken, 204),
        (Verdict::Outdated, 409),
        (Verdict::NoOrders("nobody does that".to_owned()), 400),
        (Verdict::Failed, 500),
    ] {
        let asked = arena.ask("POST", "/live/answer", "whatever it is");
        let Message { value: ToArena::Orders { request }, bytes } = arena.hear() else { panic!() };
        assert_eq!(bytes, b"whatever it is");
        arena.tell(&ToHost::Answer { request, verdict: verdict.clone() }, &[]);
        let (head, body) = response(asked);
        assert_eq!(head.split(' ').nth(1), Some(wanted.to_string().as_str()), "{head}");
        if let Verdict::NoOrders(why) = verdict {
            assert_eq!(body, format!("{why}\n").as_bytes());
        }
    }
    // Two at once; the page is served meanwhile, and a page that is gone needs no answer.
    let asked: Vec<_> = ["one", "two"].map(|body| arena.ask("POST", "/live/answer", body)).into();
    let gone = arena.ask("POST", "/live/answer", "gone");
    let heard: Vec<_> = (0..3).map(|_| arena.hear()).collect();
    drop(gone);
    assert_eq!(status(arena.ask("GET", "/", "")), 200);
    for Message { value, bytes } in heard.into_iter().rev() {
        let ToArena::Orders { request } = value else { panic!("{value:?}") };
        let verdict = Verdict::NoOrders(String::from_utf8(bytes).unwrap());
        arena.tell(&ToHost::Answer { request, verdict }, &[]);
    }
    arena.tell(&ToHost::Answer { request: 77, verdict: Verdict::Taken }, &[]);
    let answers: Vec<_> = asked.into_iter().map(|stream| response(stream).1).collect();
    assert_eq!(answers, [b"one\n", b"two\n"]);
    assert_eq!(status(arena.ask("POST", "/live/answer", &"x".repeat((1 << 20) + 1))), 413);
    assert!(arena.end().0.success());
}

#[test]
fn another_match_is_asked_for_once_and_only_at_the_end() {
    let mut arena =
        Arena::listening(Listen { port: 0, live: true, orders: true, rematch: true, guest: None });
    arena.tell(&ToHost::Begin, b"begin");
    assert_eq!(status(arena.ask("POST", "/live/rematch", "{}")), 409);
    arena.tell(&ToHost::End, &[]);
    // The arena's message may come after the question.
    let end = Instant::now() + PATIENCE;
    while status(arena.ask("POST", "/live/rematch", "{}")) != 204 {
        assert!(Instant::now() < end, "the match does not end");
    }
    assert_eq!(arena.hear().value, ToArena::Rematch);
    assert_eq!(status(arena.ask("POST", "/live/rematch", "{}")), 204);
    // Pages that look for the next match must not find this one again.
    assert_eq!(status(arena.ask("GET", "/live", "")), 503);
    assert_eq!(status(arena.ask("GET", "/", "")), 200);
    drop(arena.mouth.take());
    assert_eq!(receive::<ToArena>(&mut arena.ear).unwrap(), None, "nobody asks twice");
    assert_eq!(status(Arena::serving(true).ask("POST", "/live/rematch", "{}")), 405);
}

/// A page that reads nothing does not delay the arena.
#[test]
fn nobody_waits_for_slow_pages() {
    let mut arena = Arena::serving(false);
    let step = vec![7; 1 << 20];
    arena.tell(&ToHost::Begin, b"begin");
    let slow = arena.ask("GET", "/live", "");
    for _ in 0..3 {
        (0..64).for_each(|_| arena.tell(&ToHost::GoOn, &step));
        arena.tell(&ToHost::Begin, b"anew");
    }
    arena.tell(&ToHost::End, &[]);
    let (_, body) = response(arena.ask("GET", "/live", ""));
    assert!(unchunked(&body).ends_with(&[b"anew", &message::end()[..]].concat()), "{}", body.len());
    drop(slow);
    assert!(arena.end().0.success());
}

#[test]
fn it_ends_with_the_arena_and_its_port_is_free() {
    for half in [&b""[..], b"\x05\0", &[9, 0, 0, 0, 0, 0, 0, 0, 1]] {
        let mut arena = Arena::serving(true);
        let mut page = arena.ask("GET", "/live", "");
        page.read_exact(&mut [0; 8]).unwrap();
        let port = arena.port;
        // The arena is killed in the middle of a message.
        arena.mouth.as_mut().unwrap().write_all(half).unwrap();
        let (status, text) = arena.end();
        assert!(status.success() && text.is_empty(), "{status}: {text}");
        // Nothing more comes, whether the connection was closed or cut.
        let _ = page.read_to_end(&mut Vec::new());
        TcpListener::bind(("127.0.0.1", port)).unwrap();
    }
}

#[test]
fn what_no_arena_says_ends_it() {
    for (nonsense, wanted) in [
        (&[0xff; 64][..], "longer than any may be"),
        (&[1, 0, 0, 0, 0, 0, 0, 0, 99], "agon-web-host: "),
        (&[1, 0, 0, 0, 0, 0, 0, 0, 1], "more of a file that has not begun"),
    ] {
        let mut arena = Arena::start();
        arena.mouth.as_mut().unwrap().write_all(nonsense).unwrap();
        let (status, text) = arena.ended();
        assert_eq!(status.code(), Some(2), "{text}");
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn whoever_types_it_is_told_what_it_is() {
    let output = host().arg("--help").output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("agon-web-host ") && text.contains("`agon` starts it"), "{text}");
}
