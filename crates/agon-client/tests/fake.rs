//! A server that sends what a test wants.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::Value;

/// A server on this machine that is no Agon, or a hostile one.
pub(crate) struct Fake {
    pub(crate) address: String,
}

impl Fake {
    /// Starts one. `answer` gets the path and the connection.
    pub(crate) fn start(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let path = read_path(&stream);
                answer(&path, &mut stream);
            }
        });
        Fake { address }
    }

    /// Starts one that sends the objects of a list by their paths, and 404 for all others.
    pub(crate) fn with_objects(objects: Vec<(&'static str, Value)>) -> Fake {
        Fake::start(move |path, stream| {
            let path = path.split('?').next().unwrap();
            let object = objects.iter().find(|(of, _)| *of == path).map(|(_, object)| object);
            let text = match object {
                Some(object) => reply("200 OK", "application/json", &object.to_string()),
                None => reply("404 Not Found", "text/plain", "nothing"),
            };
            // Who has seen enough closes the connection.
            let _ = stream.write_all(text.as_bytes());
        })
    }
}

/// Reads the head of a request, and returns its path.
fn read_path(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    head.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Returns a whole reply.
pub(crate) fn reply(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: {kind}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
