//! From a file to a place in the table.

use std::{thread, time::Duration};

use crate::every_page;
use crate::support::{Client, LIVELY, Reply, Server, python_bot, wait_for, wait_until, zip};

/// The page with the forms for versions of cluster.
pub(crate) const PAGE: &str = "/arenas/cluster/hand-in";

/// Waits until a version is built and checked.
pub(crate) fn wait_until_done(client: &mut Client, path: &str) -> Reply {
    wait_for("a version", || {
        let reply = client.get(path);
        (!reply.has("data-live=\"true\"")).then_some(reply)
    })
}

/// Hands in a text of the editor; returns the path of the version.
pub(crate) fn hand_in(client: &mut Client, arena: &str, language: &str, code: &str) -> String {
    let page = format!("/arenas/{arena}/hand-in");
    let fields = [
        ("way", "editor"),
        ("language", language),
        ("code", code),
        ("message", "new"),
        ("replace", "yes"),
    ];
    let reply = client.upload(&page, &page, &fields, &[]);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.path.contains("/versions/"), "{}", reply.text());
    reply.path
}

/// Hands in the kit's bot for cluster, with a line of its own, and waits until it can play.
pub(crate) fn enter(client: &mut Client, line: &str) -> String {
    let code = format!("{}{line}\n", python_bot("cluster"));
    let path = hand_in(client, "cluster", "python", &code);
    let done = wait_until_done(client, &path);
    assert!(done.has("It can play"), "{}", done.text());
    path
}

/// Sends a file to the arena `cluster`.
pub(crate) fn send_file(client: &mut Client, name: &str, contents: &[u8]) -> Reply {
    let file = ("files", name, contents);
    client.upload(PAGE, PAGE, &[("way", "files")], &[file])
}

/// Sends a bot in Python of the editor to the arena `cluster`.
pub(crate) fn send_code(client: &mut Client, code: &str, more: &[(&str, &str)]) -> Reply {
    let fields = [("way", "editor"), ("language", "python"), ("code", code)];
    let fields = [&fields[..], more].concat();
    client.upload(PAGE, PAGE, &fields, &[])
}

/// A folder with a manifest for a bot in Python, as an archive.
fn zipped(more: &str, code: &str) -> Vec<u8> {
    let manifest = format!("game = \"cluster\"\nprotocol = \"jsonl\"\n{more}\n");
    zip(&[("agon.toml", manifest.as_bytes()), ("bot.py", code.as_bytes())])
}

#[test]
fn a_bot_from_the_editor_is_ranked_and_plays_on_when_a_later_version_fails() {
    let (server, mut root) = Server::with_root(&LIVELY);
    let mut ada = server.author(&mut root, "ada");
    let path = enter(&mut ada, "");
    assert!(ada.get(&path).has("legal answers"), "the author reads the report");
    // A visitor sees the bot with a rating, and its matches.
    let mut visitor = server.client();
    let page = wait_for("a match of ada's bot", || {
        let page = visitor.get("/arenas/cluster/bots/ada");
        (page.status == 200 && page.has("/arenas/cluster/matches/")).then_some(page)
    });
    let number = page.find("/arenas/cluster/matches/", 3);
    let number: String =
        number.rsplit('/').next().unwrap().chars().take_while(char::is_ascii_digit).collect();
    let of_match = visitor.get(&format!("/arenas/cluster/matches/{number}"));
    assert!(of_match.status == 200 && of_match.has("v1"), "{}", of_match.text());
    // The viewer knows the game, so it gets the replay in any case.
    for query in ["", "?scenes"] {
        let address = format!("/arenas/cluster/matches/{number}/replay.agon{query}");
        let replay = visitor.get(&address);
        assert!(replay.body.starts_with(b"\x8FAGON"), "{query}: {:?}", replay.head);
    }
    // Bosses may be better, but the first page shows what authors have made.
    wait_for("the card of the arena", || {
        let page = visitor.get("/").text();
        let leaders = page.split_once("class=\"leaders\"")?.1.split_once("</ol>")?.0.to_owned();
        let has_rank = leaders.contains(">rank\u{a0}");
        (leaders.contains("/bots/ada") && has_rank && !leaders.contains("boss")).then_some(())
    });
    // The report is between author and server.
    assert!(!visitor.get(&path).has("legal answers"));

    let bad = hand_in(&mut ada, "cluster", "python", "import sys\nsys.exit('I <b>give</b> up')\n");
    let page = wait_until_done(&mut ada, &bad);
    assert!(page.has("failed") && page.has("give&lt;/b&gt; up"), "{}", page.text());
    let broken = hand_in(&mut ada, "cluster", "c", "this is no C\n");
    let page = wait_until_done(&mut ada, &broken);
    assert!(page.has("failed") && page.has("bot.c"), "{}", page.text());
    // The editor goes on with what was handed in last; other languages begin with their kits.
    let editor = ada.get(PAGE);
    assert!(editor.has("your version 3") && editor.has("this is no C"), "{}", editor.text());
    let editor = ada.get("/arenas/cluster/hand-in?language=c");
    assert!(editor.has("your version 3") && !editor.has("name=\"replace\""), "{}", editor.text());
    let editor = ada.get("/arenas/cluster/hand-in?language=python");
    assert!(editor.has("the starter kit") && !editor.has("this is no C"), "{}", editor.text());
    let table = visitor.get("/arenas/cluster");
    assert!(table.has("ada") && table.has("v1") && !table.has("v3"), "{}", table.text());
    assert!(server.stop(), "it ends well");
}

#[test]
fn starter_kits_archives_and_folders_are_taken() {
    agon_testkit::needs!("python3");
    let (server, mut root, mut ada) = Server::quiet();
    let kit = "/games/cluster/kits/python";
    assert!(ada.get(PAGE).has(&format!("href=\"{kit}\"")), "{}", ada.get(PAGE).text());
    assert_eq!(ada.get("/games/cluster/kits/cobol").status, 404);
    let contents = ada.get(kit).body;
    let archive = ("files", "kit.zip", &contents[..]);
    let reply = ada.upload(PAGE, PAGE, &[("way", "files"), ("name", "Fox")], &[archive]);
    assert!(wait_until_done(&mut ada, &reply.path).has("It can play"), "{}", reply.text());

    let code = python_bot("cluster");
    let read = |path: &str| std::fs::read(format!("../../starter-kits/python/{path}")).unwrap();
    let (agon, legal) = (read("common/agon.py"), read("games/cluster/legal.py"));
    let manifest = b"game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 bot.py\"\n";
    let files = [
        ("fox/bot.py", code.as_bytes()),
        ("fox/agon.py", &agon[..]),
        ("fox/legal.py", &legal[..]),
        ("fox/agon.toml", &manifest[..]),
    ];
    let mut bob = server.author(&mut root, "bob");
    let sent = files.map(|(name, contents)| ("folder", name, contents));
    let reply = bob.upload(PAGE, PAGE, &[("way", "files")], &sent);
    assert!(wait_until_done(&mut bob, &reply.path).has("It can play"), "{}", reply.text());
    // The same as an archive, and a single file, which the starter kit completes.
    let mut eve = server.author(&mut root, "eve");
    for (name, contents) in [("fox.zip", zip(&files)), ("clever.py", code.clone().into_bytes())] {
        let reply = send_file(&mut eve, name, &contents);
        assert!(wait_until_done(&mut eve, &reply.path).has("It can play"), "{}", reply.text());
    }
    wait_until("three bots in the table", || {
        let table = server.client().get("/arenas/cluster");
        ["Fox", "bob", "eve"].iter().all(|name| table.has(name))
    });
}

#[test]
fn a_trial_match_shows_what_goes_wrong_before_anything_is_handed_in() {
    let (server, mut root, mut ada) = Server::quiet();
    let code = python_bot("cluster").replace(
        "import",
        "import sys; print('hello', __file__, '</pre><script>', file=sys.stderr)\nimport",
    );
    let fields = [
        ("way", "editor"),
        ("language", "python"),
        ("code", code.as_str()),
        ("opponent", "random"),
        ("message", ""),
    ];
    let reply = ada.upload("/arenas/cluster/try", PAGE, &fields, &[]);
    assert!(reply.path.contains("/tries/"), "{}", reply.text());
    let done = wait_until_done(&mut ada, &reply.path);
    assert!(done.has("hello bot.py") && done.has("replay.agon"), "{}", done.text());
    every_page::check("a trial match", &done);
    let handed = ada.post(&format!("{}/hand-in", reply.path), &reply.path, &[("name", "Fox")]);
    assert!(wait_until_done(&mut ada, &handed.path).has("It can play"), "{}", handed.text());
    // Nobody else sees it.
    let mut bob = server.author(&mut root, "bob");
    assert_eq!(bob.get(&reply.path).status, 404);
}

#[test]
fn the_editor_replaces_a_version_that_it_did_not_open_only_when_asked_to() {
    let (_server, _, mut ada) = Server::quiet();
    assert!(!ada.get(PAGE).has("name=\"replace\""), "there is no version yet");
    let contents = zipped("run = \"python3 bot.py\"", "print('large')");
    let reply = send_file(&mut ada, "bot.zip", &contents);
    assert!(reply.path.ends_with("/versions/1"), "{}", reply.text());
    let editor = ada.get(PAGE);
    let words = "Your version 1 came from an archive or from several files";
    assert!(editor.has("the starter kit") && editor.has(words), "{}", editor.text());
    assert!(editor.has("name=\"replace\""), "{}", editor.text());
    let code = python_bot("cluster");
    let reply = send_code(&mut ada, &code, &[]);
    assert!(reply.status == 422 && reply.has("tick the box"), "{}", reply.text());
    assert!(reply.has("what you just sent") && reply.has(words), "{}", reply.text());
    let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
    let tried = ada.upload("/arenas/cluster/try", PAGE, &fields, &[]);
    let trial = wait_until_done(&mut ada, &tried.path);
    assert!(trial.has(words), "{}", trial.text());
    let reply = ada.post(&format!("{}/hand-in", tried.path), &tried.path, &[]);
    assert!(reply.status == 409 && reply.has(words), "{}", reply.text());
    let reply = send_code(&mut ada, &code, &[("replace", "yes")]);
    assert!(reply.path.ends_with("/versions/2"), "{}", reply.text());
    let editor = ada.get(PAGE);
    assert!(editor.has("your version 2") && !editor.has("name=\"replace\""), "{}", editor.text());
}

#[test]
fn languages_that_the_server_lacks_are_not_offered_and_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), &["--arena", "cluster"], &[("PATH", "/sbin")]);
    let mut ada = server.author(&mut server.administrator(), "ada");
    assert!(!ada.get(PAGE).has("?language=go"), "{}", ada.get(PAGE).text());
    let more = "language = \"Go\"\nrun = \"./bot\"\nbuild = \"go build -o bot .\"";
    let reply = send_file(&mut ada, "bot.zip", &zipped(more, ""));
    assert!(reply.status == 422 && reply.has("this server has no go"), "{}", reply.text());
    assert!(ada.get(PAGE).has("<b>40</b> of 40"), "{}", ada.get(PAGE).text());
}

#[test]
fn an_author_is_told_what_is_wrong_with_a_version() {
    agon_testkit::needs!("python3");
    let (_server, _, mut ada) = Server::with_ada();
    let of_game = std::fs::read("../../examples/bots/cluster/greedy.py").unwrap();
    let silent = "import sys\nfor line in sys.stdin:\n    if 'start' not in line: sys.exit(1)\n";
    let own_protocol = "did you mean <code>protocol = &quot;game&quot;</code> in agon.toml?";
    let runs = |run: &str, code: &str| zipped(&format!("run = \"{run}\""), code);
    for (name, contents, words) in [
        ("greedy.py", of_game, own_protocol),
        ("a.zip", runs("python3 fox.py", ""), "put the file that it names among"),
        ("b.zip", runs("python3 bot.py", "import vixen"), "<code>vixen</code> is missing: put it"),
        ("c.zip", runs("python3 bot.py", "open('w.bin')"), "<code>w.bin</code> is missing: put it"),
        ("d.zip", runs("./fox", ""), "correct <code>run</code> in agon.toml, or hand in that file"),
        // It is examined in one match.
        ("e.zip", runs("python3 bot.py", silent), "no first answer in 1 match"),
    ] {
        let reply = send_file(&mut ada, name, &contents);
        let done = wait_until_done(&mut ada, &reply.path);
        assert!(done.has(words), "{name}: {words}: {}", done.text());
        assert!(name != "greedy.py" || done.has("add one with"), "{}", done.text());
    }
}

#[test]
fn endless_hand_ins_hold_up_nobody() {
    let (server, mut root, mut quick) = Server::quiet();
    let builds = "language = \"python\"\nrun = \"python3 bot.py\"\nbuild = \"sleep 3000\"";
    let sleeps = "import time\ntime.sleep(3000)\n";
    // As many as the fast lane has places.
    let mut endless: Vec<(Client, String)> = (0..10)
        .map(|number| {
            let mut author = server.author(&mut root, &format!("endless{number}"));
            // Half of them build without end, half of them never answer.
            let path = match number % 2 {
                1 => hand_in(&mut author, "cluster", "python", sleeps),
                _ => send_file(&mut author, "bot.zip", &zipped(builds, sleeps)).path,
            };
            (author, path)
        })
        .collect();
    enter(&mut quick, "");
    let live = |(author, path): &mut (Client, String)| author.get(path).has("data-live=\"true\"");
    let waiting = endless.iter_mut().filter_map(|one| live(one).then_some(())).count();
    assert!(waiting >= 5, "all builds are still there, but only {waiting} versions");
    // Now they are in the slow lanes, and the fast one is free.
    enter(&mut quick, "# other");
    // A trial match is not held up either.
    let mut tries = Vec::new();
    for number in [1, 3] {
        let fields = [("way", "editor"), ("language", "python"), ("code", sleeps)];
        let mut author = endless[number].0.clone();
        let reply = author.upload("/arenas/cluster/try", PAGE, &fields, &[]);
        assert!(reply.path.contains("/tries/"), "{}", reply.text());
        tries.push((author, reply.path));
    }
    let code = python_bot("cluster");
    let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
    let reply = quick.upload("/arenas/cluster/try", PAGE, &fields, &[]);
    assert!(wait_until_done(&mut quick, &reply.path).has("replay.agon"));
    assert!(tries.iter_mut().all(live), "they have waited for nothing");
}

#[test]
fn a_hand_in_whose_sender_goes_away_is_built() {
    let (_server, _, mut ada) = Server::with_ada();
    let csrf = ada.get(PAGE).csrf();
    for number in 1..=3 {
        // It ends at once, so its examination is short.
        let code = format!("raise SystemExit({number})\n");
        let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
        let path = format!("/arenas/cluster/bots/ada/versions/{number}");
        wait_until("the version", || {
            // A slow server may see that the sender is gone before it has read everything. Then it
            // makes no version, so the form is sent again.
            ada.upload_and_leave(PAGE, &csrf, &fields);
            thread::sleep(Duration::from_secs(1));
            ada.get(&path).status == 200
        });
        assert!(wait_until_done(&mut ada, &path).has("failed"));
    }
}
