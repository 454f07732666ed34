//! The JSON API.

mod document;
mod export;
mod guide;
mod journey;
mod organise;
mod schemathesis;
mod standards;
mod tokens;

use crate::support::{Api, Server, python_zip, wait_for};

/// Makes an author with a token that may read and submit.
pub(crate) fn author(server: &Server, root: &mut crate::support::Client, name: &str) -> Api {
    server.author(root, name);
    Api::login(server.client(), name, "battery staple", &["read", "submit"])
}

/// Makes a client with the rights of the administrator.
fn manager(server: &Server) -> Api {
    Api::login(server.client(), "root", "correct horse", &["read", "submit", "manage"])
}

/// Hands in a bot that works, and waits until it can play.
fn ready_bot(api: &mut Api, line: &str) -> String {
    let handed = api.hand_in("cluster", "", "", &python_zip("cluster", line));
    assert_eq!(handed.status, 201, "{}", handed.text());
    let path = crate::support::header(&handed.head, "location").unwrap();
    let path = path.strip_prefix("/api/v1").unwrap().to_owned();
    wait_for("a version", || {
        let version = api.found(&path);
        let state = version["state"].as_str().unwrap().to_owned();
        assert_ne!(state, "failed", "{version}");
        (state == "ready" || state == "retired").then_some(())
    });
    path
}
