//! The server as a process, and clients with cookies.

mod client;
mod database;
mod server;

use std::io::Write;
use std::time::{Duration, Instant};

pub(crate) use client::{Api, Client, Reply, code, header, json};
pub(crate) use database::{Database, Texts, flags, make};
pub(crate) use server::{LIVELY, STARTER, Server, agon_server, said};

/// How long a test waits for something before it fails: machines may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// Tries again and again until something is there.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        let waited = began.elapsed();
        assert!(waited < PATIENCE, "waited in vain for {what}");
        // Whoever looks all the time takes the time of those who work.
        let (least, most) = (Duration::from_millis(10), Duration::from_millis(250));
        std::thread::sleep((waited / 8).clamp(least, most));
    }
}

/// Tries again and again until something is so.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}

/// The form of an arena for short matches of cluster. `more` has other fields, and other values.
pub(crate) fn arena_form<'a>(
    slug: &'a str,
    more: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let usual = [
        ("title", "Autumn"),
        ("slug", slug),
        ("game", "cluster"),
        ("preset", "short"),
        ("boss", "cluster/greedy"),
    ];
    let is_usual = |(name, _): &(&str, &str)| more.iter().all(|(other, _)| other != name);
    usual.into_iter().filter(is_usual).chain(more.iter().copied()).collect()
}

/// Has an organiser make such an arena.
pub(crate) fn make_arena(organiser: &mut Client, slug: &str, more: &[(&str, &str)]) {
    let new = "/admin/arenas/new";
    let reply = organiser.post(new, new, &arena_form(slug, more));
    assert_eq!(reply.path, format!("/arenas/{slug}?done=made"), "{}", reply.text());
}

/// Has an organiser make the arena `cluster` for short matches; it takes many hand-ins. In it play
/// these built-in bots. Without any, a single author's bot plays no match.
pub(crate) fn short_arena(organiser: &mut Client, bosses: &[&str]) {
    let bosses: Vec<String> = bosses.iter().map(|boss| format!("cluster/{boss}")).collect();
    let mut form = arena_form("cluster", &[("per_day", "10000")]);
    form.retain(|(name, _)| *name != "boss");
    form.extend(bosses.iter().map(|boss| ("boss", boss.as_str())));
    let new = "/admin/arenas/new";
    let reply = organiser.post(new, new, &form);
    assert_eq!(reply.path, "/arenas/cluster?done=made", "{}", reply.text());
}

/// Has the arena `cluster` take many hand-ins, with these built-in bots.
pub(crate) fn many_hand_ins(root: &mut Client, bosses: &[&str]) {
    let page = "/admin/arenas/cluster";
    let bosses: Vec<String> = bosses.iter().map(|boss| format!("cluster/{boss}")).collect();
    let mut form = vec![("title", "Cluster"), ("per_day", "10000")];
    form.extend(bosses.iter().map(|boss| ("boss", boss.as_str())));
    let reply = root.post(page, page, &form);
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Presses a button of an arena's organisers: `pause`, `resume`, `publish` or `finish`.
pub(crate) fn organise(organiser: &mut Client, arena: &str, action: &str) {
    let page = format!("/admin/arenas/{arena}");
    let reply = organiser.post(&format!("{page}/{action}"), &page, &[]);
    assert_eq!(reply.status, 200, "{action}: {}", reply.text());
}

/// Pauses the only arena of a server, and waits for the end of its last match.
pub(crate) fn play_out(server: &Server, organiser: &mut Client, arena: &str) {
    organise(organiser, arena, "pause");
    let open = "SELECT count(*) FROM matches WHERE state = 'planned'";
    wait_until("the last match", || server.database().number(open) == 0);
}

/// A bot in Python that plays cluster, from the starter kit.
pub(crate) fn python_bot(game: &str) -> String {
    let path = format!("../../starter-kits/python/games/{game}/bot.py");
    let text = std::fs::read_to_string(path).unwrap();
    text.replace("{{game}}", game).replace("{{name}}", "bot")
}

/// A folder with a bot in Python that plays a game, as an archive. `line` is added to its code.
pub(crate) fn python_zip(game: &str, line: &str) -> Vec<u8> {
    let code = format!("{}\n{line}\n", python_bot(game));
    let manifest = format!(
        "game = \"{game}\"\nlanguage = \"python\"\nprotocol = \"jsonl\"\n\
         run = \"python3 bot.py\"\n"
    );
    python_zip_of(game, &code, &manifest)
}

/// The same with another bot and manifest.
pub(crate) fn python_zip_of(game: &str, code: &str, manifest: &str) -> Vec<u8> {
    let read = |path: &str| std::fs::read(format!("../../starter-kits/python/{path}")).unwrap();
    zip(&[
        ("bot.py", code.as_bytes()),
        ("agon.py", &read("common/agon.py")),
        ("legal.py", &read(&format!("games/{game}/legal.py"))),
        ("agon.toml", manifest.as_bytes()),
    ])
}

/// An archive.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, contents) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The kit's bot, which also writes a word to stderr in each turn.
pub(crate) fn talkative(word: &str) -> String {
    let decide = "    def decide(self, seen, turn):\n";
    let talks = format!(
        "{decide}        import sys\n        print({word:?}, file=sys.stderr, flush=True)\n"
    );
    python_bot("cluster").replacen(decide, &talks, 1)
}
