//! The public log: anybody can check it, and notices if it is changed.

use std::{cell::RefCell, path::Path};

use agon_core::Seed;
use agon_ladder::ledger::tree::TilePath;
use agon_ladder::ledger::{
    Audit, LogError, Remembered, Report, Sample, Signer, Source, audit, follow,
};

use crate::support::{
    Client, Database, Server, agon_server, organise, play_out, python_zip, said, short_arena,
    wait_for, wait_until,
};

/// A server as the source of its log.
pub(crate) struct Site(RefCell<Client>);

impl Source for Site {
    fn get(&self, path: &str) -> Result<Vec<u8>, LogError> {
        let reply = self.0.borrow_mut().try_get(&format!("/{path}"));
        let reply = reply.map_err(|error| LogError::Failed(format!("{path}: {error}")))?;
        match reply.status {
            200 => Ok(reply.body),
            404 => Err(LogError::Missing(path.to_owned())),
            status => Err(LogError::Failed(format!("{path}: {status}"))),
        }
    }
}

pub(crate) fn site(server: &Server) -> Site {
    Site(RefCell::new(server.client()))
}

pub(crate) fn check(server: &Server, remembered: Option<&Remembered>) -> Result<Report, LogError> {
    let options =
        Audit { remembered: remembered.cloned(), sample: Sample::All, ..Audit::default() };
    audit(&site(server), &options, |_| {}, |_| {})
}

/// Waits until the last published table is in the signed log; plays no match again.
fn wait_for_table(server: &Server) -> Remembered {
    let options = Audit { sample: Sample::Some(0, Seed(1)), ..Audit::default() };
    wait_for("the signature of the table", || {
        let report = audit(&site(server), &options, |_| {}, |_| {}).ok()?;
        assert!(report.findings.is_empty(), "{report:?}");
        (report.tables == 1).then_some(report.remembered).flatten()
    })
}

/// Checks everything, once the last published table is in the signed log.
pub(crate) fn with_table(server: &Server, remembered: Option<&Remembered>) -> Report {
    wait_for_table(server);
    let report = check(server, remembered).unwrap();
    assert!(report.findings.is_empty() && report.tables == 1, "{report:?}");
    report
}

/// Pauses the matches of the arena `cluster`, and publishes its table: nothing changes any more.
pub(crate) fn pause(server: &Server, root: &mut Client) -> Remembered {
    play_out(server, root, "cluster");
    organise(root, "cluster", "publish");
    wait_for_table(server)
}

/// Starts a ladder whose matches are short, with some matches and an author's bot. Nothing is
/// played before it is there: all matches are checked, and built-in bots would play hundreds.
fn ladder(bosses: &[&str], matches: u64) -> (Server, Client) {
    let (server, mut root) = Server::with_root(&["--pace", "0"]);
    short_arena(&mut root, bosses);
    organise(&mut root, "cluster", "pause");
    let mut zuzu = server.api_author(&mut root, "zuzu");
    zuzu.enter("cluster", "?name=fox", &python_zip("cluster", ""));
    organise(&mut root, "cluster", "resume");
    let played = "SELECT count(*) FROM matches WHERE state = 'played'";
    wait_until("matches", || server.database().number(played) >= matches);
    (server, root)
}

fn change(data: &Path, sql: &str) {
    assert!(Database::of(data).execute(sql) > 0, "{sql} changes nothing");
}

/// Waits until the log is signed, and returns it.
fn signed(server: &Server) -> Site {
    let site = site(server);
    wait_for("a signed log", || site.get("log/checkpoint").ok());
    site
}

#[test]
fn everybody_can_check_all_matches_and_the_published_table() {
    let (server, mut root) = ladder(&["greedy", "random"], 30);
    let earlier = follow(&signed(&server), None).unwrap();
    // The log grows over whole tiles, and begins with what it was.
    let longer = wait_for("a longer log", || {
        let now = follow(&site(&server), Some(&earlier)).unwrap();
        (now.size > 280).then_some(now)
    });
    follow(&site(&server), Some(&longer)).unwrap();
    pause(&server, &mut root);
    let report = with_table(&server, Some(&earlier));
    assert!(report.grew && report.proven == report.matches && report.missing == 0, "{report:?}");
    assert_eq!(report.versions, 1);

    // No name, address or source is in the log.
    let mut client = server.client();
    let database = server.database();
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
    organise(&mut root, "cluster", "publish");
    wait_until("a table without it", || client.get(&table).text() != before);
    with_table(&server, Some(&earlier));
    keys_follow_each_other(server);
}

/// Checks that a new key of the log is accepted if the old one has named it.
fn keys_follow_each_other(server: Server) {
    let known = follow(&site(&server), None).unwrap();
    let data = server.data().to_str().unwrap().to_owned();
    let rotate = || {
        let output = agon_server(["rotate-key", "--data", &data]);
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
    assert!(follow(&signed(&server), Some(&now)).is_ok());
    let keys = server.data().join("keys");
    assert!(!keys.join("next.key").exists());
    // A key that nobody named is not accepted.
    let server = server.restart(&[], |data| {
        assert_eq!(rotate().0, Some(0));
        assert_eq!(rotate(), (Some(2), rotate().1), "one waits");
        std::fs::remove_file(keys.join("next.key")).unwrap();
        let thief = Signer::fresh(key.split('+').next().unwrap());
        std::fs::write(keys.join("log.key"), thief.text()).unwrap();
        change(data, "DELETE FROM checkpoints");
    });
    assert!(follow(&signed(&server), Some(&now)).is_err());
}

/// What the operator of a ladder can change, and how others notice: one after the other.
#[test]
fn a_changed_log_is_noticed() {
    let (server, mut root) = ladder(&["random"], 20);
    let known = pause(&server, &mut root);
    assert!(check(&server, Some(&known)).unwrap().findings.is_empty());
    let findings = || check(&server, Some(&known)).unwrap().findings;
    let data = server.data().to_owned();

    // Somebody has another bot win, on the pages alone.
    let swap = "UPDATE seats SET place = 3 - place WHERE number = 4 AND 1 =
        (SELECT min(place) FROM seats AS other WHERE other.number = 4)
        AND 2 = (SELECT max(place) FROM seats AS other WHERE other.number = 4)";
    change(&data, swap);
    let found = findings();
    assert!(found.iter().any(|found| found.number == Some(4)), "{found:?}");
    change(&data, swap);
    assert!(findings().is_empty());

    // The published table has other digits.
    let body = server.database().text("SELECT body FROM published").unwrap();
    change(&data, "UPDATE published SET body = replace(body, '\"rank\":1,', '\"rank\":2,')");
    let found = findings();
    assert!(found.iter().any(|found| found.what.contains("table")), "{found:?}");
    change(&data, &format!("UPDATE published SET body = '{}'", body.replace('\'', "''")));
    assert!(findings().is_empty());

    // The log itself says something else: its entries are not those that were signed.
    let results = r#""kind":"results""#;
    let [old, new] = [r#""places":[1,2]"#, r#""places":[2,1]"#];
    assert!(server.database().replace_in_log(results, old, new) > 0);
    let error = check(&server, Some(&known)).unwrap_err();
    assert!(matches!(error, LogError::Rewritten(_)), "{error}");
    let error = check(&server, None).unwrap_err();
    assert!(error.to_string().ends_with("not those of its checkpoint"), "{error}");

    // A log that is not the signed one is not signed again.
    let server = server.restart(&[], |_| ());
    let overview = wait_for("the problem", || {
        let overview = root.get("/admin").text();
        overview.contains("not the one that was signed").then_some(overview)
    });
    assert!(overview.contains("backup"), "{overview}");
    assert_eq!(root.get("/log/checkpoint").status, 503);

    // The operator signs the other past with the ladder's own key.
    let server = server.restart(&[], |data| change(data, "DELETE FROM checkpoints"));
    let error = follow(&signed(&server), Some(&known)).unwrap_err();
    assert!(matches!(error, LogError::Rewritten(_)), "{error}");
    assert!(error.to_string().contains("rewritten"), "{error}");
    let error = check(&server, Some(&known)).unwrap_err();
    assert!(error.to_string().contains("rewritten"), "{error}");
    // Who does not know it cannot tell, but the matches do not fit.
    let report = check(&server, None).unwrap();
    assert!(!report.findings.is_empty());

    // A log that is shorter than it was is noticed, too.
    let server = server.restart(&[], |data| {
        change(data, "DELETE FROM checkpoints");
        change(data, &format!("DELETE FROM log WHERE number >= {}", known.size - 3));
    });
    let error = follow(&signed(&server), Some(&known)).unwrap_err();
    assert!(error.to_string().contains("entries are gone"), "{error}");
}
