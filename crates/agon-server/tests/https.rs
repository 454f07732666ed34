//! HTTPS with a certificate from files.

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    process::Command,
    sync::Arc,
};

use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};

use crate::support::Server;

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

#[test]
fn pages_are_served_over_https() {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (site, key, data) = (place("site.pem"), place("key.pem"), folder.path().join("ladder"));
    let server = Server::start(&data, &["--tls-certificate", &site, "--tls-key", &key]);
    assert!(server.address.starts_with("https://"), "{}", server.address);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&site).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let address = server.address.strip_prefix("https://").unwrap();
    let mut stream = StreamOwned::new(
        ClientConnection::new(Arc::new(config), name).unwrap(),
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
}

#[test]
fn a_certificate_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    certificate(folder.path());
    let place = |name: &str| folder.path().join(name);
    let start = |certificate: &str, key: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_agon-server"))
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(place("ladder"))
            .arg("--tls-certificate")
            .arg(place(certificate))
            .arg("--tls-key")
            .arg(place(key))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(start("missing.pem", "key.pem").contains("missing.pem cannot be read"));
    assert!(start("key.pem", "key.pem").contains("key.pem has no certificate"));
    assert!(start("site.pem", "site.pem").contains("site.pem has no private key"));
}
