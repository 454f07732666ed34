//! A client of the API.

use serde_json::Value;

use super::{Client, Reply, header};

/// A client of the API with a token, or without one.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    client: Client,
    pub(crate) token: Option<String>,
}

impl Api {
    pub(crate) fn new(client: Client, token: Option<&str>) -> Api {
        Api { client, token: token.map(str::to_owned) }
    }

    /// Signs in with name and password.
    pub(crate) fn login(client: Client, name: &str, password: &str, scopes: &[&str]) -> Api {
        let mut api = Api::new(client, None);
        let body = serde_json::json!({"name": name, "password": password, "scopes": scopes});
        let made = api.post("/tokens", &body);
        assert_eq!(made.status, 201, "{}", made.text());
        api.token = Some(json(&made)["secret"].as_str().unwrap().to_owned());
        api
    }

    /// Sends a request with a path below `/api/v1`.
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let headers = format!("{}{headers}", token.unwrap_or_default());
        let path = format!("/api/v1{path}");
        self.client
            .request(method, &path, &headers, body)
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, "", b"")
    }

    /// Fetches JSON that must be there.
    pub(crate) fn found(&mut self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        json(&reply)
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        let body = body.to_string();
        self.send("POST", path, "Content-Type: application/json\r\n", body.as_bytes())
    }

    /// Hands in an archive.
    pub(crate) fn hand_in(&mut self, arena: &str, query: &str, headers: &str, zip: &[u8]) -> Reply {
        let headers = format!("Content-Type: application/zip\r\n{headers}");
        self.send("POST", &format!("/arenas/{arena}/versions{query}"), &headers, zip)
    }
}

/// Reads a reply as JSON.
pub(crate) fn json(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap_or_else(|error| panic!("{error}: {}", reply.text()))
}

/// Returns the code of a problem.
pub(crate) fn code(reply: &Reply) -> String {
    let kind = header(&reply.head, "content-type");
    assert_eq!(kind.as_deref(), Some("application/problem+json"), "{}", reply.text());
    let problem = json(reply);
    assert_eq!(problem["status"], reply.status, "{problem}");
    problem["code"].as_str().unwrap().to_owned()
}
