//! The public log: anybody can check it, and notices if it is changed.

use std::{cell::RefCell, path::Path};

use agon_core::Seed;
use agon_ladder::ledger::{
    Audit, AuditError, FollowError, Remembered, Report, Sample, Source, SourceError, audit, follow,
    tree::TilePath,
};

use crate::support::{
    Client, Database, Server, agon_server, make_arena, python_bot, said, wait_for,
};

/// A server as the source of its log.
pub(crate) struct Site(RefCell<Client>);

impl Source for Site {
    fn get(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        let reply = self.0.borrow_mut().try_get(&format!("/{path}"));
        let reply = reply.map_err(|error| SourceError::Failed(format!("{path}: {error}")))?;
        match reply.status {
            200 => Ok(reply.body),
            404 => Err(SourceError::Missing(path.to_owned())),
            status => Err(SourceError::Failed(format!("{path}: {status}"))),
        }
    }
}

pub(crate) fn site(server: &Server) -> Site {
    Site(RefCell::new(server.client()))
}

pub(crate) fn check(
    server: &Server,
    remembered: Option<&Remembered>,
) -> Result<Report, AuditError> {
    let options =
        Audit { remembered: remembered.cloned(), sample: Sample::All, ..Audit::default() };
    audit(&site(server), &options, |_| {})
}

/// Checks everything; waits until the last published table is in the signed log.
fn with_table(server: &Server, remembered: &Remembered) -> Report {
    wait_for("the signature of the table", || {
        let report = check(server, Some(remembered)).ok()?;
        assert!(report.findings.is_empty(), "{report:?}");
        (report.tables == 1).then_some(report)
    })
}

/// Starts a ladder whose matches are short, with a published table.
fn ladder(folder: &Path, matches: u64) -> (Server, Client) {
    let server = Server::start(folder, &["--pace", "0"]);
    let mut root = server.administrator();
    let more = [
        ("per_day", "10"),
        ("boss", "cluster/greedy"),
        ("boss", "cluster/random"),
        ("boss", "cluster/searcher"),
    ];
    make_arena(&mut root, "cluster", &more);
    let mut zuzu = server.author(&mut root, "zuzu");
    let page = "/arenas/cluster/hand-in";
    let code = python_bot("cluster");
    let fields = [("way", "editor"), ("language", "python"), ("name", "fox"), ("code", &code)];
    let reply = zuzu.upload(page, page, &fields, &[]);
    assert!(reply.path.contains("/bots/fox/versions/1"), "{}", reply.text());
    let site = site(&server);
    wait_for("matches and a table", || {
        let report = check_some(&site);
        let is_enough = report.matches >= matches && report.tables == 1 && report.versions == 1;
        is_enough.then_some(())
    });
    (server, root)
}

fn check_some(site: &Site) -> Report {
    let options = Audit { sample: Sample::Some(0, Seed(1)), ..Audit::default() };
    wait_for("a signed log", || match audit(site, &options, |_| {}) {
        Ok(report) => Some(report),
        Err(AuditError::Follow(FollowError::Source(SourceError::Failed(_)))) => None,
        Err(other) => panic!("{other}"),
    })
}

/// Pauses the matches of the arena, so that nothing changes any more.
fn pause(server: &Server, root: &mut Client) -> Remembered {
    let reply = root.post("/admin/arenas/cluster/pause", "/admin/arenas/cluster", &[]);
    assert_eq!(reply.status, 200);
    let site = site(server);
    let mut last = 0;
    wait_for("silence", || {
        let known = follow(&site, None).unwrap();
        let is_same = known.size == last;
        last = known.size;
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        is_same.then_some(known)
    })
}

fn change(folder: &Path, sql: &str) {
    assert!(Database::of(folder).execute(sql) > 0, "{sql} changes nothing");
}

/// Replaces a text in all entries of the log of a kind.
fn change_log(folder: &Path, kind: &str, old: &str, new: &str) {
    let changed = Database::of(folder).replace_in_log(&format!(r#""kind":"{kind}""#), old, new);
    assert!(changed > 0, "{old} is in no entry");
}

#[test]
fn everybody_can_check_all_matches_and_the_published_table() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path(), 30);
    let earlier = follow(&site(&server), None).unwrap();
    // The log grows over whole tiles, and begins with what it was.
    let longer = wait_for("a longer log", || {
        let now = follow(&site(&server), Some(&earlier)).unwrap();
        (now.size > 280).then_some(now)
    });
    follow(&site(&server), Some(&longer)).unwrap();
    pause(&server, &mut root);
    let report = with_table(&server, &earlier);
    assert!(report.grew && report.proven == report.matches && report.missing == 0, "{report:?}");
    assert_eq!(report.versions, 1);

    // No name, address or source is in the log.
    let mut client = server.client();
    let database = Database::of(folder.path());
    for entry in database.log() {
        for word in ["zuzu", "fox", "import", "127.0.0.1"] {
            assert!(!entry.contains(word), "{word} in {entry}");
        }
    }
    // Nor are sources to be had by their digests.
    let source = database.text("SELECT source FROM versions WHERE source IS NOT NULL").unwrap();
    assert_eq!(client.get(&format!("/log/terms/{source}.json")).status, 404);
    let beyond = TilePath { level: None, number: 900_000, width: 256 }.text();
    for path in [beyond.as_str(), "0/900", "8/000", "entries/000.p/0", "x", "200/000"] {
        assert_eq!(client.get(&format!("/log/tile/{path}")).status, 404, "{path}");
    }

    // A match's page leads to its proof.
    let page = client.get("/arenas/cluster/matches/3");
    let proof = page.find("/log/proofs/", 1);
    let text = page.text();
    let proof_path = text[text.find(&proof).unwrap()..].split('"').next().unwrap().to_owned();
    let proof = client.get(&proof_path).text();
    let lines: Vec<&str> = proof.lines().collect();
    assert_eq!(lines[0], "c2sp.org/tlog-proof@v1", "{proof}");
    assert!(lines[1].starts_with("extra ") && lines[2].starts_with("index "), "{proof}");
    assert!(proof.contains("\n\nagon-ladder/"), "{proof}");

    // An annulled match stays in the log, and leaves the next table.
    let arena = proof_path.split('/').nth(3).unwrap();
    let table = format!("/log/tables/{arena}.json");
    let before = client.get(&table).text();
    let annul = "/arenas/cluster/matches/3/annul";
    let reply = root.post(annul, "/arenas/cluster/matches/3", &[("reason", "a test")]);
    assert_eq!(reply.status, 200, "{}", reply.text());
    wait_for("a table without it", || (client.get(&table).text() != before).then_some(()));
    with_table(&server, &earlier);
    assert!(server.stop());
}

#[test]
fn a_changed_result_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path(), 10);
    let known = pause(&server, &mut root);
    assert!(check(&server, Some(&known)).unwrap().findings.is_empty());
    let finding = |server: &Server| check(server, Some(&known)).unwrap().findings;

    // Somebody has another bot win, on the pages alone.
    let swap = "UPDATE seats SET place = 3 - place WHERE number = 2 AND 1 =
        (SELECT min(place) FROM seats AS other WHERE other.number = 2)
        AND 2 = (SELECT max(place) FROM seats AS other WHERE other.number = 2)";
    change(folder.path(), &swap.replace("number = 2", "number = 4"));
    let found = finding(&server);
    assert!(found.iter().any(|found| found.number == Some(4)), "{found:?}");
    change(folder.path(), &swap.replace("number = 2", "number = 4"));
    assert!(finding(&server).is_empty());

    // The published table has other digits.
    // (The server may publish the last one once more, which mends it.)
    let found = wait_for("a finding", || {
        let ranks = "UPDATE published SET body = replace(body, '\"rank\":1,', '\"rank\":2,')";
        change(folder.path(), ranks);
        Some(finding(&server)).filter(|found| !found.is_empty())
    });
    assert!(found.iter().any(|found| found.what.contains("table")), "{found:?}");

    // The log itself says something else: its entries are not those that were signed.
    change_log(folder.path(), "results", r#""places":[1,2]"#, r#""places":[2,1]"#);
    let error = check(&server, Some(&known)).unwrap_err();
    assert!(matches!(error, AuditError::Follow(FollowError::Consistency(_))), "{error}");
    let error = check(&server, None).unwrap_err();
    assert!(matches!(error, AuditError::Follow(FollowError::Entries)), "{error}");
}

#[test]
fn a_rewritten_log_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path(), 10);
    let known = pause(&server, &mut root);
    assert!(server.stop());
    // The operator writes another past, and signs it with the ladder's own key.
    change_log(folder.path(), "results", r#""places":[1,2]"#, r#""places":[2,1]"#);
    change(folder.path(), "DELETE FROM checkpoints");
    let server = Server::start(folder.path(), &[]);
    let site = site(&server);
    wait_for("a signed log", || site.get("log/checkpoint").ok());
    let error = follow(&site, Some(&known)).unwrap_err();
    assert!(matches!(error, FollowError::Consistency(_)), "{error}");
    assert!(error.to_string().contains("rewritten"), "{error}");
    let error = check(&server, Some(&known)).unwrap_err();
    assert!(error.to_string().contains("rewritten"), "{error}");
    // Who does not know it cannot tell, but the matches do not fit.
    let report = check(&server, None).unwrap();
    assert!(!report.findings.is_empty());
    drop(server);

    // A log that is shorter than it was is noticed, too.
    let last = Database::of(folder.path()).number("SELECT max(number) FROM log");
    change(folder.path(), "DELETE FROM checkpoints");
    change(folder.path(), &format!("DELETE FROM log WHERE number > {}", last - 3));
    let server = Server::start(folder.path(), &[]);
    let site = self::site(&server);
    wait_for("a signed log", || site.get("log/checkpoint").ok());
    let error = follow(&site, Some(&known)).unwrap_err();
    assert!(error.to_string().contains("entries are gone"), "{error}");
}

#[test]
fn a_log_that_is_not_the_signed_one_is_not_signed_again() {
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path(), 5);
    pause(&server, &mut root);
    assert!(server.stop());
    change_log(folder.path(), "pairings", r#""seed":""#, r#""seed":"1"#);
    let server = Server::start(folder.path(), &[]);
    let mut root = server.client();
    let page = "/sign-in";
    root.post(page, page, &[("name", "root"), ("password", "correct horse")]);
    let overview = wait_for("the problem", || {
        let overview = root.get("/admin").text();
        overview.contains("not the one that was signed").then_some(overview)
    });
    assert!(overview.contains("backup"), "{overview}");
    assert_eq!(root.get("/log/checkpoint").status, 503);
}

#[test]
fn keys_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _) = ladder(folder.path(), 5);
    let known = follow(&site(&server), None).unwrap();
    let rotate = || {
        let output = agon_server(["rotate-key", "--data", folder.path().to_str().unwrap()]);
        (output.status.code(), said(&output))
    };
    let (code, said) = rotate();
    assert_eq!(code, Some(0), "{said}");
    let site = site(&server);
    let key = wait_for("the new key", || {
        let key = String::from_utf8(site.get("log/key").ok()?).unwrap();
        (key.trim() != known.key).then(|| key.trim().to_owned())
    });
    assert!(said.contains(&agon_ladder::ledger::fingerprint(&key)), "{said}");
    // Whoever knows the old key accepts the new one.
    let now = follow(&site, Some(&known)).unwrap();
    assert_eq!(now.key, key);
    let report = check(&server, Some(&known)).unwrap();
    assert!(report.findings.is_empty() && report.grew);
    // It still signs after a restart.
    let server = server.kill_and_start();
    let site = self::site(&server);
    wait_for("the log", || site.get("log/checkpoint").ok());
    assert!(follow(&site, Some(&now)).is_ok());
    assert!(!folder.path().join("keys/next.key").exists());
    // A key that nobody named is not accepted.
    drop(server);
    assert_eq!(rotate().0, Some(0));
    assert_eq!(rotate(), (Some(2), rotate().1), "one waits");
    std::fs::remove_file(folder.path().join("keys/next.key")).unwrap();
    let origin = key.split('+').next().unwrap();
    let thief = agon_ladder::ledger::Signer::fresh(origin);
    std::fs::write(folder.path().join("keys/log.key"), thief.text()).unwrap();
    change(folder.path(), "DELETE FROM checkpoints");
    let server = Server::start(folder.path(), &[]);
    let site = self::site(&server);
    wait_for("the log", || site.get("log/checkpoint").ok());
    assert!(follow(&site, Some(&now)).is_err());
}
