//! `agon ladder verify --bot`: an author's bot is asked again what it was asked in its matches;
//! also of a log whose server has changed a match, and computed all again that follows from it.

use std::path::{Path, PathBuf};
use std::{fs, os::unix::fs::PermissionsExt, sync::Arc, sync::atomic::AtomicBool};

use agon_arena::{BotEntry, Hosts, MatchSetup, ReplayTarget};
use agon_bots::HostOptions;
use agon_games::GameId;
use agon_ladder::ledger::tree::{Frontier, TilePath, WIDTH, bundle, unbundle};
use agon_ladder::ledger::{
    Books, Entry, Folder, MatchRecord, ShownMatch, Signer, Source, open, record_digest,
};
use agon_match::{MatchOptions, replay::Replay, spec::Digest};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::shell::{Done, Shell};
use crate::support::{Client, Server, organise, play_out, python_bot, short_arena, wait_until};

/// A clock as chance: the bot plays otherwise each time.
const CLOCK: &str = "
import random, time
class Moody(Player):
    def decide(self, seen, turn):
        self.random = random.Random(time.time_ns())
        return super().decide(seen, turn)
";

/// Gives a shell a folder of its own for what does not last.
fn with_temporary_folder(shell: Shell) -> Shell {
    let folder = shell.folder().join("temporary");
    fs::create_dir(&folder).unwrap();
    shell.with("TMPDIR", folder.to_str().unwrap())
}

/// Returns what is left in such a folder.
fn left(shell: &Shell) -> Vec<PathBuf> {
    let entries = fs::read_dir(shell.folder().join("temporary")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Hands in a bot of a new author, and returns the author's shell.
fn author(server: &Server, root: &mut Client, name: &str, bot: &str, code: &str) -> Shell {
    server.author(root, name);
    let shell = with_temporary_folder(Shell::new());
    shell.sign_in(server, name);
    shell.write_bot(bot, code);
    shell.ok(&["submit", bot]);
    shell
}

fn verify(shell: &Shell, place: &str, bot: &str, flags: &[&str]) -> Done {
    shell.run(&[&["ladder", "verify", place, "--bot", bot], flags].concat())
}

fn report(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{done:?}"))
}

#[test]
fn a_bot_is_asked_again() {
    agon_testkit::needs!("python3");
    let server = Server::with(&[]);
    let mut root = server.administrator();
    short_arena(&mut root, &["random"]);
    // A few matches are enough: all of them are played and asked again.
    organise(&mut root, "cluster", "pause");
    let ada = author(&server, &mut root, "ada", "fox", &python_bot("cluster"));
    files_that_nobody_handed_in_are_an_error(&server, &ada);
    agon_testkit::slow!();
    let moody = python_bot("cluster").replace("agon.run(Player", "agon.run(Moody");
    let moody = moody.replace("\nif __name__", &format!("{CLOCK}\nif __name__"));
    let eve = author(&server, &mut root, "eve", "hare", &moody);
    organise(&mut root, "cluster", "resume");
    let played = "SELECT min(matches) FROM versions WHERE source IS NOT NULL";
    wait_until("matches", || server.database().number(played) > 6);
    play_out(&server, &mut root, "cluster");
    organise(&mut root, "cluster", "publish");
    wait_until("the table in the signed log", || {
        let words = ["ladder", "verify", &server.address, "--sample", "1", "--json"];
        report(&ada.ok(&words))["tables"] == 1
    });

    // One that depends on nothing but its questions.
    let done = verify(&ada, &server.address, "fox", &["--sample", "4"])
        .ends(0)
        .prints("fox is version 1 of a bot in cluster");
    assert_eq!(done.out.matches("answers are the same\n").count(), 4, "{done:?}");
    assert!(done.out.ends_with("\nverified\n"), "{done:?}");
    let json = report(&verify(&ada, &server.address, "fox", &["--json", "--arena", "cluster"]));
    let bot = &json["bot"];
    assert!(bot["same"] == true && bot["versions"][0]["number"] == 1, "{json}");
    let first = &bot["matches"][0];
    assert!(first["decisions"].as_u64().unwrap() > 1, "{json}");
    assert_eq!(first["decisions"], first["agreed"], "{json}");
    wait_until("the end of the copies", || left(&ada).is_empty());

    // Ctrl-C ends it with its bot.
    let words = ["ladder", "verify", &server.address, "--bot", "fox", "--all"];
    let running = ada.start(&words);
    wait_until("a copy of the bot", || !left(&ada).is_empty());
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    assert_eq!(running.done().code, 130);
    wait_until("the end of the copies", || left(&ada).is_empty());

    // One with a clock.
    let done = verify(&eve, &server.address, "hare", &[])
        .ends(1)
        .prints("the first other one is in step ");
    assert!(done.out.contains("    recorded  {") && done.out.contains("    now       {"));
    assert!(done.out.contains("Asked twice, the bot gave different answers."), "{done:?}");
    assert!(done.out.ends_with("the answers of the bot are not\n"), "{done:?}");

    // Without the server.
    ada.ok(&["ladder", "dump", &server.address, "copy"]);
    let key = fs::read_to_string(server.data().join("keys/log.key")).unwrap();
    assert!(server.stop());
    a_server_that_changed_the_answers_of_a_bot_is_found_out(&ada, &key);
}

fn files_that_nobody_handed_in_are_an_error(server: &Server, ada: &Shell) {
    let fails = |shell: &Shell, place: &str, words: &[&str]| {
        let done = verify(shell, place, "fox", &[]);
        assert!(done.code == 2 && done.out.is_empty(), "{done:?}");
        for word in words {
            assert!(done.err.contains(word), "{word}: {done:?}");
        }
    };
    wait_until("a signed log", || server.client().get("/log/key").status == 200);
    // A version that has not played is no error.
    wait_until("the hand-in in the log", || {
        let done = verify(ada, &server.address, "fox", &[]);
        done.code == 0
    });
    let bot = ada.folder().join("fox/bot.py");
    let old = fs::read_to_string(&bot).unwrap();
    fs::write(&bot, old.clone() + "# changed\n").unwrap();
    let own = "The latest version of your bot fox in cluster is version 1";
    let remedy = "`agon submit fox`";
    fails(ada, &server.address, &["`fox` are no version on this ladder", own, remedy]);
    // Somebody who is not signed in.
    let stranger = Shell::new();
    stranger.write_bot("fox", "other");
    let login = format!("agon login {}", server.address);
    fails(&stranger, &server.address, &["the only version has other files", &login]);
    stranger.ok(&["ladder", "dump", &server.address, "copy"]);
    fails(&stranger, "copy", &["are no version on this ladder", remedy]);
    fs::remove_file(stranger.folder().join("fox/agon.toml")).unwrap();
    fails(&stranger, "copy", &["has no agon.toml"]);
    // What does not belong to the bot does not count; that a file can be executed does.
    fs::write(&bot, old).unwrap();
    fs::write(ada.folder().join("fox/more.log"), "x").unwrap();
    assert_eq!(verify(ada, &server.address, "fox", &[]).code, 0);
    let mode = |mode: u32| fs::set_permissions(&bot, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o755);
    fails(ada, &server.address, &[own]);
    mode(0o644);
}

/// `key` is the server's own.
fn a_server_that_changed_the_answers_of_a_bot_is_found_out(ada: &Shell, key: &str) {
    let honest = verify(ada, "copy", "fox", &["--all", "--json"]);
    assert_eq!(honest.code, 0, "{honest:?}");
    let honest = report(&honest);
    let one = &honest["bot"]["matches"][1];
    let (arena, number) = (one["arena"].as_u64().unwrap(), one["number"].as_u64().unwrap());

    // Another bot plays in the place of fox, and everything that follows is computed again.
    let player = usize::try_from(one["player"].as_u64().unwrap()).unwrap();
    forge(&ada.folder().join("copy"), key, arena, number, player);
    let done = ada.run(&["ladder", "verify", "copy", "--all", "--json"]);
    assert_eq!(done.code, 0, "nobody else can know: {done:?}");
    assert!(report(&done)["tables"].as_u64() >= honest["tables"].as_u64(), "{done:?}");
    let done = verify(ada, "copy", "fox", &["--all"]).ends(1);
    let words = format!("✗ cluster, match {number}, player {player}: ");
    assert!(done.out.contains(&words), "{done:?}");
    assert_eq!(done.out.matches('✗').count(), 1, "{done:?}");
    assert!(done.out.contains("it did not give\nthe recorded answers"), "{done:?}");
    let json = report(&verify(ada, "copy", "fox", &["--all", "--json"]));
    let all = json["bot"]["matches"].as_array().unwrap();
    let forged = all.iter().find(|one| one["number"] == number).unwrap();
    assert!(forged["repeats"] == true && json["bot"]["same"] == false, "{json}");
    assert!(forged["first_difference"]["recorded"] != forged["first_difference"]["now"], "{json}");
}

/// Has another bot play in a seat of a match of cluster, and changes the copy of the log so that
/// it is whole again. `key` is the server's own.
fn forge(copy: &Path, key: &str, arena: u64, number: u64, player: usize) {
    let source = Folder(copy.to_owned());
    let path = format!("log/replays/{arena}/{number}.agon");
    let replay = played_otherwise(&Replay::open(source.get(&path).unwrap()).unwrap(), player);
    let record = record_of(&replay, number);
    fs::write(copy.join(&path), replay.redacted(|_| false).unwrap()).unwrap();
    let path = copy.join(format!("log/results/{arena}/{number}.json"));
    let mut shown: ShownMatch = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    shown.places.clone_from(&record.places);
    shown.state_hash.clone_from(&record.state_hash);
    fs::write(path, serde_json::to_vec(&shown).unwrap()).unwrap();

    let mut books = Books::default();
    let mut texts = Vec::new();
    for (at, mut entry) in (0..).zip(entries(&source)) {
        if let Entry::Results { arena: of, matches } = &mut entry
            && *of == arena
        {
            let old = matches.iter_mut().filter(|old| old.number == number);
            old.for_each(|old| *old = record.clone());
        }
        books.add(at, &entry, |_| {}).unwrap();
        if let Entry::Table { arena, digest, .. } = &mut entry {
            let table = books.arenas[arena].table(*arena).unwrap().unwrap().text();
            *digest = Digest::of(table.as_bytes());
            fs::write(copy.join(format!("log/tables/{arena}.json")), table).unwrap();
        }
        texts.push(entry.text());
    }
    write_log(copy, &Signer::parse(key).unwrap(), &texts);
}

/// Plays a match again with the same seed, in which a built-in bot sits in a seat.
fn played_otherwise(old: &Replay, player: usize) -> Replay {
    let header = old.header();
    let kind = GameId::Cluster.kind();
    let rules = kind.read_rules(header.rules.get()).unwrap();
    let bot = |(seat, info): (usize, &agon_core::BotInfo)| {
        let builtin = if seat == player { "builtin:searcher" } else { "builtin:greedy" };
        let entry = BotEntry::of(builtin.parse().unwrap()).unwrap();
        Arc::new(entry.named(&info.name))
    };
    let bots: Vec<Arc<BotEntry>> = header.players.iter().enumerate().map(bot).collect();
    let setup = MatchSetup {
        kind,
        rules: &rules,
        seed: header.seed,
        bots: &bots,
        host: &HostOptions::default(),
        options: MatchOptions::default(),
        attempts: 1,
        replay: ReplayTarget::Memory,
        stop: &AtomicBool::new(false),
    };
    let played = setup.play(&mut Hosts, &mut ()).unwrap();
    Replay::open(played.replay.unwrap()).unwrap()
}

fn record_of(replay: &Replay, number: u64) -> MatchRecord {
    let result = replay.result().unwrap();
    MatchRecord {
        number,
        places: result.standing.players.iter().map(|player| player.place).collect(),
        steps: result.steps,
        state_hash: format!("{:#018x}", result.state_hash),
        record: record_digest(replay).unwrap(),
    }
}

fn entries(source: &Folder) -> Vec<Entry> {
    let note = String::from_utf8(source.get("log/checkpoint").unwrap()).unwrap();
    let key = String::from_utf8(source.get("log/key").unwrap()).unwrap();
    let size = open(&note, key.trim()).unwrap().size;
    let tile = |number: u64| {
        let bytes = source.get(&tile_path(number, size)).unwrap();
        let entry = |text: &[u8]| Entry::parse(std::str::from_utf8(text).unwrap()).unwrap();
        unbundle(&bytes).unwrap().into_iter().map(entry).collect::<Vec<_>>()
    };
    (0..size.div_ceil(WIDTH)).flat_map(tile).collect()
}

fn write_log(copy: &Path, signer: &Signer, texts: &[String]) {
    let size = texts.len() as u64;
    let mut frontier = Frontier::default();
    texts.iter().for_each(|text| frontier.add(text.as_bytes()));
    for (number, texts) in (0..).zip(texts.chunks(usize::try_from(WIDTH).unwrap())) {
        let bytes = bundle(texts.iter().map(|text| text.as_bytes()));
        fs::write(copy.join(tile_path(number, size)), bytes).unwrap();
    }
    let note = signer.checkpoint(size, frontier.root());
    fs::write(copy.join("log/checkpoint"), note).unwrap();
}

fn tile_path(number: u64, size: u64) -> String {
    let width = WIDTH.min(size - number * WIDTH);
    format!("log/tile/{}", TilePath { level: None, number, width }.text())
}
