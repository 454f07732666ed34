//! Bad input: forged forms, hostile archives, stolen and wrong secrets, floods.

use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::{fs, net::TcpStream, time::Duration};

use crate::accounts::sign_in_as;
use crate::hand_in::{PAGE, enter, hand_in, send_code, send_file, wait_until_done};
use crate::support::{
    Client, Reply, STARTER, Server, agon_server, python_bot, said, wait_for, wait_until, zip,
};

#[test]
fn forms_from_elsewhere_are_refused() {
    let (_server, mut root, mut ada) = Server::with_ada();
    let csrf = root.get("/admin/people").csrf();
    let fields = [("csrf", csrf.as_str()), ("role", "author"), ("uses", "1"), ("days", "1")];
    let foreign = "Origin: https://evil.example\r\n";
    let reply = root.post_raw("/admin/invitations", foreign, &fields).unwrap();
    assert_eq!(reply.status, 403, "{}", reply.text());
    for wrong in ["", "0123456789abcdef0123456789abcdef"] {
        let fields = [("csrf", wrong), ("role", "author"), ("uses", "1"), ("days", "1")];
        let reply = root.post_raw("/admin/invitations", "", &fields).unwrap();
        assert_eq!(reply.status, 403, "{}", reply.text());
        assert!(!reply.has("/join/"));
    }
    // Another session's value is none of this one.
    let reply = ada.post_raw("/admin/invitations", "", &fields).unwrap();
    assert_eq!(reply.status, 403);
}

/// Starts the server like `deploy/agon-serve.service`: as nobody, who has users of its own, and
/// with the two privileges for them.
const SERVICE: &str = r#"#!/bin/sh
set -e
here=$(dirname "$0")
cp "$1" "$here/agon-server"
shift
echo 65534:200000:600 > "$here/ids"
export here
exec unshare --mount sh -c '
    mount --bind "$here/ids" /etc/subuid
    mount --bind "$here/ids" /etc/subgid
    privileges=-all,+setuid,+setgid
    exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
        --inh-caps=$privileges --ambient-caps=$privileges --bounding-set=$privileges \
        "$here/agon-server" "$@"' sh "$@"
"#;

/// Returns the number behind a name in `/proc/PID/status`.
fn status(pid: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next().map(str::to_owned)
}

#[test]
fn a_service_keeps_no_privileges_and_gives_each_bot_a_user() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("only root can start a service as somebody else");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let starter = folder.path().join("starter");
    fs::create_dir(&data).unwrap();
    chown(&data, Some(65534), Some(65534)).unwrap();
    fs::write(&starter, SERVICE).unwrap();
    for path in [folder.path(), &starter] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let variables = [(STARTER, starter.to_str().unwrap())];
    let server = Server::start_with(&data, &["--arena", "cluster"], &variables);
    let pid = server.pid().to_string();
    assert_eq!(status(&pid, "Uid:").unwrap(), "65534");
    for task in fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let task = task.unwrap().file_name().into_string().unwrap();
        for kind in ["CapPrm:", "CapEff:", "CapInh:", "CapAmb:"] {
            // A thread may have ended.
            let has = status(&task, kind).unwrap_or_default();
            assert!(has.chars().all(|digit| digit == '0'), "{task}: {kind} {has}");
        }
    }
    let mut root = server.administrator();
    let mut ada = server.author(&mut root, "ada");
    let path = hand_in(&mut ada, "cluster", "python", &python_bot("cluster"));
    wait_until_done(&mut ada, &path);
    let user: u32 = wait_for("a bot's user", || {
        let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let users = processes.filter_map(|entry| status(entry.file_name().to_str()?, "Uid:"));
        users.filter_map(|user| user.parse().ok()).find(|user| (200_000..200_600).contains(user))
    });
    assert!(user >= 200_000);
}

#[test]
fn roles_are_kept() {
    let (server, mut root, mut ada) = Server::quiet();
    let mut bob = server.author(&mut root, "bob");
    enter(&mut ada, "");
    for page in ["/admin", "/admin/people", "/admin/log", "/admin/arenas/new", "/admin/arenas"] {
        assert_eq!(ada.get(page).status, 403, "{page}");
        assert!(server.client().get(page).path.starts_with("/sign-in"), "{page}");
    }
    let bot = "/arenas/cluster/bots/ada";
    for action in ["pause", "disqualify", "rename", "activate"] {
        let action = format!("{bot}/{action}");
        let reply = bob.post(&action, "/account", &[("name", "x"), ("version", "1")]);
        assert_eq!(reply.status, 403, "{action}: {}", reply.text());
    }
    // An author may not undo what an organiser did.
    root.post(&format!("{bot}/pause"), "/account", &[]);
    let page = ada.get(bot);
    let says_why = page.has("an organiser paused it") && page.has("Ask the organisers");
    assert!(says_why && !page.has("Let it play again"), "{}", page.text());
    for action in ["resume", "pause"] {
        assert_eq!(ada.post(&format!("{bot}/{action}"), "/account", &[]).status, 403, "{action}");
    }
    enter(&mut ada, "# 2");
    assert!(root.get(bot).has("an organiser paused it"), "a new version changes nothing");
    root.post(&format!("{bot}/resume"), "/account", &[]);
    assert!(ada.get(bot).has("Pause it"));
    root.post(&format!("{bot}/disqualify"), "/account", &[("reason", "it cheats")]);
    let reply = ada.post(&format!("{bot}/resume"), "/account", &[]);
    assert_eq!(reply.status, 403, "{}", reply.text());
    wait_until("the reason in the table", || {
        server.client().get("/arenas/cluster").has("it cheats")
    });
    assert!(ada.get(PAGE).has("it cheats"), "the author reads why");
    assert_eq!(send_code(&mut ada, "x", &[]).status, 422);
    // The last administrator stays.
    let reply = root.post("/admin/people/root/disable", "/admin/people", &[]);
    assert_eq!(reply.status, 409, "{}", reply.text());
    an_author_cannot_undo_an_exclusion_in_a_race(&mut root, &mut ada);
}

fn an_author_cannot_undo_an_exclusion_in_a_race(root: &mut Client, ada: &mut Client) {
    let bot = "/arenas/cluster/bots/ada";
    for _ in 0..4 {
        root.post(&format!("{bot}/reinstate"), "/account", &[]);
        let racers = ["pause", "resume", "pause", "resume"].map(|action| {
            let mut ada = ada.clone();
            std::thread::spawn(move || {
                for _ in 0..4 {
                    ada.post(&format!("{bot}/{action}"), "/account", &[]);
                }
            })
        });
        root.post(&format!("{bot}/disqualify"), "/account", &[("reason", "it cheats")]);
        racers.into_iter().for_each(|racer| racer.join().unwrap());
        assert!(ada.get(PAGE).has("it cheats"), "the exclusion holds");
    }
}

#[test]
fn hostile_uploads_get_a_clear_answer() {
    let (server, _, mut ada) = Server::with_ada();
    for (name, contents, words) in [
        ("../../evil.py", &b"x"[..], "does not stay below"),
        ("a\u{202e}b.py", b"x", "invisible characters"),
        ("what.zzz", b"x", "agon.toml"),
        ("bad.zip", b"PK\x03\x04 and no more", "cannot be read"),
        ("agon.toml", b"game = \"cluster\"\nrun = \"\"\nevil = 1", "agon.toml"),
        ("agon.toml", b"game = \"rezzo\"\nrun = \"x\"", "this arena plays cluster"),
        ("bomb.zip", &zip(&[("zeros", &vec![0; 64 << 20])]), "MiB together"),
        ("large.py", &vec![b'x'; 40 << 20], "MiB together"),
        ("x.zip", b"junk", "<code>x.zip</code> is not an archive that can be read."),
        ("notes.txt", b"to do", "does not know how <code>notes.txt</code> is run."),
        ("a.py", b"", "<code>bot.py</code> is empty"),
    ] {
        let reply = send_file(&mut ada, name, contents);
        let is_large = reply.status == 413 && words == "MiB together";
        assert!(reply.status == 422 || is_large, "{name}: {}", reply.status);
        assert!(reply.has(words), "{name}: {}", reply.text());
    }
    let long = "x".repeat(41);
    for (code, name, words) in [
        ("", "ada", "is empty"),
        ("print(1)", "RANDOM", "has the name <code>RANDOM"),
        ("print('my work')", &long, "1 to 40 characters"),
    ] {
        let reply = send_code(&mut ada, code, &[("name", name)]);
        assert!(reply.status == 422 && reply.has(words), "{name}: {}", reply.text());
        assert!(reply.has(name) && reply.has(code), "what was typed is not lost: {}", reply.text());
    }
    // Nothing of it was entered or counted.
    assert_eq!(server.client().get("/arenas/cluster/bots/ada").status, 404);
    assert!(ada.get(PAGE).has("<b>40</b> of 40"), "{}", ada.get(PAGE).text());
    // A bot without end writes, and hangs: others go on.
    let flood =
        "import sys\nwhile True: print('x' * 100000); print('y' * 100000, file=sys.stderr)\n";
    let path = hand_in(&mut ada, "cluster", "python", flood);
    assert!(wait_until_done(&mut ada, &path).has("failed"));
}

#[test]
fn names_and_messages_are_shown_not_obeyed() {
    let (server, _, mut ada) = Server::quiet();
    let evil = "<script>alert(1)</script>";
    let more = [("name", evil), ("message", evil)];
    let reply = send_code(&mut ada, &python_bot("cluster"), &more);
    assert!(reply.has("&lt;script&gt;") && !reply.has(evil), "{}", reply.text());
    wait_until_done(&mut ada, &reply.path);
    let table = wait_for("the bot in the table", || {
        let table = server.client().get("/arenas/cluster");
        table.has("&lt;script&gt;").then_some(table)
    });
    assert!(!table.has(evil));
    let rename = "/arenas/cluster/bots/script-alert-1-script/rename";
    for name in ["a\u{202e}b", "\u{7}", &"x".repeat(300)] {
        let reply = ada.post(rename, "/account", &[("name", name)]);
        assert_eq!(reply.status, 422, "{name}: {}", reply.text());
    }
}

#[test]
fn many_passwords_at_once_are_many_tries_and_little_memory() {
    let server = Server::with(&["--trusted-proxy", "127.0.0.1"]);
    server.author(&mut server.administrator(), "bob");
    let before = resident(&server);
    let tries: Vec<_> = (0..60)
        .map(|number| {
            let mut thief = server.client();
            std::thread::spawn(move || {
                let password = format!("guess {number}");
                let reply = sign_in_as(&mut thief, "198.51.100.1", "bob", &password);
                u32::from(!reply.has("too many tries"))
            })
        })
        .collect();
    let checked: u32 = tries.into_iter().map(|one| one.join().unwrap()).sum();
    assert!(checked <= 12, "{checked} guesses were checked");
    let grown = resident(&server).saturating_sub(before);
    assert!(grown < 200, "{grown} MiB");
}

/// Returns the memory of a process that is resident now, in MiB.
fn resident(server: &Server) -> u64 {
    let kilobytes = status(&server.pid().to_string(), "VmRSS:").unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}

#[test]
fn a_session_ends_when_it_is_signed_out() {
    let (server, mut root) = Server::with_root(&[]);
    let stolen = root.cookie("agon-session").unwrap().to_owned();
    root.post("/sign-out", "/admin", &[]);
    let mut thief = server.client();
    thief.set_cookie("agon-session", &stolen);
    assert!(thief.get("/admin").path.starts_with("/sign-in"));
    // A link that was used is used up.
    let link = server.link.clone().unwrap();
    assert_eq!(server.client().get(&link).status, 410);
    assert_eq!(server.client().get("/join/0123").status, 410);
    another_server_stays_out_of_the_folder(&server);
}

fn another_server_stays_out_of_the_folder(server: &Server) {
    let data = server.data().to_str().unwrap();
    let output = agon_server(["--listen", "127.0.0.1:0", "--data", data]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("another server uses the folder"), "{text}");
}

#[test]
fn clients_that_say_nothing_hinder_nobody() {
    let server = Server::cluster();
    let address = server.address.strip_prefix("http://").unwrap();
    let silent: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut half = TcpStream::connect(address).unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").unwrap();
    assert_eq!(server.client().get("/arenas/cluster").status, 200);
    // They are sent away after a while.
    half.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let _ = half.read_to_end(&mut Vec::new());
    drop(silent);
}

/// What no bot may print: it is in the server's environment, and in a file beside its folder.
const KEY: &str = "xyzzy-8d1f-secret";

/// Hands in files with a manifest that says this; returns the page of the version when it is done.
fn hand_in_files(author: &mut Client, manifest: &str, files: &[(&str, &str)]) -> Reply {
    let manifest = format!("game = \"cluster\"\n{manifest}\n");
    let all = [("agon.toml", manifest.as_str())].into_iter().chain(files.iter().copied());
    let sent: Vec<_> = all.map(|(name, text)| ("files", name, text.as_bytes())).collect();
    let reply = author.upload(PAGE, PAGE, &[("way", "files")], &sent);
    assert!(reply.path.contains("/versions/"), "{}", reply.text());
    wait_until_done(author, &reply.path)
}

#[test]
fn no_bot_prints_a_key() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    fs::write(place.path().join("key"), KEY).unwrap();
    let variables = ["AGON_HOUSE", "AGON_TOKEN", "PYTHON_HOUSE"].map(|name| (name, KEY));
    let server = Server::start_with(&data, &["--arena", "cluster"], &variables);
    let shown = fs::read(format!("/proc/{}/environ", server.pid())).unwrap();
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(!shown.contains(&format!("AGON_TOKEN={KEY}")), "the server shows its token");
    let mut ada = server.author(&mut server.administrator(), "ada");
    // The keys of the log are there once something is signed.
    let log = data.join("keys/log.key");
    wait_until("the key of the log", || log.is_file());
    let secret = fs::read_to_string(&log).unwrap();
    let spy = include_str!("../../agon/tests/hostile/bots/spy.py")
        .replace("\"xyzzy\"", &format!("{:?}", &secret.trim()[..20]));
    let known = include_str!("../../agon/tests/hostile/bots/spy.py");
    let places = [data.join("keys/log.key"), data.join("agon.db"), place.path().join("key")]
        .map(|path| path.display().to_string())
        .join("\n");
    let words = "../../keys ../../../keys/log.key ../../../../key --file=../../../keys/log.key";
    let words = format!("{words} -I../../../keys {} {}", log.display(), data.display());
    let jsonl = "protocol = \"jsonl\"\n";
    let files = |code: &str| {
        [("spy.py", code.to_owned()), ("places", places.clone())]
            .map(|(name, text)| (name.to_owned(), text))
    };
    for code in [spy.as_str(), known] {
        let files = files(code);
        let files = files.each_ref().map(|(name, text)| (name.as_str(), text.as_str()));
        for manifest in [
            format!("{jsonl}run = \"python3 spy.py {words}\""),
            format!("{jsonl}run = \"python3 spy.py\"\nbuild = \"python3 spy.py {words}; exit 3\""),
        ] {
            let done = hand_in_files(&mut ada, &manifest, &files);
            let text = done.text();
            assert!(text.contains("the spy has looked"), "{text}");
            assert!(!text.contains(KEY) && !text.contains(secret.trim()), "{text}");
        }
    }
    // A compiler's message quotes what it reads, and a build can put a link in front of it.
    let build =
        format!("mkdir -p target/release/deps; ln -s {} target/release/deps/bot.c", log.display());
    let manifest = format!("run = \"target/release/deps/bot.c\"\nbuild = \"{build}\"");
    let done = hand_in_files(&mut ada, &manifest, &[("bot.py", "")]);
    assert!(done.has("failed") && !done.has(&secret.trim()[..20]), "{}", done.text());
}

#[test]
fn a_build_reaches_nothing_outside_by_links() {
    let victim = tempfile::tempdir().unwrap();
    let names = ["deps", "build", "incremental", ".fingerprint"];
    for name in names {
        fs::create_dir(victim.path().join(name)).unwrap();
        fs::write(victim.path().join(name).join("precious"), "x").unwrap();
    }
    let (server, _, mut ada) = Server::quiet();
    let place = victim.path().display();
    let manifest =
        format!("run = \"./bot\"\nbuild = \"mkdir target; ln -s {place} target/release\"");
    let done = hand_in_files(&mut ada, &manifest, &[("bot", "#!/bin/sh\n")]);
    assert!(done.has("failed"), "{}", done.text());
    for name in names {
        assert!(victim.path().join(name).join("precious").is_file(), "{name}");
    }
    closed_folders_of_builds_stop_nothing(server, &mut ada);
}

fn closed_folders_of_builds_stop_nothing(server: Server, ada: &mut Client) {
    let build = "build = \"mkdir -p a/b; echo x > a/b/c; chmod 0 a/b; chmod 0 a\"";
    let manifest = format!("protocol = \"jsonl\"\nrun = \"python3 bot.py\"\n{build}");
    hand_in_files(ada, &manifest, &[("bot.py", &python_bot("cluster"))]);
    let work = server.data().join("work");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0, "the build has left something");
    // What an earlier run left is gone after a start, in any state.
    let server = server.restart(&[], |_| {
        let left = work.join("bot-x/a/b");
        fs::create_dir_all(&left).unwrap();
        fs::write(left.join("c"), "x").unwrap();
        for path in [left.as_path(), left.parent().unwrap()] {
            fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
        }
    });
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0);
    assert_eq!(server.client().get("/arenas/cluster").status, 200);
}

#[test]
fn visitors_hold_up_no_uploads() {
    let (server, _, mut ada) = Server::with_ada();
    let address = server.address.strip_prefix("http://").unwrap();
    // Visitors begin uploads and do not go on.
    let head = "POST /arenas/cluster/hand-in HTTP/1.1\r\nHost: x\r\nContent-Length: 30000000\r\n\
        Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n";
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let path = hand_in(&mut ada, "cluster", "python", "raise SystemExit(1)\n");
    assert!(wait_until_done(&mut ada, &path).has("failed"));
    drop(slow);
}

#[test]
fn links_end_with_the_rights_of_those_who_made_them() {
    let (server, mut root) = Server::with_root(&[]);
    server.author(&mut root, "olga");
    root.post("/admin/people/olga/role", "/admin/people", &[("role", "organiser")]);
    let mut olga = server.client();
    sign_in_as(&mut olga, "127.0.0.1", "olga", "battery staple");
    let fields = [("role", "organiser"), ("uses", "5"), ("days", "9"), ("note", "")];
    let link = olga.post("/admin/invitations", "/admin/people", &fields).find("/join/", 40);
    assert_eq!(server.client().get(&link).status, 200);
    root.post("/admin/people/olga/disable", "/admin/people", &[]);
    assert_eq!(server.client().get(&link).status, 410);
    // Two administrators cannot remove each other.
    server.author(&mut root, "eve");
    root.post("/admin/people/eve/role", "/admin/people", &[("role", "administrator")]);
    let mut eve = server.client();
    sign_in_as(&mut eve, "127.0.0.1", "eve", "battery staple");
    let both = [(eve, "root"), (root.clone(), "eve")].map(|(mut by, whom)| {
        std::thread::spawn(move || {
            let action = format!("/admin/people/{whom}/role");
            by.post(&action, "/account", &[("role", "author")]).status
        })
    });
    let statuses = both.map(|one| one.join().unwrap());
    assert!(statuses.iter().any(|&status| status == 409 || status == 403), "{statuses:?}");
}
