//! The server behind nginx and Caddy, with the examples of `deploy`.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_rustls::rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::{
    hand_in::wait_until_done,
    https::certificate,
    support::{Client, Server, UploadedFile, header, python_bot, wait_for},
};

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
    let flags = [&flags[..], &["--arena", "cluster", "--pace", "0"]].concat();
    let server = Server::start(&data, &flags);
    let _proxy = start(folder.path(), port, &server.address);
    wait_for("the proxy", || TcpStream::connect(("127.0.0.1", port)).ok());
    let mut roots = RootCertStore::empty();
    let site = folder.path().join("site.pem");
    roots.add(CertificateDer::from_pem_file(site).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let tls = Arc::new(config);
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
    let code = format!("{}\n# {noise}\n", python_bot("cluster"));
    assert!(code.len() > 7_000_000);
    let page = "/arenas/cluster/hand-in";
    let file = UploadedFile { field: "files", name: "bot.py", contents: code.as_bytes() };
    let reply = ada.upload(page, page, &[("way", "files")], &[file]);
    assert!(reply.path.contains("/versions/1"), "{}", reply.text());
    assert!(wait_until_done(&mut ada, &reply.path).has("It can play"));
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
