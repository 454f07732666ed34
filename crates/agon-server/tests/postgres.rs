//! Ladders with a database of PostgreSQL, which is killed, goes away, or is the wrong one.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, path::Path, sync::Arc, thread};

use agon_testkit::postgres::TestServer;

use crate::kill::{check_with, upload, visit};
use crate::support::{
    Client, Database, LIVELY, Server, agon_server, flags, make, said, short_arena, wait_until,
};
use crate::{backup::server_with_a_bot, hand_in::enter, proxy::certificate};

/// How often the database's server is killed. `AGON_KILLS` names another number.
const KILLS: usize = 4;

const PLAYED: &str = "SELECT count(*) FROM matches WHERE state = 'played'";

/// Starts a server of PostgreSQL; `None` if it is not installed, and may be missing.
fn postgres() -> Option<TestServer> {
    let server = TestServer::start();
    if server.is_none() {
        agon_testkit::leave_out("need PostgreSQL");
    }
    server
}

/// Starts a ladder with an author's bot.
fn ladder(data: &Path, address: &str) -> (Server, Client) {
    let server = Server::start(data, &["--pace", "0", "--database", address]);
    let mut root = server.administrator();
    short_arena(&mut root, &["greedy", "random"]);
    let ada = server.author(&mut root, "ada");
    (server, ada)
}

/// Checks that a command is refused for a reason.
fn refuses(words: &[&str], reason: &str) {
    let output = agon_server(words);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(reason), "{said}");
    assert!(!said.contains("swordfish"), "a password is shown: {said}");
}

#[test]
fn nothing_acknowledged_is_lost_when_the_database_is_killed() {
    let Some(postgres) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let address = make(&postgres.address(), "ladder");
    let (mut server, ada) = ladder(folder.path(), &address);
    let kills = std::env::var("AGON_KILLS").ok().and_then(|text| text.parse().ok());
    let mut acknowledged: Vec<u32> = Vec::new();
    for round in 0..kills.unwrap_or(KILLS) {
        let is_over = Arc::new(AtomicBool::new(false));
        let uploads = upload(&is_over, ada.clone(), round);
        let visits = visit(&is_over, server.client());
        // Another moment each time, while all are busy.
        thread::sleep(Duration::from_millis(400 + 137 * (round as u64 % 7)));
        postgres.kill();
        if round % 2 == 1 {
            // Both at once.
            drop(server);
            postgres.start_again();
            server = Server::start(folder.path(), &["--pace", "0", "--database", &address]);
        } else {
            postgres.start_again();
        }
        thread::sleep(Duration::from_millis(300));
        is_over.store(true, Ordering::Relaxed);
        acknowledged.extend(uploads.join().unwrap());
        visits.join().unwrap();
        check_with(folder.path(), Database::at(&address), &acknowledged);
    }
    assert!(!acknowledged.is_empty(), "there were hand-ins");
    // Matches go on.
    let count = || Database::at(&address).number(PLAYED);
    let played = count();
    wait_until("more matches", || count() > played + 10);
    // What everybody can read still fits.
    let site = crate::proof::site(&server);
    agon_ladder::ledger::follow(&site, None).unwrap();
    assert!(server.stop());
    check_with(folder.path(), Database::at(&address), &acknowledged);
    println!("{} hand-ins, {played} matches", acknowledged.len());
    a_database_that_goes_away_and_returns(&postgres);
}

fn a_database_that_goes_away_and_returns(postgres: &TestServer) {
    let folder = tempfile::tempdir().unwrap();
    let address = make(&postgres.address(), "away");
    let (server, mut ada) = ladder(folder.path(), &address);
    wait_until("matches", || Database::at(&address).number(PLAYED) > 5);
    postgres.kill();
    wait_until("word of it", || {
        let reply = server.client().get("/readyz");
        reply.status == 503 && reply.has("database")
    });
    // It is alive, and says what is wrong to whoever wants to change something.
    assert_eq!(server.client().get("/healthz").status, 200);
    let page = server.client().get("/arenas/cluster/matches");
    assert_eq!(page.status, 503, "{}", page.text());
    assert!(page.has("database does not answer"), "{}", page.text());
    let figures = server.metrics();
    assert_eq!(figures.status, 200, "figures are wanted now most of all");
    assert!(figures.has("agon_results_unwritable"), "{}", figures.text());
    // It stops without waiting for ever, too: see below. Now it returns.
    postgres.start_again();
    wait_until("readiness", || server.client().get("/readyz").status == 200);
    enter(&mut ada, "");
    let count = || Database::at(&address).number(PLAYED);
    let played = count();
    wait_until("more matches", || count() > played + 5);
    check_with(folder.path(), Database::at(&address), &[1]);
    postgres.kill();
    // Well or not: its database is away.
    server.stop();
    postgres.start_again();
    let server = Server::start(folder.path(), &["--pace", "0", "--database", &address]);
    let played = count();
    wait_until("more matches", || count() > played + 5);
    assert!(server.stop());
    check_with(folder.path(), Database::at(&address), &[1]);
}

#[test]
fn a_database_that_is_silent_for_a_while() {
    agon_testkit::slow!();
    let Some(postgres) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("ladder");
    let address = make(&postgres.address(), "ladder");
    let (server, ada) = ladder(&data, &address);
    wait_until("matches", || Database::at(&address).number(PLAYED) > 5);
    let is_over = Arc::new(AtomicBool::new(false));
    let uploads = upload(&is_over, ada, 0);
    let visits = visit(&is_over, server.client());
    thread::sleep(Duration::from_millis(700));

    let frozen = postgres.freeze();
    let began = Instant::now();
    let ready = server.client().get("/readyz");
    assert_eq!(ready.status, 503, "{}", ready.text());
    assert!(ready.has("the database does not answer in time"), "{}", ready.text());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // Many at once, more than there are connections, and each of them within its time.
    let ask = |path: &'static str| {
        let mut client = server.client();
        thread::spawn(move || {
            let began = Instant::now();
            (client.get(path), began.elapsed())
        })
    };
    let asked: Vec<_> = (0..12).map(|_| ask("/arenas/cluster/matches")).collect();
    assert_eq!(server.client().get("/healthz").status, 200);
    for asked in asked {
        let (reply, took) = asked.join().unwrap();
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert!(reply.has("database does not answer"), "{}", reply.text());
        assert!(took < Duration::from_secs(30), "{took:?}");
    }
    // Another server does not start, and says why.
    let began = Instant::now();
    let other = folder.path().join("other");
    let other = other.to_str().unwrap();
    let serve = ["--listen", "127.0.0.1:0", "--data", other, "--database", &address];
    refuses(&serve, "takes connections, but has not answered for 15s");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(server.client().get("/healthz").status, 200);

    drop(frozen);
    wait_until("readiness", || server.client().get("/readyz").status == 200);
    let count = || Database::at(&address).number(PLAYED);
    let played = count();
    wait_until("more matches", || count() > played + 10);
    is_over.store(true, Ordering::Relaxed);
    let acknowledged = uploads.join().unwrap();
    visits.join().unwrap();
    assert!(!acknowledged.is_empty(), "there were hand-ins");
    check_with(&data, Database::at(&address), &acknowledged);
    assert!(server.stop());
    check_with(&data, Database::at(&address), &acknowledged);
}

/// Keeps the ladder's programs out of a database, as one of them does.
const LOCK: &str = "SELECT pg_advisory_lock(1634168686)";

#[test]
fn a_restore_that_failed_is_done_again_in_the_same_database() {
    agon_testkit::slow!();
    let Some(postgres) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (old, copy, new) = (path("old"), path("copy"), path("new"));
    let server = Server::start(Path::new(&old), &LIVELY);
    let mut root = server.administrator();
    server.author(&mut root, "ada");
    wait_until("matches", || Database::of(Path::new(&old)).number(PLAYED) > 5);
    assert!(server.stop());
    let flags = flags(Path::new(&old));
    let backup = ["backup", "--data", &old, &copy].into_iter();
    let words: Vec<&str> = backup.chain(flags.iter().map(String::as_str)).collect();
    assert!(agon_server(&words).status.success());
    let address = make(&postgres.address(), "ladder");
    let again = ["restore", &copy, "--data", &new, "--database", &address];

    // All files are there, and the database comes last: it waits for the lock.
    let holder = Database::at(&address);
    holder.rows(LOCK);
    let mut restore = Command::new(env!("CARGO_BIN_EXE_agon-server"));
    let restore = restore.args(again).stderr(Stdio::piped()).spawn().unwrap();
    let marker = Path::new(&new).join("restoring");
    wait_until("its last step", || Path::new(&new).join("database.id").exists());
    // What comes after the commit fails: a folder cannot be removed as a file.
    fs::remove_file(&marker).unwrap();
    fs::create_dir(&marker).unwrap();
    drop(holder);
    let output = restore.wait_with_output().unwrap();
    let words = said(&output);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("restoring cannot be removed"), "{words}");
    let count = |sql: &str| Database::at(&address).number(sql);
    assert!(count(PLAYED) > 5, "it is committed");
    let serve = ["--listen", "127.0.0.1:0", "--data", &new, "--database", &address];
    refuses(&serve, "was interrupted; empty the folder and restore it again");

    // As the message says.
    fs::remove_dir_all(&new).unwrap();
    let output = agon_server(again);
    let words = said(&output);
    assert!(output.status.success(), "{words}");
    assert!(words.contains("had an unfinished restore, which was replaced"), "{words}");
    let marks = "SELECT count(*) FROM facts WHERE name = 'restoring'";
    assert_eq!(count(marks), 0);
    assert_eq!(count("SELECT count(*) FROM people WHERE name = 'ada'"), 1);
    let newer = ["restore", &copy, "--data", &path("newer"), "--database", &address];
    refuses(&newer, "it has a ladder already");

    // If only the last word to the database was lost, the server's start is that word.
    Database::at(&address).execute("INSERT INTO facts VALUES ('restoring', 'x')");
    let server = Server::start(Path::new(&new), &["--pace", "0", "--database", &address]);
    let played = count(PLAYED);
    wait_until("more matches", || count(PLAYED) > played + 5);
    assert_eq!(count(marks), 0);
    assert!(server.stop());
    let newest = ["restore", &copy, "--data", &path("newest"), "--database", &address];
    refuses(&newest, "it has a ladder already");
}

#[test]
fn a_ladder_moves_into_a_database_and_back() {
    let Some(postgres) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let succeeds = |words: &[&str]| {
        let output = agon_server(words);
        assert!(output.status.success(), "{}", said(&output));
    };
    let matches = |database: &Database| {
        database.rows(
            "SELECT number, seed, replay, played FROM matches WHERE state = 'played'
            ORDER BY number",
        )
    };
    let old = path("old");
    let (server, ada) = server_with_a_bot(Path::new(&old));
    assert!(server.stop());
    let first = matches(&Database::of(Path::new(&old)));

    let (copy, new) = (path("copy"), path("new"));
    let address = make(&postgres.address(), "ladder");
    succeeds(&["backup", "--data", &old, &copy]);
    succeeds(&["restore", &copy, "--data", &new, "--database", &address]);
    assert_eq!(matches(&Database::at(&address)), first);
    let again = ["restore", &copy, "--data", &path("newer"), "--database", &address];
    refuses(&again, "it has a ladder already");
    let server = Server::start(Path::new(&new), &["--pace", "0", "--database", &address]);
    assert!(server.link.is_none(), "the administrator is there");
    let mut author = server.client();
    author.set_cookie("agon-session", ada.cookie("agon-session").unwrap());
    // The same files would be the same version.
    enter(&mut author, "# second");
    wait_until("more matches", || matches(&Database::at(&address)).len() > first.len() + 5);

    // A copy while all are busy, and back to a folder.
    let (copy, back) = (path("copy2"), path("back"));
    succeeds(&["backup", "--data", &new, "--database", &address, &copy]);
    assert!(server.stop());
    let second = matches(&Database::at(&address));
    check_with(Path::new(&new), Database::at(&address), &[1, 2]);
    succeeds(&["restore", &copy, "--data", &back]);
    let third = matches(&Database::of(Path::new(&back)));
    assert!(third.len() > first.len() && second.starts_with(&third));
    let server = Server::start(Path::new(&back), &["--pace", "0"]);
    wait_until("more matches", || matches(&Database::of(Path::new(&back))).len() > third.len() + 5);
    assert!(server.stop());
    check_with(Path::new(&back), Database::of(Path::new(&back)), &[1, 2]);
}

#[test]
fn a_folder_and_a_database_that_do_not_belong_together_are_refused() {
    let Some(postgres) = postgres() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (one, two, three) = (path("one"), path("two"), path("three"));
    let [first, second, empty] =
        ["first", "second", "empty"].map(|name| make(&postgres.address(), name));
    let serve = |data: &str, address: &str, reason: &str| {
        refuses(&["--listen", "127.0.0.1:0", "--data", data, "--database", address], reason);
    };
    let server = Server::start(Path::new(&one), &["--database", &first]);
    serve(&two, &first, "another server uses it");
    // The log's key is made: from now on the folder belongs to a ladder.
    wait_until("a key", || Path::new(&one).join("keys/log.key").exists());
    assert!(server.stop());
    assert!(Server::start(Path::new(&two), &["--database", &second]).stop());
    serve(&one, &second, "belongs to the ladder of another folder");
    serve(&three, &first, "whose folder is another one");
    serve(&one, &empty, "is empty, but");
    refuses(&["--listen", "127.0.0.1:0", "--data", &one], "is kept in a database of PostgreSQL");
    refuses(&["backup", "--data", &one, &path("copy")], "is kept in a database of PostgreSQL");
    let wrong = ["backup", "--data", &one, "--database", &second, &path("copy")];
    refuses(&wrong, "does not belong to");
    serve(&one, "postgres://ada:swordfish@127.0.0.1:1/x", "cannot be reached");
    serve(&one, "mysql://127.0.0.1/x", "--database");
    let nobody = format!("{}/nobody", postgres.address());
    serve(&one, &nobody, "\"nobody\" does not exist");
    agon_testkit::needs!("openssl");
    what_is_said_to_a_database_is_encrypted(&postgres);
}

fn what_is_said_to_a_database_is_encrypted(postgres: &TestServer) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    make(&postgres.address(), "ladder");
    let address =
        |mode: &str| format!("postgres://agon@localhost:{}/ladder{mode}", postgres.port());
    let (data, other, required) = (path("ladder"), path("other"), address("?sslmode=require"));
    let serve = ["--listen", "127.0.0.1:0", "--data", &data, "--database", &required];
    refuses(&serve, "sslmode=disable");
    certificate(folder.path());
    let (site, key) = (path("site.pem"), path("key.pem"));
    postgres.encrypt(Path::new(&site), Path::new(&key));
    refuses(&serve, "certificate");
    refuses(&[&serve[..], &["--database-ca", &key]].concat(), "has no certificate");
    let server =
        Server::start(Path::new(&data), &["--database", &required, "--database-ca", &site]);
    let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'agon-server' AND NOT ssl";
    let secret = plain.replace("NOT ssl", "ssl");
    let database = Database::at(&address(""));
    assert_eq!(database.number(plain), 0);
    assert!(database.number(&secret) > 0);
    // A certificate is for a host.
    let ip = required.replace("localhost", "127.0.0.1");
    let wrong = ["--listen", "127.0.0.1:0", "--data", &other, "--database", &ip, "--database-ca"];
    refuses(&[&wrong[..], &[&site]].concat(), "certificate");
    assert!(server.stop());
}
