//! A small web server. Each connection has a thread, and stays open.

use std::env;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::json::Json;
use crate::{INDEX, choose_move};

/// The most bytes of a head, and of a body.
const MOST: u64 = 1 << 20;

/// Answers requests at HOST and PORT.
pub fn run() -> io::Result<()> {
    let variable = |name, usual: &str| env::var(name).unwrap_or_else(|_| usual.to_owned());
    let port = variable("PORT", "8000").parse().expect("PORT is a number");
    let listener = TcpListener::bind((variable("HOST", "127.0.0.1").as_str(), port))?;
    for stream in listener.incoming().flatten() {
        thread::spawn(|| serve(stream));
    }
    Ok(())
}

/// Answers all requests of a connection.
fn serve(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = Request::read(&mut reader)? {
        let (status, body) = request.answer();
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n");
        let response = format!("{head}Content-Type: application/json\r\n\r\n{body}");
        stream.write_all(response.as_bytes())?;
        if request.is_last {
            break;
        }
    }
    Ok(())
}

struct Request {
    /// Its method and its path.
    what: String,
    body: Vec<u8>,
    /// Whether the client wants no more of the connection.
    is_last: bool,
}

impl Request {
    /// Reads a request; `None` if the client has closed the connection.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
        let mut head = reader.by_ref().take(MOST);
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let what = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let mut length = 0;
        let mut is_last = false;
        while line != "\r\n" {
            line.clear();
            if head.read_line(&mut line)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let field = line.to_ascii_lowercase();
            match field.split_once(':').map(|(name, value)| (name, value.trim())) {
                Some(("content-length", number)) => {
                    length = number.parse().map_err(|_| ErrorKind::InvalidData)?;
                }
                Some(("connection", word)) => is_last = word == "close",
                // It would come in pieces, which this server cannot read.
                Some(("transfer-encoding", _)) => return Err(ErrorKind::InvalidData.into()),
                _ => {}
            }
        }
        let mut body = vec![0; length.min(MOST) as usize];
        reader.read_exact(&mut body)?;
        Ok(Some(Request { what, body, is_last: is_last || length > MOST }))
    }

    /// Returns the status and the body of the response.
    fn answer(&self) -> (&str, String) {
        let json = || Json::read(std::str::from_utf8(&self.body).ok()?);
        match self.what.as_str() {
            "GET /" => ("200 OK", INDEX.to_owned()),
            "POST /start" | "POST /move" | "POST /end" => match json() {
                None => ("400 Bad Request", r#"{"error":"not JSON"}"#.to_owned()),
                Some(state) if self.what == "POST /move" => {
                    ("200 OK", format!(r#"{{"move":"{}"}}"#, choose_move(&state)))
                }
                Some(_) => ("200 OK", "{}".to_owned()),
            },
            _ => ("404 Not Found", r#"{"error":"not found"}"#.to_owned()),
        }
    }
}
