//! An author's way from signing in to the table.

use agon_ladder::api::{Bot, LeaderboardRow, Match, MatchLog, MatchSummary, Version, VersionState};
use rustix::process::{Pid, Signal, kill_process};
use serde::de::DeserializeOwned;

use crate::shell::{Running, Shell, ladder};
use crate::support::{Client, LIVELY, Server, python_bot, wait_for, wait_until};

#[test]
fn a_bot_that_is_a_single_file_is_handed_in_as_on_the_page() {
    agon_testkit::needs!("python3");
    let (_server, shell) = ladder();
    // A refused name comes with the remedy.
    shell.write_bot("random", &python_bot("cluster"));
    shell.run(&["submit", "random"]).ends(2).says("--name NAME");
    std::fs::write(shell.folder().join("fox.py"), python_bot("cluster")).unwrap();
    shell.ok(&["submit", "fox.py", "--dry-run"]).prints("a single file");
    shell.ok(&["submit", "fox.py"]).prints("ada v1 can play");
    // The same file, completed in the same way, is no new version.
    shell.ok(&["submit", "fox.py"]).says("there is no new version");
    std::fs::write(shell.folder().join("notes.txt"), "to do").unwrap();
    shell.run(&["submit", "notes.txt"]).ends(2).says("does not know how");
}

/// Reads lines of JSON.
fn lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_bot_goes_from_a_folder_to_the_table() {
    agon_testkit::needs!("python3");
    let server = Server::with(&LIVELY);
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let page = ada.get("/arenas/cluster/hand-in");
    assert!(page.has(&format!("agon login {} --name ada", server.address)), "{}", page.text());
    assert!(page.has("agon submit ada --arena cluster -m "), "{}", page.text());
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    let code = python_bot("cluster")
        .replace("import", "import sys; print('hello', file=sys.stderr)\nimport");
    shell.write_bot("fox", &code);

    // Without a server, to see what would be sent.
    let done = shell
        .ok(&["submit", "fox", "--dry-run"])
        .prints("fox · cluster · run `python3 bot.py`")
        .prints("bot.py")
        .prints("5 files");
    assert!(!done.out.contains(".git/") && !done.out.contains("big.log"), "{done:?}");
    assert!(!done.out.contains("__pycache__"), "{done:?}");

    let done = shell.run(&["submit", "fox", "--dry-run", "--json"]);
    let sent: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(sent["files"].as_array().unwrap().len(), 5, "{sent}");

    // The name of the folder becomes that of the bot.
    let done = shell
        .ok(&["submit", "fox", "-m", "first words"])
        .says("handing in fox to cluster at http://127.0.0.1:")
        .says("version 1 of fox")
        .prints("fox v1 can play");
    let page = format!("{}/arenas/cluster/bots/fox/versions/1\n", server.address);
    assert!(done.out.ends_with(&page), "{done:?}");

    wait_until("a match", || shell.run(&["matches"]).out.contains("fox v1"));
    let done = shell.run(&["matches", "--json", "--limit", "1"]);
    let found: Vec<MatchSummary> = lines(&done.out);
    assert_eq!(found.len(), 1, "{done:?}");
    let done = wait_for("output of the bot", || {
        let done = shell.ok(&["logs"]);
        done.out.contains("] hello\n").then_some(done)
    });
    assert!(done.out.contains("no faults of your bot"), "{done:?}");
    let done = shell.run(&["logs", "--json"]);
    let (of_match, logs) = done.out.split_once('\n').unwrap();
    let of_match: Match = serde_json::from_str(of_match).unwrap();
    assert!(of_match.seats.iter().any(|seat| seat.own), "{of_match:?}");
    assert!(lines::<MatchLog>(logs).iter().any(|log| log.text.contains("hello")), "{logs}");
    organisers_have_logs(&server, &mut root, &of_match);

    shell.ok(&["status"]).prints("fox v1").prints("playing");
    let bots: Vec<Bot> = lines(&shell.run(&["status", "--json"]).out);
    assert!(bots[0].summary.own && bots[0].summary.bot.slug == "fox", "{bots:?}");

    // Everybody can look.
    let visitor = Shell::new();
    visitor.ok(&["leaderboard", "--server", &server.address]).prints("fox v1").prints("ada");
    let rows: Vec<LeaderboardRow> =
        lines(&visitor.run(&["leaderboard", "--json", "--server", &server.address]).out);
    assert!(rows.len() > 1 && rows.iter().any(|row| row.bot.slug == "fox"), "{rows:?}");
    visitor.ok(&["matches", "--server", &server.address, "--bot", "fox"]).prints("fox v1");
    visitor
        .run(&["matches", "--server", &server.address, "--bot", "foxx"])
        .ends(2)
        .says("did you mean `fox`?");
    others_have_no_logs(&shell);

    // That the season is over is nobody's mistake.
    root.post("/admin/arenas/cluster/finish", "/admin/arenas/cluster", &[]);
    let done = shell.ok(&["status"]).prints("season over");
    let words = "fox in cluster plays no more matches: The season is over.";
    assert!(done.out.contains(words), "{done:?}");
}

/// Checks that a match of other bots is an error of its own.
fn others_have_no_logs(shell: &Shell) {
    let others = wait_for("a match of other bots", || {
        let all: Vec<MatchSummary> =
            lines(&shell.run(&["matches", "--all", "--json", "--limit", "200"]).out);
        let is_own = |one: &MatchSummary| {
            one.seats.iter().flat_map(|seat| &seat.bot).any(|bot| bot.slug == "fox")
        };
        all.iter().find(|one| !is_own(one)).map(|one| one.number.to_string())
    });
    for words in [&["logs", &others][..], &["logs", &others, "--json"]] {
        let done = shell.run(words);
        assert!(done.code == 2 && done.out.is_empty(), "{done:?}");
        let why = format!("match {others} in cluster has none of your bots (");
        assert!(done.err.contains(&why), "{done:?}");
    }
    let done = shell.run(&["logs", "999999"]);
    let why = "error: there is no match 999999 in cluster: `agon matches` lists those of your bot";
    assert_eq!((done.code, done.err.trim()), (2, why), "{done:?}");
}

/// Checks that an organiser without a bot reads what an author's bot wrote.
fn organisers_have_logs(server: &Server, root: &mut Client, of_match: &Match) {
    server.author(root, "olga");
    let role = [("role", "organiser")];
    assert_eq!(root.post("/admin/people/olga/role", "/admin/people", &role).status, 200);
    let shell = Shell::new();
    shell.sign_in(server, "olga");
    shell
        .ok(&["logs", &of_match.number.to_string()])
        .prints("fox v1 wrote to stderr")
        .prints("hello")
        .prints("no faults of fox v1");
    let json = shell.run(&["logs", &of_match.number.to_string(), "--json"]);
    assert!(json.code == 0 && json.out.contains("hello"), "{json:?}");
    shell.run(&["logs"]).ends(2).says("no bot there yet");
}

#[test]
fn a_version_that_fails_says_why() {
    agon_testkit::needs!("python3");
    let (_server, shell) = ladder();
    shell.write_bot("fox", "import sys\nsys.exit('I \\x1b[2Jgive up')\n");
    let done = shell
        .run(&["submit", "fox"])
        .ends(1)
        .prints("fox v1 failed")
        .prints("first answer")
        .prints("give up");
    assert!(!done.out.contains('\u{1b}'), "{done:?}");
    let done = shell.run(&["submit", "fox", "--json"]).ends(1);
    let versions: Vec<Version> = lines(&done.out);
    let last = versions.last().unwrap();
    assert_eq!((last.summary.number, last.summary.state), (2, VersionState::Failed));
    assert!(last.report.as_ref().unwrap().reason.is_some());
    let done = shell.run(&["status"]).ends(1).prints("failed");
    assert_eq!(done.out.matches("ersion 2").count(), 1, "once is enough: {done:?}");
    // A build that fails shows what it wrote.
    let fails = "build = \"echo no compiler >&2; exit 3\"\n";
    shell.change_manifest("fox", |text| text + fails);
    shell.run(&["submit", "fox"]).ends(1).prints("the build wrote:\n  ").prints("no compiler");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_sent() {
    let (server, _, _) = Server::with_ada();
    let shell = Shell::new();
    shell.write_bot("fox", "x");
    let fails = |args: &[&str], words: &str| {
        let done = shell.run(args);
        assert!(done.code == 2 && done.err.contains(words), "{args:?}: {done:?}");
    };
    fails(&["submit", "fox"], "you are signed in at no server: type `agon login URL`");
    fails(&["submit", "nowhere"], "`nowhere` is no folder");
    fails(&["submit", "."], "has no agon.toml");
    fails(&["leaderboard", "--server", "ftp://x"], "is no address");
    fails(&["login", "http://192.0.2.1:8420"], "--insecure-http");
    shell.sign_in(&server, "ada");
    fails(&["submit", "fox", "--arena", "clutser"], "did you mean `cluster`?");
    fails(&["leaderboard", "clutser"], "did you mean `cluster`?");
    fails(&["logs"], "you have no bot there yet");
    shell.change_manifest("fox", |text| text.replace("cluster", "rezzo"));
    fails(&["submit", "fox", "--arena", "cluster"], "the bot is for rezzo");
    fails(&["submit", "fox"], "no arena of this server plays rezzo");
}

/// Starts to hand in a bot whose build takes a while, and returns when the server has it.
fn hand_in(shell: &Shell) -> Running {
    shell.write_bot("fox", &python_bot("cluster"));
    shell.change_manifest("fox", |text| text + "build = \"sleep 4\"\n");
    shell.start(&["submit", "fox"]).wait_for("version 1 of fox")
}

#[test]
fn the_watching_survives_a_new_start_of_the_server_and_an_interrupt_ends_nothing_else() {
    agon_testkit::needs!("python3");
    let (server, shell) = ladder();
    let running = hand_in(&shell);
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    assert_eq!(running.done().code, 130);
    assert_eq!(shell.run(&["status"]).code, 1, "it does not play yet");
    // The same files once more: the same version is watched.
    let running = shell.start(&["submit", "fox"]).wait_for("files of version 1 of fox");
    let _server = server.kill_and_start();
    running.done().ends(0).prints("fox v1 can play");
    assert_eq!(shell.run(&["status"]).code, 0);
}
