//! Requests to servers that misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use agon_ladder::api::{ProblemCode, Server};

use super::*;
use crate::servers::Token;

/// A server on this machine that sends what a test wants.
struct Fake {
    address: String,
    /// The heads of all requests.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Starts one. `answer` gets the number of the request, from 0, and its connection.
    fn start(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = heads.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                kept.lock().unwrap().push(read_request(&stream));
                answer(number, &mut stream);
            }
        });
        Fake { address, heads }
    }

    /// Starts one that always sends the same.
    fn always(reply: impl Into<Vec<u8>>) -> Fake {
        let reply = reply.into();
        // Who has seen enough closes the connection.
        Fake::start(move |_, stream| drop(stream.write_all(&reply)))
    }

    fn client(&self) -> Client {
        let token = Token::parse("agon_0123456789").unwrap();
        Client::new(self.address.parse().unwrap(), None, Some(token)).unwrap()
    }

    fn get(&self, call: &Call) -> Failure {
        self.client().send(call).unwrap_err()
    }
}

/// Reads a request with its body, and returns its head.
fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
    let length = head.to_lowercase().lines().find_map(|line| {
        line.strip_prefix("content-length: ").map(|text| text.parse::<u64>().unwrap())
    });
    let body = reader.take(length.unwrap_or(0)).read_to_end(&mut Vec::new());
    assert!(body.is_ok());
    head
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

const JSON: &str = "Content-Type: application/json\r\n";

fn problem(status: &str, headers: &str, code: &str, detail: &str) -> String {
    let number = status.split(' ').next().unwrap();
    let body = format!(
        "{{\"type\":\"x\",\"title\":\"It is so\",\"status\":{number},\"detail\":\"{detail}\",\
         \"instance\":\"/\",\"code\":\"{code}\"}}"
    );
    reply(status, &format!("Content-Type: application/problem+json\r\n{headers}"), &body)
}

#[test]
fn headers_without_an_end_are_given_up() {
    let fake = Fake::start(|_, stream| {
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while sent.is_ok() {
            sent = stream.write_all(b"X-More: and more and more and more and more\r\n");
        }
    });
    let failure = fake.get(&Call::get("/"));
    assert!(matches!(failure, Failure::Foreign { .. }), "{failure:?}");
}

#[test]
fn a_reply_that_drips_is_given_up() {
    let fake = Fake::start(|_, stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
        let mut sent = stream.write_all(head);
        while sent.is_ok() {
            sent = stream.write_all(b" ");
            thread::sleep(Duration::from_millis(50));
        }
    });
    let began = Instant::now();
    let failure = fake.get(&Call { time: Duration::from_secs(1), ..Call::get("/") });
    assert!(matches!(failure, Failure::Slow(_)), "{failure:?}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn deep_and_wrong_json_is_an_error() {
    for body in ["[".repeat(100_000), "{}".to_owned(), "{\"title\":5}".to_owned()] {
        let fake = Fake::always(reply("200 OK", JSON, &body));
        let got = fake.client().send(&Call::get("/")).unwrap();
        let failure = got.json::<Server>().unwrap_err();
        assert!(failure.to_string().contains("newer than this Agon"), "{failure}");
    }
    let fake = Fake::always(reply("200 OK", "Content-Type: text/html\r\n", "<h1>Hello</h1>"));
    let failure = fake.client().send(&Call::get("/")).unwrap().json::<Server>().unwrap_err();
    assert!(failure.to_string().contains("no Agon server"), "{failure}");
}

#[test]
fn a_token_is_for_one_server() {
    let other = Fake::always(reply("200 OK", JSON, "{}"));
    let place = format!("Location: {}/api/v1/\r\n", other.address);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let fake = Fake::always(reply(status, &place, ""));
        let failure = fake.get(&Call::get("/api/v1/"));
        assert!(matches!(failure, Failure::Redirect(_)), "{status}: {failure:?}");
        assert!(failure.to_string().contains(&other.address), "{failure}");
        let heads = fake.heads.lock().unwrap();
        assert!(heads[0].to_lowercase().contains("authorization: bearer agon_0123456789"));
    }
    assert!(other.heads.lock().unwrap().is_empty());
}

#[test]
fn texts_of_a_server_cannot_command_a_terminal() {
    let detail = "\\u001b[2J\\u202eok\\nerror: no\\u0007";
    let failure =
        Fake::always(problem("409 Conflict", "", "conflict", detail)).get(&Call::get("/"));
    let text = failure.to_string();
    assert_eq!(text, "It is so: \\u001b[2J\\u202eok\\nerror: no\\u0007");
    let place = "Location: https://x/\x1b[2J\r\n";
    let failure = Fake::always(reply("302 Found", place, "")).get(&Call::get("/"));
    assert!(!failure.to_string().contains('\x1b'), "{failure}");
    let body = reply("200 OK", JSON, "{\"title\": \"\x1b\"}");
    let failure = Fake::always(body).client().send(&Call::get("/")).unwrap().json::<Server>();
    assert!(!failure.unwrap_err().to_string().contains('\x1b'));
}

#[test]
fn a_send_that_may_have_arrived_is_repeated_with_its_key() {
    let fake = Fake::start(|number, stream| {
        if number > 0 {
            stream.write_all(reply("201 Created", JSON, "{}").as_bytes()).unwrap();
        }
    });
    let call = Call::post("/versions", Body::Archive(vec![1; 100_000])).patient();
    let call = Call { key: Some("k-1".to_owned()), ..call };
    fake.client().send(&call).unwrap();
    let heads = fake.heads.lock().unwrap();
    let keys = heads.iter().filter(|head| head.to_lowercase().contains("idempotency-key: k-1\r"));
    assert_eq!((keys.count(), heads.len()), (2, 2), "{heads:?}");
}

#[test]
fn a_send_without_a_key_is_not_repeated() {
    let fake = Fake::start(|_, _| ());
    let failure = fake.get(&Call::post("/tokens", Body::Json(b"{}".to_vec())).patient());
    assert!(matches!(failure, Failure::Broken(_)), "{failure:?}");
    assert_eq!(fake.heads.lock().unwrap().len(), 1);
}

#[test]
fn the_client_waits_as_it_is_told() {
    let busy = problem("429 Too Many", "Retry-After: 1\r\n", "rate_limited", "Wait.");
    let fake = Fake::start(move |number, stream| {
        let text = if number == 0 { busy.clone() } else { reply("200 OK", JSON, "{}") };
        stream.write_all(text.as_bytes()).unwrap();
    });
    let began = Instant::now();
    fake.client().send(&Call::get("/")).unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1));
    // But not for hours.
    let busy = problem("429 Too Many", "Retry-After: 7200\r\n", "rate_limited", "Wait.");
    let began = Instant::now();
    let failure = Fake::always(busy).get(&Call::get("/"));
    assert_eq!(failure.code(), Some(ProblemCode::RateLimited));
    assert!(began.elapsed() < Duration::from_secs(5));
    // A used up quota is not waited for.
    let quota = problem("429 Too Many", "Retry-After: 1\r\n", "quota_exhausted", "Tomorrow.");
    let fake = Fake::always(quota);
    assert_eq!(fake.get(&Call::get("/")).code(), Some(ProblemCode::QuotaExhausted));
    assert_eq!(fake.heads.lock().unwrap().len(), 1);
}

#[test]
fn unknown_problems_count_by_their_status() {
    let fake = Fake::always(problem("413 Too Large", "", "of_a_later_server", "Less."));
    assert_eq!(fake.get(&Call::get("/")).code(), Some(ProblemCode::TooLarge));
}

#[test]
fn other_servers_and_proxies_are_told_from_agon() {
    let html = "Content-Type: text/html\r\n";
    let failure = |status: &str| {
        let fake = Fake::always(reply(status, html, "<h1>nginx</h1>"));
        fake.get(&Call::get("/")).to_string()
    };
    assert!(failure("404 Not Found").contains("no Agon server"));
    assert!(failure("413 Payload Too Large").contains("34 MiB"));
    assert!(failure("502 Bad Gateway").contains("try again later"));
    let fake = Fake::always("SSH-2.0-OpenSSH_9.2\r\n");
    let text = fake.get(&Call::get("/")).to_string();
    assert!(text.contains("no Agon server"), "{text}");
}

#[test]
fn queries_are_encoded() {
    let call = Call::get("/a").query("name", "a b&c=ü/").query("limit", "5");
    assert_eq!(call.path, "/a?name=a%20b%26c%3D%C3%BC%2F&limit=5");
    assert_eq!(encoded("../x?y#z"), "..%2Fx%3Fy%23z");
}
