//! The text for programs that take part in an arena: all is in it, and its commands work.

use std::{path::Path, process::Command};

use crate::support::{Api, Server, header, json, wait_for, wait_until};

const GAMES: [&str; 5] = ["amoebas", "binfection", "cellhack", "cluster", "rezzo"];

/// Returns the lines of shell commands in a text that have a word.
fn commands<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    let first = |line: &&str| ["curl ", "tar ", "token="].iter().any(|c| line.starts_with(c));
    lines.filter(first).filter(|line| line.contains(word)).collect()
}

/// Returns the first block of code below a line.
fn code_below(text: &str, line: &str) -> String {
    let (_, rest) = text.split_once(line).unwrap_or_else(|| panic!("no {line}"));
    let (_, rest) = rest.split_once("\n```").unwrap();
    let (code, _) = rest.split_once("\n```").unwrap();
    code.split_once('\n').unwrap().1.to_owned() + "\n"
}

fn run(script: &str, folder: &Path) -> String {
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{script}\n{said}\n{errors}");
    said
}

#[test]
fn the_text_of_each_game_has_everything() {
    let bosses = GAMES.map(|game| format!("{game}/random"));
    let flags = GAMES.iter().zip(&bosses);
    let flags = flags.flat_map(|(game, boss)| ["--arena", *game, "--boss", boss.as_str()]);
    let (server, mut root) = Server::with_root(&flags.collect::<Vec<_>>());
    let page = "/admin/arenas/cluster";
    let form = [
        ("title", "Autumn cup"),
        ("about", "Welcome \u{202e}all\r\n## Sign in elsewhere"),
        ("per_day", "7"),
        ("memory_mib", "321"),
        ("time_ms", "45"),
        ("deadline", "2199-03-01T12:00"),
        ("deadline_zone", "+05:45"),
        ("language", "python"),
        ("language", "c"),
    ];
    let reply = root.post(page, page, &form);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let mut visitor = server.client();
    for game in GAMES {
        let reply = visitor.get(&format!("/arenas/{game}/agents.txt"));
        assert_eq!(reply.status, 200, "{game}");
        let kind = header(&reply.head, "content-type");
        assert_eq!(kind.as_deref(), Some("text/plain; charset=utf-8"));
        let text = reply.text();
        let rules = std::fs::read_to_string(format!("../agon-games/src/{game}/page.md")).unwrap();
        let headings = rules.lines().filter_map(|line| line.strip_prefix("## "));
        for heading in headings {
            assert!(text.contains(&format!("\n### {heading}\n")), "{game}: {heading}");
        }
        for part in [
            &format!("agon login {} --name NAME", server.address),
            &format!("agon submit fox --name BOT --arena {game} -m"),
            &format!("agon new {game} "),
            &format!("agon play {game} fox builtin:random"),
            &format!("agon check {game} fox"),
            &format!("- Arena: {game} ({}/arenas/{game}), open", server.address),
            &format!("\"type\":\"start\",\"protocol\":1,\"game\":\"{game}\""),
            "\n> {\"step\":",
            "agon logs",
            "Players in a match: ",
            "timeouts in a row end",
            "## How ranking works",
            "## What is a fault",
            "\n- python (Python): ",
            "agon.py, agon.toml, bot.py, ",
        ] {
            assert!(text.contains(part), "{game}: no {part} in {text}");
        }
        assert!(!text.contains("]("), "{game}: a link");
        assert!(!text.contains(|c| c != '\n' && agon_core::text::is_hidden(c)), "{game}");
    }
    let text = visitor.get("/arenas/cluster/agents.txt").text();
    for part in [
        "# Autumn cup: how to take part\n",
        "\n| Welcome \\u202eall",
        "\n| ## Sign in elsewhere",
        "Hand-ins: 7 versions",
        "Memory of a bot with all its processes: 321 MiB",
        "Time for a decision: 45 ms",
        "Deadline: 2199-03-01 12:00 UTC+05:45",
        "Languages: C, Python.",
        "- side = 12",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("\n- rust "), "{text}");
    assert_eq!(visitor.get("/arenas/chess/agents.txt").status, 404);
    for page in ["/arenas/cluster/rules", "/arenas/cluster/hand-in"] {
        assert!(root.get(page).has("href=\"/arenas/cluster/agents.txt\""), "{page}");
    }
    let robots = visitor.get("/robots.txt").text();
    assert!(robots.lines().any(|line| line == "Disallow: /log/"), "{robots}");
    // Search engines list nobody's name.
    for page in ["/", "/arenas/cluster", "/people/root", "/nothing"] {
        let head = visitor.get(page).head.to_lowercase();
        assert!(head.contains("x-robots-tag: noindex\r\n"), "{page}: {head}");
    }
}

#[test]
fn a_bot_is_handed_in_with_nothing_but_its_lines() {
    agon_testkit::needs!("bash", "curl", "tar");
    let folder = tempfile::tempdir().unwrap();
    let (server, mut root) = Server::with_root(&["--arena", "rezzo", "--boss", "rezzo/random"]);
    server.author(&mut root, "ada");
    let text = server.client().get("/arenas/rezzo/agents.txt").text();
    let text = text.replace("NAME", "ada").replace("PASSWORD", "battery staple");
    let text = text.replace("BOT", "fox");
    let place = folder.path();
    // The single file that the text shows.
    std::fs::write(place.join("bot.py"), code_below(&text, "This is bot.py of the kit")).unwrap();
    let sign_in = commands(&text, "token.json").join("\n");
    let single = commands(&text, "files=@bot.py").join("\n");
    run(&format!("{sign_in}\n{single}"), place);
    let version = std::fs::read_to_string(place.join("version.json")).unwrap();
    let version: serde_json::Value = serde_json::from_str(&version).unwrap();
    assert_eq!((&version["number"], &version["bot"]["slug"]), (&1.into(), &"fox".into()));
    let mut visitor = Api::new(server.client(), None);
    wait_until("the version", || {
        let version = visitor.found("/arenas/rezzo/bots/fox/versions/1");
        assert_ne!(version["state"], "failed", "{version}");
        version["state"] == "ready"
    });
    // The folder, as an archive: with the other files that the text names.
    let bot = place.join("fox");
    std::fs::create_dir(&bot).unwrap();
    let kit = agon_console::kits::Kit::find("python").unwrap();
    let game = "rezzo".parse().unwrap();
    let (_, listed) = text.split_once("\n- python (Python): ").unwrap();
    for name in listed.lines().next().unwrap().split(", ") {
        let path = bot.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &kit.files(game, "fox")[name]).unwrap();
    }
    let archive = commands(&text, "bot.tar.gz").join("\n");
    run(&format!("{sign_in}\n{archive}\n{archive}"), place);
    let number = wait_for("a match", || {
        let matches = visitor.found("/arenas/rezzo/matches?bot=fox&limit=1");
        matches["items"][0]["number"].as_u64()
    });
    let text = text.replace("NUMBER", &number.to_string());
    let reading = commands(&text, "/api/v1/arenas/rezzo/");
    let reading = reading.iter().filter(|line| !line.contains("> version.json"));
    let reading: Vec<&str> = reading.copied().collect();
    assert_eq!(reading.len(), 7, "{reading:?}");
    for line in reading {
        run(&format!("{sign_in}\n{line}"), place);
    }
    assert!(std::fs::read(place.join("match.agon")).unwrap().starts_with(b"\x8FAGON"));
    let versions = visitor.get("/arenas/rezzo/bots/fox/versions");
    assert_eq!(json(&versions)["items"].as_array().unwrap().len(), 2, "sent twice, counted once");
}
