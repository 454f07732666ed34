//! Requests to servers that misbehave.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use agon_ladder::api::{ProblemCode, Server};
use agon_testkit::http::{FakeServer, response};

use super::*;
use crate::servers::Token;

fn client(server: &FakeServer) -> Client {
    let token = Token::parse("agon_0123456789").unwrap();
    Client::new(server.address.parse().unwrap(), None, Some(token)).unwrap()
}

fn failed(server: &FakeServer, call: &Call) -> Failure {
    client(server).send(call).unwrap_err()
}

const JSON: &str = "Content-Type: application/json\r\n";

fn problem(status: &str, headers: &str, code: &str, detail: &str) -> String {
    let number = status.split(' ').next().unwrap();
    let body = format!(
        "{{\"type\":\"x\",\"title\":\"It is so\",\"status\":{number},\"detail\":\"{detail}\",\
         \"instance\":\"/\",\"code\":\"{code}\"}}"
    );
    response(status, &format!("Content-Type: application/problem+json\r\n{headers}"), &body)
}

#[test]
fn headers_without_an_end_are_given_up() {
    let fake = FakeServer::start(|_, _, stream| {
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while sent.is_ok() {
            sent = stream.write_all(b"X-More: and more and more and more and more\r\n");
        }
    });
    let failure = failed(&fake, &Call::get("/"));
    assert!(matches!(failure, Failure::Foreign { .. }), "{failure:?}");
}

#[test]
fn a_reply_that_drips_is_given_up() {
    let fake = FakeServer::start(|_, _, stream| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
        let mut sent = stream.write_all(head);
        while sent.is_ok() {
            sent = stream.write_all(b" ");
            thread::sleep(Duration::from_millis(50));
        }
    });
    let began = Instant::now();
    let failure = failed(&fake, &Call { time: Duration::from_secs(1), ..Call::get("/") });
    assert!(matches!(failure, Failure::Slow(_)), "{failure:?}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn deep_and_wrong_json_is_an_error() {
    for body in ["[".repeat(100_000), "{}".to_owned(), "{\"title\":5}".to_owned()] {
        let fake = FakeServer::always(response("200 OK", JSON, &body));
        let got = client(&fake).send(&Call::get("/")).unwrap();
        let failure = got.json::<Server>().unwrap_err();
        assert!(failure.to_string().contains("newer than this Agon"), "{failure}");
    }
    let fake =
        FakeServer::always(response("200 OK", "Content-Type: text/html\r\n", "<h1>Hello</h1>"));
    let failure = client(&fake).send(&Call::get("/")).unwrap().json::<Server>().unwrap_err();
    assert!(failure.to_string().contains("no Agon server"), "{failure}");
}

#[test]
fn a_token_is_for_one_server() {
    let other = FakeServer::always(response("200 OK", JSON, "{}"));
    let place = format!("Location: {}/api/v1/\r\n", other.address);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
        let fake = FakeServer::always(response(status, &place, ""));
        let failure = failed(&fake, &Call::get("/api/v1/"));
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
    let failure = failed(
        &FakeServer::always(problem("409 Conflict", "", "conflict", detail)),
        &Call::get("/"),
    );
    let text = failure.to_string();
    assert_eq!(text, "It is so: \\u001b[2J\\u202eok\\nerror: no\\u0007");
    let place = "Location: https://x/\x1b[2J\r\n";
    let failure = failed(&FakeServer::always(response("302 Found", place, "")), &Call::get("/"));
    assert!(!failure.to_string().contains('\x1b'), "{failure}");
    let body = response("200 OK", JSON, "{\"title\": \"\x1b\"}");
    let failure = client(&FakeServer::always(body)).send(&Call::get("/")).unwrap().json::<Server>();
    assert!(!failure.unwrap_err().to_string().contains('\x1b'));
}

#[test]
fn a_send_that_may_have_arrived_is_repeated_with_its_key() {
    let fake = FakeServer::start(|number, _, stream| {
        if number > 0 {
            stream.write_all(response("201 Created", JSON, "{}").as_bytes()).unwrap();
        }
    });
    let call = Call::post("/versions", Body::Archive(vec![1; 100_000])).patient();
    let call = Call { key: Some("k-1".to_owned()), ..call };
    client(&fake).send(&call).unwrap();
    let heads = fake.heads.lock().unwrap();
    let keys = heads.iter().filter(|head| head.to_lowercase().contains("idempotency-key: k-1\r"));
    assert_eq!((keys.count(), heads.len()), (2, 2), "{heads:?}");
}

#[test]
fn a_send_without_a_key_is_not_repeated() {
    let fake = FakeServer::start(|_, _, _| ());
    let failure = failed(&fake, &Call::post("/tokens", Body::Json(b"{}".to_vec())).patient());
    assert!(matches!(failure, Failure::Broken(_)), "{failure:?}");
    assert_eq!(fake.heads.lock().unwrap().len(), 1);
}

#[test]
fn the_client_waits_as_it_is_told() {
    let busy = problem("429 Too Many", "Retry-After: 1\r\n", "rate_limited", "Wait.");
    let fake = FakeServer::start(move |number, _, stream| {
        let text = if number == 0 { busy.clone() } else { response("200 OK", JSON, "{}") };
        stream.write_all(text.as_bytes()).unwrap();
    });
    let began = Instant::now();
    client(&fake).send(&Call::get("/")).unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1));
    // But not for hours.
    let busy = problem("429 Too Many", "Retry-After: 7200\r\n", "rate_limited", "Wait.");
    let began = Instant::now();
    let failure = failed(&FakeServer::always(busy), &Call::get("/"));
    assert_eq!(failure.code(), Some(ProblemCode::RateLimited));
    assert!(began.elapsed() < Duration::from_secs(5));
    // A used up quota is not waited for.
    let quota = problem("429 Too Many", "Retry-After: 1\r\n", "quota_exhausted", "Tomorrow.");
    let fake = FakeServer::always(quota);
    assert_eq!(failed(&fake, &Call::get("/")).code(), Some(ProblemCode::QuotaExhausted));
    assert_eq!(fake.heads.lock().unwrap().len(), 1);
}

#[test]
fn unknown_problems_count_by_their_status() {
    let fake = FakeServer::always(problem("413 Too Large", "", "of_a_later_server", "Less."));
    assert_eq!(failed(&fake, &Call::get("/")).code(), Some(ProblemCode::TooLarge));
}

#[test]
fn other_servers_and_proxies_are_told_from_agon() {
    let html = "Content-Type: text/html\r\n";
    let failure = |status: &str| {
        let fake = FakeServer::always(response(status, html, "<h1>nginx</h1>"));
        failed(&fake, &Call::get("/")).to_string()
    };
    assert!(failure("404 Not Found").contains("no Agon server"));
    assert!(failure("413 Payload Too Large").contains("34 MiB"));
    assert!(failure("502 Bad Gateway").contains("try again later"));
    let fake = FakeServer::always("SSH-2.0-OpenSSH_9.2\r\n");
    let text = failed(&fake, &Call::get("/")).to_string();
    assert!(text.contains("no Agon server"), "{text}");
}

#[test]
fn queries_are_encoded() {
    let call = Call::get("/a").query("name", "a b&c=ü/").query("limit", "5");
    assert_eq!(call.path, "/a?name=a%20b%26c%3D%C3%BC%2F&limit=5");
    assert_eq!(encoded("../x?y#z"), "..%2Fx%3Fy%23z");
}
