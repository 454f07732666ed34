//! `agon ladder verify --bot`: an author's bot is asked again what it was asked in its matches.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{
    forged::forge,
    shell::{Done, Shell},
    support::{Client, Server, python_bot, wait_for},
};

/// A clock as chance: the bot plays otherwise each time.
const CLOCK: &str = "
import random, time
class Moody(Player):
    def decide(self, seen, turn):
        self.random = random.Random(time.time_ns())
        return super().decide(seen, turn)
";

/// Starts a ladder with short matches.
fn ladder(folder: &Path) -> (Server, Client) {
    let server = Server::start(folder, &["--pace", "0"]);
    let mut root = server.administrator();
    let form = [
        ("title", "Cluster"),
        ("slug", "cluster"),
        ("game", "cluster"),
        ("preset", "short"),
        ("players", "2"),
        ("per_day", "10"),
        ("boss", "cluster/greedy"),
        ("boss", "cluster/random"),
    ];
    let reply = root.post("/admin/arenas/new", "/admin/arenas/new", &form);
    assert_eq!(reply.path, "/arenas/cluster?done=made", "{}", reply.text());
    (server, root)
}

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

/// Waits until a bot has matches in the signed log.
fn wait_for_matches(shell: &Shell, place: &str, bot: &str) {
    wait_for("matches of the bot", || {
        let done = verify(shell, place, bot, &["--json", "--sample", "3"]);
        assert_ne!(done.code, 2, "{done:?}");
        let report = report(&done);
        assert!(report["findings"].as_array().unwrap().is_empty(), "{report}");
        (report["bot"]["matches"].as_array().unwrap().len() == 3).then_some(())
    });
}

#[test]
fn a_bot_is_asked_again() {
    agon_testkit::needs!("python3");
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path());
    let ada = author(&server, &mut root, "ada", "fox", &python_bot("cluster"));
    let moody = python_bot("cluster").replace("agon.run(Player", "agon.run(Moody");
    let moody = moody.replace("\nif __name__", &format!("{CLOCK}\nif __name__"));
    let eve = author(&server, &mut root, "eve", "hare", &moody);
    for (shell, bot) in [(&ada, "fox"), (&eve, "hare")] {
        wait_for_matches(shell, &server.address, bot);
    }

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

    wait_for("the end of the copies", || left(&ada).is_empty().then_some(()));

    // Ctrl-C ends it with its bot.
    let words = ["ladder", "verify", &server.address, "--bot", "fox", "--all"];
    let running = ada.start(&words);
    wait_for("a copy of the bot", || (!left(&ada).is_empty()).then_some(()));
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    assert_eq!(running.done().code, 130);
    wait_for("the end of the copies", || left(&ada).is_empty().then_some(()));

    // One with a clock.
    let done = verify(&eve, &server.address, "hare", &[])
        .ends(1)
        .prints("the first other one is in step ");
    assert!(done.out.contains("    recorded  {") && done.out.contains("    now       {"));
    assert!(done.out.contains("Asked twice, the bot gave different answers."), "{done:?}");
    assert!(done.out.ends_with("the answers of the bot are not\n"), "{done:?}");

    // Without the server.
    ada.ok(&["ladder", "dump", &server.address, "copy"]);
    assert!(server.stop());
    verify(&ada, "copy", "fox", &["--all"]).ends(0);
}

#[test]
fn files_that_nobody_handed_in_are_an_error() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path());
    let ada = author(&server, &mut root, "ada", "fox", &python_bot("cluster"));
    let fails = |shell: &Shell, place: &str, words: &[&str]| {
        let done = verify(shell, place, "fox", &[]);
        assert!(done.code == 2 && done.out.is_empty(), "{done:?}");
        for word in words {
            assert!(done.err.contains(word), "{word}: {done:?}");
        }
    };
    wait_for("a signed log", || (server.client().get("/log/key").status == 200).then_some(()));
    // A version that has not played is no error.
    root.post("/admin/arenas/cluster/pause", "/admin/arenas/cluster", &[]);
    wait_for("the hand-in in the log", || {
        let done = verify(&ada, &server.address, "fox", &[]);
        (done.code == 0).then_some(())
    });
    let bot = ada.folder().join("fox/bot.py");
    let old = fs::read_to_string(&bot).unwrap();
    fs::write(&bot, old.clone() + "# changed\n").unwrap();
    let own = "The latest version of your bot fox in cluster is version 1";
    let remedy = "`agon submit fox`";
    fails(&ada, &server.address, &["`fox` are no version on this ladder", own, remedy]);
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
    assert_eq!(verify(&ada, &server.address, "fox", &[]).code, 0);
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
    fails(&ada, &server.address, &[own]);
    assert!(server.stop());
}

#[test]
fn a_server_that_changed_the_answers_of_a_bot_is_found_out() {
    agon_testkit::needs!("python3");
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = ladder(folder.path());
    let ada = author(&server, &mut root, "ada", "fox", &python_bot("cluster"));
    wait_for_matches(&ada, &server.address, "fox");
    root.post("/admin/arenas/cluster/pause", "/admin/arenas/cluster", &[]);
    ada.ok(&["ladder", "dump", &server.address, "copy"]);
    assert!(server.stop());
    let honest = verify(&ada, "copy", "fox", &["--all", "--json"]);
    assert_eq!(honest.code, 0, "{honest:?}");
    let honest = report(&honest);
    let one = &honest["bot"]["matches"][1];
    let (arena, number) = (one["arena"].as_u64().unwrap(), one["number"].as_u64().unwrap());

    // Another bot plays in the place of fox, and everything that follows is computed again.
    let key = fs::read_to_string(folder.path().join("keys/log.key")).unwrap();
    let player = usize::try_from(one["player"].as_u64().unwrap()).unwrap();
    forge(&ada.folder().join("copy"), &key, arena, number, player);
    let done = ada.run(&["ladder", "verify", "copy", "--all", "--json"]);
    assert_eq!(done.code, 0, "nobody else can know: {done:?}");
    assert!(report(&done)["tables"].as_u64() >= honest["tables"].as_u64(), "{done:?}");
    let done = verify(&ada, "copy", "fox", &["--all"]).ends(1);
    let words = format!("✗ cluster, match {number}, player {player}: ");
    assert!(done.out.contains(&words), "{done:?}");
    assert_eq!(done.out.matches('✗').count(), 1, "{done:?}");
    assert!(done.out.contains("it did not give\nthe recorded answers"), "{done:?}");
    let json = report(&verify(&ada, "copy", "fox", &["--all", "--json"]));
    let all = json["bot"]["matches"].as_array().unwrap();
    let forged = all.iter().find(|one| one["number"] == number).unwrap();
    assert!(forged["repeats"] == true && json["bot"]["same"] == false, "{json}");
    assert!(forged["first_difference"]["recorded"] != forged["first_difference"]["now"], "{json}");
}
