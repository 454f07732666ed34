//! Who gets in, who does not, and what the log says of it.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::hand_in::{enter, hand_in, send_code, wait_until_done};
use crate::support::{Api, Client, Reply, Server, agon_server, flags, header, said};

/// Sends name and password, as if from an address behind a proxy.
fn sign_in(server: &Server, from: &str, name: &str, password: &str) -> Reply {
    let mut client = server.client();
    sign_in_as(&mut client, from, name, password)
}

pub(crate) fn sign_in_as(client: &mut Client, from: &str, name: &str, password: &str) -> Reply {
    let csrf = client.get("/sign-in").csrf();
    let fields = [("csrf", csrf.as_str()), ("name", name), ("password", password), ("next", "/")];
    client.post_raw("/sign-in", &format!("X-Forwarded-For: {from}\r\n"), &fields).unwrap()
}

#[test]
fn guesses_slow_down_guesses_and_nobody_else() {
    let (server, mut root) = Server::with_root(&["--trusted-proxy", "127.0.0.1"]);
    server.author(&mut root, "ada");
    server.author(&mut root, "bob");
    let home = "2001:db8:1::1";
    assert_eq!(sign_in(&server, home, "ada", "battery staple").status, 200);
    // Somebody with a network of their own, and somebody behind ada's address.
    for network in ["2001:db8:2", "2001:db8:1"] {
        let guess = |n: u32| sign_in(&server, &format!("{network}::{n:x}"), "ada", "wrong one");
        let began = Instant::now();
        let first = guess(0x100);
        assert!(first.status == 401 && first.has("is wrong"), "{}", first.text());
        let heard = (1..=20).filter(|&n| guess(n).status == 401).count() as u64;
        // A slow machine gives some tries back meanwhile.
        let most = 10 + began.elapsed().as_secs() / 3;
        assert!((9..=most).contains(&heard), "{network}: {heard}");
    }
    let locked = sign_in(&server, "2001:db8:2::ffff", "ada", "battery staple");
    assert_eq!(locked.status, 429, "a guesser does not learn that a guess is right");
    assert!(locked.has("too many tries"), "{}", locked.text());
    assert!(header(&locked.head, "retry-after").is_some(), "{}", locked.head);
    assert_eq!(sign_in(&server, "2001:db8:2::ffff", "bob", "battery staple").status, 200);
    // Where ada has signed in before, she waits for seconds at most.
    thread::sleep(Duration::from_secs(4));
    assert_eq!(sign_in(&server, "2001:db8:1::77", "ADA", "battery staple").status, 200);
    // The log has it all, but no word that may be a password.
    sign_in(&server, "192.0.2.7", "correct horse", "root");
    let log = root.get("/admin/log");
    for words in [
        "account.sign-in",
        "account.wrong-password",
        "account.too-many-tries",
        "a name that nobody has",
        "2001:db8:2::1",
    ] {
        assert!(log.has(words), "{words}: {}", log.text());
    }
    assert!(!log.has("correct horse") && !log.has("wrong one"), "{}", log.text());
}

#[test]
fn passwords_that_others_guess_first_and_reserved_names_are_refused() {
    let server = Server::cluster();
    let kept = |reply: &Reply| header(&reply.head, "cache-control");
    let link = server.link.clone().unwrap();
    assert_eq!(kept(&server.client().get(&link)).as_deref(), Some("no-store"));
    for (name, password, words) in [
        ("root", "Password123", "others guess"),
        ("superroot", "superroot", "own name"),
        ("Ag0n", "correct horse", "belongs to the server"),
    ] {
        let fields = [("name", name), ("password", password)];
        let reply = server.client().post(&link, &link, &fields);
        assert!(reply.status == 422 && reply.has(words), "{name}: {}", reply.text());
    }
    let mut root = server.administrator();
    let fields = [("old", "correct horse"), ("password", "root2026")];
    let reply = root.post("/account/password", "/account", &fields);
    assert!(reply.status == 422 && reply.has("own name"), "{}", reply.text());
    pages_with_secrets_are_kept_nowhere(&server, &mut root);
    a_link_for_a_forgotten_password_is_made_on_the_shell(&server, &mut root);
}

fn a_link_for_a_forgotten_password_is_made_on_the_shell(server: &Server, root: &mut Client) {
    let chore = |name: &str| {
        let data = server.data().to_str().unwrap();
        let words = ["reset-link", name, "--data", data].map(str::to_owned);
        agon_server(words.into_iter().chain(flags(server.data())))
    };
    let unknown = chore("nobody");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(said(&unknown).contains("nobody has the name `nobody`"));
    // The only administrator has forgotten the password, while the server runs.
    let made = chore("ROOT");
    assert!(made.status.success(), "{}", said(&made));
    let link = String::from_utf8(made.stdout).unwrap();
    let path = link.trim().strip_prefix(&server.address).expect("a whole address").to_owned();
    let mut again = server.client();
    let reply = again.post(&path, &path, &[("password", "found again")]);
    assert!(reply.path.starts_with("/?"), "{}", reply.text());
    assert_eq!(again.get("/admin").status, 200);
    assert!(root.get("/admin").path.starts_with("/sign-in"), "others are signed out");
    assert!(again.get("/admin/log").has("agon serve reset-link"));
    assert_eq!(again.get(&path).status, 410, "it works once");
}

fn pages_with_secrets_are_kept_nowhere(server: &Server, root: &mut Client) {
    let kept = |reply: &Reply| header(&reply.head, "cache-control");
    let fields = [("role", "author"), ("uses", "1"), ("days", "1"), ("note", "")];
    let invited = root.post("/admin/invitations", "/admin/people", &fields);
    assert!(invited.has("/join/"), "{}", invited.text());
    assert_eq!(kept(&invited).as_deref(), Some("no-store"));
    for page in ["/account", "/admin/people", "/sign-in"] {
        let mut client = if page == "/sign-in" { server.client() } else { root.clone() };
        assert_eq!(kept(&client.get(page)).as_deref(), Some("no-store"), "{page}");
    }
    let body = json!({"name": "root", "password": "correct horse", "scopes": ["read"]});
    let made = Api::new(server.client(), None).post("/tokens", &body);
    assert_eq!((made.status, kept(&made).as_deref()), (201, Some("no-store")));
    assert_eq!(kept(&root.get("/arenas/cluster")).as_deref(), Some("private, no-cache"));
}

#[test]
fn visitors_learn_of_no_accounts_and_of_no_versions_that_failed() {
    let (server, mut root, mut ada) = Server::quiet();
    let mut bob = server.author(&mut root, "bob");
    // What failed is between its author and the server.
    let failed = hand_in(&mut ada, "cluster", "c", "this is no C\n");
    assert!(wait_until_done(&mut ada, &failed).has("failed"));
    let hidden = |api: &mut Api| {
        let place = "/arenas/cluster/bots/ada/versions";
        assert_eq!(api.found(place)["items"], json!([]));
        for of in ["/1", "/1/source"] {
            assert_eq!(api.get(&format!("{place}{of}")).status, 404, "{of}");
        }
    };
    assert_eq!(bob.get(&failed).status, 404);
    assert_eq!(server.client().get(&failed).status, 404);
    hidden(&mut Api::login(server.client(), "bob", "battery staple", &["read"]));
    hidden(&mut Api::new(server.client(), None));
    let mut own = Api::login(server.client(), "ada", "battery staple", &["read"]);
    assert_eq!(own.found("/arenas/cluster/bots/ada/versions/1")["state"], "failed");
    assert_eq!(root.get(&failed).status, 200);
    // Later, the version is still hidden beside one that plays.
    enter(&mut ada, "");
    let mut visitor = Api::new(server.client(), None);
    assert_eq!(visitor.get("/arenas/cluster/bots/ada/versions/2").status, 200);
    assert_eq!(visitor.get("/arenas/cluster/bots/ada/versions/1").status, 404);
    assert_eq!(server.client().get(&failed).status, 404);

    // Everybody sees who has an account, until an organiser says otherwise.
    assert_eq!(server.client().get("/people/bob").status, 200);
    root.post("/admin/privacy", "/admin/people", &[("private", "yes")]);
    for name in ["bob", "nobody"] {
        let page = server.client().get(&format!("/people/{name}"));
        assert!(page.path.starts_with("/sign-in"), "{name}: {}", page.path);
        assert_eq!(visitor.get(&format!("/people/{name}")).status, 401, "{name}");
    }
    assert_eq!(ada.get("/people/bob").status, 200);
    let server = server.kill_and_start();
    assert!(server.client().get("/people/bob").path.starts_with("/sign-in"), "it is kept");
}

#[test]
fn names_of_bots_that_look_alike_are_refused() {
    let (server, mut root, mut ada) = Server::with_ada();
    let mut named = |name: &str| send_code(&mut ada, "raise SystemExit(1)", &[("name", name)]);
    // `random` is a built-in bot; the letters are Cyrillic and of full width.
    for name in ["rand\u{43e}m", "\u{ff52}\u{ff41}\u{ff4e}dom", "Random"] {
        let reply = named(name);
        assert!(reply.status == 422 && reply.has("looks like it"), "{name}: {}", reply.text());
    }
    let reply = named("\u{410}gon");
    assert!(reply.status == 422 && reply.has("belongs to the server"), "{}", reply.text());
    let reply = named("Fox");
    assert!(reply.path.contains("/versions/"), "{}", reply.text());
    let mut bob = server.author(&mut root, "bob");
    // Two at once: the database decides.
    let eve = server.author(&mut root, "eve");
    let both = [(bob.clone(), "F\u{43e}x 2"), (eve, "fox2")].map(|(mut author, name)| {
        thread::spawn(move || {
            let reply = send_code(&mut author, "raise SystemExit(1)", &[("name", name)]);
            reply.path.contains("/versions/")
        })
    });
    let entered: usize = both.map(|one| usize::from(one.join().unwrap())).iter().sum();
    assert_eq!(entered, 1);
    let reply = bob.post("/arenas/cluster/bots/fox/rename", "/account", &[("name", "x")]);
    assert_eq!(reply.status, 403);
}
