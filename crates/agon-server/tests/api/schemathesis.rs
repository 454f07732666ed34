//! Schemathesis, a program that knows nothing of this server, makes requests from the OpenAPI
//! document and compares the replies with it: <https://schemathesis.readthedocs.io>.
//!
//! `cargo xtask setup` installs it below `target/`.

use std::{fs, process::Command};

use super::{author, manager, ready_bot};
use crate::support::{Server, wait_for};

/// Where `cargo xtask setup` installs it.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/schemathesis/bin/st");

/// How long it looks, in seconds.
const SECONDS: &str = "45";

/// Operations that it leaves out: a stream without end, and what takes the rights away from the
/// token with which it looks.
const LEFT_OUT: &str = "^(followArena|disablePerson|setRole|revokeToken)$";

#[test]
fn strangers_requests_get_the_documented_replies() {
    agon_testkit::slow!();
    agon_testkit::needs!("python3", PROGRAM);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("ladder"), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    ready_bot(&mut ada, "");
    wait_for("a match", || {
        ada.found("/arenas/cluster/matches?bot=ada")["items"][0]["number"].as_u64()
    });
    let token = manager(&server).token.unwrap();
    let config = folder.path().join("schemathesis.toml");
    fs::copy("tests/api/schemathesis/schemathesis.toml", &config).unwrap();
    let output = Command::new(PROGRAM)
        .arg("--config-file")
        .arg(&config)
        .args(["run", &format!("{}/api/v1/openapi.json", server.address)])
        .args(["--exclude-operation-id-regex", LEFT_OUT])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--max-time", SECONDS, "--seed", "1", "--no-color"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(server.client().get("/healthz").status, 200);
}
