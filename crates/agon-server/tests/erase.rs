//! An administrator erases an author: nothing is left of the person, and all results stay.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, time::Duration};

use agon_arena::BlobStore;
use serde_json::json;

use crate::proof::{pause, with_table};
use crate::support::{
    Api, Client, Database, Server, code, flags, json as parsed, python_zip, python_zip_of,
    short_arena, talkative, wait_for, wait_until,
};

/// Words that only the author who is erased uses.
const WORDS: [&str; 8] = [
    "quillfeather",
    "Zebrafinch",
    "zebrafinch",
    "murmuration",
    "plumagesecret",
    "nestbuilding",
    "featherlaptop",
    "brokenwing",
];

/// A bot that can play, writes to stderr in each turn, and is built by a line.
fn talking(build: &str) -> Vec<u8> {
    let code = talkative("murmuration") + "# plumagesecret\n";
    let manifest = format!(
        "game = \"cluster\"\nlanguage = \"python\"\nprotocol = \"jsonl\"\n\
         run = \"python3 bot.py\"\nbuild = \"{build}\"\n"
    );
    python_zip_of("cluster", &code, &manifest)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all
}

fn has(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

/// Returns all rows of a database on a server, as texts; nothing of a file, which is searched.
fn dump(data: &Path) -> String {
    if flags(data).is_empty() {
        return String::new();
    }
    let database = Database::of(data);
    let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'";
    let mut all = String::new();
    for table in database.rows(tables) {
        let table = table[0].clone().unwrap();
        for row in database.rows(&format!("SELECT t::text FROM {table} AS t")) {
            all.push_str(&row[0].clone().unwrap_or_default());
            all.push('\n');
        }
    }
    all
}

/// Returns the words of the author that are somewhere, each with the place.
fn traces(data: &Path) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut look = |bytes: &[u8], place: &str| {
        for word in WORDS.iter().filter(|word| has(bytes, word)) {
            found.insert(((*word).to_owned(), place.to_owned()));
        }
    };
    for path in files(data) {
        // One that was removed meanwhile has nothing.
        let bytes = fs::read(&path).unwrap_or_default();
        look(&bytes, &path.strip_prefix(data).unwrap().display().to_string());
        // Replays are packed.
        if let Ok(replay) = agon_match::replay::Replay::open(bytes) {
            let diagnosis = replay.diagnosis().unwrap().unwrap_or_default();
            let header = format!("{:?} {diagnosis:?}", replay.header());
            look(header.as_bytes(), "a replay");
        }
    }
    look(dump(data).as_bytes(), "a table");
    // Entries of the log are packed.
    look(log(data).concat().as_bytes(), "the public log");
    found
}

fn log(data: &Path) -> Vec<String> {
    Database::of(data).log()
}

fn count(data: &Path, sql: &str) -> u64 {
    Database::of(data).number(sql)
}

/// Waits until nothing is left to be done.
fn wait_until_complete(data: &Path) {
    let left = "SELECT (SELECT count(*) FROM erasures) + (SELECT count(*) FROM doomed)";
    wait_until("the end of the erasure", || count(data, left) == 0);
}

/// Returns how many matches have stderr of the author.
const STDERR: &str = "SELECT count(*) FROM seats WHERE stderr IS NOT NULL";

/// Starts a ladder with the authors bob and quillfeather.
fn ladder() -> (Server, Client, Api, Api) {
    let (server, mut root) = Server::with_root(&["--pace", "60"]);
    short_arena(&mut root, &["random"]);
    let bob = server.api_author(&mut root, "bob");
    let mut client = server.author(&mut root, "quillfeather");
    let label = [("label", "featherlaptop"), ("scope", "read"), ("days", "9")];
    assert_eq!(client.post("/account/tokens", "/account", &label).status, 200);
    let scopes = ["read", "submit"];
    let quill = Api::login(server.client(), "quillfeather", "battery staple", &scopes);
    (server, root, bob, quill)
}

#[test]
fn nothing_is_left_of_a_person_but_the_results() {
    let (server, mut root, mut bob, mut quill) = ladder();
    let data = server.data().to_owned();
    let data = data.as_path();
    // Two people have the same files.
    let shared = python_zip("cluster", "# the same");
    quill.enter("cluster", "?name=Zebrafinch&message=nestbuilding", &shared);
    let bobs = bob.enter("cluster", "?name=Fox&message=mine", &shared);
    quill.enter("cluster", "?message=plumage", &talking("echo brokenwing"));
    let broken = talking("echo brokenwing; exit 1");
    let key = "Idempotency-Key: brokenwing\r\n";
    let failing = quill.hand_in("cluster", "?message=brokenwing", key, &broken);
    assert_eq!(failing.status, 201, "{}", failing.text());
    let bot = "/arenas/cluster/bots/zebrafinch";
    let state = |api: &mut Api| api.found(&format!("{bot}/versions/3"))["state"].clone();
    wait_until("the failure", || state(&mut quill) == "failed");
    for name in ["Wren", "Zebrafinch"] {
        let renamed = quill.post(&format!("{bot}/rename"), &json!({ "name": name }));
        assert_eq!(renamed.status, 200, "{}", renamed.text());
    }
    let mut manager = server.manager();
    let copied = json!({"reason": "copied from quillfeather"});
    let out = manager.post(&format!("{bot}/disqualify"), &copied);
    let back = manager.send("POST", &format!("{bot}/reinstate"), "", b"");
    assert_eq!((out.status, back.status), (200, 200), "{} {}", out.text(), back.text());
    manager.send("POST", "/admin/people/quillfeather/reset-link", "", b"");
    let ended = "SELECT count(*) FROM seats JOIN matches USING (arena, number)
        WHERE stderr IS NOT NULL AND state = 'played'";
    let ended = wait_for("results", || Some(count(data, ended)).filter(|&ended| ended > 3));
    pause(&server, &mut root);
    let before = (with_table(&server, None), log(data));
    assert!(before.0.missing == 0, "{:?}", before.0);
    let places: BTreeSet<String> = traces(data).into_iter().map(|(word, _)| word).collect();
    for word in ["quillfeather", "Zebrafinch", "murmuration", "plumagesecret", "nestbuilding"] {
        assert!(places.contains(word), "{word} is somewhere before: {places:?}");
    }
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    let source = |sql: &str| Database::of(data).text(sql).unwrap().parse().unwrap();
    let own = source(
        "SELECT source FROM versions WHERE number = 2
            AND bot IN (SELECT id FROM bots WHERE slug = 'zebrafinch')",
    );
    let bobs_source = source("SELECT source FROM versions WHERE message = 'mine'");
    assert!(blobs.has(own) && blobs.has(bobs_source));

    // The name must be typed.
    let page = "/admin/people/quillfeather/erase";
    assert!(root.get("/admin/people").has(page));
    let wrong = root.post(page, page, &[("confirm", "quillfether")]);
    assert!(wrong.status == 422 && wrong.has("This is not the name"), "{}", wrong.text());
    assert_eq!(count(data, "SELECT count(*) FROM people WHERE erased IS NOT NULL"), 0);
    let done = root.post(page, page, &[("confirm", "QuillFeather")]);
    assert!(done.path.ends_with("done=erased"), "{}", done.text());
    assert!(!done.has("erased-"), "it is in the list no more");
    // At once nothing is left in the database and its files.
    let left = traces(data);
    let left: Vec<_> = left.iter().filter(|(_, place)| !place.starts_with("blobs")).collect();
    assert!(left.iter().all(|(_, place)| place == "a replay"), "{left:?}");
    assert_eq!(count(data, STDERR), 0);
    let me = quill.get("/me");
    assert_eq!((me.status, code(&me).as_str()), (401, "unauthorized"));
    let again = manager.post("/admin/people/quillfeather/erase", &json!({"confirm": "x"}));
    assert_eq!((again.status, code(&again).as_str()), (404, "not_found"));
    let alias = "SELECT name FROM people WHERE erased IS NOT NULL";
    let alias = Database::of(data).text(alias).unwrap();
    assert!(alias.starts_with("erased-") && alias.len() == 13, "{alias}");
    let again = manager.post(&format!("/admin/people/{alias}/erase"), &json!({"confirm": alias}));
    assert_eq!((again.status, code(&again).as_str()), (409, "conflict"));

    // After the next start there are no earlier requests: the rest goes.
    let server = server.restart(&["--pace", "60"], |_| ());
    wait_until_complete(data);
    assert_eq!(traces(data), BTreeSet::new());
    assert!(!blobs.has(own) && blobs.has(bobs_source), "bob has the same files");
    let after = (with_table(&server, None), log(data));
    assert_eq!(after.1, before.1, "the log is the same");
    let (before, after) = (before.0, after.0);
    assert_eq!((after.matches, after.tables), (before.matches, 1));
    assert!(after.missing >= ended && after.proven + after.missing == before.proven, "{after:?}");

    let mut visitor = Api::new(server.client(), None);
    let table = visitor.found("/arenas/cluster/leaderboard?table=published");
    let names = table["items"].as_array().unwrap().iter().map(|row| row["bot"]["name"].as_str());
    let names: Vec<&str> = names.map(Option::unwrap).collect();
    assert!(names.contains(&"Fox") && !names.contains(&alias.as_str()), "{names:?}");
    assert_eq!(visitor.found(&bobs)["message"], "mine");
    let number = "SELECT min(number) FROM matches WHERE replay_erased = 1";
    let number = count(data, number);
    let page = server.client().get(&format!("/arenas/cluster/matches/{number}"));
    assert!(page.has("because the author of a bot was erased"), "{}", page.text());
    let bot = visitor.found(&format!("/arenas/cluster/bots/{alias}"));
    assert!(bot["matches"].as_u64() > Some(3), "{bot}");
    let log = server.manager().found("/admin/log?limit=200");
    let mut entries = log["items"].as_array().unwrap().iter();
    let entry = entries.find(|entry| entry["action"] == "person.erase").unwrap();
    assert!(entry["subject"].as_str().unwrap().parse::<i64>().is_ok(), "{entry}");
    assert_eq!(entry["person"], "root");
}

#[test]
fn a_kill_interrupts_no_erasure_and_builds_and_matches_end() {
    let (server, mut root, mut bob, mut quill) = ladder();
    let data = server.data().to_owned();
    let data = data.as_path();
    quill.enter("cluster", "?name=Zebrafinch", &talking("true"));
    bob.enter("cluster", "?name=Fox", &python_zip("cluster", ""));
    wait_until("matches with stderr", || count(data, STDERR) > 3);
    // A build that takes long.
    let long = talking("sleep 20");
    assert_eq!(quill.hand_in("cluster", "?message=nestbuilding", "", &long).status, 201);
    let built = "SELECT count(*) FROM versions WHERE state = 'building'";
    wait_until("the build", || count(data, built) == 1);
    // As if a backup was made: so no blob is removed before the server is killed.
    let path = data.join("backup.lock");
    let lock = File::options().create(true).append(true).open(path).unwrap();
    lock.lock_shared().unwrap();
    let confirm = json!({"confirm": "quillfeather"});
    let erased = server.manager().post("/admin/people/quillfeather/erase", &confirm);
    assert_eq!(erased.status, 200, "{}", erased.text());
    let erased = parsed(&erased);
    let alias = erased["name"].as_str().unwrap().to_owned();
    assert!(count(data, "SELECT count(*) FROM doomed") > 3);
    let server = server.kill_and_start();
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    let kept = blobs.list().unwrap().len();
    std::thread::sleep(Duration::from_secs(2));
    assert!(blobs.list().unwrap().len() >= kept && count(data, STDERR) == 0);
    drop(lock);
    wait_until_complete(data);
    assert_eq!(traces(data), BTreeSet::new());
    // What was being built or played has ended, and the others go on.
    let open = "SELECT count(*) FROM versions WHERE state NOT IN ('ready', 'refused')";
    assert_eq!(count(data, open), 0);
    let planned = format!(
        "SELECT count(*) FROM matches JOIN seats USING (arena, number)
            JOIN versions ON versions.id = seats.version JOIN bots ON bots.id = versions.bot
            WHERE matches.state = 'planned' AND bots.slug = '{alias}'"
    );
    wait_until("matches to end", || count(data, &planned) == 0);
    let mut visitor = Api::new(server.client(), None);
    let matches = |api: &mut Api| api.found("/arenas/cluster/bots/fox")["matches"].as_u64();
    let before = matches(&mut visitor).unwrap();
    wait_until("more matches", || matches(&mut visitor).unwrap() > before + 3);
    pause(&server, &mut root);
    let _server = server.restart(&[], |data| assert_eq!(traces(data), BTreeSet::new()));
}

#[test]
fn only_administrators_erase_and_not_themselves() {
    let (server, mut root, _) = Server::with_ada();
    server.author(&mut root, "olga");
    let mut api = server.manager();
    api.post("/admin/people/olga/role", &json!({"role": "organiser"}));
    let mut olga = Api::login(server.client(), "olga", "battery staple", &["manage"]);
    let confirm = |name: &str| json!({ "confirm": name });
    let tried = |api: &mut Api, name: &str, typed: &str| {
        let reply = api.post(&format!("/admin/people/{name}/erase"), &confirm(typed));
        (reply.status, code(&reply))
    };
    let expected = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(tried(&mut olga, "ada", "ada"), expected(403, "forbidden"));
    assert_eq!(tried(&mut api, "root", "root"), expected(409, "conflict"));
    assert_eq!(tried(&mut api, "ada", "bob"), expected(422, "unprocessable"));
    assert_eq!(tried(&mut api, "nobody", "nobody"), expected(404, "not_found"));
    let mut weak = Api::login(server.client(), "root", "correct horse", &["read", "submit"]);
    assert_eq!(tried(&mut weak, "ada", "ada"), expected(403, "missing_scope"));
    // Another administrator may be erased, but then not the last one.
    api.post("/admin/people/olga/role", &json!({"role": "administrator"}));
    let mut olga = Api::login(server.client(), "olga", "battery staple", &["manage"]);
    let done = olga.post("/admin/people/root/erase", &confirm("root"));
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(api.get("/me").status, 401);
    assert_eq!(tried(&mut olga, "olga", "olga"), expected(409, "conflict"));
}
