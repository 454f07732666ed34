//! HTTPS: with a certificate from files, and behind nginx and Caddy with the examples of `deploy`.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, path::Path, sync::Arc};

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::hand_in::{send_file, wait_until_done};
use crate::support::{Client, LIVELY, Server, agon_server, header, said, wait_for};

/// The address of visitors: another one than that of the proxy.
const VISITOR: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A proxy that runs. Dropping it ends it.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // SIGTERM: nginx ends its workers then.
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.0),
            rustix::process::Signal::TERM,
        );
        let _ = self.0.wait();
    }
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new("../../deploy").join(name)).unwrap()
}

/// Changes an example to what a test needs; each text must be there.
fn changed(mut text: String, changes: &[(&str, &str)]) -> String {
    for (old, new) in changes {
        assert!(text.contains(old), "{old} in {text}");
        text = text.replace(old, new);
    }
    text
}

fn nginx(folder: &Path, port: u16, server: &str) -> Proxy {
    let shown = folder.display();
    let (site, key) = (format!("{shown}/site.pem"), format!("{shown}/key.pem"));
    let site = changed(
        example("nginx.conf"),
        &[
            ("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl")),
            ("server_name agon.example", "server_name localhost"),
            ("/etc/letsencrypt/live/agon.example/fullchain.pem", &site),
            ("/etc/letsencrypt/live/agon.example/privkey.pem", &key),
            ("proxy_pass http://127.0.0.1:8420", &format!("proxy_pass {server}")),
        ],
    );
    let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("{kind}_temp_path {shown}/{kind};\n"))
        .collect();
    let config = format!(
        "daemon off;\npid {shown}/nginx.pid;\nerror_log {shown}/error.log;\nevents {{}}\n\
         http {{\naccess_log off;\n{paths}{site}}}\n"
    );
    let path = folder.join("nginx.conf");
    fs::write(&path, config).unwrap();
    let mut command = Command::new("/usr/sbin/nginx");
    command.arg("-c").arg(&path).arg("-e").arg(folder.join("error.log"));
    Proxy(command.stdin(Stdio::null()).spawn().unwrap())
}

fn caddy(folder: &Path, port: u16, server: &str) -> Proxy {
    let shown = folder.display();
    let own = format!(
        "{{\n\tadmin off\n\tauto_https off\n}}\nhttps://localhost:{port} {{\n\tbind 127.0.0.1\n\t\
         tls {shown}/site.pem {shown}/key.pem\n"
    );
    let server = server.strip_prefix("http://").unwrap();
    let config =
        changed(example("Caddyfile"), &[("agon.example {\n", &own), ("127.0.0.1:8420", server)]);
    let path = folder.join("Caddyfile");
    fs::write(&path, config).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&path).env("HOME", folder);
    Proxy(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// Does behind a proxy what people do.
fn works_behind(start: fn(&Path, u16, &str) -> Proxy) {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let public = format!("https://localhost:{port}");
    let data = folder.path().join("ladder");
    let flags = ["--trusted-proxy", "127.0.0.1", "--public-url", &public, "--verbose"];
    let flags = [&flags[..], &LIVELY, &["--pace", "0"]].concat();
    let server = Server::start(&data, &flags);
    let _proxy = start(folder.path(), port, &server.address);
    wait_for("the proxy", || TcpStream::connect(("127.0.0.1", port)).ok());
    let tls = trusting(&folder.path().join("site.pem"));
    let client = || Client::new(port).secure(Arc::clone(&tls), VISITOR);
    // HTTPS ends at the proxy; cookies are for HTTPS alone.
    let mut root = client();
    let reply = root.get("/");
    assert!(reply.head.contains("; Secure"), "{}", reply.head);
    assert!(header(&reply.head, "strict-transport-security").is_some(), "{}", reply.head);
    // Signing in.
    let link = server.link.clone().unwrap();
    let reply = root.post(&link, &link, &[("name", "root"), ("password", "correct horse")]);
    assert_eq!(reply.path, "/admin/arenas", "{}", reply.text());
    let fields = [("role", "author"), ("uses", "1"), ("days", "1"), ("note", "")];
    let reply = root.post("/admin/invitations", "/admin/people", &fields);
    assert!(reply.has(&format!("{public}/join/")), "{}", reply.text());
    let link = reply.find("/join/", 40);
    let mut ada = client();
    ada.post(&link, &link, &[("name", "ada"), ("password", "battery staple")]);
    // A bot of several megabytes, which do not pack well.
    let noise: String = (0..500_000_u64)
        .map(|number| format!("{:x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
        .collect();
    let code = format!("raise SystemExit(1)\n# {noise}\n");
    assert!(code.len() > 7_000_000);
    let reply = send_file(&mut ada, "bot.py", code.as_bytes());
    assert!(reply.path.contains("/versions/1"), "{}", reply.text());
    assert!(wait_until_done(&mut ada, &reply.path).has("failed"));
    // A stream arrives while it lasts.
    let began = Instant::now();
    let mut stream = client().open("/arenas/cluster/events").unwrap();
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("event: table") {
        let mut bytes = [0; 1_000];
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0, "the stream ended: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&bytes[..count]);
        assert!(began.elapsed() < Duration::from_secs(60), "the stream is held back");
    }
    // The address is the visitor's, and nobody can claim another one.
    let mut liar = client();
    liar.request("GET", "/people/liar", "X-Forwarded-For: 6.6.6.6\r\n", &[]).unwrap();
    let mut lines = Vec::new();
    let line = wait_for("the line about the request", || {
        lines.extend(server.said());
        lines.iter().find(|line| line.contains("/people/{name}")).cloned()
    });
    assert!(line.contains("address=127.0.0.2"), "{line}");
    assert!(!lines.iter().any(|line| line.contains("6.6.6.6")));
    assert!(!lines.iter().any(|line| line.contains(&link[6..])), "secrets are in no line");
    assert!(server.stop());
}

#[test]
fn people_hand_in_through_nginx() {
    agon_testkit::needs!("/usr/sbin/nginx", "openssl");
    works_behind(nginx);
}

#[test]
fn people_hand_in_through_caddy() {
    agon_testkit::needs!("caddy", "openssl");
    works_behind(caddy);
}

/// Makes a certificate for `localhost`.
pub(crate) fn certificate(folder: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-days", "2"])
        .args(["-keyout", "key.pem", "-out", "site.pem"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Returns the settings of a client that accepts this certificate alone.
fn trusting(site: &Path) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(site).unwrap()).unwrap();
    Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

#[test]
fn pages_are_served_over_https() {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (site, key, data) = (place("site.pem"), place("key.pem"), folder.path().join("ladder"));
    let server = Server::start(&data, &["--tls-certificate", &site, "--tls-key", &key]);
    assert!(server.address.starts_with("https://"), "{}", server.address);
    let name = ServerName::try_from("localhost").unwrap();
    let address = server.address.strip_prefix("https://").unwrap();
    let mut stream = StreamOwned::new(
        ClientConnection::new(trusting(Path::new(&site)), name).unwrap(),
        TcpStream::connect(address).unwrap(),
    );
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    // The end may come without a farewell.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    // Browsers keep the cookie for HTTPS, and come back over HTTPS alone.
    assert!(text.contains("; Secure"), "{text}");
    assert!(text.to_lowercase().contains("strict-transport-security"), "{text}");
    // Whoever does not speak TLS gets nothing.
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    a_certificate_that_is_none_is_named(folder.path());
}

fn a_certificate_that_is_none_is_named(folder: &Path) {
    let place = |name: &str| folder.join(name);
    let start = |certificate: &str, key: &str| {
        let paths = [place("other"), place(certificate), place(key)];
        let [data, certificate, key] = paths.each_ref().map(|path| path.to_str().unwrap());
        let files = ["--tls-certificate", certificate, "--tls-key", key];
        let words = ["--listen", "127.0.0.1:0", "--data", data].into_iter().chain(files);
        let output = agon_server(words);
        assert_eq!(output.status.code(), Some(2));
        said(&output)
    };
    assert!(start("missing.pem", "key.pem").contains("missing.pem cannot be read"));
    assert!(start("key.pem", "key.pem").contains("key.pem has no certificate"));
    assert!(start("site.pem", "site.pem").contains("site.pem has no private key"));
}
