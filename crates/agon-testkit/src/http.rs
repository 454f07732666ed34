//! Just enough HTTP: a client, and a server of static files as anybody has one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, thread, time::Duration};

/// Sends a request to a port of this machine, and returns status and body of the response.
pub fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("somebody listens");
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: 127.0.0.1:{port}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    let message = format!("{head}\r\n{body}");
    stream.write_all(message.as_bytes()).expect("requests are read");
    let mut reader = BufReader::new(stream);
    let (first, length) = read_head(&mut reader);
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {first:?}"));
    let mut bytes = Vec::new();
    match length {
        Some(length) => {
            bytes.resize(length, 0);
            reader.read_exact(&mut bytes).expect("the whole body comes");
        }
        None => drop(reader.read_to_end(&mut bytes).expect("the body comes")),
    }
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

/// Asks for a WebSocket as a page of this origin, with the key of RFC 6455. Returns the connection
/// and the head of the response.
pub fn websocket(port: u16, path: &str, origin: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("somebody listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("connections have a limit");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("requests are read");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.extend(take(&mut stream, 1));
    }
    (stream, String::from_utf8_lossy(&head).into_owned())
}

/// Reads a text that comes through a WebSocket.
pub fn message(stream: &mut TcpStream) -> String {
    let head = take(stream, 2);
    assert_eq!(head[0], 0x81, "a whole text comes");
    let more = match head[1] {
        126 => take(stream, 2),
        127 => take(stream, 8),
        length => vec![length],
    };
    let length = more.into_iter().fold(0, |length, byte| length << 8 | usize::from(byte));
    String::from_utf8(take(stream, length)).expect("texts are UTF-8")
}

fn take(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).expect("the server sends more");
    bytes
}

/// Reads up to the empty line; gives the first line and the length of what follows, if it is told.
fn read_head(reader: &mut impl BufRead) -> (String, Option<usize>) {
    let mut first = String::new();
    reader.read_line(&mut first).expect("a first line comes");
    let mut length = None;
    let lines = reader.lines().map(|line| line.expect("headers come"));
    for line in lines.take_while(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    (first, length)
}

/// Serves the files of a folder as `/some/where/` until the test ends, and returns the port.
pub fn serve(folder: &Path) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has a port").port();
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            thread::spawn(move || respond(stream, &folder));
        }
    });
    port
}

fn respond(mut stream: TcpStream, folder: &Path) {
    let (first, _) = read_head(&mut BufReader::new(&stream));
    let Some(path) = first.split(' ').nth(1) else { return };
    let path = path.split('?').next().and_then(|path| path.strip_prefix("/some/where/"));
    let found = path.map(|path| if path.is_empty() { "index.html" } else { path });
    let found = found.and_then(|path| Some((path, fs::read(folder.join(path)).ok()?)));
    let (status, kind, body) = match &found {
        Some((path, body)) => ("200 OK", media_type(path), body.as_slice()),
        None => ("404 Not Found", "text/plain", &b""[..]),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: \
         close\r\n\r\n"
    );
    // A browser may have changed its mind.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// Pages and scripts must be told as such, all else is left to the page.
fn media_type(path: &str) -> &'static str {
    match PathBuf::from(path).extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// A server on this machine that sends what a test wants, until the test ends.
#[derive(Debug)]
pub struct FakeServer {
    /// Its address, with `http://`.
    pub address: String,
    /// The heads of all requests so far.
    pub heads: Arc<Mutex<Vec<String>>>,
}

impl FakeServer {
    /// Starts one. `answer` gets the number of each request, from 0, its path, and its connection.
    pub fn start(answer: impl Fn(usize, &str, &mut TcpStream) + Send + 'static) -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it has a port"));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        thread::spawn(move || {
            for (number, mut stream) in listener.incoming().flatten().enumerate() {
                let head = read_request(&stream);
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(head);
                answer(number, &path, &mut stream);
            }
        });
        FakeServer { address, heads }
    }

    /// Starts one that always sends the same.
    pub fn always(response: impl Into<Vec<u8>>) -> FakeServer {
        let response = response.into();
        // Who has seen enough closes the connection.
        FakeServer::start(move |_, _, stream| drop(stream.write_all(&response)))
    }
}

/// Reads a request with its body, and returns its head.
fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    let length = head.to_lowercase().lines().find_map(|line| {
        line.strip_prefix("content-length: ").and_then(|text| text.parse::<u64>().ok())
    });
    let body = reader.take(length.unwrap_or(0)).read_to_end(&mut Vec::new());
    body.expect("the body comes");
    head
}

/// Returns a whole response. Each of the headers ends with a line break.
pub fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}
