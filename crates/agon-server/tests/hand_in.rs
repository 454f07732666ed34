//! From a file to a place in the table.

use std::{thread, time::Duration};

use crate::{
    every_page,
    support::{Client, Reply, Server, UploadedFile, python_bot, wait_for, zip},
};

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

#[test]
fn a_bot_from_the_editor_is_ranked() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let path = hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    let done = wait_until_done(&mut ada, &path);
    assert!(done.has("It can play") || done.has("ready"), "{}", done.text());
    assert!(done.has("legal answers"), "the author reads the report");
    // A visitor sees the bot with a rating, and its matches.
    let mut visitor = server.client();
    wait_for("a match of ada's bot", || {
        let page = visitor.get("/arenas/cluster/matches?bot=ada");
        (page.status == 200 && page.has("/matches/1") || page.has("Match")).then_some(())
    });
    let page = wait_for("a rated row", || {
        let page = visitor.get("/arenas/cluster/bots/ada");
        (page.status == 200 && page.has("/arenas/cluster/matches/")).then_some(page)
    });
    let number = page.find("/arenas/cluster/matches/", 3);
    let number: String =
        number.rsplit('/').next().unwrap().chars().take_while(char::is_ascii_digit).collect();
    let of_match = visitor.get(&format!("/arenas/cluster/matches/{number}"));
    assert!(of_match.status == 200 && of_match.has("v1"), "{}", of_match.text());
    let replay = visitor.get(&format!("/arenas/cluster/matches/{number}/replay.agon"));
    assert!(replay.body.starts_with(b"\x8FAGON"), "{:?}", replay.head);
    // Bosses are better, but the first page shows what authors have made.
    wait_for("the card of the arena", || {
        let page = visitor.get("/").text();
        let leaders = page.split_once("class=\"leaders\"")?.1.split_once("</ol>")?.0.to_owned();
        let has_rank = leaders.contains(">rank\u{a0}");
        (leaders.contains("/bots/ada") && has_rank && !leaders.contains("boss")).then_some(())
    });
    // The report is between author and server.
    assert!(!visitor.get(&path).has("legal answers"));
    assert!(server.stop(), "it ends well");
}

#[test]
fn a_version_that_fails_does_not_play_and_the_one_before_goes_on() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let good = hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    wait_until_done(&mut ada, &good);
    let bad = hand_in(&mut ada, "cluster", "python", "import sys\nsys.exit('I <b>give</b> up')\n");
    let page = wait_until_done(&mut ada, &bad);
    assert!(page.has("failed") && page.has("give&lt;/b&gt; up"), "{}", page.text());
    let broken = hand_in(&mut ada, "cluster", "c", "this is no C\n");
    let page = wait_until_done(&mut ada, &broken);
    assert!(page.has("failed") && page.has("bot.c"), "{}", page.text());
    // The editor goes on with what was handed in last; other languages begin with their kits.
    let editor = ada.get("/arenas/cluster/hand-in");
    assert!(editor.has("your version 3") && editor.has("this is no C"), "{}", editor.text());
    let editor = ada.get("/arenas/cluster/hand-in?language=c");
    assert!(editor.has("your version 3") && !editor.has("name=\"replace\""), "{}", editor.text());
    let editor = ada.get("/arenas/cluster/hand-in?language=python");
    assert!(editor.has("the starter kit") && !editor.has("this is no C"), "{}", editor.text());
    let table = server.client().get("/arenas/cluster");
    assert!(table.has("ada") && table.has("v1") && !table.has("v3"), "{}", table.text());
}

#[test]
fn archives_and_folders_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let page = "/arenas/cluster/hand-in";
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
    let zip = zip(&files);
    let mut ada = server.author(&mut root, "ada");
    let archive = UploadedFile { field: "files", name: "fox.zip", contents: &zip };
    let reply = ada.upload(page, page, &[("way", "files"), ("name", "Fox")], &[archive]);
    assert!(wait_until_done(&mut ada, &reply.path).has("It can play"), "{}", reply.text());
    let mut bob = server.author(&mut root, "bob");
    let sent: Vec<UploadedFile<'_>> = files
        .iter()
        .map(|(name, contents)| UploadedFile { field: "folder", name, contents })
        .collect();
    let reply = bob.upload(page, page, &[("way", "files")], &sent);
    assert!(wait_until_done(&mut bob, &reply.path).has("It can play"), "{}", reply.text());
    // A single file is completed by the starter kit.
    let mut eve = server.author(&mut root, "eve");
    let single = UploadedFile { field: "files", name: "clever.py", contents: code.as_bytes() };
    let reply = eve.upload(page, page, &[("way", "files")], &[single]);
    assert!(wait_until_done(&mut eve, &reply.path).has("It can play"), "{}", reply.text());
    wait_for("three bots in the table", || {
        let table = server.client().get("/arenas/cluster");
        ["Fox", "bob", "eve"].iter().all(|name| table.has(name)).then_some(())
    });
}

#[test]
fn a_trial_match_shows_what_goes_wrong_before_anything_is_handed_in() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let code = python_bot("cluster").replace(
        "import",
        "import sys; print('hello', __file__, '</pre><script>', file=sys.stderr)\nimport",
    );
    let page = "/arenas/cluster/hand-in";
    let fields = [
        ("way", "editor"),
        ("language", "python"),
        ("code", code.as_str()),
        ("opponent", "random"),
        ("message", ""),
    ];
    let reply = ada.upload("/arenas/cluster/try", page, &fields, &[]);
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
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    assert!(!ada.get(page).has("name=\"replace\""), "there is no version yet");
    let manifest = "game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 bot.py\"\n";
    let contents = zipped(manifest, "print('large')");
    let file = UploadedFile { field: "files", name: "bot.zip", contents: &contents };
    let reply = ada.upload(page, page, &[("way", "files")], &[file]);
    assert!(reply.path.ends_with("/versions/1"), "{}", reply.text());
    let editor = ada.get(page);
    let words = "Your version 1 came from an archive or from several files";
    assert!(editor.has("the starter kit") && editor.has(words), "{}", editor.text());
    assert!(editor.has("name=\"replace\""), "{}", editor.text());
    let code = python_bot("cluster");
    let mut fields = vec![("way", "editor"), ("language", "python"), ("code", code.as_str())];
    let reply = ada.upload(page, page, &fields, &[]);
    assert!(reply.status == 422 && reply.has("tick the box"), "{}", reply.text());
    assert!(reply.has("what you just sent") && reply.has(words), "{}", reply.text());
    let tried = ada.upload("/arenas/cluster/try", page, &fields, &[]);
    let trial = wait_until_done(&mut ada, &tried.path);
    assert!(trial.has(words), "{}", trial.text());
    let reply = ada.post(&format!("{}/hand-in", tried.path), &tried.path, &[]);
    assert!(reply.status == 409 && reply.has(words), "{}", reply.text());
    fields.push(("replace", "yes"));
    let reply = ada.upload(page, page, &fields, &[]);
    assert!(reply.path.ends_with("/versions/2"), "{}", reply.text());
    let editor = ada.get(page);
    assert!(editor.has("your version 2") && !editor.has("name=\"replace\""), "{}", editor.text());
}

#[test]
fn starter_kits_can_be_downloaded_and_handed_in() {
    agon_testkit::needs!("python3");
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    let kit = "/games/cluster/kits/python";
    assert!(ada.get(page).has(&format!("href=\"{kit}\"")), "{}", ada.get(page).text());
    let contents = ada.get(kit).body;
    let file = UploadedFile { field: "files", name: "kit.zip", contents: &contents };
    let reply = ada.upload(page, page, &[("way", "files")], &[file]);
    assert!(wait_until_done(&mut ada, &reply.path).has("It can play"), "{}", reply.text());
    assert_eq!(ada.get("/games/cluster/kits/cobol").status, 404);
}

#[test]
fn languages_that_the_server_lacks_are_not_offered_and_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(folder.path(), &["--arena", "cluster"], &[("PATH", "/sbin")]);
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    assert!(!ada.get(page).has("?language=go"), "{}", ada.get(page).text());
    let manifest = "game = \"cluster\"\nlanguage = \"Go\"\nprotocol = \"jsonl\"\n\
        run = \"./bot\"\nbuild = \"go build -o bot .\"\n";
    let contents = zipped(manifest, "");
    let file = UploadedFile { field: "files", name: "bot.zip", contents: &contents };
    let reply = ada.upload(page, page, &[("way", "files")], &[file]);
    assert!(reply.status == 422 && reply.has("this server has no go"), "{}", reply.text());
    assert!(ada.get(page).has("<b>40</b> of 40"), "{}", ada.get(page).text());
}

#[test]
fn what_cannot_be_a_bot_is_refused_and_not_counted() {
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    for (name, contents, words) in [
        ("x.zip", &b"junk"[..], "<code>x.zip</code> is not an archive that can be read."),
        ("notes.txt", b"to do", "does not know how <code>notes.txt</code> is run."),
        ("a.py", b"", "<code>bot.py</code> is empty"),
    ] {
        let file = UploadedFile { field: "files", name, contents };
        let reply = ada.upload(page, page, &[("way", "files")], &[file]);
        assert!(reply.status == 422 && reply.has(words), "{name}: {}", reply.text());
    }
    let form = |name| [("way", "editor"), ("language", "python"), ("code", ""), ("name", name)];
    let reply = ada.upload(page, page, &form("ada"), &[]);
    assert!(reply.status == 422 && reply.has("is empty"), "{}", reply.text());
    let mut taken = form("GREEDY");
    taken[2].1 = "print(1)";
    let reply = ada.upload(page, page, &taken, &[]);
    assert!(reply.status == 422 && reply.has("has the name <code>GREEDY"), "{}", reply.text());
    assert!(ada.get(page).has("<b>40</b> of 40"), "{}", ada.get(page).text());
}

#[test]
fn a_bot_with_the_games_own_protocol_is_told_what_its_manifest_needs() {
    agon_testkit::needs!("python3");
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    let contents = std::fs::read("../../examples/bots/cluster/greedy.py").unwrap();
    let file = UploadedFile { field: "files", name: "greedy.py", contents: &contents };
    let reply = ada.upload(page, page, &[("way", "files")], &[file]);
    let done = wait_until_done(&mut ada, &reply.path);
    let remedy = "did you mean <code>protocol = &quot;game&quot;</code> in agon.toml?";
    assert!(done.has(remedy) && done.has("add one with"), "{}", done.text());
}

#[test]
fn a_bot_without_one_of_its_files_is_told_which_one() {
    agon_testkit::needs!("python3");
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let page = "/arenas/cluster/hand-in";
    let manifest =
        |run: &str| format!("game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"{run}\"\n");
    for (run, code, words) in [
        ("python3 fox.py", "", "put the file that it names among"),
        ("python3 bot.py", "import vixen", "<code>vixen</code> is missing: put it among"),
        ("python3 bot.py", "open('w.bin')", "<code>w.bin</code> is missing: put it among"),
        ("./fox", "", "correct <code>run</code> in agon.toml, or hand in that file"),
    ] {
        let contents = zipped(&manifest(run), code);
        let file = UploadedFile { field: "files", name: "fox.zip", contents: &contents };
        let reply = ada.upload(page, page, &[("way", "files")], &[file]);
        let done = wait_until_done(&mut ada, &reply.path);
        assert!(done.has(words), "{run}: {}", done.text());
    }
}

/// A folder with a manifest, as an archive.
fn zipped(manifest: &str, code: &str) -> Vec<u8> {
    zip(&[("agon.toml", manifest.as_bytes()), ("bot.py", code.as_bytes())])
}

#[test]
fn endless_hand_ins_hold_up_nobody() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let page = "/arenas/cluster/hand-in";
    let builds = "game = \"cluster\"\nlanguage = \"python\"\nprotocol = \"jsonl\"\n\
        run = \"python3 bot.py\"\nbuild = \"sleep 3000\"\n";
    let sleeps = "import time\ntime.sleep(3000)\n";
    let mut endless: Vec<(Client, String)> = (0..10)
        .map(|number| {
            let mut author = server.author(&mut root, &format!("endless{number}"));
            // Half of them build without end, half of them never answer.
            if number % 2 == 1 {
                let path = hand_in(&mut author, "cluster", "python", sleeps);
                return (author, path);
            }
            let contents = zipped(builds, sleeps);
            let file = UploadedFile { field: "files", name: "bot.zip", contents: &contents };
            let path = author.upload(page, page, &[("way", "files")], &[file]).path;
            (author, path)
        })
        .collect();
    let mut quick = server.author(&mut root, "quick");
    let path = hand_in(&mut quick, "cluster", "python", &python_bot("cluster"));
    assert!(wait_until_done(&mut quick, &path).has("It can play"));
    let live = |(author, path): &mut (Client, String)| author.get(path).has("data-live=\"true\"");
    let waiting = endless.iter_mut().filter_map(|one| live(one).then_some(())).count();
    assert!(waiting >= 5, "all builds are still there, but only {waiting} versions");
    // Now they are in the slow lanes, and the fast one is free.
    let other = format!("{}# other\n", python_bot("cluster"));
    let path = hand_in(&mut quick, "cluster", "python", &other);
    assert!(wait_until_done(&mut quick, &path).has("It can play"));
    // A trial match is not held up either.
    let mut tries = Vec::new();
    for number in [1, 3] {
        let fields = [("way", "editor"), ("language", "python"), ("code", sleeps)];
        let mut author = endless[number].0.clone();
        let reply = author.upload("/arenas/cluster/try", page, &fields, &[]);
        assert!(reply.path.contains("/tries/"), "{}", reply.text());
        tries.push((author, reply.path));
    }
    let code = python_bot("cluster");
    let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
    let reply = quick.upload("/arenas/cluster/try", page, &fields, &[]);
    assert!(wait_until_done(&mut quick, &reply.path).has("replay.agon"));
    assert!(tries.iter_mut().all(live), "they have waited for nothing");
}

#[test]
fn a_version_without_an_answer_is_examined_in_one_match() {
    let server = Server::cluster();
    let mut ada = server.author(&mut server.administrator(), "ada");
    let code = "import sys\nfor line in sys.stdin:\n    if 'start' not in line: sys.exit(1)\n";
    let path = hand_in(&mut ada, "cluster", "python", code);
    let page = wait_until_done(&mut ada, &path);
    assert!(page.has("no first answer in 1 match"), "{}", page.text());
}

#[test]
fn a_hand_in_whose_sender_goes_away_is_built() {
    let server = Server::cluster();
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let page = "/arenas/cluster/hand-in";
    let csrf = ada.get(page).csrf();
    for number in 1..=3 {
        let code = format!("{}# {number}\n", python_bot("cluster"));
        let fields = [("way", "editor"), ("language", "python"), ("code", code.as_str())];
        let path = format!("/arenas/cluster/bots/ada/versions/{number}");
        wait_for("the version", || {
            // A slow server may see that the sender is gone before it has read everything. Then it
            // makes no version, so the form is sent again.
            ada.upload_and_leave(page, &csrf, &fields);
            thread::sleep(Duration::from_secs(2));
            (ada.get(&path).status == 200).then_some(())
        });
        assert!(wait_until_done(&mut ada, &path).has("It can play"));
    }
}
