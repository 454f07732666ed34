//! Credentials that expire, and those that are revoked.

use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, process::Command};

use agon_testkit::nats::PROGRAM;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use nkeys::KeyPair;
use serde_json::json;

use crate::setup::Secured;

/// Writes credentials anew, so that they expire in so many seconds.
fn expire(secured: &Secured, user: &str, seconds: u64) {
    let credentials = secured.credentials(user);
    let account = fs::read_to_string(secured.file("account.seed")).unwrap();
    let account = KeyPair::from_seed(account.trim()).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut claims = credentials.claims;
    claims["exp"] = json!(now + seconds);
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let text = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    let signature = URL_SAFE_NO_PAD.encode(account.sign(text.as_bytes()).unwrap());
    let path = secured.file(&format!("{user}.creds"));
    let before = fs::read_to_string(&path).unwrap();
    fs::write(path, before.replace(&credentials.token, &format!("{text}.{signature}"))).unwrap();
}

#[test]
fn a_worker_whose_credentials_expire_says_so_and_ends() {
    agon_testkit::slow!();
    let secured = Secured::start();
    let said = secured.run(&["credential", "queue", "worker", "--name", "ada"]);
    assert_eq!(said, (Some(0), "wrote queue/ada.creds; they expire in 400 days\n".to_owned()));
    let days = ["credential", "queue", "worker", "--name", "bob", "--days", "1"];
    let said = secured.run(&days);
    assert_eq!(said, (Some(0), "wrote queue/bob.creds; they expire in 1 day\n".to_owned()));
    let left = secured.credentials("bob").claims["exp"].as_u64().unwrap()
        - secured.credentials("bob").claims["iat"].as_u64().unwrap();
    assert_eq!(left, 24 * 3600);
    assert!(secured.credentials("worker").claims.get("exp").is_some());
    assert!(secured.credentials("coordinator").claims.get("exp").is_none());
    expire(&secured, "ada", 5);
    let mut worker = secured.worker("ada");
    worker.wait_until_it_says("plays 1 match");
    assert_eq!(worker.end(), Some(2), "{}", worker.said());
    assert!(worker.said().contains("these credentials have expired; ask"), "{}", worker.said());
    let mut again = secured.worker("ada");
    assert_eq!(again.end(), Some(2));
    assert!(again.said().contains("these credentials have expired; ask"), "{}", again.said());
}

#[test]
fn a_user_who_is_revoked_is_thrown_out_and_others_stay() {
    agon_testkit::slow!();
    let mut secured = Secured::start();
    for name in ["ada", "bob"] {
        secured.add("worker", name);
    }
    let workers = ["ada", "bob", "worker"];
    let mut workers = workers.map(|user| secured.worker(user));
    workers.iter().for_each(|worker| worker.wait_until_it_says("plays 1 match"));
    let reload = |secured: &Secured| {
        let server = secured.server.process().to_string();
        assert!(Command::new("kill").args(["-HUP", &server]).status().unwrap().success());
    };
    for (at, name) in ["ada", "bob"].into_iter().enumerate() {
        let (code, said) = secured.run(&["revoke", "queue", name]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("nats-server --signal reload"), "{said}");
        assert!(said.contains("copy queue/revocations.jwt beside the credentials"), "{said}");
        assert!(secured.file(&format!("{name}.creds.revoked")).is_file(), "{said}");
        reload(&secured);
        assert_eq!(workers[at].end(), Some(2), "{}", workers[at].said());
        let said = workers[at].said();
        assert!(said.contains("the organiser has revoked these credentials"), "{said}");
    }
    // Again, and after the server was started anew.
    let revoked = |name: &str| secured.file(&format!("{name}.creds.revoked"));
    for name in ["ada", "bob"] {
        fs::copy(revoked(name), secured.file(&format!("{name}.creds"))).unwrap();
    }
    let mut again = secured.worker("ada");
    assert_eq!(again.end(), Some(2));
    assert!(again.said().contains("been revoked"), "{}", again.said());
    secured.server.kill();
    secured.server.start_again();
    let mut again = secured.worker("bob");
    assert_eq!(again.end(), Some(2));
    assert!(again.said().contains("been revoked"), "{}", again.said());
    workers[2].wait_until_it_says("the connection to the server is there again");
    // The name is free, and the next one that is revoked keeps the first.
    fs::remove_file(secured.file("ada.creds")).unwrap();
    secured.add("worker", "ada");
    secured.worker("ada").wait_until_it_says("plays 1 match");
    assert_eq!(secured.run(&["revoke", "queue", "ada"]).0, Some(0));
    assert!(secured.file("ada.creds.revoked-2").is_file());
}

#[test]
fn what_cannot_be_revoked_is_left_as_it_is() {
    agon_testkit::needs!(PROGRAM);
    let secured = Secured::start();
    let conf = secured.file("nats-server.conf");
    let before = fs::read_to_string(&conf).unwrap();
    let refused = |name: &str, expected: &str| {
        let (code, said) = secured.run(&["revoke", "queue", name]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    refused("nobody", "nobody.creds, which names the user's key");
    refused("../worker", "without `/` and `.`");
    let seed = fs::read_to_string(secured.file("operator.seed")).unwrap();
    fs::write(secured.file("operator.seed"), KeyPair::new_operator().seed().unwrap()).unwrap();
    refused("worker", "is not the key that has signed the account");
    fs::remove_file(secured.file("operator.seed")).unwrap();
    refused("worker", "a folder of an older Agon cannot revoke");
    assert_eq!(fs::read_to_string(&conf).unwrap(), before);
    assert!(secured.file("worker.creds").is_file());
    fs::write(secured.file("operator.seed"), seed).unwrap();
    assert_eq!(secured.run(&["revoke", "queue", "worker"]).0, Some(0));
}
