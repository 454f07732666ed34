//! A client with cookies, such as a browser without JavaScript; and a client of the API.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
use serde_json::Value;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::wait_for;

/// A client.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    port: u16,
    cookies: BTreeMap<String, String>,
    /// For HTTPS to `localhost`.
    tls: Option<Arc<ClientConfig>>,
    /// Where its connections come from.
    address: IpAddr,
}

/// A connection.
pub(crate) trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Where it is: another path after a redirect.
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// A file of a form: the name of the field, that of the file, and what is in it.
pub(crate) type UploadedFile<'a> = (&'a str, &'a str, &'a [u8]);

impl Reply {
    /// Returns the body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns whether the body has a text.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Returns what begins with `start` and goes on for `length` bytes.
    pub(crate) fn find(&self, start: &str, length: usize) -> String {
        let text = self.text();
        let at = text.find(start).unwrap_or_else(|| panic!("no {start} in {text}"));
        text[at..at + start.len() + length].to_owned()
    }

    /// Returns the hidden value of its forms.
    pub(crate) fn csrf(&self) -> String {
        let text = self.text();
        let at = text.find("name=\"csrf\"").unwrap_or_else(|| panic!("no form in {text}"));
        let (_, rest) = text[at..].split_once("value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Client {
    pub(crate) fn new(port: u16) -> Client {
        let address = Ipv4Addr::LOCALHOST.into();
        Client { port, cookies: BTreeMap::new(), tls: None, address }
    }

    /// Returns the client with HTTPS, whose connections come from an address of this machine.
    pub(crate) fn secure(self, tls: Arc<ClientConfig>, address: IpAddr) -> Client {
        Client { tls: Some(tls), address, ..self }
    }

    /// Connects to the server.
    fn connect(&self) -> io::Result<Box<dyn Stream>> {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
        bind(&socket, &SocketAddr::new(self.address, 0))?;
        connect(&socket, &SocketAddr::new(Ipv4Addr::LOCALHOST.into(), self.port))?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::clone(tls), name).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(session, stream)))
    }

    /// Sends a request, and returns the connection on which the reply comes.
    pub(crate) fn open(&self, path: &str) -> io::Result<Box<dyn Stream>> {
        let mut stream = self.connect()?;
        stream.write_all(self.head("GET", path, "", 0).as_bytes())?;
        stream.flush()?;
        Ok(stream)
    }

    fn head(&self, method: &str, path: &str, headers: &str, length: usize) -> String {
        let cookies = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        let cookies = cookies.collect::<Vec<_>>().join("; ");
        let host = if self.tls.is_some() { "localhost" } else { "127.0.0.1" };
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}:{}\r\nConnection: close\r\n\
             Cookie: {cookies}\r\n{headers}Content-Length: {length}\r\n\r\n",
            self.port,
        )
    }

    /// Returns the value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    /// Sets a cookie.
    pub(crate) fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// Fetches a page, and follows redirects.
    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.try_get(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Fetches a page; the server may be gone.
    pub(crate) fn try_get(&mut self, path: &str) -> io::Result<Reply> {
        let reply = self.request("GET", path, "", &[])?;
        self.follow(reply)
    }

    /// Fills in the form of a page, and sends it to `path`.
    pub(crate) fn post(&mut self, path: &str, page: &str, fields: &[(&str, &str)]) -> Reply {
        let csrf = self.get(page).csrf();
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(fields);
        self.post_raw(path, "", &all).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Sends fields as they are.
    pub(crate) fn post_raw(
        &mut self,
        path: &str,
        headers: &str,
        fields: &[(&str, &str)],
    ) -> io::Result<Reply> {
        let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        let headers = format!("Content-Type: application/x-www-form-urlencoded\r\n{headers}");
        let reply = self.request("POST", path, &headers, body.as_bytes())?;
        self.follow(reply)
    }

    /// Fills in a form with files.
    pub(crate) fn upload(
        &mut self,
        path: &str,
        page: &str,
        fields: &[(&str, &str)],
        files: &[UploadedFile<'_>],
    ) -> Reply {
        let csrf = self.get(page).csrf();
        let reply = self.try_upload(path, &csrf, fields, files);
        reply.and_then(|reply| self.follow(reply)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Sends a form with files, and returns where the reply leads; the server may be gone.
    pub(crate) fn try_upload_only(
        &mut self,
        path: &str,
        csrf: &str,
        fields: &[(&str, &str)],
    ) -> io::Result<String> {
        let reply = self.try_upload(path, csrf, fields, &[])?;
        Ok(header(&reply.head, "location").unwrap_or_default())
    }

    /// Sends a form with files, and closes the connection without waiting for a reply.
    pub(crate) fn upload_and_leave(&self, path: &str, csrf: &str, fields: &[(&str, &str)]) {
        let (headers, body) = multipart(csrf, fields, &[]);
        let mut stream = self.connect().unwrap();
        stream.write_all(self.head("POST", path, &headers, body.len()).as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        stream.flush().unwrap();
    }

    /// Sends a form with files; the server may be gone.
    fn try_upload(
        &mut self,
        path: &str,
        csrf: &str,
        fields: &[(&str, &str)],
        files: &[UploadedFile<'_>],
    ) -> io::Result<Reply> {
        let (headers, body) = multipart(csrf, fields, files);
        self.request("POST", path, &headers, &body)
    }

    fn follow(&mut self, mut reply: Reply) -> io::Result<Reply> {
        for _ in 0..5 {
            if reply.status != 303 {
                return Ok(reply);
            }
            let place = header(&reply.head, "location").expect("a redirect says where");
            reply = self.request("GET", &place, "", &[])?;
        }
        Err(io::Error::other("redirects without end"))
    }

    /// Sends a request and reads the whole reply.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> io::Result<Reply> {
        let mut stream = self.connect()?;
        stream.write_all(self.head(method, path, headers, body.len()).as_bytes())?;
        // A server that refuses early closes while the body still comes.
        let _ = stream.write_all(body).and_then(|()| stream.flush());
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            read?;
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut body = bytes[end + 4..].to_vec();
        if header(&head, "transfer-encoding").is_some_and(|value| value == "chunked") {
            body = unchunked(&body);
        }
        for line in head.lines().filter(|line| line.to_lowercase().starts_with("set-cookie: ")) {
            let pair = line["set-cookie: ".len()..].split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.set_cookie(name, value);
            }
        }
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Reply { status, path: path.to_owned(), head, body })
    }
}

/// Writes a form with files: its headers and its body.
fn multipart(csrf: &str, fields: &[(&str, &str)], files: &[UploadedFile<'_>]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "agon-test-boundary";
    let part = |head: &str, contents: &[u8]| {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n");
        [head.as_bytes(), contents, b"\r\n"].concat()
    };
    let mut body = part("name=\"csrf\"", csrf.as_bytes());
    for (name, value) in fields {
        body.extend(part(&format!("name=\"{name}\""), value.as_bytes()));
    }
    for (field, name, contents) in files {
        let kind = "Content-Type: application/octet-stream";
        let head = format!("name=\"{field}\"; filename=\"{name}\"\r\n{kind}");
        body.extend(part(&head, contents));
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    let headers = format!("Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n");
    (headers, body)
}

/// Returns a header of a reply.
pub(crate) fn header(head: &str, name: &str) -> Option<String> {
    let line = head.lines().find(|line| {
        line.split_once(':').is_some_and(|(known, _)| known.eq_ignore_ascii_case(name))
    })?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            encoded.push(byte.into());
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&body[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        body = &body[end + 2..];
        if length == 0 || body.len() < length {
            break;
        }
        whole.extend_from_slice(&body[..length]);
        body = &body[length + 2..];
    }
    whole
}

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

    /// Hands in an archive, and waits until its version can play; returns the version's path.
    pub(crate) fn enter(&mut self, arena: &str, query: &str, zip: &[u8]) -> String {
        let handed = self.hand_in(arena, query, "", zip);
        assert_eq!(handed.status, 201, "{}", handed.text());
        let place = header(&handed.head, "location").unwrap();
        let path = place.strip_prefix("/api/v1").unwrap().to_owned();
        wait_for("a version", || {
            let version = self.found(&path);
            let state = version["state"].as_str().unwrap();
            assert_ne!(state, "failed", "{version}");
            (state == "ready" || state == "retired").then_some(())
        });
        path
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
